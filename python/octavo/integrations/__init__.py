"""Frameworks that read records through octavo, a module for each: torch, grain, tensorflow, arrow.

Importing one of them imports its framework, and nothing else does.
"""

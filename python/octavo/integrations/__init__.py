"""Frameworks that read records through octavo, a module for each: torch, grain, tensorflow, arrow, beam, ray, spark.

`elastic` hands partitions to workers that come and go, on Ray.

Importing one of them imports its framework, and nothing else does.
"""

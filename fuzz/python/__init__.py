"""Fuzz targets for the parsers that are written in Python.

A target is a module with three names: `check(data)` raises if the parser and its naive twin disagree, or if the parser
raises what it does not promise; `SEEDS` is where mutation begins; `WORDS` is what it puts in. Nothing but `run.py`
needs a fuzzer.
"""

TARGETS = ("folder", "json_lines", "manifest", "options", "sizes", "tar", "tf_example")

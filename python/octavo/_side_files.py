"""What stands beside a file of the same name: while it is written (docs/spec/partial.md), and as its index."""

from __future__ import annotations

PARTIAL = ".partial"
ASSEMBLING = ".assembling"
RECOVERING = ".recovering"
CONVERTING = ".converting"
SHUFFLING = ".shuffling"
INDEX = ".octx"
MANIFEST = ".octm"
"""The end of the name of a list of files."""

WRITTEN = (PARTIAL, ASSEMBLING)
"""What writers may have while they write."""
ALL = (PARTIAL, ASSEMBLING, RECOVERING, CONVERTING, SHUFFLING, INDEX, MANIFEST)

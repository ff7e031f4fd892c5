"""The digest of records, by the letter of `docs/spec/digest.md`: one record after the other, with Python's integers."""

from __future__ import annotations

from collections.abc import Iterable

from tests.naive.highway_hash import highway_hash_128

KEY = b"octavo: digest of logical record"
PRIME = 2**127 - 1
BASE = 0x243F6A8885A308D313198A2E03707344


def digest(records: Iterable[bytes]) -> tuple[str, str]:
    """The ordered and the unordered digest."""
    ordered = unordered = 0
    for record in records:
        number = highway_hash_128(record, KEY) % PRIME
        ordered = (ordered * BASE + number) % PRIME
        unordered = (unordered + number) % PRIME
    return f"{ordered:032x}", f"{unordered:032x}"

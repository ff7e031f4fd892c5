"""Records that tell their numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import octavo

COUNT = 200


def record(number: int) -> bytes:
    """Tells its number; has zeros at its end, and bytes that are no text."""
    return str(number).encode() + b"\xff" + bytes(number % 5)


def number_of(record: bytes) -> int:
    """What a record tells."""
    number = int(record.partition(b"\xff")[0])
    assert record == bytes_of(number)
    return number


bytes_of = record


def write(path: Path, count: int = COUNT, **options: Any) -> Path:
    """A file of these records; its name says in which format."""
    with octavo.create(path, **options) as writer:
        writer.write_many(map(record, range(count)))
    return path


def numbers(dataset: Any) -> list[int]:
    """What all records tell, in batches or not."""
    found: list[int] = []
    for element in dataset.as_numpy_iterator():
        found += map(number_of, [element] if isinstance(element, bytes) else element)
    return found

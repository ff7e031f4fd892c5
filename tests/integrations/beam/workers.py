"""What workers of the tests do; imported by name, as workers are other processes."""

from __future__ import annotations

import os
from pathlib import Path

import apache_beam as beam
from apache_beam.coders import BytesCoder


def is_first(marker: Path) -> bool:
    """Whether nobody has asked before, in any process."""
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


class Once(beam.DoFn):  # type: ignore[misc]  # Beam is taken as Any
    """Lets records through, and ends its process when one of them comes by for the first time in any process."""

    def __init__(self, marker: Path, record: bytes, *, by_exception: bool = False) -> None:
        self._marker = marker
        self._record = record
        self._by_exception = by_exception

    def process(self, element: bytes):
        if element == self._record and is_first(self._marker):
            if self._by_exception:
                raise ValueError("once")
            os._exit(9)
        yield element


class EndsOnce(BytesCoder):  # type: ignore[misc]  # Beam is taken as Any
    """The same where a sink encodes what it writes."""

    def __init__(self, marker: Path, record: bytes) -> None:
        self._marker = marker
        self._record = record

    def encode(self, value: bytes) -> bytes:
        if value == self._record and is_first(self._marker):
            os._exit(9)
        return value


def process_of(record: bytes) -> tuple[int, bytes]:
    return os.getpid(), record

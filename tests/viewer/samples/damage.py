"""Copies of files in which something broke."""

from __future__ import annotations

from pathlib import Path

from tests.naive.ffrecord import NaiveFile


def flipped(path: Path, target: Path, *, at: int, count: int = 4) -> Path:
    """A copy in which so many bytes are not what they were."""
    content = bytearray(path.read_bytes())
    content[at : at + count] = bytes(byte ^ 0xFF for byte in content[at : at + count])
    target.write_bytes(content)
    return target


def flipped_record(path: Path, target: Path, number: int) -> Path:
    """A copy of an FFRecord file in which the content of one record is not what it was."""
    return flipped(path, target, at=NaiveFile(path.read_bytes()).offsets[number] + 2)

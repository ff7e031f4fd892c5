"""The original package, where it is installed: what it writes, and everything that it reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest


def original_module() -> Any:
    """The original's two classes; a test that asks for them is skipped where they are not installed."""
    return pytest.importorskip("array_record.python.array_record_module", reason="array_record is not installed")


def write(path: Path, records: Iterable[bytes], options: str) -> None:
    writer = original_module().ArrayRecordWriter(str(path), options)
    for record in records:
        writer.write(record)
    writer.close()


def encode(folder: Path, records: Iterable[bytes], options: str) -> bytes:
    """The bytes of the file that the original writes."""
    path = folder / "original.array_record"
    write(path, records, options)
    return path.read_bytes()


def options_text_of(path: Path) -> str | None:
    reader = original_module().ArrayRecordReader(str(path), "max_parallelism:0")
    text: str | None = reader.writer_options_string()
    reader.close()
    return text


def read_every_way(path: Path) -> dict[str, list[bytes]]:
    """All records, by every way that the original has to read them."""
    # Without threads of its own: they make reading one by one slow.
    reader = original_module().ArrayRecordReader(str(path), "max_parallelism:0")
    count = reader.num_records()
    found = {
        "read_all()": reader.read_all(),
        "read(indices)": reader.read(list(range(count - 1, -1, -1)))[::-1],
        "read(begin, end)": reader.read(0, count) if count else [],  # an empty range is an error to it
        "read()": [reader.read() for _ in range(count)],
    }
    reader.close()
    return found


def same_every_way(records: list[bytes]) -> dict[str, list[bytes]]:
    """What `read_every_way` gives for a file of these records."""
    return dict.fromkeys(("read_all()", "read(indices)", "read(begin, end)", "read()"), records)

"""Small files of every format, and what is in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import octavo

FORMATS: dict[str, dict[str, Any]] = {
    "data.array_record": {"group_size": 4},
    "data.riegeli": {"group_size": 4},
    "data.recordio": {"group_size": 4},
    "data.ffr": {},
    "data.tfrecord": {},
    "data.tfrecord.gz": {},
}
"""A name for each format, and how its files are made."""
SPLITTABLE = [name for name in FORMATS if not name.endswith(".gz")]

FN_API = "apache_beam.runners.portability.fn_api_runner.FnApiRunner"
"""The default local runner, without a look for a runner to download."""


def records_of(count: int, label: str = "record") -> list[bytes]:
    return [f"{label} {number}".encode() for number in range(count)]


def write(path: Path | str, records: list[bytes], **options: Any) -> str:
    with octavo.create(path, **options) as writer:
        writer.write_many(records)
    return str(path)


def write_as(folder: Path, name: str, records: list[bytes]) -> str:
    return write(folder / name, records, **FORMATS[name])


def read_all(folder: Path, pattern: str = "*") -> list[bytes]:
    """The records of all files in a folder that a pattern matches, sorted."""
    return sorted(record for path in sorted(folder.glob(pattern)) for record in octavo.open(path))


def names_in(folder: Path) -> list[str]:
    """Names of everything in a folder and below it."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())

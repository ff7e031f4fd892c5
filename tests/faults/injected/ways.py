"""The formats that faults are tried on, and records that take several calls to write."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path
from typing import Any

import octavo
from octavo.errors import TornAppendWarning
from tests.faults import samples


@dataclasses.dataclass(frozen=True)
class Way:
    """How a file of some format is created."""

    suffix: str
    options: dict[str, Any]
    grows: bool = True
    has_sidecar: bool = False


WAYS = {
    "ffrecord": Way(".ffr", {}, grows=False),
    "array_record": Way(".array_record", {"group_size": 8, "codec": "zstd"}),
    "riegeli": Way(".riegeli", {"codec": "none"}, has_sidecar=True),
    "recordio": Way(".recordio", {"max_chunk_bytes": "4KB"}, has_sidecar=True),
    "tfrecord": Way(".tfrecord", {}, has_sidecar=True),
    "tfrecord-gzip": Way(".tfrecord", {"codec": "gzip"}, grows=False, has_sidecar=True),
}
GROWING = [name for name, way in WAYS.items() if way.grows]
WITH_SIDECAR = [name for name, way in WAYS.items() if way.has_sidecar]

PORTIONS = 3
PORTION_RECORDS = 21
"""No multiple of a group: every flush finds half of one."""


def portions(seed: int) -> list[list[bytes]]:
    """What is written between two flushes."""
    records = samples.records(PORTIONS * PORTION_RECORDS, seed)
    return [records[begin : begin + PORTION_RECORDS] for begin in range(0, len(records), PORTION_RECORDS)]


def write(path: str | Path, way: Way, records: list[bytes]) -> None:
    """A whole file."""
    with octavo.create(path, **way.options) as writer:
        writer.write_many(records)


def unfinished(path: str | Path, way: Way, records: list[bytes]) -> bytes:
    """What a killed writer leaves under another name, all records flushed."""
    writer = octavo.create(path, **way.options)
    writer.write_many(records)
    writer.flush()
    content = Path(f"{path}.partial").read_bytes()
    writer.abort()
    return content


def contents(path: str | Path) -> list[bytes]:
    """All records, whether or not there is something torn behind them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TornAppendWarning)
        with octavo.open(path) as reader:
            return reader.read_all()

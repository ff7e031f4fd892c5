"""Record files that tests put on servers, written to a local folder first."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

import octavo


@dataclasses.dataclass(frozen=True)
class Kind:
    """A format with the options that change how it is read."""

    name: str
    suffix: str
    options: dict[str, Any] = dataclasses.field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


KINDS = [
    Kind("ffrecord", ".ffr"),
    Kind("array_record-1", ".array_record", {"group_size": 1}),
    Kind("array_record-64", ".array_record", {"group_size": 64}),
    Kind("riegeli", ".riegeli"),
    Kind("recordio", ".recordio", {"max_chunk_bytes": "16KB"}),
    Kind("tfrecord", ".tfrecord"),
    Kind("tfrecord-gzip", ".tfrecord.gz"),
]
BY_NAME = {kind.name: kind for kind in KINDS}


def make_records(count: int, *, size: int = 1000, seed: int = 0) -> list[bytes]:
    """Records that no codec makes smaller, of about `size` bytes."""
    chance = random.Random(seed)
    return [chance.randbytes(chance.randrange(size // 2, size * 3 // 2)) for _ in range(count)]


def write(kind: Kind, records: list[bytes], folder: Path, *, stem: str = "records", sidecar: bool = False) -> Path:
    path = folder / f"{stem}{kind.suffix}"
    with octavo.create(path, sidecar=sidecar, **kind.options) as writer:
        writer.write_many(records)
    return path


def content(kind: Kind, records: list[bytes], folder: Path) -> bytes:
    return write(kind, records, folder).read_bytes()

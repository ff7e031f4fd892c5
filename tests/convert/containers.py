"""Every container that records are converted between: what to call a file of it, and what to ask for."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

import octavo


@dataclasses.dataclass(frozen=True)
class Kind:
    """One container."""

    name: str
    suffix: str
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    needs: str | None = None

    def convert(self, source: Any, folder: Path, stem: str, **options: Any) -> tuple[Path, octavo.ConvertReport]:
        """Records of a source in a new file of this container."""
        if self.needs:
            pytest.importorskip(self.needs)
        target = folder / f"{stem}{self.suffix}"
        return target, octavo.convert(source, target, **self.options, **options)

    def digest(self, path: Path) -> octavo.Digest:
        """What is in such a file."""
        return octavo.digest(path, format="folder" if self.name == "folder" else None)


RECORDS = [
    Kind("ffrecord", ".ffr"),
    Kind("array_record", ".array_record"),
    Kind("array_record-grouped", ".array_record", {"group_size": 50, "codec": "brotli:2"}),
    Kind("riegeli", ".riegeli"),
    Kind("riegeli-transposed", ".riegeli", {"transpose": True}),
    Kind("recordio", ".recordio"),
    Kind("recordio-go", ".recordio", {"dialect": "go", "codec": "gzip"}),
    Kind("recordio-paddle-cpp", ".recordio", {"dialect": "paddle-cpp"}),
    Kind("recordio-ieee", ".recordio", {"dialect": "paddle-python-ieee", "codec": "none"}),
    Kind("tfrecord", ".tfrecord"),
    Kind("tfrecord-gzip", ".tfrecord.gz"),
]
OTHERS = [
    Kind("jsonl", ".jsonl"),
    Kind("tar", ".tar"),
    Kind("parquet", ".parquet", needs="pyarrow"),
    Kind("folder", "", {"format": "folder"}),
]
ALL = RECORDS + OTHERS


def by_name(kinds: list[Kind]) -> Any:
    """A parameter for each."""
    return [pytest.param(kind, id=kind.name) for kind in kinds]

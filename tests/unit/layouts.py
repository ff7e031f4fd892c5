"""The ways in which files store records: what holds for readers in general must hold for each of them.

octavo writes these files itself, which is quick. That its bytes are the right ones is for `tests/conformance` to show.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, TypeAlias

import octavo

Format: TypeAlias = Literal["ffrecord", "array_record", "riegeli", "recordio", "tfrecord"]


@dataclasses.dataclass(frozen=True)
class Layout:
    """One of them."""

    format: Format
    suffix: str
    options: tuple[tuple[str, Any], ...] = ()

    def write(self, path: Path, records: Iterable[bytes]) -> Path:
        """A file of these records, under that name with the suffix added."""
        path = path.with_name(path.name + self.suffix)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.encode(records))
        return path

    def encode(self, records: Iterable[bytes]) -> bytes:
        """The bytes of a file of these records."""
        return _encode(self, tuple(records))

    def open(self, records: Iterable[bytes], **options: Any) -> octavo.Reader:
        """A reader of exactly these records, in memory."""
        return octavo.open(self.encode(records), **self.hint, **options)

    @property
    def hint(self) -> dict[str, Any]:
        """What `octavo.open` must be told about bytes that have no name; everything else it finds out."""
        # Files of RecordIO and TFRecord without records have no bytes that could tell.
        return {"format": self.format} if self.format in {"riegeli", "recordio", "tfrecord"} else {}


@functools.cache
def _encode(layout: Layout, records: tuple[bytes, ...]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records")
        with octavo.create(path, format=layout.format, **dict(layout.options)) as writer:
            writer.write_many(records)
        return Path(path).read_bytes()


FFRECORD = Layout("ffrecord", ".ffr")
LONE = Layout("array_record", ".array_record", (("codec", "none"),))
GROUPED = Layout("array_record", ".array_record", (("group_size", 7), ("codec", "zstd")))
RIEGELI = Layout("riegeli", ".riegeli", (("group_size", 5), ("codec", "snappy")))

RECORDIO = Layout("recordio", ".recordio", (("group_size", 5),))
GO = Layout("recordio", ".recordio", (("dialect", "go"), ("codec", "none"), ("max_chunk_bytes", 64)))
TFRECORD = Layout("tfrecord", ".tfrecord")
DEFLATED = Layout("tfrecord", ".tfrecord.gz", (("codec", "gzip"),))

LAYOUTS = {
    "ffrecord": FFRECORD,
    "array_record": LONE,
    "array_record-7": GROUPED,
    "riegeli": RIEGELI,
    "recordio": RECORDIO,
    "recordio-go": GO,
    "tfrecord": TFRECORD,
    "tfrecord-gzip": DEFLATED,
}
STORED = {"verbatim": FFRECORD, "encoded": LONE, "chunked": GROUPED, "deflated": DEFLATED}
CHUNKED = {name: layout for name, layout in LAYOUTS.items() if layout not in {FFRECORD, DEFLATED}}

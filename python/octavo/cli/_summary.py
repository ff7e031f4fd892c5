"""What many files are, said once: the values they share, and which they do not."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from octavo._reader import Info
from octavo.cli._files import Files


@dataclasses.dataclass(frozen=True)
class Summary:
    """Files as one. A value is None where no file tells it, or where files differ."""

    file_count: int
    record_count: int
    total_bytes: int
    chunk_count: int
    chunked_records: int
    """Records of files that have chunks."""
    chunked_bytes: int
    """What they take there."""
    encoded_bytes: int
    decoded_bytes: int | None
    torn_bytes: int
    sidecar_count: int
    """Files whose index was found in a file of its own."""
    distinct: dict[str, list[Any]]
    """What the files say of each property, one after the other, each once."""

    def __getitem__(self, name: str) -> Any:
        """The value of a property, if there is one."""
        values = self.distinct[name]
        return values[0] if len(values) == 1 else None

    @property
    def mixed(self) -> list[str]:
        """Properties in which files differ."""
        return [name for name, values in self.distinct.items() if len(values) > 1]


# In the order in which they are told.
PROPERTIES = ("format", "dialect", "dialect_confirmed", "codec", "level", "group_size", "transposed", "writer_options")


def summarize(files: Files) -> Summary:
    """All files that could be opened."""
    infos = [one.info for one in files.opened]
    chunked = [info for info in infos if info.chunk_count]
    decoded = [info.decoded_bytes for info in infos]
    return Summary(
        file_count=sum(info.file_count for info in infos),
        record_count=sum(info.record_count for info in infos),
        total_bytes=sum(info.total_bytes for info in infos),
        chunk_count=sum(info.chunk_count for info in infos),
        chunked_records=sum(info.record_count for info in chunked),
        chunked_bytes=sum(info.encoded_bytes for info in chunked),
        encoded_bytes=sum(info.encoded_bytes for info in infos),
        decoded_bytes=None if None in decoded else sum(count for count in decoded if count is not None),
        torn_bytes=sum(info.torn_bytes for info in infos),
        sidecar_count=sum(info.file_count for info in infos if info.sidecar),
        distinct={name: _distinct(infos, name) for name in PROPERTIES},
    )


def _distinct(infos: Sequence[Info], name: str) -> list[Any]:
    if name == "group_size" and any(info.chunk_count > 1 for info in infos):
        infos = [info for info in infos if info.chunk_count > 1]  # one chunk says only how many records there are
    if name == "dialect_confirmed":
        infos = [info for info in infos if info.dialect is not None]
    values = (getattr(info, name) for info in infos)
    return list(dict.fromkeys(value for value in values if value is not None))

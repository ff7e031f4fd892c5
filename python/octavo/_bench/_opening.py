"""Opening a data set, or enough of one that is very large.

Of very many files some are opened. A file without an index is looked through when it is opened, all of it; of a very
large one only the beginning is opened, where the format allows that.
"""

from __future__ import annotations

import dataclasses
import os
import time
from typing import TYPE_CHECKING

import octavo
from octavo._bench import _sample
from octavo._location import Location, expand, format_of_name, is_gzip_name
from octavo._reader import Reader
from octavo._side_files import INDEX
from octavo.errors import UnsupportedError

if TYPE_CHECKING:
    from octavo._open import Format

PART_BYTES = 256 << 20
_IN_PARTS = {"recordio", "tfrecord"}


@dataclasses.dataclass(frozen=True)
class Opened:
    """A reader, and what it is a part of."""

    reader: Reader
    file_count: int
    total_bytes: int
    open_s: float
    part_bytes: int | None = None
    """If not all of a file was opened: how much of it."""


def open_some(location: Location, format: Format | None) -> Opened:
    """Open so much that measurements mean something. Decoded chunks are not kept."""
    paths, sizes = _files(location)
    chosen = [paths[at] for at in _sample.choose_files(sizes)]
    began = time.perf_counter()
    if len(chosen) == 1 and os.path.exists(chosen[0]) and _is_long_walk(chosen[0], format):
        part = _beginning(chosen[0], format or format_of_name(chosen[0]) or "")
        if part is not None:
            size = part.info.encoded_bytes
            return Opened(part, len(paths), sum(sizes), time.perf_counter() - began, size)
    reader = octavo.open(chosen, format=format, cache_bytes=0)
    return Opened(reader, len(paths), sum(sizes), time.perf_counter() - began)


def _files(location: Location) -> tuple[list[str], list[int]]:
    paths: list[str] = []
    for one in expand(location):
        if not isinstance(one, str):
            raise UnsupportedError("only files can be measured, for it is about their device")
        paths.append(one)
    # What is not there is told when it is opened.
    return paths, [os.path.getsize(path) if os.path.isfile(path) else 0 for path in paths]


def _is_long_walk(path: str, format: str | None) -> bool:
    """Whether opening would mean going through very many bytes."""
    is_large = os.path.getsize(path) > _sample.OPENED_BYTES
    can_be_cut = (format or format_of_name(path)) in _IN_PARTS and not is_gzip_name(path)
    return is_large and can_be_cut and not os.path.exists(path + INDEX)


def _beginning(path: str, format: str) -> Reader | None:
    """The first records of a file; None if they do not stand there one by one, as where all is compressed together."""
    options = {"format": format, "cache_bytes": 0, "sidecar": False}
    with Reader([path], spans=[(0, PART_BYTES)], **options) as cut:
        end = cut.info.encoded_bytes  # of what is whole: the last record is likely to be cut in two
    if not end:
        return None
    return Reader([path], spans=[(0, end)], **options)

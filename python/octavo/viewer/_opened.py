"""What is looked at: the reader, the files that could not be opened, the names of a packed folder."""

from __future__ import annotations

import dataclasses
import functools
from bisect import bisect_right

from octavo._core import parse_folder_table
from octavo._folder._tree import entries, table_in
from octavo._location import Input, Location, expand
from octavo._open import Format
from octavo._reader import Reader
from octavo.errors import FormatError, OctavoError, OptionError

LARGE_BYTES = 24 << 20
"""What takes more memory than this is never read as a whole."""
_CACHE_BYTES = 16 << 20  # decoded chunks: the neighbours of what is on the screen
_MOST_NAMES = 100_000  # of a packed folder: each takes some hundred bytes, and time before the first screen
_MOST_TABLE_BYTES = 16 << 20


@dataclasses.dataclass(frozen=True)
class Failure:
    """A file that could not be opened."""

    path: str
    reason: str


class Opened:
    """A data set under a viewer.

    Files that cannot be opened are left out and told, as long as there is one that can: a damaged shard is no reason
    not to see the others.
    """

    def __init__(self, location: Location | Reader, format: Format | None = None) -> None:
        self.failures: list[Failure] = []
        self._is_ours = not isinstance(location, Reader)
        self.format = format
        if isinstance(location, Reader):
            if location._view != (0, 1, location._file_starts[-1]):  # noqa: SLF001 - part of the package
                raise OptionError("a slice of a reader cannot be viewed: pass the reader itself")
            self.reader = location
            self.inputs = location._inputs  # noqa: SLF001 - the same
        else:
            self.inputs = expand(location)
            self.reader = self._open()

    def _open(self) -> Reader:
        try:
            return self._reader(self.inputs)
        except OctavoError:
            if len(self.inputs) == 1:
                raise
        return self._reader(self._openable())

    def _reader(self, inputs: list[Input]) -> Reader:
        # Not mapped: pages that were touched would count as memory of the process, screen after screen.
        return Reader(inputs, format=self.format, cache_bytes=_CACHE_BYTES, io="pread", most_decoded=LARGE_BYTES)

    def _openable(self) -> list[Input]:
        """The files that can be opened; the error of the first if there is none."""
        good: list[Input] = []
        first: OctavoError | None = None
        for one in self.inputs:
            try:
                self._reader([one]).close()
            except OctavoError as error:
                first = first or error
                self.failures.append(Failure(error.path or str(one), str(error)))
            else:
                good.append(one)
        if first is not None and not good:
            raise first
        return good

    @property
    def title(self) -> str:
        """What this is, in a few words."""
        paths = self.reader.paths
        if len(paths) == 1:
            return paths[0].rstrip("/").rpartition("/")[2] or paths[0]
        return f"{len(paths):,} files"

    def file_of(self, number: int) -> tuple[int, int]:
        """The file that a record is in, and its number there."""
        starts = self.reader._file_starts  # noqa: SLF001 - part of the package
        file = bisect_right(starts, number, hi=len(starts) - 1) - 1
        return file, number - starts[file]

    @functools.cached_property
    def names(self) -> dict[int, str]:
        """Paths by record number, if this is a packed folder of a size that can be shown."""
        reader = self.reader
        if reader._format != "ffrecord" or len(self.inputs) != 1:  # noqa: SLF001 - part of the package
            return {}
        if not 0 < len(reader) <= _MOST_NAMES:
            return {}
        last = len(reader) - 1
        try:
            head = reader._part(last, 0, 16)  # noqa: SLF001 - the same
            if head is None or table_in(head) is None or reader._loads([last])[0][1] > _MOST_TABLE_BYTES:  # type: ignore[index]  # noqa: SLF001
                return {}
            table = table_in(reader[last])
            structure = parse_folder_table(table or b"", last)
        except FormatError:
            return {}  # then it is a record like any other, and shown as one
        return {node: path for path, node in entries(structure) if isinstance(node, int)}

    def close(self) -> None:
        """Close the reader, unless it was given."""
        if self._is_ours:
            self.reader.close()

"""`octavo.Reader`: records as a sequence.

Everything that runs once per record is inherited from the native class; this module adds what runs once per call.
"""

from __future__ import annotations

import contextlib
import dataclasses
import operator
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from octavo import _core, _side_files
from octavo._first_bytes import name_another_format
from octavo._options import ArrayRecordWriterOptions
from octavo._partition import Partition, cut
from octavo.errors import FormatError, NotFoundError, RecordTypeError
from octavo.storage import SpanSource

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType
    from typing import Self, SupportsIndex

    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Buffer

    from octavo._location import Input


@dataclasses.dataclass(frozen=True)
class Info:
    """What a reader reads."""

    format: str
    """The format's name."""
    dialect: str | None
    """Which of several layouts of that name; None where there is only one, or no record says."""
    dialect_confirmed: bool
    """Whether a checksum has confirmed the dialect; if not, it is a guess from the first bytes."""
    codec: str | None
    """How records are compressed: none, zstd, brotli, snappy, gzip or zlib; None if no record says."""
    level: int | None
    """How hard, if the file says."""
    group_size: int | None
    """Records a chunk; None where there are no chunks, or no two alike."""
    transposed: bool | None
    """Whether records are taken apart into columns; None if no record says."""
    chunk_count: int
    """Chunks of records in all files."""
    encoded_bytes: int
    """What records take in the files, with what surrounds them."""
    decoded_bytes: int | None
    """Size of the records; None where the files do not say."""
    writer_options: str | None
    """The options the file was written with, if it says."""
    torn_bytes: int
    """Bytes of interrupted appends, or of files that were cut off, which were left out."""
    sidecar: bool
    """Whether the index was found in a file of its own, `NAME.octx`."""
    record_count: int
    """Records in the reader."""
    file_count: int
    """Files behind it."""
    total_bytes: int
    """Size of those files."""
    check_data: bool
    """Whether checksums are verified."""
    io: str
    """How local files are read."""
    paths: tuple[str, ...]
    """The files' names."""


class Reader(_core.Reader):
    """Records by number: a sequence of bytes.

    Readers come from `octavo.open`. They are context managers, can be shared between threads, survive `fork`, and
    reopen their files when they are pickled. A slice is a reader again and costs nothing.
    """

    __slots__ = ("_inputs", "_options")

    _inputs: list[Input]
    _options: dict[str, Any]

    def __new__(cls, inputs: list[Input], **options: Any) -> Self:
        """Open `inputs`, which `octavo.open` has expanded."""
        try:
            reader = super().__new__(cls, inputs, **options)
        except FormatError as error:
            if options.get("format") is None:
                name_another_format(error)
            raise
        except NotFoundError as error:
            _name_what_is_unfinished(error)
            raise
        reader._inputs = inputs
        reader._options = options
        return reader

    if TYPE_CHECKING:
        # First, because an array has `__index__` too.
        @overload
        def __getitem__(self, key: npt.NDArray[np.integer[Any]], /) -> list[bytes]: ...  # type: ignore[overload-overlap]
        @overload
        def __getitem__(self, key: SupportsIndex, /) -> bytes: ...
        @overload
        def __getitem__(self, key: slice, /) -> Self: ...
        @overload
        def __getitem__(self, key: Iterable[SupportsIndex], /) -> list[bytes]: ...
        def __getitem__(self, key: Any, /) -> Any:
            """A record for a number, a reader for a slice, a list of records for several numbers.

            Numbers below zero count from the end. A slice reads nothing.

            Raises:
                RecordIndexError: There is no record of that number.
                RecordTypeError: The key is none of these.
                ChecksumError: The record is not as it was written.
            """

    def _select(self, key: Any) -> bytes | Self | list[bytes]:
        """`reader[key]` for every key that is not an integer; called by the native class."""
        if getattr(key, "ndim", None) == 0:
            with contextlib.suppress(TypeError):  # an array of no dimensions may still be no integer
                return self[operator.index(key)]
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            return self._view_of(start, step, len(range(start, stop, step)))
        if isinstance(key, str | bytes | dict | float) or key is None or key is Ellipsis:
            message = f"records are chosen by number, slice or a list of numbers, not {type(key).__name__}"
            raise RecordTypeError(message)
        return self.read(key)

    def _view_of(self, start: int, step: int, count: int) -> Self:
        step = step if count > 1 else 1  # of no consequence, and it may be larger than any file
        view = super().__new__(type(self), self, start=max(start, 0), step=step, count=count)
        view._inputs = self._inputs
        view._options = self._options
        return view

    def __reversed__(self) -> Iterator[bytes]:
        """Records from the last to the first."""
        return iter(self[::-1])

    def __contains__(self, record: object) -> bool:
        """Whether some record has these bytes; reads until it is found."""
        return any(record == one for one in self)

    def index(self, record: bytes, start: int = 0, stop: int | None = None) -> int:
        """Number of the first record with these bytes; reads until it is found.

        Args:
            record: The bytes.
            start: The number to begin with.
            stop: The number to end before.

        Raises:
            ValueError: No record among these has them.
        """
        first, last, _ = slice(start, stop).indices(len(self))
        for number, one in enumerate(self[first:last], first):
            if one == record:
                return number
        message = "no record has these bytes"
        raise ValueError(message)

    def count(self, record: bytes) -> int:
        """How many records have these bytes."""
        return sum(one == record for one in self)

    def read_into(self, indices: Iterable[SupportsIndex], out: Buffer | Any) -> None:
        """Read records of one size straight into `out`.

        Args:
            indices: Record numbers.
            out: A writable, contiguous buffer (a NumPy array, a bytearray, a CPU tensor of PyTorch, pinned or not)
                that the records fill exactly.
        """
        self._read_into(indices, _writable(out))

    def partitions(
        self, count: SupportsIndex | None = None, *, max_records: SupportsIndex | None = None
    ) -> list[Partition]:
        """Cut the records into tasks: runs of records that can be pickled and opened anywhere.

        Args:
            count: How many tasks of about the same size; empty ones are left out.
            max_records: The most records a task may have, instead of a count.

        Tasks begin where chunks do, as far as the chunks are small enough for that: no chunk is then decoded twice.
        """
        return cut(self, count, max_records)

    @property
    def paths(self) -> list[str]:
        """Names of the files, in order."""
        return [_name(one) for one in self._inputs]

    @property
    def info(self) -> Info:
        """What this reader reads."""
        about = self._about or {}
        options = ArrayRecordWriterOptions.of_file(about.get("writer_options"))
        return Info(
            format=self._format,
            dialect=about.get("dialect"),
            dialect_confirmed=about.get("dialect_confirmed", False),
            codec=_codec(about, options),
            level=_level(options),
            group_size=about.get("group_size"),
            transposed=about.get("transposed"),
            chunk_count=about.get("chunk_count", 0),
            encoded_bytes=about.get("encoded_bytes", self._total_bytes),
            decoded_bytes=about.get("decoded_bytes"),
            writer_options=about.get("writer_options"),
            torn_bytes=about.get("torn_bytes", 0),
            sidecar=about.get("sidecar", False),
            record_count=len(self),
            file_count=len(self._inputs),
            total_bytes=self._total_bytes,
            check_data=self._options.get("check_data", True),
            io=self._options.get("io", "auto"),
            paths=tuple(self.paths),
        )

    def __enter__(self) -> Self:
        """Return the reader itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the location, not the records: the files are opened again."""
        return _reopen, (type(self), [_portable(one) for one in self._inputs], self._options, self._view)

    def __repr__(self) -> str:
        """Say what is read."""
        if self.closed:
            return "<octavo.Reader, closed>"
        where = self.paths[0] if len(self._inputs) == 1 else f"{len(self._inputs)} files"
        return f"<octavo.Reader of {len(self)} records in {where}>"


Sequence.register(Reader)


def _reopen(kind: type[Reader], inputs: list[Input], options: dict[str, Any], view: tuple[int, int, int]) -> Reader:
    start, step, count = view
    return kind(inputs, **options)._view_of(start, step, count)  # noqa: SLF001 - part of the class


def _level(options: ArrayRecordWriterOptions | None) -> int | None:
    return None if options is None or options.codec == "snappy" else options.level  # the text does not tell snappy's


def _codec(about: dict[str, Any], options: ArrayRecordWriterOptions | None) -> str | None:
    """What the records say, or else the options: a file without records has no others."""
    if not about:
        return "none"
    codec: str | None = about["codec"]
    return options.codec if codec is None and options is not None else codec


def _name_what_is_unfinished(error: NotFoundError) -> None:
    """Let an error about a file that is not there tell of the one that its writer has not finished."""
    partial = f"{error.path}{_side_files.PARTIAL}"
    if error.path and os.path.isfile(partial):
        error.args = (
            f"{error}; {partial} is there: its writer is at work, or died, and octavo.recover saves its records",
        )


def _name(one: Input) -> str:
    if isinstance(one, str):
        return one
    if isinstance(one, SpanSource):
        return one.name
    return f"<{memoryview(one).nbytes} bytes in memory>"  # as in the core's messages


def _portable(one: Input) -> Input:
    if isinstance(one, memoryview):
        return bytes(one)
    return one


def _writable(out: Any) -> Any:
    """A PyTorch tensor has no buffer protocol of its own, but shares its memory as a NumPy array."""
    if not hasattr(out, "data_ptr"):
        return out
    if not out.is_contiguous() or out.device.type != "cpu":
        message = "out is a tensor that is not a contiguous CPU tensor"
        raise RecordTypeError(message)
    # As bytes: NumPy does not know every element type that PyTorch has.
    return out.detach().view(-1).view(dtype=sys.modules["torch"].uint8).numpy()

"""The native core: bytes, checksums and I/O. Everything here is private; `octavo` is the public surface."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Self, SupportsIndex, final

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer, CapsuleType, disjoint_base

from octavo.errors import OctavoError
from octavo.storage import SpanSource
from octavo.storage._sinks import Sink

__version__: str

@disjoint_base
class Reader:
    def __new__(
        cls,
        inputs: Sequence[Any] | Reader,
        *,
        format: str | None = None,
        check_data: bool = True,
        io: str = "auto",
        cache_bytes: int = ...,
        offload_index: bool = False,
        sidecar: bool = True,
        most_decoded: int = ...,
        spans: Sequence[tuple[int, int]] | None = None,
        start: int = 0,
        step: int = 1,
        count: int | None = None,
    ) -> Self: ...
    def __len__(self) -> int:
        """How many records there are."""
    def __getitem__(self, key: Any, /) -> Any: ...
    def __iter__(self) -> Scan:
        """All records in order, read ahead on all cores, in bounded memory."""
    def read(self, indices: Iterable[SupportsIndex]) -> list[bytes]:
        """Records with these numbers, in this order, as a list of bytes.

        Args:
            indices: Record numbers: a list, a range, an array, any iterable. Negative ones count from the end, and a
                number may come more than once.

        Raises:
            RecordIndexError: There is no record of one of the numbers; nothing is read then.
            ChecksumError: A record is not as it was written.
        """
    def read_array(self, index: SupportsIndex) -> npt.NDArray[np.uint8]:
        """One record as a writable NumPy array of bytes that owns its memory."""
    def read_arrays(self, indices: Iterable[SupportsIndex]) -> list[npt.NDArray[np.uint8]]:
        """Records with these numbers, in this order, as writable NumPy arrays of bytes that own their memory."""
    def read_range(self, start: SupportsIndex, stop: SupportsIndex) -> list[bytes]:
        """Records `start` to `stop`, as a list of bytes. `stop` itself is not read.

        Raises:
            RecordIndexError: The range is not within the records.
        """
    def read_all(self) -> list[bytes]:
        """All records, as a list of bytes."""
    def read_batch(self, indices: Iterable[SupportsIndex]) -> Batch:
        """Records with these numbers, in this order, in one buffer with offsets.

        Args:
            indices: Record numbers, as for `read`.
        """
    def _read_block(self, start: int, most_records: int, most_bytes: int) -> Batch: ...
    def _read_first(self, indices: Iterable[SupportsIndex], most_bytes: int) -> Batch: ...
    def _read_each(self, indices: Iterable[SupportsIndex], most_bytes: int) -> list[bytes | OctavoError]: ...
    def _read_into(self, indices: Iterable[SupportsIndex], out: Buffer) -> None: ...
    def close(self) -> None:
        """Give the files and their memory back. Reading raises `ClosedError` from then on; closing again does nothing.

        Slices of the reader are closed with it.
        """
    @property
    def closed(self) -> bool:
        """Whether it was closed."""
    @property
    def _view(self) -> tuple[int, int, int]: ...
    @property
    def _file_starts(self) -> list[int]: ...
    @property
    def _total_bytes(self) -> int: ...
    @property
    def _format(self) -> str: ...
    @property
    def _about(self) -> dict[str, Any] | None: ...
    def _place(self, record: int) -> tuple[int, int]: ...
    def _loads(self, indices: Iterable[SupportsIndex]) -> list[tuple[int | None, int] | None]: ...
    def _part(self, record: int, offset: int, length: int) -> bytes | None: ...
    @property
    def _files(self) -> list[tuple[str, str, int, int]]: ...
    def _open_all(self) -> None: ...
    def _head(self, file: int, count: int) -> bytes: ...
    @property
    def _writer_options(self) -> list[str | None]: ...
    @property
    def _torn(self) -> list[tuple[str, int, int]]: ...
    @property
    def _chunk_count(self) -> int: ...
    def _chunk(self, chunk: int) -> tuple[int, int, int, int]: ...
    def _chunks_of_file(self, file: int, most: int) -> tuple[int, list[tuple[int, int, int, int, int, int | None]]]: ...
    def _chunk_of(self, record: int) -> tuple[int, int]: ...
    def _chunk_start(self, record: int) -> int: ...
    def _parts_of(self, start: int, stop: int) -> tuple[int, list[tuple[int, int, int]]] | None: ...

@disjoint_base
class Front:
    """The base of drop-ins: single reads go to the reader it faces, all else to `_missed`."""

    def __new__(cls, *args: Any, **keywords: Any) -> Self: ...
    def _face(self, reader: Reader | None, /) -> None: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def _record(self, index: SupportsIndex) -> bytes: ...
    def _array(self, index: SupportsIndex) -> npt.NDArray[np.uint8]: ...

@final
class Scan(Iterator[bytes]):
    def __iter__(self) -> Scan: ...
    def __next__(self) -> bytes: ...
    def __length_hint__(self) -> int: ...

@final
class Batch:
    """Many records in one buffer.

    Batches come from `Reader.read_batch`. A batch is a sequence of views, and a buffer of all bytes; Arrow takes it
    without a copy, through the PyCapsule interface.
    """

    def __len__(self) -> int:
        """How many records."""
    def __getitem__(self, index: SupportsIndex, /) -> memoryview:
        """Record `index` as a read-only view into the batch."""
    def __iter__(self) -> Iterator[memoryview]:
        """The records, each as a read-only view."""
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[CapsuleType, CapsuleType]:
        """The batch as an Arrow array of type LargeBinary, without a copy."""
    @property
    def data(self) -> memoryview:
        """All records' bytes, back to back, as a read-only memoryview."""
    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where each record begins in `data`, and where the last ends: a read-only NumPy array of int64."""
    @property
    def nbytes(self) -> int:
        """Size of all records together."""
    def to_list(self) -> list[bytes]:
        """The records as a list of bytes."""

@final
class Offsets:
    def __buffer__(self, flags: int, /) -> memoryview: ...

@final
class Order:
    """The order of one epoch."""

    def __new__(cls, size: int, *, seed: int, epoch: int, blocks: tuple[int, int] | None = None) -> Self: ...
    def at(self, position: int) -> int:
        """The record at a position."""
    def position_of(self, record: int) -> int:
        """The position of a record."""
    def take(self, start: int, step: int, count: int) -> bytes:
        """The records at `count` positions, from `start` on, in steps of `step`."""

@final
class Mixture:
    """The order of all epochs of several data sets."""

    def __new__(cls, sizes: Sequence[int], weights: Sequence[int], *, samples: int, seed: int) -> Self: ...
    def take(self, epoch: int, start: int, step: int, count: int) -> bytes:
        """The records at `count` positions of an epoch, from `start` on, in steps of `step`."""

@disjoint_base
class Writer:
    def __new__(
        cls,
        path: str | PathLike[str],
        *,
        format: str,
        overwrite: bool = True,
        append: bool = False,
        recovering: bool = False,
        in_place: bool = False,
        sink: Sink | None = None,
        record_count: int | None = None,
        codec: str = "none",
        level: int = 0,
        window_log: int = 0,
        group_size: int | None = None,
        transpose_bucket_size: int | None = None,
        pad_to_block_boundary: bool = False,
        writer_options: str = ...,
        dialect: str | None = None,
        max_chunk_bytes: int | None = None,
    ) -> Self: ...
    def write(self, record: Buffer | npt.NDArray[Any]) -> None:
        """Adds a record: bytes, or anything whose bytes lie one after the other."""
    def write_many(self, records: Iterable[Buffer | npt.NDArray[Any]]) -> int:
        """Adds every record of an iterable, and says how many there were."""
    def write_batch(self, batch: Batch) -> None:
        """Adds every record of a batch."""
    def flush(self) -> None:
        """Everything written so far survives a crash of the machine when this returns."""
    def _commit(self) -> None: ...
    def _abort(self) -> None: ...
    def _abandon(self) -> None: ...
    @property
    def closed(self) -> bool:
        """Whether it was closed or aborted."""
    @property
    def record_count(self) -> int:
        """Records written so far."""
    @property
    def format(self) -> str:
        """The format that is written."""
    @property
    def _set_aside(self) -> str | None: ...
    @property
    def path(self) -> str:
        """Where the file will be."""

@final
class Salvage:
    """What is left of a file, and the way to write it into another."""

    def __new__(
        cls,
        file: str | SpanSource,
        *,
        format: str | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> Self: ...
    def about(self) -> dict[str, Any]:
        """What the file was: a dict."""
    def write(
        self, writer: Writer, progress: Callable[[int, int], object] | None = None
    ) -> tuple[int, list[tuple[int, int, int | None, str, int | None]]]:
        """Writes what is intact and finishes the file; returns how many records, and what is lost. Once."""

@final
class Digest:
    """The digest of a run of records."""

    def __new__(
        cls, record_count: int = 0, record_bytes: int = 0, ordered: str = "0", unordered: str = "0"
    ) -> Self: ...
    def update(self, records: Batch | Iterable[Buffer]) -> None:
        """Adds records: a batch, or an iterable of bytes."""
    def join(self, other: Digest) -> None:
        """The records of `other` come behind these."""
    @property
    def record_count(self) -> int: ...
    @property
    def record_bytes(self) -> int: ...
    @property
    def ordered(self) -> str: ...
    @property
    def unordered(self) -> str: ...

def digest(reader: Reader, progress: Callable[[int], object] | None = None) -> Digest:
    """Reads all records and digests them; `progress` gets the number of records done."""

def copy(reader: Reader, writer: Writer, progress: Callable[[int], object] | None = None) -> Digest:
    """Writes all records of a reader into a writer; returns their digest."""

def edges_by_bytes(reader: Reader, most_bytes: int, progress: Callable[[int], object] | None = None) -> list[int]:
    """Positions at which runs of records of at most so many bytes begin, and the end."""

def scatter(
    reader: Reader, seed: int, writers: Sequence[Writer], progress: Callable[[int], object] | None = None
) -> None:
    """Spreads the records of a reader over writers by their positions in the shuffled order of a seed."""

def find(
    reader: Reader,
    report: Callable[[int, list[int], list[tuple[int, int, OctavoError]], list[tuple[int, int, int]]], object],
    *,
    patterns: Sequence[str] = ...,
    literal: bool = True,
    ignore_case: bool = False,
    text_only: bool = False,
    smallest: int = 0,
    largest: int = ...,
    most_bytes: int = ...,
) -> None:
    """Which positions of a reader match."""

def decode_recordio_chunk(content: Buffer) -> list[bytes]:
    """The records of a chunk, which by itself is a whole file."""

def encode_recordio_chunk(
    records: Sequence[Buffer], *, dialect: str = "paddle-python", codec: str = "snappy", level: int | None = None
) -> bytes:
    """The bytes of a chunk with these records: its header and its payload."""

def highway_hash(data: bytes) -> int:
    """HighwayHash-64 with Riegeli's key."""

def verify(reader: Reader, progress: Callable[[int], object] | None = None) -> list[tuple[int, int, int, OctavoError]]:
    """Reads and checks all records; returns (number of the file, record, how many, error) for each damaged place."""

def end_calls() -> None:
    """From now on, no call is begun."""

def wait_for_calls(seconds: float) -> bool:
    """Waits until no call is running, but not for ever; says whether none is."""

def encode_index(source: SpanSource, *, format: str | None = None) -> bytes:
    """The content of an index for what is no local file."""

def write_index(path: str | PathLike[str], *, format: str | None = None) -> str:
    """Writes the index of a file beside it; returns its path."""

def parse_folder_table(table: bytes, file_count: int) -> OrderedDict[str, Any]:
    """The folder that a table describes: an `OrderedDict` of names, each a file's number or a folder like it."""

def encode_folder_table(structure: Mapping[str, Any]) -> bytes:
    """The record of a folder: the magic and the table that CPython's pickler would make of an `OrderedDict`."""

"""`ArrayRecordDataSource`: the records of several files by number, as Grain and TensorFlow Datasets use them.

All files are one octavo reader, so that a batch is one request, whichever files its records are in. Where there are
very many, or one cannot be opened, they are opened and read one by one, when they are needed, as the original does it.
"""

from __future__ import annotations

import bisect
import contextlib
import functools
import hashlib
import itertools
import operator
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, SupportsIndex

import octavo
from octavo import _core
from octavo._options import ArrayRecordReaderOptions
from octavo.compat.array_record.python import _status, array_record_module
from octavo.compat.array_record.python._absl import define_flags, flag_value, logging
from octavo.compat.array_record.python._files import open_files
from octavo.compat.array_record.python._fork_lock import ForkLock
from octavo.compat.array_record.python._instructions import (
    ArrayRecordDataSourcePaths,
    FileInstruction,
    PathLikeOrFileInstruction,
    as_list,
    look_up,
)
from octavo.compat.array_record.python._instructions import ReadInstruction as _ReadInstruction  # noqa: F401 - in pickles
from octavo.compat.array_record.python._joined import ScatteredRecords, join
from octavo.compat.array_record.python._parallel import T
from octavo.compat.array_record.python._parallel import run_in_parallel as _run_in_parallel
from octavo.errors import ClosedError, OctavoError, OptionError, RecordIndexError, RecordTypeError

__all__ = [
    "ArrayRecordDataSource",
    "ArrayRecordDataSourcePaths",
    "FileInstruction",
    "PathLikeOrFileInstruction",
    "T",
]

_GROUP_SIZE = re.compile(r"group_size:(\d+),")
_WRONG_KEY = "Record key should be in [0, num_records)"

# What is opened at once for the first record that is asked for; beyond that, a record must not cost the index of all.
_MOST_JOINED_FILES = 1000
_MOST_JOINED_RECORDS = 10_000_000

# Held while files are opened: threads that ask for the first record at once do not all open them.
_opening = ForkLock()

define_flags()


class ArrayRecordDataSource(_core.Front):
    """Records of one or several files, numbered one after the other. `source[7]`, `source[[3, 1]]`, `source[10:20]`.

    Args:
        paths: A path, a `FileInstruction`, or a sequence of them. `path[a:b]` stands for a file's records `a` to `b`.
            A name that no file has may be a pattern (`train-*`) or a sharded name (`train@4`).
        reader_options: Options of `ArrayRecordReader` by name; sizes may be written as people do (`64MB`).
        reader_pool_size: Accepted and ignored: one reader serves all threads.
    """

    def __init__(
        self,
        paths: ArrayRecordDataSourcePaths,
        reader_options: dict[str, str] | None = None,
        reader_pool_size: int | None = None,
    ) -> None:
        del reader_pool_size
        given = {} if reader_options is None else reader_options
        self._reader_options_string = ",".join(f"{key}:{value}" for key, value in given.items())
        options = _parse(self._reader_options_string)
        self._read_instructions, counted = look_up(as_list(paths), options)
        self._paths = [instruction.filename for instruction in self._read_instructions]
        self._prefix_sums = list(itertools.accumulate(one.num_records for one in self._read_instructions))
        self._num_records = self._prefix_sums[-1]
        self._start_with(counted)

    def _start_with(self, counted: octavo.Reader | None) -> None:
        """Have nothing open but what was opened to count records."""
        self._face(None)
        self._counted = counted
        self._records: octavo.Reader | ScatteredRecords | None = None
        self._is_apart = False
        # For each file what reads it, as in the original: its own reader, or the one of all.
        self._readers: list[Any] = [None] * len(self._paths)

    def __len__(self) -> int:
        return self._num_records

    @functools.cached_property  # so that a subclass may set it
    def paths(self) -> list[str]:
        """Names of the files, in order."""
        return self._paths

    def __getitems__(self, record_keys: Iterable[SupportsIndex]) -> list[bytes]:
        """Records with these numbers, in this order."""
        records = self._opened()
        if records is None:
            return self._read_apart(record_keys)
        try:
            return records.read(record_keys)
        except OctavoError as error:
            raise _translated(error) from error

    def _missed(self, key: Any) -> bytes | list[bytes]:
        """`source[key]` for keys that are not the number of a record that can be read; called by the native class.

        A slice gives a list, as a list of numbers does and `ArrayRecordReader.read(begin, end)`.
        """
        if isinstance(key, slice):
            return self.__getitems__(range(*key.indices(len(self))))
        records = self._opened()
        if records is None:
            return self._read_apart([key])[0] if _is_number(key) else self._read_apart(key)
        try:
            found: bytes | list[bytes] = records[key]
        except OctavoError as error:
            raise _translated(error) from error
        return found

    def __iter__(self) -> Iterator[bytes]:
        done = 0
        records = self._opened()
        # A subclass may make something else of a record.
        if isinstance(records, octavo.Reader) and type(self).__getitem__ is _core.Front.__getitem__:
            try:
                for record in records:
                    yield record
                    done += 1
            except ClosedError:
                pass  # which leaves the source usable
            except OctavoError as error:
                raise _translated(error) from error
        for key in range(done, len(self)):
            yield self[key]

    def _opened(self) -> octavo.Reader | ScatteredRecords | None:
        """All records; None if files are read one by one."""
        return self._open() if self._records is None and not self._is_apart else self._records

    def _open(self) -> octavo.Reader | ScatteredRecords | None:
        with _opening:
            if self._records is None and not self._is_apart:
                reader = self._counted
                if reader is None and self._are_too_many():
                    self._is_apart = True
                    return None
                try:
                    if reader is None:
                        reader = open_files(self._paths, _parse(self._reader_options_string))
                    records = join(reader, self._read_instructions)
                except RuntimeError:
                    if len(self._paths) == 1:
                        raise
                    self._is_apart = True
                    return None
                for path, text in zip(self._paths, reader._writer_options, strict=True):  # noqa: SLF001 - part of octavo
                    _check_writer_options(path, text)
                self._records, self._counted = records, None
                self._readers = [reader] * len(self._paths)
                self._face(records if isinstance(records, octavo.Reader) else None)
            return self._records

    def _are_too_many(self) -> bool:
        return len(self._paths) > 1 and (
            len(self._paths) > _MOST_JOINED_FILES or self._num_records > _MOST_JOINED_RECORDS
        )

    def _close(self) -> None:
        with _opening:
            opened = [self._counted, *self._readers]
            self._start_with(None)
        for one in opened:
            if one is not None:
                with contextlib.suppress(RuntimeError):  # a reader that has failed says so once more
                    one.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the files; whoever reads again opens them again."""
        self._close()

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for opened in ("_counted", "_records", "_is_apart", "_readers"):
            state.pop(opened, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start_with(None)

    def __repr__(self) -> str:
        digest = hashlib.sha1("".join(self._paths).encode(), usedforsecurity=False).hexdigest()
        return f"ArrayRecordDataSource(hash_of_paths={digest})"

    # File by file.

    def _reader_idx_and_position(self, record_key: SupportsIndex) -> tuple[int, int]:
        key = operator.index(record_key)
        if not 0 <= key < self._num_records:
            raise ValueError(_WRONG_KEY)
        which = bisect.bisect_right(self._prefix_sums, key)
        instruction = self._read_instructions[which]
        return which, key - (self._prefix_sums[which] - instruction.num_records) + instruction.start

    def _split_keys_per_reader(self, record_keys: Iterable[SupportsIndex]) -> Mapping[int, Sequence[tuple[int, int]]]:
        """For each file the positions to read, each with its place in the result."""
        split: dict[int, list[tuple[int, int]]] = {}
        for place, key in enumerate(record_keys):
            which, position = self._reader_idx_and_position(key)
            split.setdefault(which, []).append((position, place))
        return split

    def _ensure_reader_exists(self, reader_idx: int) -> Any:
        reader = self._readers[reader_idx]
        if reader is not None:
            return reader
        filename = self._read_instructions[reader_idx].filename
        opened = _create_reader(filename, self._reader_options_string)
        _check_group_size(filename, opened)
        with _opening:  # not while a file is opened: others are opened at the same time
            reader = self._readers[reader_idx]
            if reader is None:  # or else another thread was quicker
                reader = self._readers[reader_idx] = opened
        return reader

    def _read_apart(self, keys: Iterable[SupportsIndex]) -> list[bytes]:
        numbers = [number + len(self) if number < 0 else number for number in map(operator.index, keys)]
        split = self._split_keys_per_reader(numbers)
        records = [b""] * len(numbers)

        def fetch(which: int, wanted: Sequence[tuple[int, int]]) -> None:
            found = self._ensure_reader_exists(which).read([position for position, _ in wanted])
            for (_, place), record in zip(wanted, found, strict=True):
                records[place] = record

        if split:
            most = flag_value("grain_num_threads_fetching_records") or 1
            tasks = [{"which": which, "wanted": wanted} for which, wanted in split.items()]
            _run_in_parallel(fetch, tasks, min(len(tasks), most))
        return records


def _parse(reader_options: str) -> ArrayRecordReaderOptions:
    try:
        return ArrayRecordReaderOptions.parse(reader_options)
    except OptionError as error:
        raise ValueError(str(error)) from error


def _is_number(key: Any) -> bool:
    try:
        operator.index(key)
    except TypeError:
        return False
    return True


def _translated(error: OctavoError) -> Exception:
    """What the original raises."""
    if isinstance(error, RecordIndexError):
        return ValueError(_WRONG_KEY)
    if isinstance(error, RecordTypeError):
        return TypeError(str(error))
    if isinstance(error, ClosedError):
        return RuntimeError(_status.CLOSED)
    return RuntimeError(_status.of_reading(error, error.path or ""))


def _create_reader(
    filename: str | os.PathLike[str], additional_reader_options: str
) -> array_record_module.ArrayRecordReader:
    """A reader of one file, with options as `ArrayRecordDataSource` takes them."""
    storage = _parse(additional_reader_options).index_storage_option
    text = f"index_storage_option:{storage},footer_prefetch_bytes:0"
    return array_record_module.ArrayRecordReader(filename, text)


def _check_group_size(filename: str | os.PathLike[str], reader: array_record_module.ArrayRecordReader) -> None:
    """Log an error if records share chunks."""
    _check_writer_options(filename, reader.writer_options_string())


def _check_writer_options(filename: str | os.PathLike[str], text: str | None) -> None:
    if not text:
        return
    found = _GROUP_SIZE.search(text)
    if found is None:
        raise ValueError(f"Couldn't detect group_size for {filename}. Extracted writer options: {text}.")
    if found[1] != "1":
        logging.error(
            "File %s was created with group size %s. Grain requires group size 1 for good performance. Please "
            "re-generate your ArrayRecord files with 'group_size:1'.",
            filename,
            found[1],
        )

"""`ArrayRecordDataSource`: the records of several files by number, as Grain and TensorFlow Datasets use them.

All files are one octavo reader, so that a batch is one request, whichever files its records are in. Where there are
very many, or one cannot be opened, they are opened and read one by one, when they are needed, as the original does it.
"""

from __future__ import annotations

import bisect
import contextlib
import copyreg
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
from octavo.compat.array_record.python import _status, array_record_module
from octavo.compat.array_record.python._absl import defined_flag, logging
from octavo.compat.array_record.python._absl import flag_value as _get_flag_value
from octavo.compat.array_record.python._arguments import is_number
from octavo.compat.array_record.python._files import open_files, stamps
from octavo.compat.array_record.python._fork_lock import ForkLock
from octavo.compat.array_record.python._instructions import (
    ArrayRecordDataSourcePaths,
    FileInstruction,
    PathLikeOrFileInstruction,
    as_list,
    look_up,
)
from octavo.compat.array_record.python._instructions import ReadInstruction as _ReadInstruction  # noqa: F401 - in pickles
from octavo.compat.array_record.python._instructions import get_read_instructions as _get_read_instructions  # noqa: F401 - of the original
from octavo.compat.array_record.python._joined import ScatteredRecords, join
from octavo.compat.array_record.python._parallel import T
from octavo.compat.array_record.python._parallel import run_in_parallel as _run_in_parallel
from octavo.compat.array_record.python._single_files import create_reader as _create_reader
from octavo.compat.array_record.python._single_files import parse, strict_text
from octavo.errors import ClosedError, OctavoError

__all__ = [
    "ArrayRecordDataSource",
    "ArrayRecordDataSourcePaths",
    "FileInstruction",
    "PathLikeOrFileInstruction",
    "T",
]

_GROUP_SIZE = re.compile(r"group_size:(\d+),")

_GRAIN_NUM_THREADS_COMPUTING_NUM_RECORDS = defined_flag("grain_num_threads_computing_num_records")
_GRAIN_NUM_THREADS_FETCHING_RECORDS = defined_flag("grain_num_threads_fetching_records")
_ARRAY_RECORD_READER_POOL_SIZE = defined_flag("array_record_reader_pool_size")

# What is opened at once for the first record that is asked for; beyond that, a record must not cost the index of all.
_MOST_JOINED_FILES = 1000
_MOST_JOINED_RECORDS = 10_000_000

# Held while files are opened: threads that ask for the first record at once do not all open them.
_opening = ForkLock()

# What belongs to files that are open, and is not pickled.
_OPENED = {"_readers", *(f"_ArrayRecordDataSource__{name}" for name in ("counted", "stamps", "records", "is_apart"))}


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
        self._reader_options_string = ",".join(f"{key}:{value}" for key, value in (reader_options or {}).items())
        options = parse(self._reader_options_string)
        self._read_instructions, counted = look_up(as_list(paths), options)
        self._paths = [instruction.filename for instruction in self._read_instructions]
        self._prefix_sums = list(itertools.accumulate(one.num_records for one in self._read_instructions))
        self._num_records = self._prefix_sums[-1]
        self.__start_with(counted)

    def __start_with(self, counted: octavo.Reader | None) -> None:
        """Have nothing open but what was opened to count records."""
        self._face(None)
        self.__counted = counted
        self.__stamps = [] if counted is None else stamps(self._paths)
        self.__records: octavo.Reader | ScatteredRecords | None = None
        self.__is_apart = False
        self._readers: list[Any] = [None] * len(self._paths)

    def __len__(self) -> int:
        return self._num_records

    @functools.cached_property  # so that a subclass may set it
    def paths(self) -> list[str]:
        """Names of the files, in order."""
        return self._paths

    def __getitems__(self, record_keys: Iterable[SupportsIndex]) -> list[bytes]:
        """Records with these numbers, in this order."""
        records = self.__records
        if records is None:
            record_keys = self.__numbers(record_keys)
            records = self.__open()
            if records is None:
                return self.__read_apart(record_keys)
        try:
            return records.read(record_keys)
        except OctavoError as error:
            raise _status.raised_by_source(error) from error

    def _missed(self, key: Any) -> bytes | list[bytes]:
        """`source[key]` for keys that are not the number of a record that can be read; called by the native class.

        A slice gives a list, as a list of numbers does and `ArrayRecordReader.read(begin, end)`.
        """
        if isinstance(key, slice):
            return self.__getitems__(range(*key.indices(len(self))))
        records = self.__records
        if records is None:
            if is_number(key):
                return ArrayRecordDataSource.__getitems__(self, [key])[0]
            return ArrayRecordDataSource.__getitems__(self, key)
        try:
            found: bytes | list[bytes] = records[key]
        except OctavoError as error:
            raise _status.raised_by_source(error) from error
        return found

    def __iter__(self) -> Iterator[bytes]:
        done = 0
        records = self.__open()
        # A subclass may make something else of a record, or have fewer.
        is_plain = type(self).__getitem__ is _core.Front.__getitem__ and len(self) == self._num_records
        if is_plain and isinstance(records, octavo.Reader):
            try:
                for record in records:
                    yield record
                    done += 1
            except ClosedError:
                pass  # which leaves the source usable
            except OctavoError as error:
                raise _status.raised_by_source(error) from error
        for key in range(done, len(self)):
            yield self[key]

    def __open(self) -> octavo.Reader | ScatteredRecords | None:
        """All records; None if files are read one by one."""
        with _opening:
            if self.__records is None and not self.__is_apart:
                try:
                    self.__is_apart = not self.__join_files()
                except RuntimeError:
                    if len(self._paths) == 1:
                        raise
                    self.__is_apart = True
            return self.__records

    def __join_files(self) -> bool:
        """Read through one reader of all files from now on, unless they are too many."""
        reader, self.__counted = self.__counted, None
        if reader is not None and self.__stamps != stamps(self._paths):
            reader.close()  # what was counted is not there any more
            reader = None
        if reader is None:
            if self.__are_too_many():
                return False
            reader = open_files(self._paths, parse(self._reader_options_string))
        records = join(reader, self._read_instructions)
        options = strict_text(self._reader_options_string)
        parts = zip(self._paths, itertools.pairwise(reader._file_starts), reader._writer_options, strict=True)  # noqa: SLF001 - part of octavo
        readers = [
            array_record_module.ArrayRecordReader(path, options, octavo_records=(reader[start:stop], written))
            for path, (start, stop), written in parts
        ]
        for path, one in zip(self._paths, readers, strict=True):
            _check_group_size(path, one)
        self.__records, self._readers = records, readers
        self._face(records if isinstance(records, octavo.Reader) else None)
        return True

    def __are_too_many(self) -> bool:
        files = len(self._paths)
        return files > 1 and (files > _MOST_JOINED_FILES or self._num_records > _MOST_JOINED_RECORDS)

    def __close(self) -> None:
        with _opening:
            opened = [self.__counted, self.__records, *self._readers]
            self.__start_with(None)
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
        self.__close()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _OPENED}

    def __reduce__(self) -> tuple[Any, ...]:
        """For all protocols of pickling; without it, 0 and 1 are refused, because the base is native."""
        return copyreg.__newobj__, (type(self),), self.__getstate__()  # type: ignore[attr-defined]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__start_with(None)

    def __repr__(self) -> str:
        digest = hashlib.sha1("".join(self._paths).encode(), usedforsecurity=False).hexdigest()
        return f"ArrayRecordDataSource(hash_of_paths={digest})"

    # File by file.

    def _reader_idx_and_position(self, record_key: SupportsIndex) -> tuple[int, int]:
        key = operator.index(record_key)
        if not 0 <= key < self._num_records:
            raise ValueError(_status.WRONG_KEY)
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

    def __numbers(self, keys: Iterable[SupportsIndex]) -> list[int]:
        """The keys, counted from the first record, and none out of range."""
        count = self._num_records
        numbers = [number + count if number < 0 else number for number in map(operator.index, keys)]
        if not all(0 <= number < count for number in numbers):
            raise ValueError(_status.WRONG_KEY)
        return numbers

    def __read_apart(self, numbers: Sequence[int]) -> list[bytes]:
        split = self._split_keys_per_reader(numbers)
        records = [b""] * len(numbers)

        def fetch(which: int, wanted: Sequence[tuple[int, int]]) -> None:
            found = self._ensure_reader_exists(which).read([position for position, _ in wanted])
            for (_, place), record in zip(wanted, found, strict=True):
                records[place] = record

        if split:
            most = _get_flag_value(_GRAIN_NUM_THREADS_FETCHING_RECORDS) or 1
            tasks = [{"which": which, "wanted": wanted} for which, wanted in split.items()]
            _run_in_parallel(fetch, tasks, min(len(tasks), most))
        return records


def _check_group_size(filename: str | os.PathLike[str], reader: array_record_module.ArrayRecordReader) -> None:
    """Log an error if records share chunks."""
    text = reader.writer_options_string()
    if not text:
        return
    found = _GROUP_SIZE.search(text)
    if found is None:
        raise ValueError(f"Couldn't detect group_size for {filename}. Extracted writer options: {text}.")
    if found[1] != "1":
        advice = "Grain requires group size 1 for good performance. Please re-generate your ArrayRecord files with"
        logging.error(f"File %s was created with group size %s. {advice} 'group_size:1'.", filename, found[1])

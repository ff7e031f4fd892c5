"""`ArrayRecordReader`: octavo's reader with the original's manners."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Self, SupportsIndex, overload

import octavo
from octavo import _core
from octavo._options import ArrayRecordReaderOptions
from octavo.compat.array_record.python import _status
from octavo.compat.array_record.python._arguments import as_text
from octavo.compat.array_record.python._files import files_named, open_files
from octavo.compat.array_record.python._fork_lock import ForkLock
from octavo.errors import ClosedError, OctavoError, OptionError, RecordIndexError, RecordTypeError

_INT64_MAX = 2**63 - 1
_UINT64_MAX = 2**64 - 1
_ABSENT = object()
_NO_SCAN: Iterator[bytes] = iter(())

# Held while a reader looks for the way to its next record, never while it reads.
_turn = ForkLock()


class ArrayRecordReader(_core.Front):
    """Reads a file: one record after the other, many at once, or `reader[number]`.

    Args:
        path: The file. If there is none of that name, a pattern or a sharded name stands for the files that it means.
        options: A text such as `readahead_buffer_size:0,max_parallelism:0`. What it says about buffers and threads is
            checked and has no effect; `index_storage_option:offloaded` keeps the index out of memory.
        kwargs: `file_reader_buffer_size` is checked and has no effect; others are ignored.
    """

    __module__ = "octavo.compat.array_record.python.array_record_module"

    def __init__(self, path: str | bytes | os.PathLike[str], options: str | bytes = "", **kwargs: Any) -> None:
        self._path = as_text(path, "path")
        self._options = as_text(options, "options")
        self._kwargs = kwargs
        self._records: octavo.Reader | None = None
        self._failure: str | None = None
        self._is_open = True
        self._writer_options: str | None = None
        self._go_to(0)
        try:
            chosen = ArrayRecordReaderOptions.parse(self._options, strict=True)
        except OptionError as error:
            raise ValueError(str(error)) from error
        buffer_size = kwargs.get("file_reader_buffer_size", 0)
        if not isinstance(buffer_size, SupportsIndex):
            message = f"file_reader_buffer_size is {buffer_size!r}; allowed are integers"
            raise RuntimeError(message)  # noqa: TRY004 - the original's choice
        try:
            self._records = open_files(files_named(self._path), chosen)
        except RuntimeError as error:
            self._failure = str(error)
        else:
            self._writer_options = self._records._writer_options[0]  # noqa: SLF001 - part of octavo
            self._face(self._records)

    def ok(self) -> bool:
        """Whether records can be read: not once it has failed or was closed."""
        return self._records is not None

    def is_open(self) -> bool:
        """Whether it has not been closed."""
        return self._is_open

    def close(self) -> None:
        """Let go of the file; RuntimeError if the reader has failed, each time."""
        self._is_open = False
        self._let_go()
        if self._failure is not None:
            raise RuntimeError(self._failure)

    def num_records(self) -> int:
        """How many records there are; 0 if it has failed or was closed."""
        records = self._records
        return 0 if records is None else len(records)

    def record_index(self) -> int:
        """The number of the record that `read()` gives next; 0 if it has failed or was closed."""
        if self._records is None:
            return 0
        scan = self._scan
        return self._position if scan is _NO_SCAN else len(self._records) - operator.length_hint(scan)

    def writer_options_string(self) -> str | None:
        """The options that the file was written with, if it says; also after `close`."""
        return self._writer_options

    def seek(self, index: SupportsIndex, /) -> None:
        """Let `read()` go on at this record; a number behind the last, or a negative one, is the end."""
        number = operator.index(index)
        if not -_INT64_MAX - 1 <= number <= _INT64_MAX:
            raise TypeError(f"seek(): incompatible function arguments: {number} does not fit into 64 bits")
        count = len(self._opened())
        self._go_to(number if 0 <= number < count else count)

    @overload
    def read(self, /) -> bytes: ...
    @overload
    def read(self, indices: Sequence[SupportsIndex], /) -> list[bytes]: ...
    @overload
    def read(self, begin: SupportsIndex, end: SupportsIndex, /) -> list[bytes]: ...
    def read(self, begin: Any = _ABSENT, end: Any = _ABSENT, /) -> Any:
        """The next record; or the records with these numbers, in this order; or those from `begin` to `end`."""
        if begin is _ABSENT:
            try:
                record = next(self._scan, None)
                return self._read_next() if record is None else record
            except OctavoError as error:
                raise self._fail(error) from error
        return self._read_numbers(begin) if end is _ABSENT else self._read_range(begin, end)

    def read_all(self) -> list[bytes]:
        """All records."""
        try:
            return self._opened().read_all()
        except OctavoError as error:
            raise self._failed(error) from error

    def _go_to(self, position: int) -> None:
        self._scan = _NO_SCAN
        self._position = position
        self._is_in_row = False

    def _read_next(self) -> bytes:
        """The next record, where no scan has it ready."""
        with _turn:
            records = self._opened()
            position = self.record_index()
            if position < len(records) and self._is_in_row and self._scan is _NO_SCAN:
                self._scan = iter(records[position:])
            scan = self._scan
            if scan is _NO_SCAN:
                # The first record after a `seek` is read by itself: nobody knows yet whether more are wanted.
                self._is_in_row = True
                self._position = min(position + 1, len(records))
        if position < len(records):
            record = records[position] if scan is _NO_SCAN else next(scan, None)
            if record is not None:
                return record
        raise IndexError(f"Out of range of num_records: {len(records)}")

    def _read_numbers(self, numbers: Any) -> list[bytes]:
        if not _may_be_numbers(numbers):
            wanted = "a sequence of record numbers, none of them negative"
            raise TypeError(f"read(): incompatible function arguments: {wanted}, not {numbers!r:.80}")
        records = self._records
        if records is None:
            raise self._gone()
        try:
            if len(numbers) == 1 and type(numbers[0]) is int:  # the original's way to ask for one record, made quick
                return [records[numbers[0]]]
            return records.read(numbers)
        except RecordIndexError as error:
            number = next(number for number in map(operator.index, numbers) if number >= len(records))
            if number > _UINT64_MAX:
                message = f"read(): incompatible function arguments: {number} does not fit into 64 bits"
                raise TypeError(message) from error
            raise RuntimeError(f"index {number} out of bound {len(records)}") from error
        except RecordTypeError as error:
            raise TypeError(f"read(): incompatible function arguments: {error}") from error
        except OctavoError as error:
            raise self._failed(error) from error

    def _read_range(self, begin: SupportsIndex, end: SupportsIndex) -> list[bytes]:
        count = self.num_records()
        first, last = operator.index(begin), operator.index(end)
        start, stop = first + count * (first < 0), last + count * (last < 0)
        if not 0 <= start < stop <= count:
            raise IndexError(f"[{first}, {last}) is of range of [0, {count})")
        try:
            return self._opened().read_range(start, stop)
        except OctavoError as error:
            raise self._failed(error) from error

    def _opened(self) -> octavo.Reader:
        if self._records is None:
            raise self._gone()
        return self._records

    def _gone(self) -> RuntimeError:
        return RuntimeError(self._failure or _status.CLOSED)

    def _failed(self, error: OctavoError) -> RuntimeError:
        """What the original raises; the reader stays as it is."""
        if isinstance(error, ClosedError):  # which another thread has done
            return self._gone()
        return RuntimeError(_status.of_reading(error, self._path))

    def _fail(self, error: OctavoError) -> RuntimeError:
        """As `_failed`; but a reader that fails on its next record has failed for good."""
        failed = self._failed(error)
        if not isinstance(error, ClosedError):
            self._failure = str(failed)
            self._let_go()
        return failed

    def _let_go(self) -> None:
        records, self._records = self._records, None
        self._face(None)
        self._go_to(0)
        if records is not None:
            records.close()

    # What the original does not have.

    def __len__(self) -> int:
        return self.num_records()

    def __bool__(self) -> bool:
        """A reader without records is a reader, too."""
        return True

    def _missed(self, key: Any) -> bytes | list[bytes]:
        """`reader[key]` for keys that are not the number of a record that can be read; called by the native class."""
        try:
            found = self._opened()[key]
            return found.read_all() if isinstance(found, octavo.Reader) else found
        except (RecordIndexError, RecordTypeError):
            raise
        except OctavoError as error:
            raise self._failed(error) from error

    def __iter__(self) -> Iterator[bytes]:
        """All records, wherever `read()` stands."""
        try:
            yield from self._opened()
        except OctavoError as error:
            raise self._failed(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it; what the block raised is not covered by what closing would say."""
        if kind is None:
            self.close()
        else:
            self._is_open = False
            self._let_go()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name of the file and the place in it: it is opened again."""
        position = self.record_index() if self._is_open else None
        return _reopen, (type(self), (os.path.abspath(self._path), self._options), self._kwargs, position)


def _reopen(
    kind: type[ArrayRecordReader], arguments: tuple[str, str], keywords: dict[str, Any], position: int | None
) -> ArrayRecordReader:
    reader = kind(*arguments, **keywords)
    if position is None:
        reader.__exit__(RuntimeError, None, None)  # closed, whatever there was to say
    elif reader.ok():
        reader.seek(position)
    return reader


def _may_be_numbers(numbers: Any) -> bool:
    """Whether these can be record numbers to the original: a sequence, and nothing below zero in it."""
    try:
        if type(numbers) is list:
            return not numbers or min(numbers) >= 0
        if isinstance(numbers, str | bytes | dict) or not hasattr(numbers, "__getitem__"):
            return False
        return len(numbers) == 0 or bool((numbers.min() if hasattr(numbers, "min") else min(numbers)) >= 0)
    except (TypeError, ValueError):
        return False

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
from octavo.compat.array_record.python._arguments import NOT_GIVEN, as_text, may_be_numbers
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
        kwargs: `file_reader_buffer_size` is checked and has no effect; others are ignored. `octavo_records` is for the
            data source, which has opened the file already: its records, and the options it was written with.
    """

    __module__ = "octavo.compat.array_record.python.array_record_module"

    def __init__(
        self,
        path: str | bytes | os.PathLike[str] = NOT_GIVEN,
        options: str | bytes = "",
        **kwargs: Any,
    ) -> None:
        self.__path = as_text(path, "path")
        self.__options = as_text(options, "options")
        opened = kwargs.pop("octavo_records", None)
        self.__is_shared = opened is not None
        self.__kwargs = kwargs
        self.__records: octavo.Reader | None = None
        self.__failure: str | None = None
        self.__is_open = True
        self.__writer_options: str | None = None
        self.__go_to(0)
        if opened is not None:
            self.__start(*opened)
            return
        try:
            chosen = ArrayRecordReaderOptions.parse(self.__options, strict=True)
        except OptionError as error:
            raise ValueError(str(error)) from error
        buffer_size = kwargs.get("file_reader_buffer_size", 0)
        if not isinstance(buffer_size, SupportsIndex):
            message = f"file_reader_buffer_size is {buffer_size!r}; allowed are integers"
            raise RuntimeError(message)  # noqa: TRY004 - the original's choice
        try:
            records = open_files(files_named(self.__path), chosen)
        except RuntimeError as error:
            self.__failure = str(error)
        else:
            self.__start(records, records._writer_options[0])  # noqa: SLF001 - part of octavo

    def __start(self, records: octavo.Reader, writer_options: str | None) -> None:
        self.__records = records
        self.__writer_options = writer_options
        self._face(records)

    def ok(self) -> bool:
        """Whether records can be read: not once it has failed or was closed."""
        return self.__records is not None

    def is_open(self) -> bool:
        """Whether it has not been closed."""
        return self.__is_open

    def close(self) -> None:
        """Let go of the file; RuntimeError if the reader has failed, each time."""
        self.__is_open = False
        self.__let_go()
        if self.__failure is not None:
            raise RuntimeError(self.__failure)

    def num_records(self) -> int:
        """How many records there are; 0 if it has failed or was closed."""
        return self.__count()

    def record_index(self) -> int:
        """The number of the record that `read()` gives next; 0 if it has failed or was closed."""
        if self.__records is None:
            return 0
        scan = self.__scan
        return self.__position if scan is _NO_SCAN else max(0, self.__count() - operator.length_hint(scan))

    def writer_options_string(self) -> str | None:
        """The options that the file was written with, if it says; also after `close`."""
        return self.__writer_options

    def seek(self, index: SupportsIndex, /) -> None:
        """Let `read()` go on at this record; a number behind the last, or a negative one, is the end."""
        number = operator.index(index)
        if not -_INT64_MAX - 1 <= number <= _INT64_MAX:
            raise TypeError(f"seek(): incompatible function arguments: {number} does not fit into 64 bits")
        self.__opened()
        count = self.__count()
        self.__go_to(number if 0 <= number < count else count)

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
                record = next(self.__scan, None)
                return self.__read_next() if record is None else record
            except OctavoError as error:
                raise self.__fail(error) from error
        if type(begin) is list and len(begin) == 1 and end is _ABSENT and type(begin[0]) is int and begin[0] >= 0:
            try:  # the original's way to ask for one record, made quick
                return [self.__records[begin[0]]]  # type: ignore[index] # caught, because looking first takes time
            except (OctavoError, TypeError):
                return self.__read_numbers(begin)
        return self.__read_numbers(begin) if end is _ABSENT else self.__read_range(begin, end)

    def read_all(self) -> list[bytes]:
        """All records."""
        try:
            return self.__opened().read_all()
        except OctavoError as error:
            raise self.__failed(error) from error

    def __count(self) -> int:
        records = self.__records
        try:
            return 0 if records is None else len(records)
        except ClosedError:  # which another thread has done
            return 0

    def __go_to(self, position: int) -> None:
        self.__scan = _NO_SCAN
        self.__position = position
        self.__is_in_row = False

    def __read_next(self) -> bytes:
        """The next record, where no scan has it ready."""
        with _turn:
            records = self.__opened()
            position = self.record_index()
            if position < len(records) and self.__is_in_row and self.__scan is _NO_SCAN:
                self.__scan = iter(records[position:])
            scan = self.__scan
            if scan is _NO_SCAN:
                # The first record after a `seek` is read by itself: nobody knows yet whether more are wanted.
                self.__is_in_row = True
                self.__position = min(position + 1, len(records))
        if position < len(records):
            record = records[position] if scan is _NO_SCAN else next(scan, None)
            if record is not None:
                return record
        raise IndexError(f"Out of range of num_records: {len(records)}")

    def __read_numbers(self, numbers: Any) -> list[bytes]:
        if not may_be_numbers(numbers):
            wanted = "a sequence of record numbers, none of them negative"
            raise TypeError(f"read(): incompatible function arguments: {wanted}, not {numbers!r:.80}")
        records = self.__opened()
        try:
            count = len(records)
            return records.read(numbers)
        except RecordIndexError as error:
            number = next((number for number in map(operator.index, numbers) if number >= count), count)
            if number > _UINT64_MAX:
                message = f"read(): incompatible function arguments: {number} does not fit into 64 bits"
                raise TypeError(message) from error
            raise RuntimeError(f"index {number} out of bound {count}") from error
        except RecordTypeError as error:
            raise TypeError(f"read(): incompatible function arguments: {error}") from error
        except OctavoError as error:
            raise self.__failed(error) from error

    def __read_range(self, begin: SupportsIndex, end: SupportsIndex) -> list[bytes]:
        count = self.__count()
        first, last = operator.index(begin), operator.index(end)
        start, stop = first + count * (first < 0), last + count * (last < 0)
        if not 0 <= start < stop <= count:
            raise IndexError(f"[{first}, {last}) is of range of [0, {count})")
        try:
            return self.__opened().read_range(start, stop)
        except OctavoError as error:
            raise self.__failed(error) from error

    def __opened(self) -> octavo.Reader:
        records = self.__records
        if records is None:
            raise RuntimeError(self.__failure or _status.CLOSED)
        return records

    def __failed(self, error: OctavoError) -> RuntimeError:
        """What the original raises; the reader stays as it is."""
        if isinstance(error, ClosedError):  # which another thread has done
            return RuntimeError(self.__failure or _status.CLOSED)
        return RuntimeError(_status.of_reading(error, self.__path))

    def __fail(self, error: OctavoError) -> RuntimeError:
        """As `__failed`; but a reader that fails on its next record has failed for good."""
        failed = self.__failed(error)
        if not isinstance(error, ClosedError):
            self.__failure = str(failed)
            self.__let_go()
        return failed

    def __let_go(self) -> None:
        records, self.__records = self.__records, None
        self._face(None)
        self.__go_to(0)
        if records is not None and not self.__is_shared:
            records.close()

    # What the original does not have.

    def __len__(self) -> int:
        return self.__count()

    def __bool__(self) -> bool:
        """A reader without records is a reader, too."""
        return True

    def _missed(self, key: Any) -> bytes | list[bytes]:
        """`reader[key]` for keys that are not the number of a record that can be read; called by the native class."""
        try:
            found = self.__opened()[key]
            return found.read_all() if isinstance(found, octavo.Reader) else found
        except (RecordIndexError, RecordTypeError):
            raise
        except OctavoError as error:
            raise self.__failed(error) from error

    def __iter__(self) -> Iterator[bytes]:
        """All records, wherever `read()` stands."""
        try:
            yield from self.__opened()
        except OctavoError as error:
            raise self.__failed(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it; what the block raised is not covered by what closing would say."""
        if kind is None:
            self.close()
        else:
            self.__is_open = False
            self.__let_go()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name of the file, the place in it, and what subclasses have added: it is opened again."""
        position = self.record_index() if self.__is_open else None
        added = {name: value for name, value in vars(self).items() if not name.startswith("_ArrayRecordReader__")}
        arguments = type(self), (os.path.abspath(self.__path), self.__options), self.__kwargs, position
        return _reopen, arguments, added or None


def _reopen(
    kind: type[ArrayRecordReader], arguments: tuple[str, str], keywords: dict[str, Any], position: int | None
) -> ArrayRecordReader:
    reader = kind.__new__(kind)
    ArrayRecordReader.__init__(reader, *arguments, **keywords)  # a subclass may want other arguments
    if position is None:
        reader.__exit__(RuntimeError, None, None)  # closed, whatever there was to say
    elif reader.ok():
        reader.seek(position)
    return reader

"""`FileReader`, `FileWriter` and `checkFsAlign`."""

from __future__ import annotations

import contextlib
import operator
import os
import sys
import warnings
from collections.abc import Iterable, Sequence, Sized
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex

import octavo
from octavo import _core
from octavo._closing import Closing
from octavo._location import absolute
from octavo._recipe import recipe
from octavo._writer import Writer
from octavo.compat.ffrecord import _index
from octavo.compat.ffrecord._errors import on_changed, on_opening, on_reading
from octavo.compat.ffrecord._fnames import FileName, check_suffix, files_of
from octavo.errors import ClosedError, OctavoError, RecordSizeError, RecordTypeError, SourceChangedError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Buffer

    Record = npt.NDArray[np.uint8]

_MOST_RECORDS = (2**63 - 1 - _index.metadata_bytes(0)) // 12  # of more, the index alone were larger than any file


class FileReader(_core.Front, Closing):
    """Records of one file, of several, or of a directory, as NumPy arrays of bytes."""

    # Native, because a method in Python around it takes as long as reading a small record does.
    read_one = _core.Front._array  # noqa: SLF001 - made for this
    __getitem__ = read_one

    def __init__(self, fname: FileName | Sequence[FileName], check_data: bool = True) -> None:  # noqa: FBT001, FBT002 - as the original has it
        self.fnames = files_of(fname)
        self._check_data = bool(check_data)
        # Absolute, so that `validate` finds them wherever the process has gone.
        self._paths = [absolute(name) for name in self.fnames]
        try:
            self._reader = octavo.open(self._paths, format="ffrecord", check_data=self._check_data)
            self._reader._open_all()  # noqa: SLF001 - so that files can be moved and deleted from now on
        except OctavoError as error:
            names = dict(zip(self._paths, self.fnames, strict=True))
            raise on_opening(error, names.get(error.path or "", self.fnames[0])) from error
        self._starts = self._reader._file_starts  # noqa: SLF001 - part of octavo
        self._sizes = [os.path.getsize(path) for path in self._paths]
        self._n = len(self._reader)
        self._indexes: dict[int, _index.Index] = {}
        self._face(self._reader)
        self._warn_of_old_files()

    @property
    def n(self) -> int:
        """How many records there are in all files."""
        return self._n

    @property
    def check_data(self) -> bool:
        """Whether checksums are compared."""
        return self._check_data

    def read(self, indices: Iterable[SupportsIndex] | slice) -> list[Record]:
        """Records with these numbers, in this order; negative ones count from the end."""
        try:
            return self._reader.read_arrays(indices)  # type: ignore[arg-type]
        except OctavoError as error:
            if isinstance(indices, slice):
                return self.read(range(*indices.indices(self._n)))
            if isinstance(error, SourceChangedError) and isinstance(indices, Sized):
                return [self.read_one(index) for index in indices]  # to learn which record it is about
            raise on_reading(error, self._n) from error

    def _missed(self, index: SupportsIndex) -> Record:
        """What `read_one` does where there is more to it than reading: a number from the end, or an error."""
        try:
            return self._reader.read_array(index)
        except SourceChangedError as error:
            raise on_changed(error, operator.index(index) % self._n) from error
        except OctavoError as error:
            raise on_reading(error, self._n) from error

    def validate(self) -> None:
        """Compare the metadata of every file with its checksum. Reads no records, and works on a closed reader."""
        for file, name in enumerate(self.fnames):
            _index.validate(self._metadata(file), name)

    def get_offsets(self, file_index: int) -> npt.NDArray[np.int64]:
        """Where the records of one file begin, and its size."""
        return self._index_of(file_index).offsets.copy()

    def get_checksums(self, file_index: int) -> npt.NDArray[np.uint32]:
        """The checksums of the records of one file."""
        return self._index_of(file_index).checksums.copy()

    def _index_of(self, file_index: int) -> _index.Index:
        file = range(len(self.fnames))[file_index]
        if file not in self._indexes:
            self._indexes[file] = _index.Index.parse(self._metadata(file), self._sizes[file])
        return self._indexes[file]

    def _metadata(self, file: int) -> bytes:
        """Header and index of the open file; of a closed reader, of the file that has its name."""
        count = self._starts[file + 1] - self._starts[file]
        size = _index.metadata_bytes(count)
        try:
            if not self._reader.closed:
                metadata = self._reader._head(file, size)  # noqa: SLF001 - part of octavo
            else:
                with open(self._paths[file], "rb") as stream:
                    metadata = stream.read(size)
        except OSError as error:
            raise on_opening(error, self.fnames[file]) from error
        _index.check_count(metadata, count, self.fnames[file])
        return metadata

    def _warn_of_old_files(self) -> None:
        """Say what the original says of the files of its first releases, whose metadata has the checksum 0."""
        for file in range(len(self.fnames)):
            if self._reader._head(file, 4) == bytes(4):  # noqa: SLF001 - part of octavo
                message = "warning: you are using an old version ffrecord file, please update the file"
                print(message, file=sys.stderr)  # noqa: T201 - as in the original

    def close(self) -> None:
        """Let go of the files."""
        self._reader.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.fnames, self._check_data)

    def __repr__(self) -> str:
        where = self.fnames[0] if len(self.fnames) == 1 else f"{len(self.fnames)} files"
        return f"<ffrecord.FileReader of {self._n} records in {where}>"


class FileWriter:
    """Writes `n` records into a file that is there from the first moment, and whole when it is closed.

    Without `n`, any number of records can be written, and the file appears when it is closed.
    """

    def __init__(self, fname: FileName, n: SupportsIndex | None = None) -> None:
        path = check_suffix(fname)
        self._n = None if n is None else _record_count(n)
        self._path = absolute(path)
        self._process = os.getpid()
        try:
            self._writer = _start(self._path, self._n)
        except OctavoError as error:
            raise on_opening(error, path) from error

    @property
    def n(self) -> int | None:
        """How many records were announced."""
        return self._n

    @property
    def count(self) -> int:
        """How many records were written so far."""
        return self._writer.record_count

    def write_one(self, data: Buffer | npt.NDArray[Any]) -> None:
        """Add a record: all bytes of a contiguous buffer."""
        try:
            self._writer.write(data)
        except RecordTypeError as error:
            raise TypeError(str(error)) from error
        except OctavoError as error:
            is_full = self.count == self._n and isinstance(error, RecordSizeError | ClosedError)
            line = f"'count < n' failed. Exceed total number of samples: {self._n}\n" if is_full else ""
            raise RuntimeError(f"{line}{error}") from error

    def close(self) -> None:
        """Finish the file. Where records are missing this raises, and they can still be written."""
        if self._writer.closed:
            return
        if self._n is not None and self.count != self._n:
            message = (
                f"'count == n' failed. Number of samples mismatched! Wrote {self.count} samples but expected {self._n}"
            )
            raise RuntimeError(message)
        try:
            self._writer.close()
        except OctavoError as error:
            if not isinstance(error, SourceChangedError):  # then it is another writer's file now
                self._remove()
            raise RuntimeError(str(error)) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish the file; remove it if records are missing, without hiding what the block raised."""
        try:
            if kind is None:
                self.close()
            elif self.count == self._n:
                with contextlib.suppress(RuntimeError):
                    self.close()
        finally:
            self._discard()

    def __reduce__(self) -> NoReturn:
        message = f"cannot pickle {type(self).__name__!r} object"
        raise TypeError(message)  # and so not copied either: two of them would finish one file

    def __del__(self) -> None:
        # As in the original, a writer that nobody has closed finishes its file. A forked child's copy leaves it alone.
        if not hasattr(self, "_writer") or self._process != os.getpid() or self._writer.closed:
            return
        if self.count == self._n:
            with contextlib.suppress(SourceChangedError):  # another writer has begun the file anew: it is not ours
                self._writer.close()
        else:
            # Nothing is removed: under that name there may be a newer file, and what is left of this one does not open.
            message = f"a writer of {self._path} was never closed: its {self.count} records are lost"
            self._writer.abort()
            warnings.warn(message, ResourceWarning, source=self, stacklevel=1)

    def _discard(self) -> None:
        if self._writer.closed:
            return
        if self._n is None:
            self._writer.abort()
            return
        try:
            self._writer.close()  # which fails, for records are missing; and says whose file it is now
        except SourceChangedError:
            return
        except OctavoError:
            self._remove()

    def _remove(self) -> None:
        """No unfinished file stays: its index is a hole, which the original took for a file without records."""
        target = os.path.realpath(self._path)  # what was written, if the name is a link
        if self._n is not None and os.path.isfile(target):
            with contextlib.suppress(OSError):
                os.remove(target)


def checkFsAlign(fd: SupportsIndex) -> bool:
    """Whether the file system takes unaligned direct requests: octavo makes none, so it need not be asked."""
    operator.index(fd)
    return False


def _record_count(n: SupportsIndex) -> int:
    count = operator.index(n)
    if not 0 <= count <= _MOST_RECORDS:
        message = f"vector::_M_default_append\nn is the number of records to come, not {count}"
        raise ValueError(message)
    return count


def _start(path: str, n: int | None) -> Writer:
    if n is None:
        return octavo.create(path, format="ffrecord")
    return Writer(path, format="ffrecord", in_place=True, record_count=n, **recipe("ffrecord", {}))

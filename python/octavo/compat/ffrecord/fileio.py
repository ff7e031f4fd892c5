"""`FileReader`, `FileWriter` and `checkFsAlign`."""

from __future__ import annotations

import contextlib
import operator
import os
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

import octavo
from octavo import _core
from octavo._recipe import recipe
from octavo._writer import Writer
from octavo.compat.ffrecord import _index
from octavo.compat.ffrecord._errors import on_opening, on_reading
from octavo.compat.ffrecord._fnames import FileName, check_suffix, files_of
from octavo.errors import OctavoError, RecordTypeError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Buffer

    Record = npt.NDArray[np.uint8]


class FileReader(_core.Front):
    """Records of one file, of several, or of a directory, as NumPy arrays of bytes."""

    # Native, because a method in Python around it takes as long as reading a small record does.
    read_one = _core.Front._array  # noqa: SLF001 - made for this
    __getitem__ = read_one

    def __init__(self, fname: FileName | Sequence[FileName], check_data: bool = True) -> None:  # noqa: FBT001, FBT002 - as the original has it
        self.fnames = files_of(fname)
        self._check_data = bool(check_data)
        # Absolute, so that `validate` finds them wherever the process has gone.
        self._paths = [os.path.abspath(name) for name in self.fnames]
        try:
            self._reader = octavo.open(self._paths, format="ffrecord", check_data=self._check_data)
        except OctavoError as error:
            names = dict(zip(self._paths, self.fnames, strict=True))
            raise on_opening(error, names.get(error.path or "", self.fnames[0])) from error
        self._n = len(self._reader)
        self._face(self._reader)
        if self._check_data and len(self._paths) > 1:
            self.validate()  # octavo itself looks at the index of each file when it is first needed

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
            raise on_reading(error, self._n) from error

    def _missed(self, index: SupportsIndex) -> Record:
        """What `read_one` does where there is more to it than reading: a number from the end, or an error."""
        try:
            return self._reader.read_array(index)
        except OctavoError as error:
            raise on_reading(error, self._n) from error

    def validate(self) -> None:
        """Compare the metadata of every file with its checksum. Reads no records, and works on a closed reader."""
        for path, name in zip(self._paths, self.fnames, strict=True):
            _index.validate(path, name)

    def get_offsets(self, file_index: int) -> npt.NDArray[np.int64]:
        """Where the records of one file begin, and its size."""
        return _index.offsets_of(self._paths[file_index])

    def get_checksums(self, file_index: int) -> npt.NDArray[np.uint32]:
        """The checksums of the records of one file."""
        return _index.checksums_of(self._paths[file_index])

    def close(self) -> None:
        """Let go of the files."""
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

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
        self._path = os.path.abspath(path)
        self._process = os.getpid()
        try:
            self._writer = octavo.create(self._path) if self._n is None else _in_place(self._path, self._n)
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
        writer = self._writer
        if writer.record_count == self._n:
            message = f"'count < n' failed. Exceed total number of samples: {self._n}"
            raise RuntimeError(message)
        try:
            writer.write(data)
        except RecordTypeError as error:
            raise TypeError(str(error)) from error
        except OctavoError as error:
            raise RuntimeError(str(error)) from error

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

    def __del__(self) -> None:
        # As in the original, a writer that nobody has closed finishes its file. A forked child's copy leaves it alone.
        if not hasattr(self, "_writer") or self._process != os.getpid():
            return
        if self.count == self._n:
            self.close()
        elif not self._writer.closed:
            message = f"a writer of {self._path} was never closed, and its file was removed: {self.count} records"
            self._discard()
            warnings.warn(message, ResourceWarning, source=self, stacklevel=1)

    def _discard(self) -> None:
        if not self._writer.closed:
            self._writer.abort()
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
    if count < 0:
        message = f"vector::_M_default_append\nn is the number of records to come, not {count}"
        raise ValueError(message)
    return count


def _in_place(path: str, n: int) -> Writer:
    return Writer(path, format="ffrecord", in_place=True, record_count=n, **recipe("ffrecord", {}))

"""`RecordDataset`: records as a map-style data set of PyTorch."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

import torch.utils.data

from octavo import Reader
from octavo._closing import Closing
from octavo.errors import RecordTypeError
from octavo.integrations._source import open_source
from octavo.integrations.torch._arguments import check_callable
from octavo.integrations.torch._decode import decode_all, read_samples
from octavo.integrations.torch._fixed_size import fixed_size, rows_of

if TYPE_CHECKING:
    from octavo._location import Location
    from octavo._open import Format, IndexStorage, IoMode


class RecordDataset(Closing, torch.utils.data.Dataset):  # type: ignore[misc]  # PyTorch is taken as Any
    """Records by number. A batch is one native read, in this process or in a worker of any start method.

    A subclass that overrides `__getitem__` is asked for one sample after the other, unless it overrides `__getitems__`
    as well; `decode` keeps it one read.

    Args:
        location: Whatever `octavo.open` takes, or a reader that is open.
        decode: Makes a sample of the bytes of a record; without it, samples are bytes.
        dtype: The element type of records that all have one size: samples are then tensors, and a batch is read
            straight into one, whose rows they are. `collate_fn=octavo.torch.collate` takes it as it is, where others
            put the rows together once more.
        shape: The shape of such a record; one-dimensional if it is not given.
        format: As for `octavo.open`, and so are the rest.
        check_data: Verify checksums.
        io: How local files are read.
        cache_bytes: How many bytes of decoded chunks to keep.
        index_storage: Where the index is kept.
        sidecar: Use the index beside a file.
    """

    def __init__(
        self,
        location: Location | Reader,
        *,
        decode: Callable[[bytes], Any] | None = None,
        dtype: Any = None,
        shape: SupportsIndex | Sequence[SupportsIndex] | None = None,
        format: Format | None = None,
        check_data: bool = True,
        io: IoMode = "auto",
        cache_bytes: int | str = "256MB",
        index_storage: IndexStorage = "memory",
        sidecar: bool = True,
    ) -> None:
        check_callable(decode=decode)
        self._reader, self._is_own = open_source(
            location,
            format=format,
            check_data=check_data,
            io=io,
            cache_bytes=cache_bytes,
            index_storage=index_storage,
            sidecar=sidecar,
        )
        self._decode = decode
        self._size = fixed_size(self._reader, dtype, shape, decode)

    @property
    def reader(self) -> Reader:
        """What the records are read from."""
        return self._reader

    def __len__(self) -> int:
        return len(self._reader)

    def __getitem__(self, index: SupportsIndex) -> Any:
        """One sample; numbers below 0 count from the end."""
        try:
            number = operator.index(index)
        except TypeError:
            message = f"a sample is chosen by its number, not by {type(index).__name__}; many at once by __getitems__"
            raise RecordTypeError(message) from None
        if self._size is not None:
            return self._size.read(self._reader, [number])[0]
        record = self._reader[number]
        return record if self._decode is None else decode_all(self._reader, [number], [record], self._decode)[0]

    def __getitems__(self, indices: Sequence[SupportsIndex]) -> Any:
        """The samples of a batch, with one read; `torch.utils.data.DataLoader` calls this."""
        kind = type(self)
        if kind.__getitem__ is not RecordDataset.__getitem__ and kind.__getitems__ is RecordDataset.__getitems__:
            return [self[index] for index in indices]  # of which the subclass makes something else
        if self._size is not None:
            return rows_of(self._size.read(self._reader, indices))
        return read_samples(self._reader, indices, self._decode)

    def close(self) -> None:
        """Close the files, if this data set has opened them."""
        if self._is_own:
            self._reader.close()

    def __repr__(self) -> str:
        return f"<octavo.torch.RecordDataset over {self._reader!r}>"

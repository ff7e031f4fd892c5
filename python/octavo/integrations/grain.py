"""Records in Grain: a random access source, and whole batches that are read at once.

>>> import grain
>>> from octavo.integrations.grain import DataSource
>>> source = DataSource("train.array_record")
>>> dataset = grain.MapDataset.source(source).shuffle(seed=7).map(bytes.decode)
>>> len(dataset)
100

Grain asks a source for one record after the other. `DataSource.batches` is for those who would rather not.
"""

from __future__ import annotations

import copy
import copyreg
import hashlib
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

from octavo import Reader, _core
from octavo._arguments import at_least_one, check_switches
from octavo._closing import Closing
from octavo.integrations._source import open_source
from octavo.shuffle._arguments import blocks_of, whole_seed
from octavo.shuffle._order import Order, order_of

try:
    import grain
except ModuleNotFoundError as error:
    message = "octavo.integrations.grain needs Grain: pip install 'octavo[grain]'"
    raise ImportError(message) from error

if TYPE_CHECKING:
    from typing import Self

    from octavo._location import Location
    from octavo._open import Format, IndexStorage, IoMode

__all__ = ["DataSource"]

_MOST_NAMED = 4
"""A source of more files than this is told by a hash of their names."""


class DataSource(_core.Front, Closing):
    """Records by number: for `grain.MapDataset.source(source)` and `grain.DataLoader(data_source=source, ...)`.

    It can be shared by threads and used on both sides of a fork. A worker process that gets it opens the files again.

    Args:
        location: Whatever `octavo.open` takes, or a reader that is open.
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
        format: Format | None = None,
        check_data: bool = True,
        io: IoMode = "auto",
        cache_bytes: int | str = "256MB",
        index_storage: IndexStorage = "memory",
        sidecar: bool = True,
    ) -> None:
        self._reader, self._is_own = open_source(
            location,
            format=format,
            check_data=check_data,
            io=io,
            cache_bytes=cache_bytes,
            index_storage=index_storage,
            sidecar=sidecar,
        )
        self._typed = _names_typed(location)
        self._face(self._reader)

    @property
    def reader(self) -> Reader:
        """What the records are read from."""
        return self._reader

    @property
    def paths(self) -> list[str]:
        """Names of the files, in order."""
        return self._reader.paths

    def __len__(self) -> int:
        return len(self._reader)

    def __getitems__(self, indices: Iterable[SupportsIndex]) -> list[bytes]:
        """Records with these numbers, in this order, with one read."""
        if type(self).__getitem__ is not _core.Front.__getitem__:  # a subclass makes something else of a record
            return [self[index] for index in indices]
        return self._reader.read(indices)

    def _getitems(self, indices: Sequence[int]) -> list[bytes]:
        """The same under Grain's name."""
        return self.__getitems__(indices)

    def _missed(self, key: Any) -> Any:
        """`source[key]` for keys that are not the number of a record that can be read; called by the native class."""
        found = self._reader[key]
        if not isinstance(key, slice):
            return found
        part = copy.copy(self)
        part.__setstate__({"_reader": found, "_is_own": False})
        return part

    def batches(
        self,
        batch_size: int,
        *,
        shuffle: bool = False,
        seed: int = 0,
        drop_remainder: bool = False,
        block: int | None = None,
        window: int = 64,
    ) -> grain.MapDataset:
        """A `grain.MapDataset` of lists of records, each list read at once.

        Args:
            batch_size: Records in a batch.
            shuffle: Put records into an order of `octavo.shuffle.Permutation`, another one for each epoch. (Grain's
                own `shuffle`, put behind this, would move whole batches.)
            seed: Chooses the order.
            drop_remainder: Leave out a last batch that is not full.
            block: As in `octavo.shuffle.Permutation`: for files whose records share chunks.
            window: The same.
        """
        check_switches(shuffle=shuffle, drop_remainder=drop_remainder)
        order = order_of(len(self), shuffle=shuffle, seed=whole_seed(seed), blocks=blocks_of(block, window))
        return _Batches(self, order, at_least_one("batch_size", batch_size), drop_remainder=drop_remainder)

    def close(self) -> None:
        """Close the files, if this source has opened them."""
        if self._is_own:
            self._reader.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle where the records are."""
        return copyreg.__newobj__, (type(self),), vars(self)  # type: ignore[attr-defined]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._face(self._reader)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Share the files: Grain copies pipelines for its threads."""
        return copy.copy(self)

    def __repr__(self) -> str:
        """What is read, as it was named: Grain compares this with what a checkpoint says.

        The same records by the same name give the same text in every process and on every machine.
        """
        names = self._typed or list(map(_stable_name, self._reader._inputs, self.paths))  # noqa: SLF001 - part of octavo
        where = ", ".join(map(repr, names))
        if len(names) > _MOST_NAMED:
            where = f"{len(names)} files from {names[0]!r} on, sha256={_digest(where.encode())}"
        start, step, count = self._reader._view  # noqa: SLF001 - part of octavo
        part = "" if (start, step) == (0, 1) else f", start={start}, step={step}"
        return f"{type(self).__name__}({where}, records={count}{part})"


class _Batches(grain.MapDataset):  # type: ignore[misc]  # Grain is taken as Any
    """Lists of records; every further epoch has its own order, as Grain's `shuffle` does it."""

    def __init__(self, source: DataSource, order: Order, batch_size: int, *, drop_remainder: bool) -> None:
        super().__init__()
        self._source = source
        self._order = order
        self._batch_size = batch_size
        self._length = len(order) // batch_size if drop_remainder else -(-len(order) // batch_size)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.slice(index)
        if not self._length:
            raise IndexError("there are no batches")
        epoch, batch = divmod(index, self._length)
        epoch = max(epoch, 0)  # numbers below 0 count from the end of the first
        start = batch * self._batch_size
        positions = range(start, min(start + self._batch_size, len(self._order)))
        return self._source.__getitems__(self._order.take(epoch, positions))

    @property
    def paths(self) -> list[str]:
        """Names of the files, in order."""
        return self._source.paths

    def __str__(self) -> str:
        return f"{self._source!r}.batches({self._batch_size}, {self._order!r})"


def _names_typed(location: Any) -> list[str] | None:
    """The names of a location that has some: as they were typed, so that they hold wherever that means the same."""
    places = location if isinstance(location, list | tuple) else [location]
    if not all(isinstance(one, str | os.PathLike) for one in places):
        return None
    return [os.fsdecode(one) for one in places]


def _stable_name(one: Any, name: str) -> str:
    """What an input is called; of bytes in memory, which have no name, what tells them from others."""
    if isinstance(one, str) or hasattr(one, "read_spans"):
        return name
    return f"{name}, sha256={_digest(one)}"


def _digest(content: Any) -> str:
    return hashlib.sha256(content).hexdigest()[:16]

"""`dataset`: its arguments, and what becomes of them."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from octavo._arguments import at_least_one, check_switches
from octavo.errors import OptionError, RecordTypeError
from octavo.integrations._source import open_source
from octavo.integrations.tensorflow._batches import Batches
from octavo.shuffle import Sampler

if TYPE_CHECKING:
    from octavo import Reader
    from octavo._location import Location
    from octavo._open import Format, IndexStorage, IoMode


def dataset(
    location: Location | Reader,
    *,
    shuffle: bool = False,
    seed: int = 0,
    batch: int | None = None,
    drop_remainder: bool = False,
    epochs: int | None = 1,
    rank: int = 0,
    world_size: int = 1,
    block: int | None = None,
    window: int = 64,
    sampler: Sampler | None = None,
    num_parallel_calls: int = 2,
    format: Format | None = None,
    check_data: bool = True,
    io: IoMode = "auto",
    cache_bytes: int | str = "256MB",
    index_storage: IndexStorage = "memory",
    sidecar: bool = True,
) -> tf.data.Dataset:
    """Records as a `tf.data.Dataset` of strings: scalars, or vectors if there is a batch size.

    Args:
        location: Whatever `octavo.open` takes, or a reader that is open.
        shuffle: Put records into an order of `octavo.shuffle.Permutation`, another one for each epoch.
        seed: Chooses the order.
        batch: Records in a batch, each of which is one native read.
        drop_remainder: Leave out a last batch that is not full; batches then have a static shape.
        epochs: How often all records come; None for ever.
        rank: Which share of every step is this process's.
        world_size: How many processes share the records.
        block: As in `octavo.shuffle.Permutation`: for files whose records share chunks.
        window: The same.
        sampler: Says all of the above but `epochs`, instead of them. The data set begins where the sampler stands, and
            leaves it there.
        num_parallel_calls: How many batches are read ahead of their use, at the same time.
        format: As for `octavo.open`, and so are the rest.
        check_data: Verify checksums.
        io: How local files are read.
        cache_bytes: How many bytes of decoded chunks to keep.
        index_storage: Where the index is kept.
        sidecar: Use the index beside a file.
    """
    opening = {
        "format": format,
        "check_data": check_data,
        "io": io,
        "cache_bytes": cache_bytes,
        "index_storage": index_storage,
        "sidecar": sidecar,
    }
    order = {
        "shuffle": shuffle,
        "seed": seed,
        "batch_size": batch,
        "drop_last": drop_remainder,
        "rank": rank,
        "world_size": world_size,
        "block": block,
        "window": window,
    }
    return _dataset(location, opening, order, sampler=sampler, epochs=epochs, num_parallel_calls=num_parallel_calls)


@tf.autograph.experimental.do_not_convert  # type: ignore[untyped-decorator]
def _dataset(
    location: Location | Reader,
    opening: dict[str, Any],
    order: dict[str, Any],
    *,
    sampler: Sampler | None,
    epochs: int | None,
    num_parallel_calls: int,
) -> tf.data.Dataset:
    """Out of the sight of autograph, which would translate all of this where a function makes a data set."""
    check_switches(drop_remainder=order["drop_last"])
    if order["batch_size"] is not None:
        at_least_one("batch", order["batch_size"])
    if num_parallel_calls != tf.data.AUTOTUNE:
        num_parallel_calls = at_least_one("num_parallel_calls", num_parallel_calls)
    reader, _ = open_source(location, **opening)
    return Batches(reader, _sampler_of(reader, sampler, order), epochs).dataset(num_parallel_calls)


def _sampler_of(reader: Reader, sampler: Sampler | None, order: dict[str, Any]) -> Sampler:
    if sampler is None:
        return Sampler(reader, **order)
    if not isinstance(sampler, Sampler):
        raise RecordTypeError(f"sampler is an octavo.shuffle.Sampler, not {type(sampler).__name__}")
    if order != _ORDER_DEFAULTS:
        raise OptionError("a sampler says itself how records are shuffled, batched and shared: give nothing beside it")
    if sampler.record_count != len(reader):
        raise OptionError(f"the sampler is of {sampler.record_count} records; there are {len(reader)} here")
    return copy.copy(sampler)  # it may go on, and load another state


_ORDER_DEFAULTS = {
    "shuffle": False,
    "seed": 0,
    "batch_size": None,
    "drop_last": False,
    "rank": 0,
    "world_size": 1,
    "block": None,
    "window": 64,
}

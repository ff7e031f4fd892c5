"""Grain on the drop-in: `grain_pipelines.py PIPELINE KIND PATHS...` has each record once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

import octavo.compat

octavo.compat.activate("array_record")

import grain  # noqa: E402 - after the redirection
from absl import flags  # noqa: E402 - it comes with Grain
from array_record.python import array_record_data_source  # noqa: E402

from octavo.compat.array_record.python.array_record_data_source import ArrayRecordDataSource as ours  # noqa: E402, N813

BATCH = 32


def decode(record: bytes) -> str:
    """As a training job would."""
    return record.decode()


def from_guide(source: Any) -> Iterable[str]:
    """The pipeline of the user's guide."""
    dataset = grain.MapDataset.source(source).shuffle(seed=42).map(decode).batch(batch_size=BATCH)
    batches = list(dataset)
    again = list(grain.MapDataset.source(source).shuffle(seed=42).map(decode).batch(batch_size=BATCH))
    assert [list(batch) for batch in batches] == [list(batch) for batch in again], "the same seed, the same order"
    return [text for batch in batches for text in batch]


def with_threads(source: Any) -> Iterable[str]:
    """Read ahead by many threads."""
    options = grain.ReadOptions(num_threads=16, prefetch_buffer_size=500)
    return list(grain.MapDataset.source(source).shuffle(seed=1).map(decode).to_iter_dataset(options))


def with_workers(source: Any) -> Iterable[str]:
    """Read by worker processes."""
    dataset = grain.MapDataset.source(source).shuffle(seed=42).map(decode).batch(batch_size=BATCH).to_iter_dataset()
    batches = dataset.mp_prefetch(grain.MultiprocessingOptions(num_workers=2))
    return [str(text) for batch in batches for text in batch]


def resumed(source: Any) -> Iterable[str]:
    """Stopped in the middle, and resumed from its state."""
    iterator = iter(grain.MapDataset.source(source).shuffle(seed=42).map(decode).to_iter_dataset())
    seen = [next(iterator) for _ in range(50)]
    state = iterator.get_state()
    next(iterator)
    iterator.set_state(state)
    return [*seen, *iterator]


def data_loader(source: Any, workers: int = 0) -> Iterable[str]:
    """Grain's older interface."""
    sampler = grain.samplers.IndexSampler(
        num_records=len(source), shuffle=True, seed=7, num_epochs=1, shard_options=grain.sharding.NoSharding()
    )
    loader = grain.DataLoader(data_source=source, sampler=sampler, worker_count=workers)
    return [record.decode() for record in loader]


def data_loader_with_workers(source: Any) -> Iterable[str]:
    """The same with worker processes."""
    return data_loader(source, workers=2)


PIPELINES: dict[str, Callable[[Any], Iterable[str]]] = {
    function.__name__: function
    for function in (from_guide, with_threads, with_workers, resumed, data_loader, data_loader_with_workers)
}


def main(pipeline: str, kind: str, paths: list[str]) -> None:
    """Run one pipeline on the drop-in itself or on Grain's class of the same name."""
    assert array_record_data_source.ArrayRecordDataSource is ours
    flags.FLAGS.mark_as_parsed()  # Grain looks at its flags before it starts worker processes
    source: Any = ours(paths) if kind == "plain" else grain.sources.ArrayRecordDataSource(paths)
    assert isinstance(source, ours)
    expected = sorted(record.decode() for record in octavo.open(paths, format="array_record"))
    found = list(PIPELINES[pipeline](source))
    assert sorted(found) == expected
    assert found != expected, "shuffled"
    if kind == "grain":
        assert source.paths == paths


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])

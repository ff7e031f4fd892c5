"""Grain's pipelines over a source: every record once, in an order that can be gone on with."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

grain = pytest.importorskip("grain")

from octavo.integrations.grain import DataSource  # noqa: E402 - after the skip
from tests.integrations.grain.samples import COUNT, number_of, numbers_of, write  # noqa: E402
from tests.settling import open_descriptors, settles  # noqa: E402

ALL = list(range(COUNT))
THREADS = grain.ReadOptions(num_threads=16, prefetch_buffer_size=64)
WORKERS = grain.MultiprocessingOptions(num_workers=2, per_worker_buffer_size=2)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> DataSource:
    folder: Path = tmp_path_factory.mktemp("grain")
    return DataSource(write(folder / "records.array_record", group_size=1))


def shuffled(source: DataSource) -> Any:
    return grain.MapDataset.source(source).shuffle(seed=7).map(number_of)


def flat(batches: Any) -> list[int]:
    return [int(number) for batch in batches for number in batch]


PIPELINES: dict[str, Callable[[DataSource], Any]] = {
    "map": lambda source: shuffled(source).batch(32),
    "threads": lambda source: shuffled(source).batch(32).to_iter_dataset(THREADS),
    "threads, then batches": lambda source: shuffled(source).to_iter_dataset(THREADS).batch(32),
    "workers": lambda source: shuffled(source).batch(32).to_iter_dataset().mp_prefetch(WORKERS),
    "copies for threads": lambda source: grain.experimental.multithread_prefetch(
        shuffled(source).batch(32).to_iter_dataset(THREADS), 2, 4
    ),
    "batches": lambda source: source.batches(32, shuffle=True, seed=7).map(numbers_of),
    "batches, threads": lambda source: source.batches(32, shuffle=True).map(numbers_of).to_iter_dataset(THREADS),
    "batches, workers": lambda source: (
        source.batches(32, shuffle=True).map(numbers_of).to_iter_dataset().mp_prefetch(WORKERS)
    ),
}


@pytest.mark.parametrize("pipeline", PIPELINES.values(), ids=PIPELINES.keys())
def test_every_record_comes_once(pipeline: Callable[[DataSource], Any], source):
    numbers = flat(pipeline(source))
    assert numbers != ALL
    assert sorted(numbers) == ALL


@pytest.mark.parametrize(
    "pipeline", [pipeline for name, pipeline in PIPELINES.items() if name not in {"map", "batches"}]
)
def test_an_iterator_goes_on_where_another_stopped(pipeline: Callable[[DataSource], Any], source):
    first = iter(pipeline(source))
    for _ in range(5):
        next(first)
    state = json.loads(json.dumps(first.get_state()))  # as a checkpoint would keep it
    second = iter(pipeline(source))
    second.set_state(state)
    rest = [list(map(int, batch)) for batch in first]
    assert len(rest) == 11
    assert [list(map(int, batch)) for batch in second] == rest


def test_grain_finds_nothing_wrong_with_its_checkpoints(source):
    dataset = shuffled(source).batch(64).to_iter_dataset(THREADS)
    grain.experimental.assert_equal_output_after_checkpoint(dataset)


def test_mixtures_take_from_several_sources(source, tmp_path):
    other = DataSource(write(tmp_path / "other.ffr", 50))
    parts = [grain.MapDataset.source(one).map(number_of).repeat() for one in (source, other)]
    mixed = grain.MapDataset.mix(parts, weights=[0.8, 0.2])
    numbers = [mixed[position] for position in range(200)]
    assert numbers[4::5] == list(range(40))
    assert [number for place, number in enumerate(numbers) if place % 5 != 4] == list(range(160))
    assert len(set(flat(mixed[:100].batch(10).to_iter_dataset(THREADS)))) == 80


def test_a_slice_and_a_filter(source):
    dataset = grain.MapDataset.source(source)[100:200].map(number_of).filter(lambda number: number % 2 == 0)
    assert list(dataset.to_iter_dataset(THREADS)) == list(range(100, 200, 2))


@pytest.mark.parametrize("hosts", [1, 5])
def test_an_elastic_iterator_goes_on_with_another_number_of_hosts(hosts: int, source):
    def iterators(count: int) -> list[Any]:
        return [
            grain.experimental.ElasticIterator(
                shuffled(source), 10, grain.sharding.ShardOptions(shard_index=host, shard_count=count)
            )
            for host in range(count)
        ]

    before = iterators(2)
    seen = [number for one in before for _ in range(7) for number in next(one).tolist()]
    (state,) = {json.dumps(one.get_state()) for one in before}
    after = iterators(hosts)
    for one in after:
        one.set_state(json.loads(state))
    rest = [number for one in after for batch in iter(one) for number in batch.tolist()]
    assert sorted(seen + rest) == ALL


def test_whole_batches_pass_through_an_elastic_iterator(source):
    batches = source.batches(5, shuffle=True).map(numbers_of).map(np.asarray)
    parts = [
        grain.experimental.ElasticIterator(batches, 4, grain.sharding.ShardOptions(shard_index=host, shard_count=2))
        for host in range(2)
    ]
    assert sorted(np.concatenate([batch.ravel() for part in parts for batch in iter(part)]).tolist()) == ALL


def test_a_damaged_record_ends_a_pipeline_with_its_name(tmp_path):
    path = write(tmp_path / "damaged.ffr", 100)
    content = bytearray(path.read_bytes())
    content[content.index(b"77.")] ^= 1
    dataset = grain.MapDataset.source(DataSource(bytes(content))).to_iter_dataset(THREADS)
    with pytest.raises(Exception, match="record 77"):
        list(dataset)


def loader(source: DataSource, *, workers: int, epochs: int = 1) -> Any:
    sampler = grain.samplers.IndexSampler(
        num_records=len(source), shuffle=True, seed=3, num_epochs=epochs, shard_options=grain.sharding.NoSharding()
    )
    operations = [Numbered(), grain.transforms.Batch(batch_size=10)]
    return grain.DataLoader(data_source=source, sampler=sampler, operations=operations, worker_count=workers)


class Numbered(grain.transforms.Map):  # type: ignore[misc,name-defined]  # Grain is taken as Any
    def map(self, element: bytes) -> int:
        return number_of(element)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_data_loader_gives_every_record_in_every_epoch(workers: int, source):
    numbers = flat(loader(source, workers=workers, epochs=2))
    assert sorted(numbers) == sorted(ALL * 2)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_data_loader_goes_on_from_a_checkpoint(workers: int, source):
    first = iter(loader(source, workers=workers))
    for _ in range(11):
        next(first)
    state = first.get_state()
    # A source that is opened anew is the same one for Grain: it has the same text.
    second = iter(loader(DataSource(source.paths[0]), workers=workers))
    second.set_state(state)
    rest = [batch.tolist() for batch in first]
    assert len(rest) == COUNT // 10 - 11
    assert [batch.tolist() for batch in second] == rest


def test_a_checkpoint_of_other_records_is_refused(source, tmp_path):
    state = iter(loader(source, workers=0)).get_state()
    other = iter(loader(DataSource(write(tmp_path / "other.array_record")), workers=0))
    with pytest.raises(ValueError, match="DataSource in checkpoint does not match"):
        other.set_state(state)


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="descriptors are counted in /proc")
def test_twenty_epochs_leave_nothing_behind(source):
    def epoch() -> None:
        for pipeline in ("threads", "batches, threads"):
            with contextlib.closing(iter(PIPELINES[pipeline](source))) as batches:
                assert len(flat(batches)) == COUNT

    def settle_down() -> None:
        gc.collect()
        for thread in threading.enumerate():
            if thread.name.startswith("grain"):  # Grain's, which end a moment after their iterator
                thread.join(60)

    epoch()
    settle_down()
    descriptors, threads = open_descriptors(), threading.active_count()
    for _ in range(20):
        epoch()
    settle_down()
    settles(open_descriptors, descriptors)
    settles(threading.active_count, threads)


def test_the_name_of_the_source_is_that_of_its_files(source):
    assert grain.MapDataset.source(source).paths == source.paths
    assert str(grain.MapDataset.source(source)).endswith("(source=DataSource)")

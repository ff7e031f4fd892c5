"""`Loader`: what it gives, in which order, and how far it runs ahead."""

from __future__ import annotations

import itertools
import threading
import time

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import octavo  # noqa: E402
from octavo import errors, shuffle  # noqa: E402
from octavo.integrations.torch._batch import has_device  # noqa: E402
from octavo.torch import Loader  # noqa: E402
from tests.integrations.torch.records import (  # noqa: E402
    as_floats,
    lists,
    loader_threads,
    number,
    write_numbers,
    write_rows,
)
from tests.settling import comes_true  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_thread_is_left")


def test_a_loop_is_an_epoch_in_the_order_of_shuffle(path):
    loader = Loader(path, batch_size=7, seed=3, decode=number)
    expected = [list(epoch) for epoch in itertools.repeat(shuffle.Sampler(40, batch_size=7, seed=3), 3)]
    assert [lists(loader) for _ in range(3)] == expected
    assert len(loader) == 6
    assert loader.epoch == 2


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("prefetch", [1, 2, 9])
def test_any_number_of_threads_gives_the_same(path, threads, prefetch):
    loader = Loader(path, batch_size=3, shuffle=False, decode=number, threads=threads, prefetch=prefetch)
    assert lists(loader) == [list(range(k, min(k + 3, 40))) for k in range(0, 40, 3)]


def test_records_are_bytes_if_nothing_decodes_them(path):
    (batch,) = Loader(path, batch_size=40, shuffle=False)
    assert batch == list(octavo.open(path))


def test_collate_fn_gets_the_samples(path):
    assert list(Loader(path, batch_size=16, shuffle=False, decode=number, collate_fn=sum)) == [120, 376, 284]
    assert list(Loader(path, batch_size=16, shuffle=False, collate_fn=len)) == [16, 16, 8]


def test_samples_of_many_parts(tmp_path):
    path = write_rows(tmp_path / "rows.ffr", 10, width=3)
    loader = Loader(path, batch_size=4, shuffle=False, decode=lambda r: {"x": as_floats(r), "y": (len(r), "text")})
    first = next(iter(loader))
    assert first["x"][:, 0].tolist() == [0, 1, 2, 3]
    assert first["y"][0].tolist() == [12] * 4
    assert first["y"][1] == ("text",) * 4


@pytest.mark.parametrize("name", ["x.ffr", "x.array_record", "x.tfrecord"])
def test_formats_and_shards(tmp_path, name):
    stem, suffix = name.split(".")
    for shard in range(3):
        write_numbers(tmp_path / f"{stem}-{shard:05d}-of-00003.{suffix}", 10, first=10 * shard)
    with Loader(tmp_path / f"{stem}@3.{suffix}", batch_size=4, decode=number) as loader:
        assert sorted(itertools.chain(*lists(loader))) == list(range(30))


def test_chunks_are_read_block_by_block(tmp_path):
    path = write_numbers(tmp_path / "x.array_record", 100, group_size=10, codec="zstd")
    loader = Loader(path, batch_size=10, decode=number, block=10, window=2)
    assert sorted(itertools.chain(*lists(loader))) == list(range(100))
    for batch in lists(loader):
        assert len({k // 10 for k in batch}) <= 4


def test_a_mixture_is_an_order(tmp_path):
    sets = [write_numbers(tmp_path / "a.ffr", 10), write_numbers(tmp_path / "b.ffr", 30, first=10)]
    mixture = shuffle.Mixture([10, 30], [1, 1], seed=4, samples=20)
    loader = Loader([str(one) for one in sets], batch_size=5, order=mixture, decode=number)
    assert len(loader) == 4
    assert lists(loader) == list(shuffle.Sampler(mixture, batch_size=5))
    with pytest.raises(errors.OptionError, match="the order is of 40 records; there are 10 here"):
        Loader(sets[0], batch_size=5, order=mixture)
    with pytest.raises(errors.RecordTypeError, match=r"order is an octavo\.shuffle\.Mixture, not list"):
        Loader(sets[0], batch_size=5, order=[1, 2])  # type: ignore[arg-type]


def test_batches_of_fixed_size_records_are_one_tensor(tmp_path):
    path = write_rows(tmp_path / "rows.ffr", 10)
    loader = Loader(path, batch_size=4, shuffle=False, dtype=torch.float32, shape=(4, 4))
    batches = list(loader)
    assert [batch.shape for batch in batches] == [(4, 4, 4), (4, 4, 4), (2, 4, 4)]
    assert torch.cat(batches)[:, 3, 3].tolist() == list(range(10))
    doubled = Loader(path, batch_size=4, shuffle=False, dtype="float32", collate_fn=lambda rows: rows * 2)
    assert torch.cat(list(doubled))[:, 15].tolist() == list(range(0, 20, 2))


def test_batches_are_not_written_to_again(tmp_path):
    loader = Loader(write_rows(tmp_path / "rows.ffr", 100), batch_size=4, shuffle=False, dtype=torch.float32)
    assert torch.cat(list(loader))[:, 0].tolist() == list(range(100))


@pytest.mark.skipif(has_device(), reason="is about machines without a GPU")
def test_pinned_memory_without_a_device_is_a_warning(tmp_path):
    path = write_rows(tmp_path / "rows.ffr", 10)
    with pytest.warns(UserWarning, match="no CUDA device: batches are not pinned") as warned:
        loader = Loader(path, batch_size=4, dtype=torch.float32, pin_memory=True)
    assert warned[0].filename == __file__
    assert sorted(torch.cat(list(loader))[:, 0].tolist()) == list(range(10))


@pytest.mark.skipif(not has_device(), reason="needs a CUDA device")
@pytest.mark.parametrize(
    "options", [{"dtype": "float32"}, {"decode": as_floats}, {"dtype": "float32", "collate_fn": abs}]
)
def test_batches_are_pinned(tmp_path, options):
    loader = Loader(write_rows(tmp_path / "rows.ffr", 10), batch_size=4, pin_memory=True, **options)
    assert all(batch.is_pinned() for batch in loader)


def test_batches_come_in_order_whichever_is_done_first(path):
    def slow_at_first(record):
        time.sleep(0.02 if number(record) % 8 < 4 else 0)
        return number(record)

    loader = Loader(path, batch_size=4, shuffle=False, decode=slow_at_first, threads=4, prefetch=8)
    assert lists(loader) == [list(range(k, k + 4)) for k in range(0, 40, 4)]


def test_threads_work_at_the_same_time(path):
    together = threading.Barrier(3)

    def wait_for_the_others(records):
        together.wait(timeout=60)
        return records

    loader = Loader(path, batch_size=13, collate_fn=wait_for_the_others, threads=3, drop_last=True)
    assert len(list(loader)) == 3


@pytest.mark.parametrize("prefetch", [1, 3])
def test_no_more_batches_are_made_than_asked_for(path, prefetch):
    begun: list[int] = []

    def count(records):
        begun.append(1)
        return records

    batches = iter(Loader(path, batch_size=2, collate_fn=count, threads=4, prefetch=prefetch))
    assert begun == []
    for used in range(1, 5):
        next(batches)
        assert comes_true(lambda: len(begun) == used + prefetch)  # noqa: B023 - called here
        time.sleep(0.02)
        assert len(begun) == used + prefetch


def test_batches_are_let_go_when_they_were_used(path):
    class Batch(list):  # type: ignore[type-arg]
        alive = 0

        def __init__(self, records):
            super().__init__(records)
            Batch.alive += 1

        def __del__(self):
            Batch.alive -= 1

    for _ in Loader(path, batch_size=2, collate_fn=Batch, threads=2, prefetch=2):
        assert Batch.alive <= 2 + 2  # two ahead, the one in hand, and the one before it while it is replaced
    del _
    assert comes_true(lambda: Batch.alive == 0)


def test_two_loops_at_once(path):
    loader = Loader(path, batch_size=8, decode=number, seed=1)
    expected = shuffle.Sampler(40, batch_size=8, seed=1)
    pairs = [(one.tolist(), other.tolist()) for one, other in zip(loader, loader, strict=True)]
    assert [one for one, _ in pairs] == list(expected)
    assert [other for _, other in pairs] == list(expected)


def test_a_loop_may_be_shared_by_threads(path):
    batches = iter(Loader(path, batch_size=2, decode=number, threads=2))
    found: list[list[int]] = []
    consumers = [threading.Thread(target=lambda: found.extend(lists(batches))) for _ in range(3)]
    for consumer in consumers:
        consumer.start()
    for consumer in consumers:
        consumer.join()
    assert sorted(itertools.chain(*found)) == list(range(40))


def test_a_loop_that_is_over_stays_over(path):
    batches = iter(Loader(path, batch_size=40))
    assert len(list(batches)) == 1
    assert next(batches, None) is None
    assert list(batches) == []


def test_no_records_are_no_batches(write_file):
    loader = Loader(write_file([]), batch_size=4)
    assert len(loader) == 0
    assert list(loader) == []


def test_a_loop_that_was_never_begun_starts_no_threads(path):
    batches = iter(Loader(path, batch_size=4))
    assert loader_threads() == []
    del batches


def test_ranks_share_an_epoch(path):
    shares = [Loader(path, batch_size=3, decode=number, rank=rank, world_size=4) for rank in range(4)]
    assert sorted(itertools.chain(*(batch for share in shares for batch in lists(share)))) == list(range(40))
    padded = [lists(Loader(path, batch_size=3, decode=number, pad=True, rank=k, world_size=7)) for k in range(7)]
    assert len({len(one) for one in padded}) == 1


def test_what_it_is(path):
    with Loader(path, batch_size=3, rank=1, world_size=4) as loader:
        assert loader.batch_size == 3
        assert len(loader.reader) == 40
        assert "batches of 3" in repr(loader)
        assert "rank 1 of 4" in repr(loader)


@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 0},
        {"batch_size": None},
        {"batch_size": 2.5},
        {"threads": 0},
        {"threads": "2"},
        {"prefetch": 0},
        {"prefetch": True},
        {"rank": 3, "world_size": 3},
        {"rank": 0},
        {"drop_last": True, "pad": True},
        {"seed": -1},
        {"shape": 8},
        {"dtype": "nonsense"},
        {"dtype": "uint8", "decode": number},
        {"decode": 3},
        {"collate_fn": "sum"},
        {"pin_memory": 1},
        {"shuffle": None},
    ],
)
def test_silly_arguments_are_refused(path, options):
    with pytest.raises((errors.OptionError, errors.RecordTypeError)):
        Loader(path, **{"batch_size": 4, **options})


def test_what_was_opened_for_nothing_is_closed(path, monkeypatch):
    opened = []
    original = octavo.open

    def watch(*arguments, **options):
        opened.append(original(*arguments, **options))
        return opened[-1]

    monkeypatch.setattr(octavo, "open", watch)
    with pytest.raises(errors.OptionError):
        Loader(path, batch_size=4, shape=8)
    assert opened[0].closed


def test_arrays_of_one_type_of_many_threads(tmp_path):
    """What threads make is the same as what one makes."""
    path = write_rows(tmp_path / "rows.ffr", 1000)
    expected = np.stack([as_floats(record) for record in octavo.open(path)])
    loader = Loader(path, batch_size=16, decode=as_floats, threads=4, seed=9)
    numbers = list(shuffle.Sampler(1000, seed=9))
    assert np.array_equal(torch.cat(list(loader)).numpy(), expected[numbers])

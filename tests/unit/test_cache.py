"""`cache_bytes`: how many decoded chunks a reader keeps. It changes what a read costs, never what it gives."""

from __future__ import annotations

import pickle
import random
import threading
from typing import Any

import numpy as np
import pytest

import octavo
from octavo import errors
from tests.conformance.backends import Spans
from tests.property.access_paths import ACCESS_PATHS
from tests.unit.layouts import FFRECORD, GROUPED, Layout

RECORDS = [f"record {number}".encode() * (number % 5) for number in range(300)]
SIZES: list[Any] = [0, 1, 100, "1k", "64MB", "1.5 GiB", "inf", 2**64 - 1, np.int64(4096)]


@pytest.mark.parametrize("cache_bytes", SIZES, ids=str)
@pytest.mark.parametrize("way", ACCESS_PATHS)
def test_every_way_to_read_gives_the_records(stored, cache_bytes, way):
    reader = stored.open(RECORDS, cache_bytes=cache_bytes)
    assert ACCESS_PATHS[way](reader) == RECORDS
    assert ACCESS_PATHS[way](reader) == RECORDS


@pytest.mark.parametrize("cache_bytes", [0, "1k"])
def test_every_way_to_read_every_file_gives_the_records(layout, cache_bytes):
    reader = layout.open(RECORDS, cache_bytes=cache_bytes)
    for way, read in ACCESS_PATHS.items():
        assert read(reader) == RECORDS, way


@pytest.mark.parametrize("cache_bytes", [0, "1k", "64MB"])
def test_records_of_many_chunks_in_any_order_are_right(chunked, cache_bytes):
    reader = chunked.open(RECORDS, cache_bytes=cache_bytes)
    chance = random.Random(5)
    for _ in range(50):
        numbers = chance.choices(range(-300, 300), k=chance.randint(1, 40))
        assert reader.read(numbers) == [RECORDS[number] for number in numbers]
        assert reader[numbers[0]] == RECORDS[numbers[0]]


@pytest.mark.parametrize("cache_bytes", [0, "1k", "64MB"])
def test_threads_share_the_cache(chunked, cache_bytes):
    reader = chunked.open(RECORDS, cache_bytes=cache_bytes)
    wrong: list[int] = []

    def read_often(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(300):
            number = chance.randrange(300)
            if reader[number] != RECORDS[number]:
                wrong.append(number)

    threads = [threading.Thread(target=read_often, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def calls_for(layout: Layout, numbers: list[int], **options: Any) -> int:
    """How often a source is asked when these records are read one by one."""
    source = Spans(layout.encode(RECORDS))
    reader = octavo.open(source, **layout.hint, **options)
    before = source.calls
    for number in numbers:
        assert reader[number] == RECORDS[number]
    return source.calls - before


def test_a_chunk_that_is_kept_is_read_once():
    assert calls_for(GROUPED, [7, 8, 13, 7, 12] * 10) == 1


def test_a_cache_without_room_keeps_nothing():
    assert calls_for(GROUPED, [7, 8, 13, 7, 12], cache_bytes=0) == 5


def test_a_cache_with_room_for_few_chunks_forgets_others():
    rounds = list(range(0, 300, 7)) * 3
    assert calls_for(GROUPED, rounds) == len(range(0, 300, 7))
    assert calls_for(GROUPED, rounds, cache_bytes=300) > len(range(0, 300, 7))


def test_records_of_a_source_without_chunks_are_always_read():
    assert calls_for(FFRECORD, [3, 3, 3]) == 3


def test_a_chunk_larger_than_the_cache_is_read_all_the_same():
    large = [bytes([number]) * 100_000 for number in range(14)]
    reader = GROUPED.open(large, cache_bytes="64k")
    assert [reader[number] for number in (0, 13, 6, 0)] == [large[0], large[13], large[6], large[0]]


def test_slices_share_the_cache_of_the_whole():
    source = Spans(GROUPED.encode(RECORDS))
    reader = octavo.open(source)
    assert reader[8] == RECORDS[8]
    before = source.calls
    assert reader[5:][4] == RECORDS[9]
    assert source.calls == before


def test_the_size_of_the_cache_comes_along_in_a_pickle():
    reader = GROUPED.open(RECORDS, cache_bytes="1k")
    again = pickle.loads(pickle.dumps(reader))
    assert again._options["cache_bytes"] == 1024
    assert again.read_all() == RECORDS


@pytest.mark.parametrize("size", [-1, 2**64, "much", "", "-1", 1.5, None, True, b"1k", [1]], ids=str)
def test_a_size_that_cannot_be_is_an_option_error(layout, size):
    with pytest.raises(errors.OptionError, match="cache_bytes is"):
        layout.open(RECORDS, cache_bytes=size)

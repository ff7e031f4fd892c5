"""Shards that are missing from a folder or a pattern are told; shards that nobody asked for are not."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import octavo
from octavo.errors import MissingShardsWarning

Write = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Shards 0, 1 and 3 of four."""
    for number in (0, 1, 3):
        shard(tmp_path, number, 4)
    return tmp_path


def shard(folder: Path, number: int, total: int, *, stem: str = "train", suffix: str = ".ffr") -> None:
    with octavo.create(folder / f"{stem}-{number:05d}-of-{total:05d}{suffix}") as writer:
        writer.write(b"%d" % number)


def told(location: Path | str) -> list[str]:
    """The warnings of opening it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # of what other tests have left
        octavo.open(location)
    assert all(one.category is MissingShardsWarning for one in caught), caught
    return [str(one.message) for one in caught]


def test_a_missing_shard_of_a_folder_is_named(folder):
    assert told(folder) == [f"{folder}: 1 of 4 shards are missing: train-00002-of-00004.ffr"]


def test_a_missing_shard_that_a_pattern_would_match_is_named(folder):
    pattern = f"{folder}/train-*.ffr"
    assert told(pattern) == [f"{pattern}: 1 of 4 shards are missing: train-00002-of-00004.ffr"]


def test_shards_that_a_pattern_leaves_out_are_not_missing(folder):
    assert told(f"{folder}/train-0000[01]-of-00004.ffr") == []


def test_a_list_is_what_was_meant(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        octavo.open([folder / "train-00000-of-00004.ffr"])


@pytest.mark.parametrize("total", [1, 2, 7])
def test_a_whole_set_is_opened_without_a_word(tmp_path, total):
    for number in range(total):
        shard(tmp_path, number, total)
    assert told(tmp_path) == []


def test_shards_may_be_compressed_or_not(tmp_path):
    shard(tmp_path, 0, 2, suffix=".tfrecord")
    shard(tmp_path, 1, 2, suffix=".tfrecord.gz")
    assert told(tmp_path) == []


def test_each_set_of_a_folder_is_looked_at_by_itself(folder):
    shard(folder, 0, 2, stem="valid")
    assert [message.rpartition(": ")[2] for message in told(folder)] == [
        "train-00002-of-00004.ffr",
        "valid-00001-of-00002.ffr",
    ]


def test_sets_of_one_name_and_different_sizes_are_told(tmp_path):
    for total in (1, 2):
        for number in range(total):
            shard(tmp_path, number, total)
    assert told(tmp_path) == [f"{tmp_path}: shards of different data sets: train is there of 1 and 2 shards"]


def test_a_name_that_claims_any_number_of_shards_costs_nothing(tmp_path):
    shard(tmp_path, 3, 10**18)
    shard(tmp_path, 10**18, 5)  # and one past its own end
    assert [message.rpartition("missing: ")[0] for message in told(tmp_path)[1:]] == [
        f"{tmp_path}: 999999999999999999 of 1000000000000000000 shards are ",
        f"{tmp_path}: 5 of 5 shards are ",
    ]


def test_a_missing_object_of_a_store_is_named():
    pytest.importorskip("obstore")
    for number in (0, 2):
        with octavo.create(f"memory://shard-sets/set/train-{number:05d}-of-00003.array_record") as writer:
            writer.write(b"")
    for location in ("memory://shard-sets/set/", "memory://shard-sets/set/train-*.array_record"):
        assert told(location) == [f"{location}: 1 of 3 shards are missing: train-00001-of-00003.array_record"]
    assert told("memory://shard-sets/set/train-00000-*.array_record") == []

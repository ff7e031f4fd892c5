"""How large records are."""

from __future__ import annotations

import pytest

import octavo
from octavo import _sizes
from octavo._sizes import Bin, all_sizes, sample_sizes
from tests.unit.layouts import Layout


def sizes_of(records, path):
    with octavo.create(path) as writer:
        writer.write_many(records)
    with octavo.open(path) as reader:
        return sample_sizes([reader], len(reader)), all_sizes([reader], len(reader))


def test_a_small_file_is_measured_whole(tmp_path):
    sampled, measured = sizes_of([b"", b"x", b"yy" * 10], tmp_path / "some.ffr")
    assert sampled == measured
    assert (sampled.record_count, sampled.total_count, sampled.record_bytes) == (3, 3, 21)
    assert (sampled.smallest, sampled.largest, sampled.mean) == (0, 20, 7.0)
    assert [one for one in sampled.bins if one.record_count] == [Bin(0, 1, 1), Bin(1, 2, 1), Bin(20, 50, 1)]


def test_a_file_without_records_has_no_sizes(tmp_path):
    sampled, measured = sizes_of([], tmp_path / "none.ffr")
    assert sampled == measured
    assert (sampled.record_count, sampled.smallest, sampled.largest, sampled.mean) == (0, None, None, None)
    assert sampled.bins == ()


def test_empty_records_are_a_size_of_their_own(tmp_path):
    sampled, _ = sizes_of([b""] * 7, tmp_path / "empty.ffr")
    assert sampled.bins == (Bin(0, 1, 7),)


def test_a_sample_is_spread_over_all_records(tmp_path):
    records = [b"x" * (1000 + at // 100) for at in range(50_000)]
    sampled, measured = sizes_of(records, tmp_path / "sorted.ffr")
    assert sampled.record_count == 1000
    assert (sampled.smallest, sampled.largest) == (1000, 1499)  # each thousandth
    assert sampled.mean == pytest.approx(1249.5, abs=2)
    assert (measured.record_count, measured.mean) == (50_000, 1249.5)
    assert [one.record_count for one in measured.bins] == [5000] * 10


def test_every_layout_can_be_measured(layout: Layout, tmp_path):
    records = [b"word %d" % (7**at % 10_007) * (at % 5) for at in range(5000)]
    with octavo.open(layout.write(tmp_path, records)) as reader:
        sampled, measured = sample_sizes([reader], len(reader)), all_sizes([reader], len(reader))
    assert measured.record_count == 5000
    assert measured.record_bytes == sum(map(len, records))
    assert sum(one.record_count for one in measured.bins) == 5000
    assert 100 <= sampled.record_count <= 1000
    assert sampled.mean == pytest.approx(measured.mean, rel=0.2)


def test_large_records_are_not_all_read(tmp_path, monkeypatch):
    monkeypatch.setattr(_sizes, "_SAMPLED_BYTES", 1 << 20)
    sampled, _ = sizes_of([bytes(400_000)] * 40, tmp_path / "large.ffr")
    assert 1 <= sampled.record_count <= 4
    assert sampled.bins == (Bin(400_000, 401_000, sampled.record_count),)


def test_records_of_many_readers_are_one_distribution(tmp_path):
    paths = [tmp_path / f"{at}.tfrecord" for at in range(20)]
    for at, path in enumerate(paths):
        with octavo.create(path) as writer:
            writer.write_many([b"x" * at] * 300)
    readers = [octavo.open(path) for path in paths]
    sampled = sample_sizes(readers, 6000)
    assert (sampled.record_count, sampled.total_count) == (1000, 6000)
    assert (sampled.smallest, sampled.largest) == (0, 19)
    assert sampled.mean == pytest.approx(9.5)


def test_of_many_files_in_a_reader_some_are_read(tmp_path):
    paths = [tmp_path / f"{at:03}.ffr" for at in range(100)]
    for at, path in enumerate(paths):
        with octavo.create(path) as writer:
            writer.write_many([b"x" * at] * 100)
    with octavo.open(paths) as reader:
        sampled = sample_sizes([reader], len(reader))
    assert (sampled.record_count, sampled.total_count) == (1000, 10_000)
    assert sampled.mean == pytest.approx(47, abs=3)


@pytest.mark.parametrize("name", ["damaged.ffr", "damaged.array_record", "damaged.tfrecord"])
def test_damaged_records_are_left_out_of_a_sample(tmp_path, name):
    path = tmp_path / name
    with octavo.create(path, codec="none" if name.endswith("array_record") else None) as writer:
        writer.write_many(b"record %03d" % at for at in range(100))
    content = bytearray(path.read_bytes())
    content[content.index(b"record 050") + 3] ^= 1
    path.write_bytes(content)
    with octavo.open(path) as reader:
        sampled, measured = sample_sizes([reader], len(reader)), all_sizes([reader], len(reader))
    assert sampled.problem is not None
    assert sampled.problem.record == 50
    assert sampled.record_count == 99
    assert measured.problem is not None
    assert measured.record_count <= 50


@pytest.mark.parametrize(
    ("smallest", "largest", "edges"),
    [
        (0, 0, [0, 1]),
        (5, 5, [5, 6]),
        (5, 9, [5, 6, 7, 8, 9, 10]),
        (0, 9, [*range(11)]),
        (0, 10, [0, 1, 2, 5, 10, 20]),
        (100, 199, [*range(100, 201, 10)]),
        (20_000, 20_400, [20_000, 20_100, 20_200, 20_300, 20_400, 20_500]),
        (999, 1000, [990, 1000, 1010]),
        (1, 999, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]),
        (1, 10_000, [1, 10, 100, 1000, 10_000, 100_000]),
        (0, 10**11, [0, *(10**power for power in range(13))]),
    ],
)
def test_bins_have_round_edges(smallest, largest, edges):
    assert _sizes._edges(smallest, largest) == edges

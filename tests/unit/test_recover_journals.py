"""Recovering what `flush` has put down twice, or in pieces: half groups in padding, chunks between damage."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import octavo
from tests.naive import riegeli

RECORDS = [b"record %d" % number for number in range(130)]
HEADER, DATA = 0, riegeli.CHUNK_HEADER + 60
"""Places in a chunk: one that its first hash is about, one of its data."""


@pytest.fixture
def left_behind(tmp_path: Path) -> Path:
    """Of a writer that flushed after 50, 60 and 130 records: half a group, more of it, all of it, part of the next."""
    path = tmp_path / "log.array_record"
    writer = octavo.create(path, group_size=100, codec="none")
    for begin, end in ((0, 50), (50, 60), (60, 130)):
        writer.write_many(RECORDS[begin:end])
        writer.flush()
    shutil.copy(f"{path}.partial", tmp_path / "crashed.array_record.partial")
    writer.abort()
    return tmp_path / "crashed.array_record.partial"


def spoiled(path: Path, *damage: tuple[int, int]) -> Path:
    """The same with one bit wrong at a place of each of these pieces, counted from 0."""
    content = bytearray(path.read_bytes())
    begins = [begin for begin, chunk in riegeli.chunks_in(bytes(content)) if chunk.kind != b"s"]
    assert len(begins) == 4
    for piece, place in damage:
        content[begins[piece] + place] ^= 1
    path.write_bytes(content)
    return path


def recovered(path: Path) -> list[bytes]:
    target = path.with_name("saved.array_record")
    report = octavo.recover(path, target)
    saved = octavo.open(target).read_all()
    assert report.record_count == len(saved)
    return saved


@pytest.mark.parametrize(
    "damage", [[], [(0, DATA)], [(0, HEADER)], [(1, DATA)], [(1, HEADER)], [(0, HEADER), (1, HEADER)]]
)
def test_a_damaged_half_group_costs_nothing_where_the_whole_one_follows(left_behind, damage):
    assert recovered(spoiled(left_behind, *damage)) == RECORDS


# Where the padding cannot be told, the chunk inside it is found as if it stood there by itself.
@pytest.mark.parametrize("damage", [[(2, DATA)], [(2, HEADER)], [(1, HEADER), (2, HEADER)], [(0, DATA), (2, DATA)]])
def test_a_half_group_is_saved_where_the_whole_one_is_damaged(left_behind, damage):
    assert recovered(spoiled(left_behind, *damage)) == RECORDS[:60] + RECORDS[100:]


@pytest.mark.parametrize(
    "damage", [[(1, DATA), (2, DATA)], [(1, DATA), (2, HEADER)], [(1, HEADER), (1, DATA), (2, HEADER)]]
)
def test_an_earlier_half_group_is_saved_where_all_that_repeats_it_is_damaged(left_behind, damage):
    assert recovered(spoiled(left_behind, *damage)) == RECORDS[:50] + RECORDS[100:]


def test_the_last_half_group_is_the_end(left_behind):
    assert recovered(spoiled(left_behind, (3, DATA))) == RECORDS[:100]


@pytest.mark.parametrize("suffix", ["array_record", "riegeli"])
def test_a_chunk_without_records_does_not_say_how_large_groups_are(tmp_path, suffix):
    container = riegeli.Container()
    for records in ([], [b"a", b"b"], [b"c"]):
        container.append(riegeli.simple_chunk(records))
    (tmp_path / f"cut.{suffix}").write_bytes(container.content)
    octavo.recover(tmp_path / f"cut.{suffix}", tmp_path / f"saved.{suffix}")
    assert octavo.open(tmp_path / f"saved.{suffix}").read_all() == [b"a", b"b", b"c"]


@pytest.mark.parametrize("suffix", ["array_record", "riegeli"])
@pytest.mark.parametrize("size", [9, 1500])
def test_many_pieces_of_damage_cost_what_each_of_them_costs(tmp_path, suffix, size):
    records = [b"%d." % number * size for number in range(3000)]
    container = riegeli.Container()
    begins = [container.append(riegeli.simple_chunk([record])) for record in records]
    lost = {number for number in range(len(records)) if number % 3 == 1 or number % 10 == 0}
    for number in lost:
        header = begins[number] + (riegeli.BLOCK_HEADER if begins[number] % riegeli.BLOCK == 0 else 0)
        container.content[header] ^= 1
    (tmp_path / f"cut.{suffix}").write_bytes(container.content)
    octavo.recover(tmp_path / f"cut.{suffix}", tmp_path / f"saved.{suffix}")
    saved = octavo.open(tmp_path / f"saved.{suffix}").read_all()
    assert saved == [record for number, record in enumerate(records) if number not in lost]


@pytest.mark.parametrize("group_size", [1, 4])
def test_neighbours_with_equal_records_are_both_saved_behind_damage(tmp_path, group_size):
    path = tmp_path / "log.array_record"
    with octavo.create(path, codec="none", group_size=group_size, pad_to_block_boundary=True) as writer:
        writer.write_many([b"blank" * 200] * (40 * group_size))
    content = bytearray(path.read_bytes()[: 20 * riegeli.BLOCK])  # its footer is lost, and with it the group size
    content[10 * riegeli.BLOCK + 100] ^= 1
    path.write_bytes(content)
    assert recovered(path) == [b"blank" * 200] * (19 * group_size)


def test_a_chunk_that_cannot_be_decoded_is_told_as_lost(tmp_path):
    container = riegeli.Container()
    middle = riegeli.simple_chunk([b"cc"])
    undecodable = riegeli.Chunk(middle.kind, b"?" + middle.data[1:], middle.num_records, middle.decoded_size)
    for chunk in (riegeli.simple_chunk([b"aa", b"bb"]), undecodable, riegeli.simple_chunk([b"dd", b"ee"])):
        container.append(chunk)
    (tmp_path / "cut.array_record").write_bytes(container.content)
    report = octavo.recover(tmp_path / "cut.array_record", tmp_path / "saved.array_record")
    assert octavo.open(tmp_path / "saved.array_record").read_all() == [b"aa", b"bb", b"dd", b"ee"]
    assert [(lost.record, lost.record_count) for lost in report.lost if lost.record_count] == [(2, 1)]


@pytest.mark.parametrize("suffix", ["array_record", "riegeli"])
def test_chunks_that_cannot_be_decoded_among_gaps_cost_what_each_of_them_costs(tmp_path, suffix):
    container = riegeli.Container()
    begins = []
    for _ in range(10_000):
        container.append(riegeli.Chunk(b"r", b"?", 1, 1))
    for _ in range(10_000):
        begins.append(container.append(riegeli.Chunk(b"p")))
        container.append(riegeli.Chunk(b"p"))
    for begin in begins:
        container.content[begin + (riegeli.BLOCK_HEADER if begin % riegeli.BLOCK == 0 else 0)] ^= 1
    (tmp_path / f"cut.{suffix}").write_bytes(container.content)
    report = octavo.recover(tmp_path / f"cut.{suffix}", tmp_path / f"saved.{suffix}")
    assert report.record_count == 0
    assert sum(lost.record_count or 0 for lost in report.lost) == 10_000

"""`octavo.verify` where records share chunks, or have a checksum each: a damaged piece is one damage of all it has."""

from __future__ import annotations

from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.naive.riegeli import CHUNK_HEADER
from tests.unit.damage import Piece, damage_chunks, flipped, index_chunks, pieces, record_chunks
from tests.unit.layouts import GROUPED, LONE, Layout

RECORDS = [f"record {number}".encode() for number in range(100)]


@pytest.fixture
def content(chunked: Layout) -> bytes:
    return chunked.encode(RECORDS)


@pytest.fixture
def found(chunked: Layout, content: bytes) -> list[Piece]:
    """What is damaged together."""
    return pieces(chunked, content)


def write(path: Path, layout: Layout, content: bytes) -> Path:
    path = path.with_name(path.name + layout.suffix)
    path.write_bytes(content)
    return path


def unreadable(reader: octavo.Reader) -> list[int]:
    """The numbers of all records that cannot be had."""
    numbers = []
    for number in range(len(reader)):
        try:
            reader[number]
        except errors.FormatError:
            numbers.append(number)
    return numbers


def test_a_damaged_chunk_is_one_damage_of_all_its_records(chunked, content, found, tmp_path):
    path = write(tmp_path / "damaged", chunked, damage_chunks(chunked, content, 9, 0, 3))
    report = octavo.verify(path)
    assert not report.ok
    assert report.record_count == 100
    assert [(one.path, one.record, one.offset, one.record_count) for one in report.damage] == [
        (str(path), piece.records.start, piece.offset, len(piece.records)) for piece in (found[0], found[3], found[9])
    ]
    word = "checksum" if chunked.format in {"recordio", "tfrecord"} else "data hash"
    assert all(word in one.reason for one in report.damage)


def test_a_short_last_chunk_costs_only_the_records_it_has(tmp_path):
    path = write(tmp_path / "damaged", GROUPED, damage_chunks(GROUPED, GROUPED.encode(RECORDS), -1))
    assert [(one.record, one.record_count) for one in octavo.verify(path).damage] == [(98, 2)]


def test_what_verify_lists_is_what_cannot_be_read(chunked, content, tmp_path):
    path = write(tmp_path / "damaged", chunked, damage_chunks(chunked, content, 1, 2, 7))
    listed = [(one.record or 0) + at for one in octavo.verify(path).damage for at in range(one.record_count)]
    assert listed == unreadable(octavo.open(path))


def test_damage_is_numbered_across_several_files(chunked, content, found, tmp_path):
    paths = [
        write(tmp_path / "a", chunked, damage_chunks(chunked, content, 3)),
        write(tmp_path / "b", chunked, content),
        write(tmp_path / "c", chunked, damage_chunks(chunked, content, 4)),
    ]
    report = octavo.verify(paths)
    assert report.record_count == 300
    assert [(one.path, one.record, one.record_count) for one in report.damage] == [
        (str(paths[0]), found[3].records.start, len(found[3].records)),
        (str(paths[2]), 200 + found[4].records.start, len(found[4].records)),
    ]


def test_files_of_different_group_sizes_are_numbered_together(tmp_path):
    paths = [
        write(tmp_path / "a", LONE, damage_chunks(LONE, LONE.encode(RECORDS), 5)),
        write(tmp_path / "b", GROUPED, damage_chunks(GROUPED, GROUPED.encode(RECORDS), 5)),
    ]
    assert [(one.record, one.record_count) for one in octavo.verify(paths).damage] == [(5, 1), (135, 7)]


@pytest.mark.parametrize("which", [0, 1], ids=["footer", "postscript"])
def test_a_file_with_a_damaged_index_among_good_ones_is_reported_once_and_the_others_are_checked(tmp_path, which):
    content = GROUPED.encode(RECORDS)
    write(tmp_path / "a", GROUPED, damage_chunks(GROUPED, content, 2))
    write(tmp_path / "b", GROUPED, flipped(content, index_chunks(content)[which] + CHUNK_HEADER + 30))
    write(tmp_path / "c", GROUPED, damage_chunks(GROUPED, content, 3))
    report = octavo.verify(tmp_path)
    assert report.record_count == 200
    assert [(Path(one.path).name, one.record, one.record_count) for one in report.damage] == [
        ("a.array_record", 14, 7),
        ("b.array_record", None, 0),
        ("c.array_record", 121, 7),
    ]


def test_headers_are_verified_even_where_reading_does_not_need_to(tmp_path):
    content = GROUPED.encode(RECORDS)
    path = write(tmp_path / "damaged", GROUPED, flipped(content, record_chunks(GROUPED, content)[2]))  # the hash itself
    assert [(one.record, one.record_count) for one in octavo.verify(path).damage] == [(14, 7)]


def test_progress_counts_damaged_records_too(chunked, content):
    seen: list[tuple[int, int]] = []
    damaged = damage_chunks(chunked, content, 0, -1)
    octavo.verify(damaged, **chunked.hint, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (100, 100)


def test_progress_counts_through_several_files(chunked, content):
    seen: list[tuple[int, int]] = []
    octavo.verify([content] * 3, **chunked.hint, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert {total for _, total in seen} == {300}
    assert seen[-1] == (300, 300)


def test_many_damaged_chunks_among_many_are_all_found():
    records = [number.to_bytes(4, "little") for number in range(20_000)]
    content = GROUPED.encode(records)
    places = record_chunks(GROUPED, content)
    wrong = range(0, len(places), 97)
    damaged = bytearray(content)
    for number in wrong:
        damaged[places[number]] ^= 1
    assert [one.record for one in octavo.verify(damaged).damage] == [7 * number for number in wrong]


def test_one_damage_of_one_record_is_the_rule():
    assert octavo.Damage("path", 3, 64, "reason").record_count == 1

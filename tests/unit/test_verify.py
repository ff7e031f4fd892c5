"""`octavo.verify`: every record is read, and everything wrong is listed."""

from __future__ import annotations

import dataclasses
import io

import pytest

import octavo
from octavo import errors
from tests.naive import ffrecord as naive

RECORDS = [f"record {number}".encode() for number in range(100)]
CONTENT = naive.encode(RECORDS)
DATA = 12 + 12 * len(RECORDS)


def offset_of(number: int) -> int:
    return DATA + sum(map(len, RECORDS[:number]))


def damaged(*numbers: int) -> bytes:
    """The file with one bit of each of these records the other way round."""
    content = bytearray(CONTENT)
    for number in numbers:
        content[offset_of(number)] ^= 0x80
    return bytes(content)


@pytest.mark.parametrize("kind", [bytes, bytearray, io.BytesIO, lambda content: [content, content]])
def test_sound_records_are_counted_and_nothing_is_wrong(layout, kind):
    location = kind(layout.encode(RECORDS))
    report = octavo.verify(location, **layout.hint)
    assert report.ok
    assert report.damage == ()
    assert report.record_count == (200 if isinstance(location, list) else 100)


def test_no_records_are_sound(layout):
    assert octavo.verify(layout.encode([]), **layout.hint) == octavo.VerifyReport(0, ())


def test_every_damaged_record_is_listed_in_order(tmp_path):
    path = tmp_path / "damaged.ffr"
    path.write_bytes(damaged(99, 0, 50, 51))
    report = octavo.verify(path)
    assert not report.ok
    assert report.record_count == 100
    assert [(one.path, one.record, one.offset) for one in report.damage] == [
        (str(path), number, offset_of(number)) for number in (0, 50, 51, 99)
    ]


def test_each_damage_says_what_is_wrong():
    assert "checksum" in octavo.verify(damaged(7)).damage[0].reason


def test_records_that_a_truncated_file_lost_are_listed(tmp_path):
    path = tmp_path / "cut.ffr"
    path.write_bytes(CONTENT[: offset_of(60) + 2])
    report = octavo.verify(path)
    assert [(one.record, one.record_count) for one in report.damage] == [(60, 40)]
    assert "truncated" in report.damage[0].reason


def test_many_damaged_records_among_many_are_all_found():
    records = [number.to_bytes(4, "little") for number in range(50_000)]
    content = bytearray(naive.encode(records))
    wrong = list(range(0, 50_000, 777))
    for number in wrong:
        content[12 + 12 * 50_000 + 4 * number] ^= 1
    assert [one.record for one in octavo.verify(content).damage] == wrong


def test_of_very_many_damaged_neighbours_the_last_are_one_place():
    content = bytearray(naive.encode([b"x"] * 30_000))
    for number in (*range(100, 20_000), *range(25_000, 30_000)):
        content[12 + 12 * 30_000 + number] ^= 1
    damage = octavo.verify(content).damage
    assert [(one.record, one.record_count) for one in damage[9_998:]] == [(10_098, 1), (10_099, 9_901), (25_000, 5_000)]
    assert octavo.verify(content).damaged_count == 24_900


def test_damage_is_numbered_across_several_files(tmp_path):
    paths = [tmp_path / "a.ffr", tmp_path / "b.ffr"]
    paths[0].write_bytes(damaged(3))
    paths[1].write_bytes(damaged(4))
    report = octavo.verify(paths)
    assert [(one.path, one.record) for one in report.damage] == [(str(paths[0]), 3), (str(paths[1]), 104)]


def test_a_file_with_a_damaged_index_among_good_ones_is_reported_once_and_the_others_are_checked(tmp_path):
    (tmp_path / "a.ffr").write_bytes(damaged(3))
    (tmp_path / "b.ffr").write_bytes(bytes([CONTENT[0] ^ 1]) + CONTENT[1:])
    (tmp_path / "c.ffr").write_bytes(damaged(5))
    report = octavo.verify(tmp_path)
    assert [(one.path, one.record) for one in report.damage] == [
        (str(tmp_path / "a.ffr"), 3),
        (str(tmp_path / "b.ffr"), None),
        (str(tmp_path / "c.ffr"), 205),
    ]


def test_a_file_that_cannot_be_opened_is_reported(tmp_path):
    path = tmp_path / "short.ffr"
    path.write_bytes(b"short")
    report = octavo.verify(path)
    assert (report.record_count, [(one.path, one.record) for one in report.damage]) == (0, [(str(path), None)])


def test_a_file_that_cannot_be_opened_among_good_ones_is_reported(tmp_path):
    (tmp_path / "a.ffr").write_bytes(CONTENT)
    (tmp_path / "b.ffr").write_bytes(b"short")
    (tmp_path / "c.ffr").write_bytes(CONTENT)
    report = octavo.verify(tmp_path)
    assert [(one.path, one.record) for one in report.damage] == [(str(tmp_path / "b.ffr"), None)]


def test_what_is_not_there_is_an_error_and_no_damage(layout, tmp_path):
    with pytest.raises(errors.NotFoundError):
        octavo.verify(tmp_path / f"missing{layout.suffix}")


@pytest.mark.parametrize("location", [None, 3])
def test_what_is_no_place_is_a_type_error(location):
    with pytest.raises(errors.RecordTypeError):
        octavo.verify(location)


def test_an_unknown_format_is_an_option_error():
    with pytest.raises(errors.OptionError):
        octavo.verify(CONTENT, format="nonsense")  # type: ignore[arg-type]


def test_progress_counts_up_to_all_records(layout):
    seen: list[tuple[int, int]] = []
    content = layout.encode([b"x"] * 100_000)
    octavo.verify(content, **layout.hint, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert {total for _, total in seen} == {100_000}
    assert seen[-1] == (100_000, 100_000)


def test_progress_counts_damaged_records_too():
    seen: list[tuple[int, int]] = []
    octavo.verify(damaged(0, 99), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (100, 100)


def test_an_error_of_progress_ends_the_work_and_comes_through(layout):
    calls = []

    def stop(done: int, total: int) -> None:
        calls.append((done, total))
        raise LookupError("raised by the caller's own code")

    with pytest.raises(LookupError, match="own code"):
        octavo.verify(layout.encode([b"x"] * 100_000), **layout.hint, progress=stop)
    assert len(calls) == 1


def test_reports_cannot_be_changed():
    report = octavo.verify(CONTENT)
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.record_count = 5  # type: ignore[misc]


def test_large_records_are_verified():
    records = [bytes([number]) * (6 << 20) for number in range(3)]
    content = bytearray(naive.encode(records))
    assert octavo.verify(content).ok
    content[-1] ^= 1
    assert [one.record for one in octavo.verify(content).damage] == [2]

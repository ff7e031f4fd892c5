"""A file that ends with an interrupted append: it opens as it was before, and says so."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import octavo
from octavo import errors

RECORDS = [f"record {number}".encode() for number in range(20)]
MORE = [b"more", b"", b"and more"]
BLOCK = 65536


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    path = tmp_path / "records.array_record"
    with octavo.create(path, group_size=7) as writer:
        writer.write_many(RECORDS)
    return path


@pytest.fixture(params=[1, 40, 5000, BLOCK, BLOCK + 1, 2 * BLOCK - 1])
def torn_bytes(request: pytest.FixtureRequest) -> int:
    """How much of the append has reached the file."""
    count: int = request.param
    return count


@pytest.fixture
def torn(whole: Path, torn_bytes: int) -> Path:
    """The file after a crash in the middle of an append."""
    size = whole.stat().st_size
    with octavo.append(whole) as writer:
        writer.write_many(MORE)
    whole.write_bytes(whole.read_bytes()[: size + torn_bytes])
    return whole


@contextmanager
def no_warning() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_opening_warns_and_names_file_and_bytes(torn, torn_bytes):
    with pytest.warns(
        errors.TornAppendWarning,
        match=f"the last {torn_bytes} bytes, from byte {2 * BLOCK} on, are an interrupted append",
    ) as caught:
        octavo.open(torn)
    assert len(caught) == 1
    assert str(caught[0].message).startswith(f"{torn}: ")
    assert caught[0].filename == __file__


def test_the_warning_says_what_to_do(torn):
    with pytest.warns(
        errors.TornAppendWarning,
        match=r"; copy it again if it is a copy; octavo\.append goes on .*octavo\.trim cuts .*octavo\.recover saves",
    ):
        octavo.open(torn)


def test_the_records_are_those_of_before(torn, torn_bytes):
    with pytest.warns(errors.TornAppendWarning):
        reader = octavo.open(torn)
    assert reader.read_all() == RECORDS
    info = reader.info
    assert (info.record_count, info.torn_bytes, info.total_bytes) == (20, torn_bytes, 2 * BLOCK + torn_bytes)


def test_the_warning_can_be_an_error(torn):
    with warnings.catch_warnings():
        warnings.simplefilter("error", errors.TornAppendWarning)
        with pytest.raises(errors.TornAppendWarning):
            octavo.open(torn)


def test_slices_and_reads_warn_no_more(torn):
    with pytest.warns(errors.TornAppendWarning):
        reader = octavo.open(torn)
    with no_warning():
        assert reader[5:].read_all() == RECORDS[5:]
        assert list(reader) == RECORDS


def test_each_torn_file_of_several_is_named(torn, torn_bytes, tmp_path):
    sound = tmp_path / "sound.array_record"
    with octavo.create(sound) as writer:
        writer.write(b"sound")
    also_torn = tmp_path / "also_torn.array_record"
    also_torn.write_bytes(torn.read_bytes())
    with pytest.warns(errors.TornAppendWarning) as caught:
        reader = octavo.open([torn, sound, also_torn])
    assert [str(one.message).split(": ")[0] for one in caught] == [str(torn), str(also_torn)]
    assert reader.read_all() == [*RECORDS, b"sound", *RECORDS]
    assert reader.info.torn_bytes == 2 * torn_bytes


def test_bytes_in_memory_may_be_torn(torn):
    with pytest.warns(errors.TornAppendWarning, match="bytes in memory"):
        reader = octavo.open(torn.read_bytes())
    assert reader.read_all() == RECORDS


def test_verify_reports_it_and_does_not_warn(torn, torn_bytes):
    with no_warning():
        report = octavo.verify(torn)
    assert not report.ok
    assert report.record_count == 20
    (damage,) = report.damage
    assert (damage.path, damage.record, damage.record_count) == (str(torn), None, 0)
    assert f"the last {torn_bytes} bytes are an interrupted append" in damage.reason


def test_verify_reports_damaged_chunks_beside_it(torn):
    content = bytearray(torn.read_bytes())
    content[64 + 40] ^= 1
    torn.write_bytes(content)
    damage = octavo.verify(torn).damage
    assert [(one.record, one.record_count) for one in damage] == [(0, 7), (None, 0)]


def test_append_goes_on_without_a_warning(torn):
    with no_warning():
        with octavo.append(torn) as writer:
            writer.write_many(MORE)
        reader = octavo.open(torn)
    assert reader.read_all() == RECORDS + MORE
    assert reader.info.torn_bytes == 0


def test_append_mends_the_file_even_if_it_writes_nothing(torn):
    with octavo.append(torn):
        pass
    with no_warning():
        assert octavo.open(torn).read_all() == RECORDS
    assert torn.stat().st_size == 2 * BLOCK


def test_recover_saves_what_was_there_before(torn, tmp_path):
    with no_warning():
        report = octavo.recover(torn, tmp_path / "saved.array_record")
    saved = octavo.open(tmp_path / "saved.array_record").read_all()
    assert saved in (RECORDS, RECORDS + MORE)
    assert report.record_count == len(saved)
    assert not report.ok or saved == RECORDS + MORE


def test_recover_saves_the_whole_chunks_of_the_append(whole, tmp_path):
    size = whole.stat().st_size
    with octavo.append(whole) as writer:
        writer.write_many(MORE)
    whole.write_bytes(whole.read_bytes()[: size + BLOCK])  # the footer is there, the postscript is not
    octavo.recover(whole, tmp_path / "saved.array_record")
    assert octavo.open(tmp_path / "saved.array_record").read_all() == RECORDS + MORE


@pytest.mark.parametrize("rest", [b"\0", b"\0" * BLOCK, b"something else", b"x" * (3 * BLOCK)])
def test_whatever_stands_behind_the_end_is_left_out(whole, rest):
    whole.write_bytes(whole.read_bytes() + rest)
    with pytest.warns(errors.TornAppendWarning, match=f"the last {len(rest)} bytes"):
        assert octavo.open(whole).read_all() == RECORDS


def test_what_was_flushed_before_the_crash_is_there(whole):
    with octavo.append(whole) as writer:
        writer.write_many(MORE)
        writer.flush()
        flushed = whole.read_bytes()
        writer.write_many(RECORDS)
    unfinished = whole.read_bytes()
    for size in (len(flushed) + 1, (len(flushed) + len(unfinished)) // 2, len(unfinished) - 1):
        whole.write_bytes(unfinished[:size])
        with pytest.warns(errors.TornAppendWarning, match=f"the last {size - len(flushed)} bytes"):
            assert octavo.open(whole).read_all() == RECORDS + MORE

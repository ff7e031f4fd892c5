"""Files written under their own names from the first byte on, as the drop-ins do it."""

from __future__ import annotations

import os

import pytest

import octavo
from octavo import errors
from octavo._recipe import recipe
from octavo._writer import Writer
from tests.unit.layouts import FFRECORD, LONE, Layout

RECORDS = [b"abc", b"", b"edf" * 1000, bytes(range(256))] * 25


def start(layout: Layout, path: os.PathLike[str], record_count: int | None = None) -> Writer:
    options = recipe(layout.format, dict(layout.options))
    return Writer(os.fspath(path), format=layout.format, in_place=True, record_count=record_count, **options)


def test_the_bytes_are_those_of_a_file_that_appears_when_it_is_whole(layout: Layout, tmp_path):
    writer = start(layout, tmp_path / "records", len(RECORDS))
    writer.write_many(RECORDS)
    writer.close()
    assert (tmp_path / "records").read_bytes() == layout.encode(RECORDS)


def test_the_file_is_there_and_empty_at_once(layout: Layout, tmp_path):
    (tmp_path / "records").write_bytes(b"what was there before" * 100)
    writer = start(layout, tmp_path / "records", 0)
    assert os.listdir(tmp_path) == ["records"]
    assert (tmp_path / "records").stat().st_size < 100
    writer.close()
    assert octavo.open(tmp_path / "records", format=layout.format).read_all() == []


def test_links_are_followed(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "records")
    writer = start(LONE, tmp_path / "link")
    writer.write(b"abc")
    writer.close()
    assert (tmp_path / "link").is_symlink()
    assert octavo.open(tmp_path / "records").read_all() == [b"abc"]


def test_what_was_given_up_stays_as_it_is(layout: Layout, tmp_path):
    writer = start(layout, tmp_path / "records", 3)
    writer.write(b"abc")
    writer.abort()
    assert os.listdir(tmp_path) == ["records"]


def test_a_file_that_cannot_be_created_is_an_error(layout: Layout, tmp_path):
    with pytest.raises(errors.NotFoundError):
        start(layout, tmp_path / "nowhere" / "records", 3)
    with pytest.raises(errors.StorageError):
        start(layout, tmp_path, 3)


@pytest.mark.parametrize("written", [0, 2, 4])
def test_an_ffrecord_file_with_another_number_of_records_than_announced_is_refused(tmp_path, written):
    writer = start(FFRECORD, tmp_path / "records.ffr", 3)
    writer.write_many([b"abc"] * written)
    with pytest.raises(errors.RecordSizeError, match=f"3 records were announced, but {written} were written"):
        writer.close()


def test_an_ffrecord_file_whose_writer_has_died_is_no_empty_file(tmp_path):
    writer = start(FFRECORD, tmp_path / "records.ffr", 3)
    writer.write(b"abc" * 100_000)
    writer.flush()
    writer.abort()
    with pytest.raises(errors.UnfinishedFileError):
        octavo.open(tmp_path / "records.ffr")


def test_an_ffrecord_file_must_know_how_many_records_will_come(tmp_path):
    with pytest.raises(errors.UnsupportedError, match="record_count"):
        start(FFRECORD, tmp_path / "records.ffr")

"""Files written under their own names from the first byte on, as the drop-ins do it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
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


@pytest.mark.parametrize("written", [0, 2])
def test_an_ffrecord_file_with_fewer_records_than_announced_is_refused(tmp_path, written):
    writer = start(FFRECORD, tmp_path / "records.ffr", 3)
    writer.write_many([b"abc"] * written)
    with pytest.raises(errors.RecordSizeError, match=f"3 records were announced, but {written} were written"):
        writer.close()


def test_a_record_more_than_announced_is_refused_and_the_file_is_whole_all_the_same(tmp_path):
    writer = start(FFRECORD, tmp_path / "records.ffr", 2)
    writer.write_many([b"abc", b"edf"])
    with pytest.raises(errors.RecordSizeError, match="2 records were announced, but 3 were written"):
        writer.write(b"one more")
    writer.close()
    assert octavo.open(tmp_path / "records.ffr").read_all() == [b"abc", b"edf"]


def test_threads_together_write_no_more_than_announced(tmp_path):
    writer = start(FFRECORD, tmp_path / "records.ffr", 20)
    refused: list[bool] = []

    def fill() -> None:
        for _ in range(10):
            try:
                writer.write(bytes(1_500_000))
            except errors.RecordSizeError:
                refused.append(True)

    threads = [threading.Thread(target=fill) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    assert (len(octavo.open(tmp_path / "records.ffr")), len(refused)) == (20, 20)


def test_a_writer_that_was_forgotten_writes_nothing_into_the_file_that_was_begun_anew(layout: Layout, tmp_path):
    forgotten = start(layout, tmp_path / "records", 1)
    forgotten.write(b"old" * 500_000)
    writer = start(layout, tmp_path / "records", 2)
    writer.write(b"new")
    with pytest.raises(errors.SourceChangedError, match="another writer has begun the file anew"):
        forgotten.close()
    writer.write(b"newer")
    writer.close()
    assert octavo.open(tmp_path / "records", format=layout.format).read_all() == [b"new", b"newer"]


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="there is no such device")
def test_a_device_may_have_several_writers():
    writers = [start(LONE, Path("/dev/null")) for _ in range(2)]
    for writer in writers:
        writer.write(b"abc")
        writer.close()


def test_text_is_no_record_although_numpys_is_a_buffer(layout: Layout, tmp_path):
    writer = start(layout, tmp_path / "records", 1)
    with pytest.raises(errors.RecordTypeError, match="not str_; encode it first"):
        writer.write(np.str_("abc"))  # type: ignore[arg-type]
    writer.abort()


def test_a_file_is_begun_anew_after_its_writer_has_closed(layout: Layout, tmp_path):
    for content in ([b"a longer record" * 1000] * 3, [b"short"]):
        writer = start(layout, tmp_path / "records", len(content))
        writer.write_many(content)
        writer.close()
        assert octavo.open(tmp_path / "records", format=layout.format).read_all() == content


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

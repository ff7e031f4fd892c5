"""Files of many tasks that appear together, or not at all."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

import octavo
from octavo.errors import AlreadyExistsError, NotFoundError, OptionError, RecordTypeError
from octavo.integrations._staging import Part, Staging
from tests.integrations.staged_jobs import begin, names, records, write


def test_nothing_is_visible_before_the_commit(tmp_path):
    staging = begin(tmp_path)
    part = write(staging, 0, b"a")
    assert names(tmp_path) == [f".octavo-{staging.job}"]
    with pytest.raises(NotFoundError):
        octavo.open(tmp_path)
    staging.commit([part])


def test_files_are_numbered_in_the_order_of_the_tasks_without_gaps(tmp_path):
    staging = begin(tmp_path / "new" / "out", prefix="train")
    parts = [write(staging, number, b"of task %d" % number) for number in (9, 0, 4)]
    paths = staging.commit(parts)
    assert names(tmp_path / "new" / "out") == [f"train-0000{n}-of-00003.array_record" for n in range(3)]
    assert paths == octavo.open(tmp_path / "new" / "out" / "train@3.array_record").paths
    assert records(tmp_path / "new" / "out") == [b"of task 0", b"of task 4", b"of task 9"]


def test_attempts_that_nobody_reports_leave_nothing(tmp_path):
    staging = begin(tmp_path)
    write(staging, 0, b"a")
    Path(staging.attempt(0) + ".partial").write_bytes(b"of a worker that was killed")
    staging.commit([write(staging, 0, b"a")])
    assert names(tmp_path) == ["part-00000-of-00001.array_record"]
    assert records(tmp_path) == [b"a"]


def test_record_files_that_are_there_are_an_error(tmp_path):
    (tmp_path / "other.ffr").write_bytes(b"")
    with pytest.raises(AlreadyExistsError, match=r"other\.ffr"):
        begin(tmp_path)
    assert names(tmp_path) == ["other.ffr"]


def test_record_files_that_came_meanwhile_are_an_error(tmp_path):
    first, second = begin(tmp_path), begin(tmp_path)
    first.commit([write(first, 0, b"first")])
    part = write(second, 0, b"second")
    with pytest.raises(AlreadyExistsError):
        second.commit([part])
    second.abort()
    assert records(tmp_path) == [b"first"]


def test_append_keeps_what_is_there_before_the_new(tmp_path):
    for number in range(3):
        staging = begin(tmp_path, mode="append" if number else "error")
        staging.commit([write(staging, 0, b"%d" % number), write(staging, 1, b"more")])
    assert records(tmp_path) == [b"0", b"more", b"1", b"more", b"2", b"more"]


def test_files_of_another_format_cannot_be_appended(tmp_path):
    first = begin(tmp_path)
    first.commit([write(first, 0, b"old")])
    with pytest.raises(OptionError, match=r"00000-of-00001\.array_record; recordio files cannot be appended"):
        begin(tmp_path, mode="append", suffix=".recordio")


def test_overwrite_removes_record_files_and_their_indexes_only(tmp_path):
    first = begin(tmp_path, suffix=".recordio")
    first.commit([write(first, number, b"old %d" % number, sidecar=True) for number in range(3)])
    assert len(names(tmp_path)) == 6
    (tmp_path / "notes.txt").write_text("mine")
    staging = begin(tmp_path, mode="overwrite", suffix=".recordio")
    staging.commit([write(staging, 0, b"new")])
    assert names(tmp_path) == ["notes.txt", "part-00000-of-00001.recordio"]
    assert records(tmp_path) == [b"new"]


def test_overwrite_replaces_files_of_the_same_name(tmp_path):
    first = begin(tmp_path, suffix=".recordio")
    first.commit([write(first, 0, b"old", sidecar=True)])
    staging = begin(tmp_path, mode="overwrite", suffix=".recordio")
    staging.commit([write(staging, 0, b"new")])
    assert names(tmp_path) == ["part-00000-of-00001.recordio"]
    assert records(tmp_path) == [b"new"]


def test_old_files_are_there_until_the_new_ones_are_committed(tmp_path):
    first = begin(tmp_path)
    first.commit([write(first, 0, b"old")])
    staging = begin(tmp_path, mode="overwrite")
    part = write(staging, 0, *(b"%s again" % record for record in octavo.open(tmp_path)))
    assert records(tmp_path) == [b"old"]
    staging.commit([part])
    assert records(tmp_path) == [b"old again"]


def test_indexes_beside_the_files_come_along(tmp_path):
    staging = begin(tmp_path, suffix=".recordio")
    staging.commit([write(staging, 0, b"a", sidecar=True)])
    assert names(tmp_path) == ["part-00000-of-00001.recordio", "part-00000-of-00001.recordio.octx"]
    assert octavo.open(tmp_path).info.sidecar


def test_two_parts_of_one_task_are_an_error(tmp_path):
    staging = begin(tmp_path)
    parts = [write(staging, 0, b"a"), write(staging, 0, b"a")]
    with pytest.raises(RecordTypeError, match="twice"):
        staging.commit(parts)
    staging.abort()


def test_a_part_that_was_not_written_is_an_error(tmp_path):
    staging = begin(tmp_path)
    with pytest.raises(NotFoundError, match="not written"):
        staging.part(0, staging.attempt(0))
    with pytest.raises(OptionError, match="from 0"):
        staging.attempt(-1)


@pytest.mark.parametrize("prefix", ["", "a/b", ".hidden", "..", "a\\b"])
def test_a_prefix_stays_in_the_folder(tmp_path, prefix):
    with pytest.raises(OptionError, match="prefix"):
        begin(tmp_path, prefix=prefix)


def test_an_unknown_mode_is_an_error(tmp_path):
    with pytest.raises(OptionError, match="none of: error, append, overwrite"):
        begin(tmp_path, mode="ignore")


@pytest.mark.parametrize("mode", ["error", "append", "overwrite"])
def test_a_file_in_place_of_the_folder_is_an_error(tmp_path, mode):
    (tmp_path / "out").write_bytes(b"")
    with pytest.raises(AlreadyExistsError, match="out"):
        begin(tmp_path / "out", mode=mode)
    assert (tmp_path / "out").read_bytes() == b""


@pytest.mark.parametrize("folder", ["", "file://", "s3://", "gs://", "memory://", "memory:///"])
@pytest.mark.parametrize("mode", ["error", "overwrite"])
def test_what_names_no_folder_is_an_error(folder, mode):
    with pytest.raises(NotFoundError, match=r"the path is empty|names no bucket"):
        Staging.begin(folder, suffix=".array_record", mode=mode)


def _write_one(staging: Staging, number: int) -> Part:
    return write(staging, number, b"%d" % number)


def test_parts_are_written_by_other_processes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    staging = Staging.begin("out", suffix=".array_record")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        parts = pool.starmap(_write_one, [(staging, number) for number in range(3)])
    staging.commit(parts)
    assert records(tmp_path / "out") == [b"0", b"1", b"2"]

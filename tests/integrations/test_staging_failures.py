"""Jobs that fail, are cut off or come too late: nothing appears, nothing is left, and nothing is lost."""

from __future__ import annotations

import os
import pickle
import shutil

import pytest

import octavo
from octavo.errors import NotFoundError, StorageError
from octavo.integrations import _staging_folder
from tests.integrations.staged_jobs import begin, names, records, write


def refuse_to_publish(monkeypatch, name: str) -> None:
    place = _staging_folder.place

    def refuse(path: str, final: str) -> None:
        if os.path.basename(final) == name and "replaced-" not in path:
            raise StorageError(f"{final}: the disk is full")
        place(path, final)

    monkeypatch.setattr(_staging_folder, "place", refuse)


def test_abort_leaves_nothing_not_even_the_folders_it_made(tmp_path):
    staging = begin(tmp_path / "a" / "b")
    write(staging, 0, b"a")
    staging.abort()
    staging.abort()
    assert names(tmp_path) == []


def test_abort_leaves_what_was_there(tmp_path):
    first = begin(tmp_path)
    first.commit([write(first, 0, b"old")])
    (tmp_path / "notes.txt").write_text("mine")
    staging = begin(tmp_path, mode="overwrite")
    write(staging, 0, b"new")
    staging.abort()
    assert names(tmp_path) == ["notes.txt", "part-00000-of-00001.array_record"]
    assert records(tmp_path) == [b"old"]


def test_a_job_that_never_wrote_leaves_nothing(tmp_path):
    begin(tmp_path / "a").abort()
    assert begin(tmp_path).commit([]) == []
    assert names(tmp_path) == []


def test_a_task_that_outlives_its_job_is_told_and_leaves_nothing(tmp_path):
    staging = begin(tmp_path)
    path = staging.attempt(0)
    staging.abort()
    with pytest.raises(NotFoundError, match="job is over"):
        staging.attempt(0)
    with pytest.raises(NotFoundError):
        octavo.create(path)
    assert names(tmp_path) == []


def test_a_folder_with_the_name_of_a_file_is_left_alone(tmp_path):
    (tmp_path / "part-00000-of-00001.array_record" / "mine").mkdir(parents=True)
    staging = begin(tmp_path, mode="overwrite")
    part = write(staging, 0, b"a")
    with pytest.raises(StorageError, match="cannot publish"):
        staging.commit([part])
    staging.abort()
    assert os.listdir(tmp_path / "part-00000-of-00001.array_record") == ["mine"]
    assert len(names(tmp_path)) == 1


def test_a_task_that_ends_after_an_abort_leaves_nothing(tmp_path):
    staging = begin(tmp_path)
    path = staging.attempt(0)
    writer = octavo.create(path)
    writer.write(b"a")
    staging.abort()
    with pytest.raises(NotFoundError):
        writer.close()
    assert names(tmp_path) == []


@pytest.mark.parametrize("mode", ["error", "append", "overwrite"])
def test_a_commit_can_be_repeated(tmp_path, mode):
    staging = begin(tmp_path, mode=mode)
    parts = [write(staging, number, b"%d" % number) for number in range(3)]
    paths = staging.commit(parts)
    assert pickle.loads(pickle.dumps(staging)).commit(pickle.loads(pickle.dumps(parts))) == paths
    assert names(tmp_path) == [os.path.basename(path) for path in paths]
    staging.abort()  # comes too late
    assert records(tmp_path) == [b"0", b"1", b"2"]


def test_a_repeated_commit_leaves_what_came_later(tmp_path):
    staging = begin(tmp_path, mode="overwrite")
    part = write(staging, 0, b"a")
    staging.commit([part])
    later = begin(tmp_path, mode="append")
    later.commit([write(later, 0, b"b")])
    staging.commit([part])
    assert records(tmp_path) == [b"a", b"b"]


@pytest.mark.parametrize("mode", ["error", "overwrite"])
def test_a_commit_that_fails_shows_nothing_and_loses_nothing(tmp_path, monkeypatch, mode):
    if mode == "overwrite":
        first = begin(tmp_path)
        first.commit([write(first, number, b"old %d" % number) for number in range(3)])
    before = names(tmp_path)
    staging = begin(tmp_path, mode=mode)
    parts = [write(staging, number, b"new %d" % number) for number in range(3)]
    with monkeypatch.context() as patch:
        refuse_to_publish(patch, "part-00002-of-00003.array_record")
        with pytest.raises(StorageError, match="disk is full"):
            staging.commit(parts)
    assert [name for name in names(tmp_path) if not name.startswith(".")][:2] == before[:2]
    staging.commit(parts)
    assert records(tmp_path) == [b"new 0", b"new 1", b"new 2"]


def test_what_was_replaced_is_not_lost_when_a_commit_can_neither_be_done_nor_undone(tmp_path, monkeypatch):
    first = begin(tmp_path)
    first.commit([write(first, number, b"old %d" % number) for number in range(2)])
    staging = begin(tmp_path, mode="overwrite")
    parts = [write(staging, number, b"new %d" % number) for number in range(2)]
    place, placed = _staging_folder.place, []

    def break_down(path: str, final: str) -> None:
        placed.append(final)
        if len(placed) > 3:  # the first file was replaced, and the second one taken away
            raise StorageError("the disk is gone")
        place(path, final)

    with monkeypatch.context() as patch:
        patch.setattr(_staging_folder, "place", break_down)
        with pytest.raises(StorageError, match="disk is gone"):
            staging.commit(parts)
        with pytest.raises(StorageError, match="disk is gone"):
            staging.abort()
    staging.abort()
    assert records(tmp_path) == [b"old 0", b"old 1"]
    assert len(names(tmp_path)) == 2


def test_a_commit_after_an_abort_is_an_error_and_removes_nothing(tmp_path):
    first = begin(tmp_path)
    first.commit([write(first, 0, b"old")])
    staging = begin(tmp_path, mode="overwrite")
    part = write(staging, 0, b"new")
    staging.abort()
    with pytest.raises(NotFoundError, match="aborted"):
        staging.commit([part])
    assert records(tmp_path) == [b"old"]


def test_what_was_replaced_comes_back_with_its_index(tmp_path, monkeypatch):
    first = begin(tmp_path, suffix=".recordio")
    first.commit([write(first, number, b"old", sidecar=True) for number in range(2)])
    before = names(tmp_path)
    staging = begin(tmp_path, mode="overwrite", suffix=".recordio")
    parts = [write(staging, number, b"new") for number in range(2)]
    refuse_to_publish(monkeypatch, "part-00001-of-00002.recordio")
    with pytest.raises(StorageError, match="disk is full"):
        staging.commit(parts)
    staging.abort()
    assert names(tmp_path) == before
    assert octavo.open(tmp_path).info.sidecar
    assert records(tmp_path) == [b"old", b"old"]


def test_what_cannot_be_swept_is_no_error_and_goes_later(tmp_path, monkeypatch):
    staging = begin(tmp_path)
    part = write(staging, 0, b"a")

    def refuse(path: str) -> None:
        raise OSError(5, f"{path}: the disk has a bad day")

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", refuse)
        (path,) = staging.commit([part])
    assert names(tmp_path) == [f".octavo-{staging.job}-gone", os.path.basename(path)]
    begin(tmp_path, mode="append").abort()
    assert names(tmp_path) == [os.path.basename(path)]


def test_without_links_files_are_moved_and_moved_back(tmp_path, monkeypatch):
    def refuse(*_: object, **_options: object) -> None:
        raise PermissionError(1, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    first = begin(tmp_path, suffix=".recordio")
    first.commit([write(first, number, b"old %d" % number, sidecar=True) for number in range(2)])
    staging = begin(tmp_path, mode="overwrite", suffix=".recordio")
    parts = [write(staging, number, b"new %d" % number, sidecar=True) for number in range(2)]
    with monkeypatch.context() as patch:
        refuse_to_publish(patch, "part-00001-of-00002.recordio.octx")
        with pytest.raises(StorageError, match="disk is full"):
            staging.commit(parts)
    assert records(tmp_path) == [b"old 0", b"old 1"]
    assert len([name for name in names(tmp_path) if name.endswith(".octx")]) == 2
    staging.commit(parts)
    assert records(tmp_path) == [b"new 0", b"new 1"]
    assert len(names(tmp_path)) == 4

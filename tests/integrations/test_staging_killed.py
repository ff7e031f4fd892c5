"""Drivers that are killed at any instant of a commit: nothing is lost, and old and new files never stand together."""

from __future__ import annotations

import signal
import subprocess
import sys
import uuid
import warnings
from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo.errors import AlreadyExistsError, DamagedFileError, MissingShardsWarning, NotFoundError
from octavo.integrations import _staging_folder, _staging_journal
from octavo.integrations._staging import Staging
from octavo.integrations._staging_journal import clean_up
from tests.integrations.staged_jobs import killed_after, write

OLD, NEW = [b"old 0", b"old 1", b"old 2"], [b"new 0", b"new 1", b"new 2"]
STEPS = range(30)
"""More changes than any of these commits makes: the last drivers come through."""


@pytest.fixture(params=["local", "memory"])
def folder(request, tmp_path) -> str:
    if request.param == "local":
        return str(tmp_path / "out")
    pytest.importorskip("obstore", reason="obstore is not installed: pip install 'octavo[cloud]'")
    return f"memory://killed/{uuid.uuid4().hex}"


def begin(folder: str, **options: Any) -> Staging:
    return Staging.begin(folder, **{"suffix": ".recordio", **options})


def records(folder: str) -> list[bytes]:
    """What is visible; of a commit that was cut off, that may be some of its shards, which a warning tells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingShardsWarning)
        try:
            return octavo.open(folder).read_all()
        except NotFoundError:
            return []


def files(folder: str) -> list[str]:
    return [*_staging_folder.files(folder), *_staging_folder.hidden_places(folder)]


def killed(folder: str, mode: str, changes: int, contents: list[bytes] = NEW) -> Staging:
    """A job whose driver dies in the commit."""
    staging = begin(folder, mode=mode)
    parts = [write(staging, number, content, sidecar=True) for number, content in enumerate(contents)]
    with killed_after(changes):
        staging.commit(parts)
    return staging


def committed(folder: str, mode: str, contents: list[bytes]) -> None:
    staging = begin(folder, mode=mode)
    staging.commit([write(staging, number, content, sidecar=True) for number, content in enumerate(contents)])


@pytest.mark.parametrize("count", [3, 2])  # names that are those of old files, and others
def test_an_overwrite_is_undone_or_done(folder, count):
    seen = set()
    for changes in STEPS:
        where = f"{folder}/{changes}"
        committed(where, "error", OLD)
        killed(where, "overwrite", changes, NEW[:count])
        visible = records(where)
        assert set(visible) <= set(OLD) or set(visible) <= set(NEW)
        clean_up(where)
        seen.add(tuple(records(where)))
        assert tuple(records(where)) in {tuple(OLD), tuple(NEW[:count])}
        assert octavo.open(where).info.sidecar
        assert len(files(where)) == 2 * len(records(where))
    assert len(seen) == 2


@pytest.mark.parametrize("mode", ["error", "append"])
def test_new_files_are_hidden_again_or_all_there(folder, mode):
    seen = set()
    for changes in STEPS[: 2 * len(STEPS) // 3]:
        where = f"{folder}/{changes}"
        before = OLD if mode == "append" else []
        if before:
            committed(where, "error", before)
        killed(where, mode, changes)
        clean_up(where)
        assert records(where) in (before, before + NEW)
        assert len(files(where)) == 2 * len(records(where))
        seen.add(len(records(where)))
    assert len(seen) == 2


@pytest.mark.parametrize("mode", ["error", "append", "overwrite"])
def test_whoever_undoes_it_may_be_killed_too(folder, mode):
    for changes in STEPS[1::3]:
        where = f"{folder}/{changes}"
        before = [] if mode == "error" else OLD
        if before:
            committed(where, "error", before)
        killed(where, mode, 17 if mode == "overwrite" else 5)
        with killed_after(changes):
            clean_up(where)
        clean_up(where)
        assert records(where) == before
        assert len(files(where)) == 2 * len(before)


@pytest.mark.parametrize("mode", ["error", "append", "overwrite"])
def test_the_same_job_can_finish(folder, mode):
    for changes in STEPS[1:16:2]:
        where = f"{folder}/{changes}"
        if mode == "overwrite":
            committed(where, "error", OLD)
        staging = begin(where, mode=mode)
        parts = [write(staging, number, content) for number, content in enumerate(NEW)]
        with killed_after(changes):
            staging.commit(parts)
        staging.commit(parts)
        assert records(where) == NEW
        assert len(files(where)) == 3


def test_an_abort_undoes_a_commit_that_was_cut_off(folder):
    committed(folder, "error", OLD)
    staging = killed(folder, "overwrite", 9)
    assert records(folder) != OLD
    staging.abort()
    assert records(folder) == OLD
    assert len(files(folder)) == 6


def test_the_next_job_undoes_it_where_a_lock_tells_that_the_driver_is_dead(tmp_path):
    committed(str(tmp_path), "error", OLD)
    killed(str(tmp_path), "overwrite", 14)
    assert set(records(str(tmp_path))) < set(NEW)
    committed(str(tmp_path), "append", [b"more"])
    assert records(str(tmp_path)) == [*OLD, b"more"]
    killed(str(tmp_path), "overwrite", 14)
    with pytest.raises(AlreadyExistsError, match="4 record files"):
        begin(str(tmp_path))
    assert records(str(tmp_path)) == [*OLD, b"more"]


@pytest.mark.parametrize("changes", [5, 17])  # old files are there yet, and new ones already
def test_in_a_store_the_next_job_is_told_what_to_do(changes, monkeypatch):
    pytest.importorskip("obstore", reason="obstore is not installed: pip install 'octavo[cloud]'")
    folder = f"memory://killed/{uuid.uuid4().hex}"
    committed(folder, "error", OLD)
    late = begin(folder, mode="overwrite")
    part = write(late, 0, b"late")
    dead = killed(folder, "overwrite", changes)
    assert set(records(folder)) < set(NEW) if changes == 17 else records(folder) == OLD
    for mode in ("error", "overwrite"):
        with pytest.raises(AlreadyExistsError, match="clean_up"):
            begin(folder, mode=mode)
    monkeypatch.setattr(_staging_journal, "_PATIENCE_S", 0.1)
    with pytest.raises(AlreadyExistsError, match="2 record files" if changes == 17 else "clean_up"):
        late.commit([part])
    committed(folder, "append", [b"more"])
    late.abort()
    assert clean_up(folder) == [dead.hidden]
    assert records(folder) == [*OLD, b"more"]
    committed(folder, "overwrite", NEW)
    assert records(folder) == NEW


def test_objects_that_were_shown_are_known_without_reading_them(monkeypatch):
    pytest.importorskip("obstore", reason="obstore is not installed: pip install 'octavo[cloud]'")
    folder = f"memory://killed/{uuid.uuid4().hex}"
    committed(folder, "error", OLD)
    killed(folder, "overwrite", 21)
    assert len(records(folder)) >= 2

    def refuse(path: str, other: str) -> bool:
        raise AssertionError(f"{path} is compared with {other}")

    monkeypatch.setattr(_staging_folder, "is_same", refuse)
    clean_up(folder)
    assert records(folder) == OLD


def test_a_job_that_is_being_committed_is_not_undone(tmp_path, monkeypatch):
    place = _staging_folder.place
    met: list[str] = []

    def meanwhile(path: str, final: str) -> None:
        place(path, final)
        if not met:
            for attempt in (lambda: begin(str(tmp_path), mode="overwrite"), lambda: clean_up(tmp_path)):
                with pytest.raises(AlreadyExistsError) as caught:
                    attempt()
                met.append(str(caught.value))
            begin(str(tmp_path), mode="append").abort()

    staging = begin(str(tmp_path))
    parts = [write(staging, number, content) for number, content in enumerate(NEW)]
    monkeypatch.setattr(_staging_folder, "place", meanwhile)
    staging.commit(parts)
    assert "another job is making its files visible here" in met[0]
    assert "another process is making the files of this job visible" in met[1]
    assert records(str(tmp_path)) == NEW
    assert len(files(str(tmp_path))) == 3


def test_jobs_that_died_before_their_commit_are_removed(folder):
    committed(folder, "error", OLD)
    staging = begin(folder, mode="append")
    write(staging, 0, b"new")
    assert clean_up(folder) == [staging.hidden]
    assert clean_up(folder) == []
    with pytest.raises(NotFoundError, match="job is over"):
        staging.attempt(0)
    assert records(folder) == OLD
    assert len(files(folder)) == 6


def test_what_somebody_else_has_put_in_place_of_an_old_file_is_not_replaced(folder):
    committed(folder, "error", OLD)
    killed(folder, "overwrite", 13)
    path = f"{folder}/part-00002-of-00003.recordio"
    with octavo.create(path) as writer:
        writer.write(b"of somebody else")
    with pytest.raises(AlreadyExistsError, match="somebody else has put it there"):
        clean_up(folder)
    assert octavo.open(path).read_all() == [b"of somebody else"]
    _staging_folder.remove(path)
    clean_up(folder)
    assert records(folder) == OLD


@pytest.mark.parametrize("content", [b"", b"[", b"[1]", b"[" * 100_000, b'{"mode": "error", "moves": [1], "old": {}}'])
def test_a_journal_that_is_none_is_an_error(tmp_path, content):
    staging = begin(str(tmp_path))
    (Path(staging.hidden) / "journal").write_bytes(content)
    with pytest.raises(DamagedFileError, match="journal"):
        begin(str(tmp_path))


def test_a_journal_cannot_reach_beyond_the_folder(tmp_path):
    (tmp_path / "victim").write_text("mine")
    staging = begin(str(tmp_path / "out"))
    journal = Path(staging.hidden) / "journal"
    journal.write_text('{"mode": "error", "moves": [["x", "../victim", [4, 4]]], "old": {}}')
    with pytest.raises(DamagedFileError):
        clean_up(tmp_path / "out")
    assert (tmp_path / "victim").read_text() == "mine"


def test_a_driver_that_the_system_kills(tmp_path):
    committed(str(tmp_path), "error", OLD)
    code = f"""
import os, signal
from octavo.integrations import _staging_folder as folders
from tests.integrations.staged_jobs import write
from tests.integrations.test_staging_killed import NEW, begin
staging = begin({str(tmp_path)!r}, mode="overwrite")
parts = [write(staging, number, content) for number, content in enumerate(NEW)]
place = folders.place
def die(path, final):
    place(path, final)
    if final.endswith("/part-00001-of-00003.recordio"):
        os.kill(os.getpid(), signal.SIGKILL)
folders.place = die
staging.commit(parts)
"""
    ended = subprocess.run([sys.executable, "-c", code], timeout=60, check=False, cwd=Path(__file__).parents[2])
    assert ended.returncode == -signal.SIGKILL
    assert records(str(tmp_path)) == NEW[:2]
    begin(str(tmp_path), mode="append").abort()
    assert records(str(tmp_path)) == OLD

"""When files get their names, when they cannot, and whose they are."""

from __future__ import annotations

import os
import types
from pathlib import Path

import pytest

import octavo
from octavo.errors import AlreadyExistsError, NotFoundError, OptionError, SourceChangedError, StorageError
from octavo.integrations.elastic import _task, tasks, work
from octavo.integrations.elastic._outputs import HIDDEN
from octavo.storage import _folders
from tests.integrations.elastic.jobs import Job, copy_records

SECOND = "copy-00001-of-00004.array_record"


def test_a_publication_that_was_cut_off_goes_on(job):
    def two_files(task, records):
        for name in ("a.ffr", "b.ffr"):
            with task.create(name) as writer:
                writer.write_many(records)

    work(job, two_files)
    # As if the dispatcher had died after the first of two renames.
    token = next(entry.token for _, entry in job.service._ledger.with_state("done"))
    os.makedirs(f"{job.folder}/{HIDDEN}/staged/{token}")
    os.rename(f"{job.folder}/b-00000-of-00004.ffr", f"{job.folder}/{HIDDEN}/staged/{token}/b.ffr")
    job.service._ledger._change((0, 0)).is_published = False
    job.service._keep()
    job.restart()
    assert len(job.visible()) == 8


def test_a_publication_that_fails_is_tried_again(job):
    os.makedirs(f"{job.folder}/{SECOND}")  # in the way
    worker = tasks(job)
    for _ in range(4):
        with (task := next(worker)) as records:
            task.commit(copy_records(task, records))
    status = job.service.status()
    assert (status.done, status.unpublished, status.is_finished) == (4, 1, False)
    assert isinstance(job.service.publishing_error(), StorageError)
    os.rmdir(f"{job.folder}/{SECOND}")
    assert list(worker) == []
    assert job.service.status().is_finished
    assert job.service.publishing_error() is None
    assert len(octavo.open(f"{job.folder}/copy@4.array_record")) == 100


def test_workers_end_when_a_file_cannot_be_published(tmp_path, partitions):
    job = Job(tmp_path / "job", partitions, lease_s=0.4)
    os.makedirs(f"{job.folder}/{SECOND}")
    with pytest.raises(StorageError, match=SECOND):
        work(job, copy_records)
    status = job.service.status()
    assert (status.done, status.unpublished, status.is_finished) == (4, 1, False)
    others = [f"{job.folder}/copy-0000{number}-of-00004.array_record" for number in (0, 2, 3)]
    assert len(octavo.open(others)) == 75


def test_workers_that_have_nothing_to_do_help_to_publish(job, monkeypatch):
    os.makedirs(f"{job.folder}/{SECOND}")
    pauses = []

    def pause(seconds):
        pauses.append(seconds)
        os.rmdir(f"{job.folder}/{SECOND}")

    monkeypatch.setattr(_task, "time", types.SimpleNamespace(sleep=pause))
    assert work(job, copy_records) == 4
    assert len(pauses) == 1
    assert len(octavo.open(f"{job.folder}/copy@4.array_record")) == 100


def test_what_cannot_be_published_does_not_slow_down_the_rest(job, monkeypatch):
    tried = []

    def refuse(_, final):
        tried.append(os.path.basename(final))
        raise StorageError("the store is full")

    with monkeypatch.context() as patch:
        patch.setattr(_folders, "publish", refuse)
        worker = tasks(job)
        for _ in range(3):
            with (task := next(worker)) as records:
                task.commit(copy_records(task, records))
            job.service.status()
        assert job.service.publishing_error() is None  # there is something else to do
        assert tried == [f"copy-0000{number}-of-00004.array_record" for number in range(3)]
    with (task := next(worker)) as records:
        task.commit(copy_records(task, records))
    assert len(octavo.open(f"{job.folder}/copy@4.array_record")) == 100
    worker.close()


def test_a_staged_file_that_has_vanished_is_said_to(tmp_path, partitions, monkeypatch):
    job = Job(tmp_path / "job", partitions[:1], lease_s=0.4)
    with monkeypatch.context() as patch:
        patch.setattr(type(job.service), "_publish", lambda _: None)
        with (task := next(worker := tasks(job))) as records:
            assert task.commit(copy_records(task, records))
        worker.close()
    _folders.remove_all(f"{job.folder}/{HIDDEN}/staged")
    with pytest.raises(NotFoundError, match="was committed, and has vanished since"):
        list(tasks(job))


def test_a_file_of_somebody_else_is_not_replaced(tmp_path, partitions):
    job = Job(tmp_path / "job", partitions, lease_s=0.4)
    foreign = Path(job.folder, SECOND)
    foreign.write_bytes(b"mine")
    with pytest.raises(AlreadyExistsError, match=f"{SECOND}: this is not the job's"):
        work(job, copy_records)
    assert foreign.read_bytes() == b"mine"
    foreign.rename(tmp_path / "kept")
    assert job.service.status().is_finished
    assert len(octavo.open(f"{job.folder}/copy@4.array_record")) == 100


def test_a_finished_dispatcher_leaves_the_files_of_its_successor_alone(tmp_path, partitions):
    job = Job(tmp_path / "job", partitions, max_attempts=1)

    def fragile(task, records):
        if task.number == 2:
            raise ValueError("not this one")
        return copy_records(task, records)

    assert work(job, fragile) == 3
    old = job.service
    assert old.status().is_finished
    job.restart()
    assert job.service.retry_failed() == 1
    with (task := next(worker := tasks(job))) as records:
        copy_records(task, records)
        assert old.status().is_finished  # as far as it knows
        assert task.commit(25)
    worker.close()
    assert len(octavo.open(f"{job.folder}/copy@4.array_record")) == 100


def test_a_dispatcher_that_was_followed_removes_nothing(tmp_path, partitions):
    job = Job(tmp_path / "job", partitions[:1], max_attempts=1)
    old = job.service
    old.lease("token", "worker")
    old.fail("token", "no")  # finished, and not yet asked for anything since
    job.restart()
    job.service.retry_failed()
    with (task := next(worker := tasks(job))) as records:
        copy_records(task, records)
        with pytest.raises(SourceChangedError, match="another dispatcher has taken over"):
            old.status()
        assert task.commit(25)
    worker.close()
    assert job.service.status().is_finished


def test_what_lost_attempts_have_written_goes_at_the_end(job):
    lost = job.service.lease("token", "a worker that dies")
    staged = f"{job.folder}/{HIDDEN}/staged"
    os.makedirs(f"{staged}/token")
    Path(staged, "token", "half.array_record").touch()
    job.now += 1000
    assert work(job, copy_records) == 4
    assert lost.task == 0
    assert not os.path.exists(staged)


@pytest.mark.parametrize(
    "output",
    [
        ["../victim.ffr", "stolen.ffr"],
        [f"{HIDDEN}/staged/token/../../../../victim.ffr", "stolen.ffr"],
        [f"{HIDDEN}/staged/another/x.ffr", "x.ffr"],
        [f"{HIDDEN}/staged/token/x.ffr", "../stolen.ffr"],
        [f"{HIDDEN}/staged/token/x.ffr", ".hidden.ffr"],
        [f"{HIDDEN}/staged/token/x.ffr", ""],
        [f"{HIDDEN}/staged/token/x.ffr"],
        [f"{HIDDEN}/staged/token/x.ffr", 7],
        "ab",
    ],
)
def test_files_elsewhere_are_not_committed(job, tmp_path, output):
    for folder in ("token", "another"):
        os.makedirs(f"{job.folder}/{HIDDEN}/staged/{folder}")
        Path(job.folder, HIDDEN, "staged", folder, "x.ffr").touch()
    Path(tmp_path, "victim.ffr").touch()
    job.service.lease("token", "worker")
    with pytest.raises(OptionError, match="no files of the attempt"):
        job.service.commit("token", None, [output])
    assert sorted(os.listdir(tmp_path)) == ["in.ffr", "job", "victim.ffr"]
    assert job.visible() == []
    assert job.service.status().leased == 1

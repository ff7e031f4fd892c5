"""What a dispatcher has promised is kept, and only one can promise."""

from __future__ import annotations

import os

import pytest

from octavo.errors import ClosedError, SourceChangedError, StorageError
from octavo.integrations.elastic import _service, tasks, work
from octavo.integrations.elastic._outputs import HIDDEN
from tests.integrations.elastic.jobs import copy_records


def test_many_pages_become_one(job, monkeypatch):
    monkeypatch.setattr(_service, "_PAGES_UNTIL_WHOLE", 3)
    assert work(job, copy_records) == 4
    pages = os.listdir(f"{job.folder}/{HIDDEN}/journal")
    assert len(pages) <= 4
    job.restart()
    assert job.service.status().done == 4


def test_two_dispatchers_cannot_both_go_on(job):
    old = job.service
    job.restart()
    old_job = type("Old", (), {"call": staticmethod(lambda method, *arguments: getattr(old, method)(*arguments))})()
    with pytest.raises(SourceChangedError, match="another dispatcher has taken over"):
        next(tasks(old_job))
    with pytest.raises(ClosedError, match="another dispatcher has taken over"):
        old.status()
    assert work(job, copy_records) == 4


def test_a_dispatcher_that_slept_for_long_finds_that_it_was_followed(job, monkeypatch):
    monkeypatch.setattr(_service, "_PAGES_UNTIL_WHOLE", 2)
    old = job.service
    assert old.lease("token", "worker").task == 0
    job.restart()
    with (task := next(worker := tasks(job))) as records:
        task.commit(len(records))
    worker.close()
    journal = f"{job.folder}/{HIDDEN}/journal"
    assert f"{old._journal._next:012d}.json" not in os.listdir(journal)  # dropped by the successor
    with pytest.raises(SourceChangedError, match="another dispatcher has taken over"):
        old.commit("token", "stale", [])
    job.restart()
    job.now += 1000
    assert work(job, copy_records) == 3
    assert job.service.results(0)[0] == 25


def test_what_cannot_be_kept_is_not_promised(job, monkeypatch):
    task = next(worker := tasks(job))

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StorageError, match="No space left"):
            task.commit(1)
    assert job.service.status().done == 0
    assert task.commit(1)  # it goes on from its journal, in which the lease is
    worker.close()
    job.restart()
    assert job.service.results(0) == {0: 1}


def test_a_result_that_the_journal_cannot_hold_is_not_promised(job):
    job.service.lease("token", "worker")
    with pytest.raises(TypeError):
        job.service.commit("token", object(), [])
    assert job.service.status().done == 0
    assert job.service.commit("token", 1, [])
    job.restart()
    assert job.service.results(0) == {0: 1}


def test_a_dispatcher_that_stumbles_at_its_first_step_tries_again(job, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StorageError, match="No space left"):
            job.restart()
    assert work(job, copy_records) == 4


def test_a_dispatcher_that_stumbled_does_not_take_a_job_back(job, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    old = job.service
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StorageError, match="No space left"):
            old.lease("token", "worker")
    job.restart()
    with pytest.raises(SourceChangedError, match="another dispatcher has taken over"):
        old.lease("token", "worker")
    with pytest.raises(ClosedError, match="another dispatcher has taken over"):
        old.status()
    assert work(job, copy_records) == 4

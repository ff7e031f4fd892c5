"""How long a task is its worker's: heartbeats, and a dispatcher that is slow itself."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from octavo.errors import ClosedError, StorageError
from octavo.integrations.elastic import tasks
from octavo.integrations.elastic._outputs import HIDDEN
from octavo.storage import _folders
from tests.integrations.elastic.jobs import Job
from tests.settling import comes_true


def test_heartbeats_keep_a_slow_task(tmp_path, partitions, monkeypatch):
    job = Job(tmp_path / "job", partitions[:1], lease_s=0.2)
    beats: list[float] = []
    real = job.call

    def noting(method, *arguments):
        began = job.now
        answer = real(method, *arguments)
        if method == "renew":
            beats.append(began)
        return answer

    monkeypatch.setattr(job, "call", noting)
    with (task := next(worker := tasks(job))):
        for _ in range(5):
            job.now += 0.15
            assert comes_true(lambda: job.now in beats)
        assert not task.is_lost
        assert task.commit("slow")
    worker.close()
    assert not [thread for thread in threading.enumerate() if "elastic" in thread.name]


def test_a_worker_learns_that_it_has_lost_its_task(tmp_path, partitions):
    job = Job(tmp_path / "job", partitions[:1], lease_s=0.2)
    with (task := next(worker := tasks(job))):
        job.now += 1
        assert task._is_lost.wait(30)
        assert task.is_lost
        assert task.commit() is False
    worker.close()


@pytest.mark.parametrize("error", [StorageError("the store is down"), RuntimeError("the line is dead")])
def test_a_heart_goes_on_behind_an_error(tmp_path, partitions, monkeypatch, error):
    job = Job(tmp_path / "job", partitions[:1], lease_s=0.2)
    real, beats = job.call, threading.Semaphore(0)
    errors = [error, error]

    def stumbling(method, *arguments):
        if method == "renew" and errors:
            raise errors.pop()
        answer = real(method, *arguments)
        if method == "renew":
            beats.release()
        return answer

    monkeypatch.setattr(job, "call", stumbling)
    with (task := next(worker := tasks(job))):
        for _ in range(3):
            assert beats.acquire(timeout=30)
        assert not task.is_lost
        assert task.commit()
    worker.close()
    assert errors == []


def test_a_heart_ends_with_the_dispatcher(tmp_path, partitions, monkeypatch):
    job = Job(tmp_path / "job", partitions[:1], lease_s=0.2)
    real, beats = job.call, []

    def dead(method, *arguments):
        if method == "renew":
            beats.append(method)
            raise ClosedError("the dispatcher has ended")
        return real(method, *arguments)

    monkeypatch.setattr(job, "call", dead)
    with (task := next(worker := tasks(job))):
        heart = task._heart
        assert heart is not None
        heart.join(30)
        assert not heart.is_alive()
        assert task.commit()
    worker.close()
    assert beats == ["renew"]


def test_time_in_which_the_dispatcher_was_busy_does_not_count(tmp_path, partitions, monkeypatch):
    job = Job(tmp_path / "job", partitions, lease_s=10.0, timeout_s=15.0)
    for token in ("slow", "waiting", "dead"):
        job.service.lease(token, "worker")
    staged = f"{HIDDEN}/staged/slow/x.ffr"
    os.makedirs(os.path.dirname(f"{job.folder}/{staged}"))
    Path(job.folder, staged).touch()
    real = _folders.publish

    def take_long(source, target):
        job.now += 300
        real(source, target)

    monkeypatch.setattr(_folders, "publish", take_long)
    job.now += 9
    assert job.service.commit("slow", None, [[staged, "x-0.ffr"]])
    assert job.service.renew("waiting")
    job.now += 1
    assert job.service.status().leased == 1  # the dead one was not heard of for ten seconds in which it could have been
    assert not job.service.renew("dead")
    assert job.service.renew("waiting")
    job.now += 5
    assert not job.service.commit("waiting", None, [])  # fifteen seconds were all that it had


def test_a_slow_journal_takes_nobodys_task(tmp_path, partitions, monkeypatch):
    job = Job(tmp_path / "job", partitions, lease_s=10.0)
    real = os.fsync

    def take_long(number):
        job.now += 30
        real(number)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", take_long)
        for token in "abcd":
            job.service.lease(token, "worker")
    assert [job.service.renew(token) for token in "abcd"] == [True] * 4

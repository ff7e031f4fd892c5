"""The dispatcher without an engine: what it keeps, what it publishes, and what it does after a crash."""

from __future__ import annotations

import os

import pytest

import octavo
from octavo.errors import (
    AlreadyExistsError,
    ClosedError,
    NotFoundError,
    OptionError,
    RecordTypeError,
)
from octavo.integrations.elastic import tasks, work
from octavo.integrations.elastic._service import HIDDEN, Service
from tests.integrations.elastic.jobs import RECORDS, Job, copy_records


def test_every_task_is_done_and_its_file_published(job):
    assert work(job, copy_records) == 4
    assert job.service.status().is_finished
    assert job.service.results(0) == {0: 25, 1: 25, 2: 25, 3: 25}
    assert job.visible() == [f"copy-0000{number}-of-00004.array_record" for number in range(4)]
    assert octavo.open(f"{job.folder}/copy@4.array_record").read_all() == [record.upper() for record in RECORDS]
    assert not os.path.exists(f"{job.folder}/{HIDDEN}/staged")


def test_files_of_several_epochs_have_names_of_their_own(tmp_path, partitions):
    job = Job(tmp_path / "job", partitions, epochs=2)
    assert work(job, copy_records) == 8
    assert len(job.visible()) == 8
    assert len(octavo.open(f"{job.folder}/copy-epoch-1@4.array_record")) == 100
    assert job.service.results(1) == {0: 25, 1: 25, 2: 25, 3: 25}


def test_a_sidecar_comes_along_and_counts(job):
    def copy_with_index(task, records):
        with task.create("copy.recordio", sidecar=True) as writer:
            writer.write_many(records)

    work(job, copy_with_index)
    assert octavo.open(f"{job.folder}/copy@4.recordio").info.sidecar


def test_a_commit_too_late_leaves_no_file(job):
    slow = tasks(job)
    task = next(slow)
    with task as records:
        copy_records(task, records)
        job.now += 1000
        assert work(job, copy_records) == 4  # another worker, meanwhile
        before = os.stat(f"{job.folder}/copy-00000-of-00004.array_record")
        assert task.commit(99) is False
    assert os.stat(f"{job.folder}/copy-00000-of-00004.array_record") == before
    assert job.service.results(0)[0] == 25
    assert not os.path.exists(f"{job.folder}/{HIDDEN}/staged")
    assert list(slow) == []


def test_the_next_dispatcher_publishes_what_the_last_one_has_accepted(job, monkeypatch):
    def die(_):
        raise KeyboardInterrupt

    task = next(worker := tasks(job))
    with task as records:
        copy_records(task, records)
        with monkeypatch.context() as patch:
            patch.setattr(Service, "_publish", die)  # it dies there
            with pytest.raises(KeyboardInterrupt):
                task.commit(25)
    assert job.visible() == []
    job.restart()
    assert job.visible() == ["copy-00000-of-00004.array_record"]
    assert octavo.open(f"{job.folder}/{job.visible()[0]}").read_all() == [record.upper() for record in RECORDS[:25]]
    assert job.service.results(0) == {0: 25}
    worker.close()


def test_a_worker_that_does_not_know_whether_it_has_committed_leaves_its_files(job, monkeypatch):
    real = job.call

    def lose_the_answer(method, *arguments):
        answer = real(method, *arguments)
        if method == "commit":
            raise ClosedError("the line is dead")
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(Service, "_publish", lambda _: None)  # as if it had died before that
        patch.setattr(job, "call", lose_the_answer)
        task = next(worker := tasks(job))
        with task as records:
            copy_records(task, records)
            with pytest.raises(ClosedError):
                task.commit(25)
        task.fail("the worker gives up")
        worker.close()
    job.restart()
    assert job.visible() == ["copy-00000-of-00004.array_record"]


def test_leases_outlive_the_dispatcher(job):
    task = next(worker := tasks(job))
    with task as records:
        job.restart()
        copy_records(task, records)
        assert task.commit(25)
    worker.close()
    assert job.service.results(0) == {0: 25}


def test_a_restarted_dispatcher_hands_out_only_what_is_left(job):
    worker = tasks(job)
    for _ in range(3):
        with (task := next(worker)) as records:
            task.commit(len(records))
    worker.close()
    job.restart()
    assert [task.number for task in tasks(job) if not task.commit("late")] == []
    assert job.service.results(0) == {0: 25, 1: 25, 2: 25, 3: "late"}
    job.restart()
    assert list(tasks(job)) == []


def test_the_folder_of_another_job_is_refused(job, partitions):
    with pytest.raises(OptionError, match="another job: tasks differ"):
        Job(job.folder, partitions[:2])
    with pytest.raises(OptionError, match="another job: epochs differ"):
        Job(job.folder, partitions, epochs=5)
    assert work(job, copy_records) == 4


def test_a_folder_with_records_is_refused(tmp_path, partitions):
    with pytest.raises(AlreadyExistsError, match=r"such as in\.ffr"):
        Job(tmp_path, partitions)
    assert os.listdir(tmp_path) == ["in.ffr"]


def test_an_error_is_reported_and_the_task_tried_again(job):
    def fragile(task, records):
        if task.number == 1 and task.attempt < 3:
            raise ValueError(f"attempt {task.attempt}")
        return len(records)

    assert work(job, fragile) == 4
    assert job.service.failures() == []


def test_a_task_that_never_works_is_put_aside(job, partitions):
    def poisoned(task, records):
        copy_records(task, records)
        if task.number == 2:
            raise ValueError("this record is poison")
        return 1

    assert work(job, poisoned) == 3
    (failure,) = job.service.failures()
    assert (failure.epoch, failure.task, failure.partition) == (0, 2, partitions[2])
    assert len(failure.errors) == 3
    assert "this record is poison" in failure.errors[0]
    assert len(job.visible()) == 3
    assert job.service.status().is_finished
    assert job.service.retry_failed() == 1
    assert work(job, copy_records) == 1
    assert len(job.visible()) == 4


def test_a_task_without_a_commit_has_failed(job):
    seen = [(task.number, task.attempt) for task in tasks(job)]
    assert len(seen) == 12
    assert "without a commit" in job.service.failures()[0].errors[0]


def test_a_worker_that_leaves_gives_its_task_back(job):
    for _ in range(10):
        for task in tasks(job):
            assert task.number == 0
            break
    with pytest.raises(KeyboardInterrupt), next(worker := tasks(job)):
        raise KeyboardInterrupt
    worker.close()
    assert job.service._ledger.entry(0, 0).attempts == 0
    assert job.service.status().leased == 0


def test_refusals(job):
    task = next(worker := tasks(job))
    with task:
        with pytest.raises(RecordTypeError, match="a result is made of numbers"):
            task.commit({1, 2})
        for name in ("", "a/b.ffr", "../x.ffr", ".hidden.ffr"):
            with pytest.raises(OptionError, match="no name of a file"):
                task.create(name)
        with pytest.raises(OptionError, match="suffix does not say"):
            task.create("records.bin")
        writer = task.create("a.ffr")
        with pytest.raises(OptionError, match="created that file already"):
            task.create("a.ffr")
        with pytest.raises(OptionError, match="close the writer before"):
            task.commit()
        writer.close()
        os.unlink(writer.path)
        with pytest.raises(NotFoundError, match="do the machines share the folder"):
            task.commit()
        deep: list[object] = []
        for _ in range(100_000):
            deep = [deep]
        with pytest.raises(RecordTypeError, match="a result is made of numbers"):
            task.commit(deep)
    task.release()
    with pytest.raises(ClosedError, match="not this worker's any more"):
        task.commit()
    worker.close()
    for epoch in (1, -1):
        with pytest.raises(OptionError, match="the epochs of this job are 0 to 0"):
            job.service.results(epoch)


def test_nothing_is_written_behind_the_commit(job):
    with (task := next(worker := tasks(job))):
        task.commit()
        with pytest.raises(ClosedError, match="not this worker's any more"):
            task.create("late.ffr")
    worker.close()


@pytest.mark.parametrize(
    ("name", "together"),
    [("up.v2.array_record", "up.v2@4.array_record"), ("up.tfrecord.gz", "up@4.tfrecord.gz")],
)
def test_files_of_all_tasks_are_opened_as_one(job, name, together):
    def copy(task, records):
        with task.create(name) as writer:
            writer.write_many(records)

    assert work(job, copy) == 4
    assert octavo.open(f"{job.folder}/{together}").read_all() == RECORDS

"""The dispatcher as an actor of Ray, with workers that die, and when it dies itself."""

from __future__ import annotations

import collections
import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest
import ray

import octavo
from octavo.errors import AlreadyExistsError, ClosedError, NotFoundError, OptionError, RecordTypeError, UnsupportedError
from octavo.integrations import elastic

RECORDS = [f"record {number}".encode() for number in range(400)]
pytestmark = [
    pytest.mark.usefixtures("_cluster"),
    pytest.mark.filterwarnings(r"ignore::DeprecationWarning:ray\.data\.context"),
]


@pytest.fixture
def source(tmp_path):
    with octavo.create(tmp_path / "in.recordio", group_size=10) as writer:
        writer.write_many(RECORDS)
    return tmp_path / "in.recordio"


@pytest.fixture
def start(source, tmp_path):
    """Starts a dispatcher that ends with the test."""
    started = []

    def begin(**options):
        started.append(elastic.start(source, tmp_path / "job", **{"max_records": 20, "lease_s": 30} | options))
        return started[-1]

    yield begin
    for dispatcher in started:
        dispatcher.stop()


def worker_that(act):
    """A remote function that copies records, and calls `act` before and behind every commit."""

    @ray.remote(max_retries=0, num_cpus=0.5)
    def copy(dispatcher):
        for task in elastic.tasks(dispatcher):
            with task as records:
                with task.create("copy.ffr") as writer:
                    writer.write_many(records)
                act("before", task)
                task.commit(len(records))
                act("behind", task)

    return copy


def assert_all_committed_once(dispatcher, folder):
    status = dispatcher.wait(timeout_s=120)
    assert (status.done, status.failed, status.is_finished) == (20, 0, True)
    assert sum(dispatcher.results().values()) == 400
    assert collections.Counter(octavo.open(folder / "copy@20.ffr")) == collections.Counter(RECORDS)
    assert sorted(os.listdir(folder)) == [".octavo-elastic", *(f"copy-{n:05d}-of-00020.ffr" for n in range(20))]


def test_killed_workers_cost_nothing_but_time(start, tmp_path):
    marks = str(tmp_path / "died-")

    def die_sometimes(when, task):
        if (task.number, when) in {(3, "before"), (7, "behind"), (11, "before"), (11, "behind")}:
            try:
                os.close(os.open(f"{marks}{task.number}{when}", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return
            os.kill(os.getpid(), signal.SIGKILL)

    dispatcher = start(lease_s=1, max_attempts=5)
    running = [worker_that(die_sometimes).remote(dispatcher) for _ in range(2)]
    deaths = 0
    while running:  # one that has died is replaced
        (ended,), running = ray.wait(running)
        try:
            ray.get(ended)
        except ray.exceptions.WorkerCrashedError:
            deaths += 1
            running.append(worker_that(die_sometimes).remote(dispatcher))
    assert deaths == 4
    assert_all_committed_once(dispatcher, tmp_path / "job")


def test_a_killed_dispatcher_goes_on(start, tmp_path):
    dispatcher = start()
    first = dispatcher.call("process")
    marker = str(tmp_path / "killed")

    def kill_dispatcher(when, task):
        if task.number in {5, 6} and when == "before":
            with contextlib.suppress(FileExistsError):
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
                os.kill(first, signal.SIGKILL)

    ray.get([worker_that(kill_dispatcher).remote(dispatcher) for _ in range(2)])
    assert_all_committed_once(dispatcher, tmp_path / "job")
    assert dispatcher.call("process") != first


def test_a_job_goes_on_under_another_dispatcher(start, source, tmp_path):
    first = start()
    done = []
    for task in elastic.tasks(first):
        with task as records:
            with task.create("copy.ffr") as writer:
                writer.write_many(records)
            task.commit(len(records))
        done.append(task.number)
        if len(done) == 8:
            break
    first.stop()
    with pytest.raises(ClosedError, match="the dispatcher has ended"):
        first.status()
    second = start()
    assert second.status().done == 8
    assert done == list(range(8))
    ray.get(worker_that(lambda *_: None).remote(second))
    assert_all_committed_once(second, tmp_path / "job")
    with pytest.raises(OptionError, match="another job"):
        elastic.start(source, tmp_path / "job", max_records=50)


def test_it_is_found_by_its_name(start):
    dispatcher = start(name="by name")
    assert elastic.connect("by name").status() == dispatcher.status()
    with pytest.raises(OptionError, match="by name"):
        start(name="by name")
    with pytest.raises(NotFoundError, match="no dispatcher of the name"):
        elastic.connect("another")


def test_tasks_are_partitions_of_any_location(start, source, tmp_path):
    reader = octavo.open(source)
    dispatcher = elastic.start(reader[100:].partitions(3), tmp_path / "by-hand")
    try:
        assert [len(task.partition) for task in elastic.tasks(dispatcher) if task.commit()] == [100, 100, 100]
    finally:
        dispatcher.stop()
    assert start().status().pending == 20


def test_no_records_are_no_tasks(tmp_path):
    octavo.create(tmp_path / "empty.ffr").close()
    dispatcher = elastic.start(tmp_path / "empty.ffr", tmp_path / "job")
    try:
        assert list(elastic.tasks(dispatcher)) == []
        assert dispatcher.wait(timeout_s=0).is_finished
    finally:
        dispatcher.stop()


def test_a_file_that_cannot_be_published_ends_the_workers(start, tmp_path):
    dispatcher = start()
    os.mkdir(tmp_path / "job" / "copy-00003-of-00020.ffr")  # in the way
    with pytest.raises(ray.exceptions.RayTaskError, match="move it away"):
        ray.get([worker_that(lambda *_: None).remote(dispatcher) for _ in range(2)])
    with pytest.raises(AlreadyExistsError, match="move it away"):
        dispatcher.wait(timeout_s=60)
    os.rmdir(tmp_path / "job" / "copy-00003-of-00020.ffr")
    assert_all_committed_once(dispatcher, tmp_path / "job")


def test_waiting_ends_in_time(start):
    began = time.monotonic()
    assert not start().wait(timeout_s=0.2).is_finished
    assert time.monotonic() - began >= 0.2


def test_refusals(source, tmp_path):
    with pytest.raises(AlreadyExistsError, match=r"such as in\.recordio"):
        elastic.start(source, tmp_path)
    with pytest.raises(UnsupportedError, match="other processes cannot see"):
        elastic.start(source, "memory://job")
    with pytest.raises(UnsupportedError, match="only read from"):
        elastic.start(source, "http://localhost/job")
    for nowhere in ("", "file://", "s3://"):
        with pytest.raises(NotFoundError):
            elastic.start(source, nowhere)
    with pytest.raises(UnsupportedError, match="opened elsewhere"):
        elastic.start(source.read_bytes(), tmp_path / "job")
    with pytest.raises(NotFoundError):
        elastic.start(tmp_path / "nothing.ffr", tmp_path / "job")
    with pytest.raises(OptionError, match="needs a name"):
        elastic.start(source, tmp_path / "job", detached=True)
    for wrong in ({"lease_s": 0}, {"timeout_s": -1}, {"epochs": 0}, {"max_attempts": 0}, {"max_records": 0}):
        with pytest.raises(OptionError, match=next(iter(wrong))):
            elastic.start(source, tmp_path / "job", **wrong)  # type: ignore[arg-type]
    with pytest.raises(RecordTypeError, match="seed"):
        elastic.start(source, tmp_path / "job", seed="x")  # type: ignore[arg-type]
    assert sorted(os.listdir(tmp_path)) == ["in.recordio"]


def test_records_in_memory_are_refused(tmp_path):
    pytest.importorskip("obstore", reason="object stores are read by obstore: pip install 'octavo[cloud]'")
    with octavo.create("memory://elastic/in.ffr") as writer:
        writer.write(b"record")
    with pytest.raises(UnsupportedError, match="other processes cannot see"):
        elastic.start("memory://elastic/in.ffr", tmp_path / "job")


def test_without_ray_the_extra_is_named():
    code = "import sys; sys.modules['ray'] = None\nimport octavo.integrations.elastic"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert "octavo.integrations.elastic needs Ray: pip install 'octavo[ray]'" in ended.stderr

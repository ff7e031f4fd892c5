"""Readers of objects in threads, forks and fresh processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import octavo
from tests.cloud import samples
from tests.cloud.conftest import Lead
from tests.cloud.deadline import within
from tests.cloud.servers import faults
from tests.cloud.servers.held_objects import HeldObjects
from tests.cloud.servers.http_server import HttpServer
from tests.cloud.servers.object_server import ObjectServer

pytest.importorskip("obstore")

RECORDS = samples.make_records(500, size=300)
NUMBERS = list(range(0, 500, 7))
LIMIT_S = 120.0
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")


@pytest.fixture
def url(moto: ObjectServer, lead: Lead, folder: str, tmp_path: Path) -> str:
    key = f"{folder}/records.array_record"
    moto.put(key, samples.content(samples.BY_NAME["array_record-64"], RECORDS, tmp_path))
    return lead(moto).url(key)


def read(reader: octavo.Reader, found: multiprocessing.SimpleQueue[list[bytes]]) -> None:
    found.put(reader.read(NUMBERS))


def open_and_read(url: str, found: multiprocessing.SimpleQueue[list[bytes]]) -> None:
    with octavo.open(url) as reader:
        found.put(reader.read(NUMBERS))


METHODS = [
    pytest.param("fork", marks=pytest.mark.skipif(sys.platform != "linux", reason="forks are safe on Linux alone")),
    "spawn",
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("was_read", [False, True], ids=["fresh", "used"])
def test_a_reader_is_used_by_a_child(url: str, method: str, *, was_read: bool) -> None:
    context: Any = multiprocessing.get_context(method)
    found = context.SimpleQueue()
    with octavo.open(url, cache_bytes=0) as reader:
        if was_read:
            reader.read(NUMBERS)
        children = [context.Process(target=read, args=(reader, found)) for _ in range(2)]
        children.append(context.Process(target=open_and_read, args=(url, found)))
        for child in children:
            child.start()
        try:
            for _ in children:
                assert within(LIMIT_S, found.get) == [RECORDS[number] for number in NUMBERS]
            assert reader.read(NUMBERS) == [RECORDS[number] for number in NUMBERS]
        finally:
            for child in children:
                child.join(LIMIT_S)
                child.kill()
                child.join()


def test_a_reader_is_shared_by_threads(url: str) -> None:
    found: list[list[bytes]] = []
    with octavo.open(url, cache_bytes=0) as reader:
        threads = [threading.Thread(target=lambda: found.append(list(reader))) for _ in range(4)]
        threads += [threading.Thread(target=lambda: found.append(reader.read(range(500)))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [RECORDS] * 8


END_IN_THE_MIDDLE = """
import sys, octavo
iterator = iter(octavo.open(sys.argv[1]))
next(iterator)
"""


@pytest.mark.parametrize("name", ["ffrecord", "array_record-64", "tfrecord"])
def test_a_program_ends_in_the_middle_of_a_scan(moto: ObjectServer, folder: str, tmp_path: Path, name: str) -> None:
    kind = samples.BY_NAME[name]
    key = f"{folder}/large{kind.suffix}"
    moto.put(key, samples.content(kind, samples.make_records(600, size=100_000), tmp_path))
    environment = {**os.environ, **moto.environment}
    command = [sys.executable, "-c", END_IN_THE_MIDDLE, moto.url(key)]
    assert subprocess.run(command, env=environment, timeout=120, check=False).returncode == 0


END_WITH_A_WRITER = """
import sys, octavo
writer = octavo.create(sys.argv[1])
writer.write_many([bytes(30_000)] * 1000)
"""


@pytest.mark.parametrize("suffix", [".tfrecord", ".array_record", ".ffr"])
def test_a_program_ends_with_an_open_writer(moto: ObjectServer, folder: str, suffix: str) -> None:
    environment = {**os.environ, **moto.environment}
    command = [sys.executable, "-c", END_WITH_A_WRITER, moto.url(f"{folder}/records{suffix}")]
    assert subprocess.run(command, env=environment, timeout=120, check=False).returncode == 0
    assert moto.keys(folder) == []


LAST_REQUESTS = {
    "stat": "octavo.open(sys.argv[1])",
    "read": "octavo.open(sys.argv[1]).read([1, 2, 3])",
    "write": "octavo.create(sys.argv[1] + 'x.ffr').close()",
}


@pytest.mark.parametrize("request_made", LAST_REQUESTS)
def test_a_program_ends_quietly_after_its_last_request(url: str, request_made: str) -> None:
    """Threads of the store's client may still be on their way out of Python then: many programs, for it is a race."""
    command = [sys.executable, "-c", f"import sys, octavo; {LAST_REQUESTS[request_made]}", url]
    for _ in range(3):
        programs = [subprocess.Popen(command) for _ in range(4)]
        try:
            assert [program.wait(120) for program in programs] == [0] * 4
        finally:
            for program in programs:
                program.kill()
                program.wait()


INTERRUPTED = """
import sys, octavo
reader = octavo.open(sys.argv[1], cache_bytes=0)
print("open", flush=True)
sys.stdin.readline()
try:
    {task}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
TASKS = ["reader[5]", "reader.read(range(100))", "list(reader)", "octavo.open(sys.argv[1])"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix")
@pytest.mark.parametrize("task", TASKS)
def test_a_program_that_waits_for_a_server_is_interrupted(
    plain: HttpServer, held: HeldObjects, tmp_path: Path, task: str
) -> None:
    held.put("records.ffr", samples.content(samples.BY_NAME["ffrecord"], RECORDS, tmp_path))
    program = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(task=task), f"{plain.endpoint}/records.ffr"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with program:
        try:
            assert program.stdout is not None
            assert program.stdout.readline() == b"open\n"
            with plain.failing(faults.stall(60), times=1_000_000) as stalled:
                program.stdin.write(b"\n")  # type: ignore[union-attr]
                program.stdin.flush()  # type: ignore[union-attr]
                while not stalled:
                    assert program.poll() is None
                    time.sleep(0.05)
                program.send_signal(signal.SIGINT)
                assert program.communicate(timeout=120)[0] == b"interrupted\n"
        finally:
            program.kill()


def test_a_child_writes_an_object(url: str, moto: ObjectServer, folder: str) -> None:
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    with octavo.open(url) as reader:
        reader.read(NUMBERS)
        child = context.Process(target=write, args=(moto.url(f"{folder}/child.ffr"),))
        child.start()
        child.join(LIMIT_S)
        child.kill()
        child.join()
    with octavo.open(moto.url(f"{folder}/child.ffr")) as reader:
        assert list(reader) == RECORDS


def write(url: str) -> None:
    with octavo.create(url) as writer:
        writer.write_many(RECORDS)

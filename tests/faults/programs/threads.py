"""Many threads on one reader."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import sys
import threading
from collections.abc import Callable

import octavo
from octavo.errors import ClosedError
from tests.faults import samples

COUNT = 5000
CONTENT = samples.records(COUNT)


def _run_together(works: list[Callable[[], object]]) -> None:
    """All at once; the first failure is raised here."""
    failures: list[BaseException] = []
    start = threading.Barrier(len(works))

    def run(work: Callable[[], object]) -> None:
        try:
            start.wait()
            work()
        except BaseException as failure:  # noqa: BLE001 - raised by the main thread
            failures.append(failure)

    sys.setswitchinterval(0.0005)
    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def _single(reader: octavo.Reader, chosen: random.Random) -> None:
    for number in chosen.sample(range(COUNT), 1000):
        assert reader[number] == CONTENT[number], "wrong bytes"


def _batch(reader: octavo.Reader, chosen: random.Random) -> None:
    for _ in range(5):
        numbers = chosen.sample(range(COUNT), 600)
        assert reader.read(numbers) == [CONTENT[number] for number in numbers], "wrong bytes"


def _one_buffer(reader: octavo.Reader, chosen: random.Random) -> None:
    for _ in range(5):
        numbers = chosen.sample(range(COUNT), 600)
        assert reader.read_batch(numbers).to_list() == [CONTENT[number] for number in numbers], "wrong bytes"


def _iteration(reader: octavo.Reader, _: random.Random) -> None:
    assert list(reader) == CONTENT, "wrong bytes"


def _whole(reader: octavo.Reader, _: random.Random) -> None:
    assert reader.read_all() == CONTENT, "wrong bytes"


WAYS = (_single, _batch, _one_buffer, _iteration, _whole)


def share_a_reader(path: str, io: str) -> None:
    """Sixteen threads, each in its own way."""
    reader = octavo.open(path, io=io)
    works = [lambda way=WAYS[n % len(WAYS)], n=n: way(reader, random.Random(n)) for n in range(16)]
    _run_together(works)


def share_shards(paths: list[str], io: str) -> None:
    """Files that nobody has touched yet, opened by sixteen threads at the same moment."""
    reader = octavo.open(paths, io=io)

    def work() -> None:
        for number in range(0, COUNT, 50):
            for shard in range(len(paths)):
                assert reader[shard * COUNT + number] == CONTENT[number], "wrong bytes"

    _run_together([work] * 16)


def share_an_iterator(path: str, io: str) -> None:
    """Eight threads take from one iterator; together they get every record once."""
    shared = iter(octavo.open(path, io=io))
    taken: list[list[bytes]] = [[] for _ in range(8)]
    _run_together([lambda mine=mine: mine.extend(shared) for mine in taken])
    assert sorted(record for mine in taken for record in mine) == sorted(CONTENT)


def close_while_reading(path: str, io: str) -> None:
    """Reads that are under way when the reader is closed end well or say that it is closed."""
    for seed in range(5):
        reader = octavo.open(path, io=io)

        def work(way: Callable[[octavo.Reader, random.Random], None], reader: octavo.Reader = reader) -> None:
            with contextlib.suppress(ClosedError):
                while True:
                    way(reader, random.Random(seed))

        closer = threading.Timer(0.02, reader.close)
        closer.start()
        _run_together([lambda way=way: work(way) for way in WAYS])
        closer.join()


def share_a_writer(path: str) -> None:
    """Eight threads write into one file; every record is there, whole, and each thread's are in its order."""
    with octavo.create(path) as writer:

        def work(thread: int) -> None:
            for number in range(500):
                writer.write(samples.sized(number, 900, seed=thread))
            writer.write_many(samples.sized(number, 900, seed=thread) for number in range(500, 1000))

        _run_together([lambda thread=thread: work(thread) for thread in range(8)])
    found = octavo.open(path).read_all()
    for thread in range(8):
        mine = [record for record in found if record.startswith(b"seed %d " % thread)]
        assert mine == [samples.sized(number, 900, seed=thread) for number in range(1000)]


def do_without_threads(path: str, io: str, user: int) -> None:
    """A process that may not start a thread reads all the same."""
    os.setuid(user)
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    reader = octavo.open(path, io=io)
    for way in WAYS:
        way(reader, random.Random(3))

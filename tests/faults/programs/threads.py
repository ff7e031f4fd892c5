"""Many threads on one reader."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import random
import resource
import sys
import threading
from collections.abc import Callable

import octavo
from octavo._open import IndexStorage, IoMode
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


def share_a_reader(
    path: str, io: IoMode, cache_bytes: int | str = "256MB", index_storage: IndexStorage = "memory"
) -> None:
    """Sixteen threads, each in its own way."""
    reader = octavo.open(path, io=io, cache_bytes=cache_bytes, index_storage=index_storage)
    ways = itertools.islice(itertools.cycle(WAYS), 16)
    _run_together([functools.partial(way, reader, random.Random(seed)) for seed, way in enumerate(ways)])


def share_shards(paths: list[str], io: IoMode) -> None:
    """Files that nobody has touched yet, opened by sixteen threads at the same moment."""
    reader = octavo.open(paths, io=io)

    def work() -> None:
        for number in range(0, COUNT, 50):
            for shard in range(len(paths)):
                assert reader[shard * COUNT + number] == CONTENT[number], "wrong bytes"

    _run_together([work] * 16)


def share_an_iterator(path: str, io: IoMode) -> None:
    """Eight threads take from one iterator; together they get every record once."""
    shared = iter(octavo.open(path, io=io))
    taken: list[list[bytes]] = [[] for _ in range(8)]
    _run_together([functools.partial(mine.extend, shared) for mine in taken])
    assert sorted(record for mine in taken for record in mine) == sorted(CONTENT)


def close_while_reading(path: str, io: IoMode) -> None:
    """Reads that are under way when the reader is closed end well or say that it is closed."""

    def work(way: Callable[[octavo.Reader, random.Random], None], reader: octavo.Reader) -> None:
        with contextlib.suppress(ClosedError):
            while True:
                way(reader, random.Random(5))

    for _ in range(3):
        reader = octavo.open(path, io=io)
        closer = threading.Timer(0.02, reader.close)
        closer.start()
        _run_together([functools.partial(work, way, reader) for way in WAYS])
        closer.join()


def share_a_writer(path: str, group_size: int | None = None) -> None:
    """Eight threads write into one file; every record is there, whole, and each thread's are in its order."""
    with octavo.create(path, group_size=group_size) as writer:

        def work(thread: int) -> None:
            for number in range(500):
                writer.write(samples.sized(number, 900, seed=thread))
            writer.write_many(samples.sized(number, 900, seed=thread) for number in range(500, 1000))

        _run_together([functools.partial(work, thread) for thread in range(8)])
    found = octavo.open(path).read_all()
    for thread in range(8):
        mine = [record for record in found if record.startswith(b"seed %d " % thread)]
        assert mine == [samples.sized(number, 900, seed=thread) for number in range(1000)]


def do_without_threads(path: str, io: IoMode, user: int) -> None:
    """A process that may not start a thread reads all the same."""
    os.setuid(user)
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    reader = octavo.open(path, io=io)
    for way in WAYS:
        way(reader, random.Random(3))

"""Readers and writers on both sides of a fork, and in processes that are started afresh."""

from __future__ import annotations

import contextlib
import functools
import itertools
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator

import octavo
from octavo._open import IndexStorage, IoMode
from octavo.errors import OctavoError, RecordIndexError, UnclosedWriterWarning
from tests.faults import samples
from tests.faults.programs.outcome import error_of

COUNT = 5000
CONTENT = samples.records(COUNT)


def _start(work: Callable[[], object]) -> int:
    """Runs `work` in a child, which ends without unwinding the parent's stack."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    except BaseException:  # noqa: BLE001 - the child must end here
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def _finish(child: int, timeout_s: float = 60) -> None:
    """A child that is stuck is killed and is a failure."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert os.waitstatus_to_exitcode(status) == 0, "the child failed"
            return
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("the child is stuck")


def _single(reader: octavo.Reader) -> None:
    assert all(reader[number] == CONTENT[number] for number in range(0, COUNT, 50)), "wrong bytes"


def _batch(reader: octavo.Reader) -> None:
    numbers = list(range(COUNT - 1, 0, -9))
    assert reader.read(numbers) == [CONTENT[number] for number in numbers], "wrong bytes"


def _one_buffer(reader: octavo.Reader) -> None:
    assert reader.read_batch(range(0, COUNT, 11)).to_list() == CONTENT[::11], "wrong bytes"


def _iteration(reader: octavo.Reader) -> None:
    assert list(reader) == CONTENT, "wrong bytes"


def _whole(reader: octavo.Reader) -> None:
    assert reader.read_all() == CONTENT, "wrong bytes"


WAYS = {"single": _single, "batch": _batch, "one buffer": _one_buffer, "iteration": _iteration, "whole": _whole}


def _every_way(reader: octavo.Reader) -> None:
    for way in WAYS.values():
        way(reader)


def use_and_fork(path: str, io: IoMode, used: str, index_storage: IndexStorage = "memory") -> None:
    """A reader that was used before the fork works in the child, in its child, and in the parent."""
    reader = octavo.open(path, io=io, index_storage=index_storage)
    WAYS[used](reader)

    def in_child() -> None:
        _every_way(reader)
        _finish(_start(lambda: _every_way(reader)))

    child = _start(in_child)
    _every_way(reader)
    _finish(child)
    _every_way(reader)


def fork_in_mid_iteration(path: str, io: IoMode) -> None:
    """The rest of an iteration comes out on both sides."""
    iterator = iter(octavo.open(path, io=io))
    begun = list(itertools.islice(iterator, 777))

    def rest() -> None:
        assert begun + list(iterator) == CONTENT, "wrong bytes"

    child = _start(rest)
    rest()
    _finish(child)


def drop_an_iterator_in_the_child(path: str, io: IoMode) -> None:
    """The child may let go of what the parent's threads were filling."""
    iterators = [iter(octavo.open(path, io=io))]
    next(iterators[0])
    child = _start(iterators.clear)
    assert len(list(iterators[0])) == COUNT - 1
    _finish(child)


@contextlib.contextmanager
def _busy(works: list[Callable[[], object]]) -> Iterator[None]:
    """Threads that do the same work again and again."""
    done = threading.Event()

    def loop(work: Callable[[], object]) -> None:
        while not done.is_set():
            work()

    sys.setswitchinterval(0.0005)
    threads = [threading.Thread(target=loop, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()


def fork_under_busy_threads(path: str, io: IoMode) -> None:
    """Forks at any moment of other threads' reads."""
    reader = octavo.open(path, io=io)
    with _busy([functools.partial(way, reader) for way in WAYS.values()]):
        for _ in range(6):
            time.sleep(0.003)
            _finish(_start(lambda: _every_way(reader)))


def fork_under_a_busy_cache(path: str) -> None:
    """Forks while threads do nothing but take chunks out of a small cache and put others in."""
    reader = octavo.open(path, io="pread", cache_bytes="300k")
    chosen = random.Random(7)

    def work() -> None:
        number = chosen.randrange(COUNT)
        assert reader[number] == CONTENT[number], "wrong bytes"

    def in_child() -> None:
        for number in range(0, COUNT, 97):
            assert reader[number] == CONTENT[number], "wrong bytes"

    with _busy([work] * 4):
        for _ in range(40):
            time.sleep(0.001)
            _finish(_start(in_child))


def fork_under_an_advanced_iterator(path: str) -> None:
    """Forks while another thread takes from an iterator that the child goes on with, or is told that it cannot."""
    reader = octavo.open(path, io="pread")
    iterators = [iter(reader)]

    def work() -> None:
        if next(iterators[0], None) is None:
            iterators[0] = iter(reader)

    def take() -> None:
        with contextlib.suppress(OctavoError):
            next(iterators[0], None)

    with _busy([work]):
        for _ in range(30):
            time.sleep(0.003)
            _finish(_start(take))


def truncate_after_a_fork(path: str, io: IoMode) -> None:
    """The child's mapping is guarded as the parent's is."""
    reader = octavo.open(path, io=io)
    _every_way(reader)

    def in_child() -> None:
        os.truncate(path, samples.PAGE_BYTES)
        error_of(OctavoError, lambda: reader[COUNT - 1])

    _finish(_start(in_child))


def delete_after_a_fork(path: str, io: IoMode) -> None:
    """A child that has no descriptor of a deleted file reads what it has mapped, or says what happened."""
    reader = octavo.open(path, io=io)
    _every_way(reader)

    def in_child() -> None:
        os.unlink(path)
        for way in WAYS.values():
            with contextlib.suppress(OctavoError):
                way(reader)

    _finish(_start(in_child))
    _every_way(reader)


# Writers belong to the process that made them.


def _forget(writer: octavo.Writer) -> None:
    """What the garbage collector does to a writer that nobody refers to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnclosedWriterWarning)
        writer.__del__()


def _close_against_the_rules(writer: octavo.Writer) -> None:
    writer.write(b"from the child")
    error_of(OctavoError, writer.close)


IN_CHILD: dict[str, Callable[[octavo.Writer], object]] = {
    "nothing": lambda _: None,
    "abort": lambda writer: writer.abort(),
    "close": _close_against_the_rules,
    "forget": _forget,
}


def fork_a_writer(path: str, in_child: str, *, flushed: bool, group_size: int | None = None) -> None:
    """Whatever a child does with the writer, the parent's file comes out whole."""
    with octavo.create(path, group_size=group_size) as writer:
        writer.write_many(CONTENT[:2000])
        if flushed:
            writer.flush()
        _finish(_start(lambda: IN_CHILD[in_child](writer)))
        assert os.path.exists(path + ".partial")
        assert not os.path.exists(path)
        writer.write_many(CONTENT[2000:])
    assert octavo.open(path).read_all() == CONTENT
    assert not os.path.exists(path + ".partial")


def fork_an_append(path: str, in_child: str, *, flushed: bool) -> None:
    """The same for a file that grows in place: a child cuts nothing off it, and adds nothing."""
    samples.write_plainly(path, CONTENT[:1000])
    with octavo.append(path) as writer:
        writer.write_many(CONTENT[1000:2000])
        if flushed:
            writer.flush()
        _finish(_start(lambda: IN_CHILD[in_child](writer)))
        assert octavo.open(path).read_all() == CONTENT[: 2000 if flushed else 1000]
        writer.write_many(CONTENT[2000:])
    assert octavo.open(path).read_all() == CONTENT


def fork_under_a_busy_writer(path: str, group_size: int | None = None) -> None:
    """A child may give up a writer that another thread of the parent was using at that moment."""
    with octavo.create(path, group_size=group_size) as writer:

        def work() -> None:
            writer.write(bytes(100_000))
            writer.flush()

        with _busy([work]):
            for _ in range(10):
                time.sleep(0.003)
                _finish(_start(writer.abort))
        count = writer.record_count
    assert len(octavo.open(path)) == count


def write_in_both(folder: str, suffix: str = ".ffr", group_size: int | None = None) -> None:
    """A child of a process that writes writes its own file."""

    def write(name: str) -> None:
        path = os.path.join(folder, name + suffix)
        with octavo.create(path, group_size=group_size) as writer:
            writer.write_many(CONTENT * 3)
        assert octavo.open(path).read_all() == CONTENT * 3

    write("before")
    child = _start(lambda: write("child"))
    write("parent")
    _finish(child)


# Worker processes: what is sent to them is pickled.


def _read_numbers(reader: octavo.Reader, numbers: list[int]) -> list[bytes]:
    return reader.read(numbers)


def _read_partition(partition: octavo.Partition) -> tuple[int, list[bytes]]:
    with partition.open() as reader:
        return partition.start, list(reader)


def _raise_in_worker(reader: octavo.Reader) -> bytes:
    return reader[COUNT]


def send_to_workers(path: str, method: str, io: IoMode) -> None:
    """Readers, slices, partitions and errors cross to workers and back."""
    reader = octavo.open([path, path], io=io)
    _single(reader)
    with multiprocessing.get_context(method).Pool(2) as pool:
        numbers = list(range(0, 2 * COUNT, 333))
        assert pool.apply(_read_numbers, (reader, numbers)) == [CONTENT[number % COUNT] for number in numbers]
        part = reader[COUNT + 5 : COUNT + 50 : 3]
        assert pool.apply(_read_numbers, (part, [0, 1, -1])) == [part[0], part[1], part[-1]]
        for start, got in pool.imap_unordered(_read_partition, reader.partitions(7)):
            assert got == (CONTENT * 2)[start : start + len(got)]
        alone = octavo.open(path, io=io)
        assert error_of(RecordIndexError, lambda: pool.apply(_raise_in_worker, (alone,))).record == COUNT
        pool.close()
        pool.join()


def read_partitions(path: str, max_records: int) -> None:
    """Tasks of so many records at most, done by workers in any order: every record comes once, and no chunk twice."""
    reader = octavo.open(path)
    partitions = reader.partitions(max_records=max_records)
    assert max(map(len, partitions)) <= max_records
    random.Random(max_records).shuffle(partitions)
    with multiprocessing.get_context("fork").Pool(3) as pool:
        found = dict(pool.imap_unordered(_read_partition, partitions, chunksize=50))
        pool.close()
        pool.join()
    assert len(found) == len(partitions), "two tasks begin at the same record"
    assert list(itertools.chain.from_iterable(found[start] for start in sorted(found))) == CONTENT


_inherited: list[octavo.Reader] = []


def _read_inherited(number: int) -> bytes:
    return _inherited[0][number]


def inherit_by_workers(path: str, io: IoMode) -> None:
    """A reader in a global variable, used before the workers are forked: how data loaders do it."""
    reader = octavo.open(path, io=io)
    _every_way(reader)
    _inherited.append(reader)
    with multiprocessing.get_context("fork").Pool(3) as pool:
        numbers = list(range(0, COUNT, 7))
        assert pool.map(_read_inherited, numbers) == [CONTENT[number] for number in numbers]
        pool.close()
        pool.join()

"""Reads files that change while they are open. Old bytes and octavo's errors are right; all else ends the process."""

from __future__ import annotations

import contextlib
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator

import octavo
from octavo._open import IoMode
from octavo.errors import OctavoError
from tests.faults import page_cache, samples
from tests.faults.programs.outcome import say

COUNT = 3000  # more than one batch, so that long reads run as a pipeline
OLD = samples.records(COUNT)
NEW_SEED = 1

Way = Callable[[octavo.Reader], None]


def _expect(numbers: Iterator[int] | range | list[int], got: list[bytes]) -> None:
    assert got == [OLD[number] for number in numbers], "wrong bytes"


def single(reader: octavo.Reader) -> None:
    """From the end: that is where a truncated file loses its pages."""
    for number in range(COUNT - 1, -1, -3):
        try:
            got = reader[number]
        except OctavoError:
            continue
        assert got == OLD[number], f"wrong bytes of record {number}: {got[:40]!r}"


def batch(reader: octavo.Reader) -> None:
    numbers = random.Random(1).sample(range(COUNT), 700)
    _expect(numbers, reader.read(numbers))


def few(reader: octavo.Reader) -> None:
    numbers = [COUNT - 1, 5, COUNT // 2]
    _expect(numbers, reader.read(numbers))


def whole(reader: octavo.Reader) -> None:
    _expect(range(COUNT), reader.read_all())


def iteration(reader: octavo.Reader) -> None:
    for number, got in enumerate(reader):
        assert got == OLD[number], f"wrong bytes of record {number}: {got[:40]!r}"


def backwards(reader: octavo.Reader) -> None:
    for number, got in zip(reversed(range(COUNT)), reversed(reader), strict=True):
        assert got == OLD[number], f"wrong bytes of record {number}: {got[:40]!r}"


def one_buffer(reader: octavo.Reader) -> None:
    numbers = list(range(COUNT - 1, 0, -7))
    _expect(numbers, reader.read_batch(numbers).to_list())


def into(reader: octavo.Reader) -> None:
    numbers = list(range(COUNT - 10, -1, -10))
    out = bytearray(samples.EVEN_BYTES * len(numbers))
    reader.read_into(numbers, out)
    _expect(numbers, [bytes(out[at : at + samples.EVEN_BYTES]) for at in range(0, len(out), samples.EVEN_BYTES)])


WAYS: tuple[Way, ...] = (single, batch, few, whole, iteration, backwards, one_buffer, into)


def _use(reader: octavo.Reader) -> None:
    """A reader that has been warm for a while takes short cuts."""
    for _ in range(6):
        assert reader.read([0, 1, COUNT - 1]) == [OLD[0], OLD[1], OLD[-1]]
    assert all(reader[number] == OLD[number] for number in range(70))


def read_after(path: str, change: str, io: IoMode, *, check_data: bool, drop_pages: bool = False) -> None:
    """Opens the file once for each way of reading it, changes it, and reads."""

    def opened() -> octavo.Reader:
        return octavo.open(path, io=io, check_data=check_data)

    fresh = [(way, opened()) for way in WAYS]
    used = [(way, opened()) for way in WAYS]
    for _, reader in used:
        _use(reader)
    begun = iter(opened())
    assert [next(begun) for _ in range(100)] == OLD[:100]
    if drop_pages:
        page_cache.drop(path)
    CHANGES[change](path)
    for way, reader in (*fresh, *used):
        with contextlib.suppress(OctavoError):
            way(reader)
    with contextlib.suppress(OctavoError):
        for number, got in enumerate(begun, 100):
            assert got == OLD[number], f"wrong bytes of record {number}: {got[:40]!r}"


def read_either(path: str, change: str, io: IoMode) -> None:
    """Changes the file under a reader that verifies hashes: each record is the old one or the new one, and whole."""
    new = samples.records(COUNT, seed=NEW_SEED)
    reader = octavo.open(path, io=io)
    _use(reader)
    CHANGES[change](path)
    read: tuple[Callable[[], list[bytes]], ...] = (
        lambda: [reader[number] for number in range(COUNT)],
        lambda: reader.read(range(COUNT)),
        reader.read_all,
        lambda: list(reader),
    )
    for way in read:
        with contextlib.suppress(OctavoError):
            for number, got in enumerate(way()):
                assert got in (OLD[number], new[number]), f"wrong bytes of record {number}: {got[:40]!r}"


def first_error(path: str, change: str, io: IoMode, *, check_data: bool) -> None:
    """Changes the file under a reader, and says what becomes of a read."""
    reader = octavo.open(path, io=io, check_data=check_data)
    _use(reader)
    CHANGES[change](path)
    try:
        got = reader[COUNT - 1]
    except OctavoError as error:
        say(f"{type(error).__name__} of {error.path}")
    else:
        say("old bytes" if got == OLD[-1] else "wrong bytes")


def open_tasks_after(path: str, change: str) -> None:
    """Partitions the file, changes it, and opens the parts: old records, whole new ones of a new file, or an error."""
    partitions = octavo.open(path).partitions(max_records=300)
    CHANGES[change](path)
    new = {*samples.records(COUNT, NEW_SEED)} if change.startswith("re") else set()
    for partition in partitions:
        with contextlib.suppress(OctavoError):
            found = list(partition.open())
            assert len(found) == len(partition), f"{len(found)} of {len(partition)} records"
            for number, got in enumerate(found, partition.start):
                assert got == OLD[number] or got in new, f"wrong bytes of record {number}: {got[:40]!r}"


def open_tasks_while_it_grows(path: str) -> None:
    """A file that only grew has the same tasks, torn or not."""
    partitions = octavo.open(path).partitions(max_records=300)
    with octavo.append(path) as writer:
        for number in range(10):
            writer.write(samples.sized(number, 5000))
            writer.flush()
            _expect(range(COUNT), [record for partition in partitions for record in partition.open()])
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) - 3)
    _expect(range(COUNT), [record for partition in partitions for record in partition.open()])


# What can happen to a file.


def _header_bytes() -> int:
    return 12 + 12 * COUNT


def _truncate(path: str, size: int) -> None:
    os.truncate(path, size)


def _truncate_in_a_record(path: str) -> None:
    number = COUNT // 2
    _truncate(path, _header_bytes() + sum(map(len, OLD[:number])) + len(OLD[number]) // 2)


def _truncate_between_pages(path: str) -> None:
    _truncate(path, os.path.getsize(path) // 2 // samples.PAGE_BYTES * samples.PAGE_BYTES)


def _truncate_before_the_last_page(path: str) -> None:
    _truncate(path, (os.path.getsize(path) - 1) // samples.PAGE_BYTES * samples.PAGE_BYTES)


def _write_new(path: str, content: list[bytes]) -> str:
    """Another file of the same format; its layout is the same if its records have the same lengths."""
    stem, suffix = os.path.splitext(path)
    new = f"{stem}.new{suffix}"
    samples.write_plainly(new, content)
    return new


def _write_beside(path: str, content: list[bytes]) -> None:
    os.rename(_write_new(path, content), path)


def _rewrite(path: str) -> None:
    with open(_write_new(path, samples.records(COUNT, NEW_SEED)), "rb") as new, open(path, "r+b") as file:
        file.write(new.read())


def _rewrite_and_hide_it(path: str) -> None:
    before = os.stat(path)
    _rewrite(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _rewrite_after_emptying(path: str) -> None:
    with open(_write_new(path, samples.records(COUNT, NEW_SEED)), "rb") as new, open(path, "wb") as file:
        file.write(new.read())


def _extend(path: str) -> None:
    with open(path, "ab") as file:
        file.write(b"more" * samples.PAGE_BYTES)


CHANGES: dict[str, Callable[[str], object]] = {
    "truncated to nothing": lambda path: _truncate(path, 0),
    "truncated in the header": lambda path: _truncate(path, _header_bytes() // 2),
    "truncated in a record": _truncate_in_a_record,
    "truncated between pages": _truncate_between_pages,
    "truncated before the last page": _truncate_before_the_last_page,
    "truncated by a byte": lambda path: _truncate(path, os.path.getsize(path) - 1),
    "replaced": lambda path: _write_beside(path, samples.records(COUNT, NEW_SEED)),
    "replaced by a shorter file": lambda path: _write_beside(path, samples.records(10, NEW_SEED)),
    "rewritten": _rewrite,
    "rewritten after emptying": _rewrite_after_emptying,
    "rewritten with its old time": _rewrite_and_hide_it,
    "extended": _extend,
    "deleted": os.unlink,
}


def read_while(path: str, happening: str, io: IoMode, *, check_data: bool) -> None:
    """Threads read in every way while the file shrinks or is rewritten."""
    failures: list[BaseException] = []

    def loop(way: Way, reader: octavo.Reader, done: threading.Event) -> None:
        while not done.is_set():
            try:
                way(reader)
            except OctavoError:
                continue
            except BaseException as failure:  # noqa: BLE001 - shown by the main thread
                failures.append(failure)
                return

    time.sleep(0.01)  # clocks of file systems tick slowly: the change must have another time than the file
    sys.setswitchinterval(0.0005)
    reader = octavo.open(path, io=io, check_data=check_data)
    done = threading.Event()
    threads = [threading.Thread(target=loop, args=(way, reader, done)) for way in WAYS]
    for thread in threads:
        thread.start()
    time.sleep(0.02)
    _HAPPENINGS[happening](path)
    time.sleep(0.02)
    done.set()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def _shrink(path: str) -> None:
    size = os.path.getsize(path)
    for parts in range(7, -1, -1):
        os.truncate(path, size * parts // 8)
        time.sleep(0.002)


_HAPPENINGS: dict[str, Callable[[str], object]] = {"shrinks": _shrink, "is rewritten": _rewrite}


def read_shard_after(paths: list[str], change: str, *, check_data: bool) -> None:
    """Changes the second of two files after both were opened as one and before it was touched."""
    reader = octavo.open(paths, check_data=check_data)
    assert reader[0] == OLD[0]
    CHANGES[change](paths[1])
    for number in range(COUNT):
        try:
            got = reader[COUNT + number]
        except OctavoError:
            continue
        assert got == OLD[number], f"wrong bytes of record {number} of the second file: {got[:40]!r}"

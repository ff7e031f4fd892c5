"""What storage gives, past the page cache, to anybody (no root). Linux only; elsewhere it cannot be told.

In order, the bytes of the files are read raw. At random, records that stand alone are read by octavo with
`io="direct"`, which keeps more reads in flight than Python can. Whether those bytes did come from storage is what the
system says: where the kernel's ring is forbidden, octavo reads through the page cache instead, and says nothing about
it. Then, and where a record costs a whole chunk, bytes are read raw here as well.
"""

from __future__ import annotations

import contextlib
import itertools
import mmap
import os
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from octavo._bench import _sample
from octavo._bench._figures import Device, Subject
from octavo._reader import Reader

BLOCK_BYTES = 1 << 20
IN_FLIGHT = 4
RANDOM_IN_FLIGHT = 16  # as octavo's own pool has where there is no ring
MOST_BYTES = 1 << 30
LEAST_BYTES = 4 << 20
PAGE = 4096
MOST_RECORDS = 200_000

_UNTOLD = "cannot be told: "


def measure(reader: Reader, subject: Subject, batch: int, *, may_reopen: bool, seconds: float) -> Device:
    """Both rates.

    Args:
        reader: The data set.
        subject: What is known of it.
        batch: Records of a random batch.
        may_reopen: Whether opening the files once more is quick.
        seconds: About how long this may take.
    """
    paths = reader.paths
    if not hasattr(os, "O_DIRECT"):
        return Device(None, None, _UNTOLD + "this system has no reads past its page cache")
    sizes = [os.path.getsize(path) for path in paths]
    if sum(sizes) < LEAST_BYTES:
        return Device(None, None, _UNTOLD + f"there are only {sum(sizes)} bytes")
    if _is_in_memory(paths[0]):
        return Device(None, None, _UNTOLD + "the files are in memory, not on a device")
    with contextlib.ExitStack() as files:
        try:
            descriptors = [_opened(path, files) for path in paths]
            _raw(descriptors, iter([(0, 0)]), BLOCK_BYTES, 1, seconds=0.0)
        except OSError:
            return Device(None, None, _UNTOLD + "the file system has no reads past the page cache")
        in_order = _raw(descriptors, _blocks(sizes, BLOCK_BYTES), BLOCK_BYTES, IN_FLIGHT, seconds=seconds / 2)
        at_random = _records(reader, subject, batch, seconds / 2) if may_reopen else None
        if at_random is None:
            at_random = _reads(descriptors, sizes, subject, in_order, seconds / 2)
    return Device(in_order, at_random, None)


def _is_in_memory(path: str) -> bool:
    """Whether the file system is one that has no storage: it may offer reads past the page cache all the same."""
    number = os.stat(path).st_dev
    wanted = f"{os.major(number)}:{os.minor(number)}"
    with contextlib.suppress(OSError), open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
        for line in file:  # proc_pid_mountinfo(5): the device is the third field, the kind follows a lone dash
            before, _, after = line.partition(" - ")
            if before.split()[2] == wanted:
                return after.split()[0] in {"tmpfs", "ramfs"}
    return False


def page_cache(paths: Sequence[str], seconds: float) -> float | None:
    """Bytes a second of a piece of a file that is in memory."""
    if not hasattr(os, "preadv"):
        return None
    path = max(paths, key=os.path.getsize)
    block = min(BLOCK_BYTES, os.path.getsize(path))
    if not block:
        return None
    with contextlib.ExitStack() as files:
        descriptor = _opened(path, files, flags=0)
        places = [(0, at) for at in range(0, min(os.path.getsize(path), _sample.BATCH_BYTES) - block + 1, block)]
        _raw([descriptor], iter(places), block, 1, seconds=seconds)
        return _raw([descriptor], itertools.cycle(places), block, 1, seconds=seconds)


def _opened(path: str, files: contextlib.ExitStack, flags: int | None = None) -> int:
    descriptor = os.open(path, os.O_RDONLY | (os.O_DIRECT if flags is None else flags))
    files.callback(os.close, descriptor)
    if flags is None:
        os.fsync(descriptor)  # or what was written a moment ago would be written now, at our expense
    return descriptor


def _blocks(sizes: Sequence[int], block: int) -> Iterator[tuple[int, int]]:
    """All blocks, in order: the number of the file, and where."""
    for file, size in enumerate(sizes):
        for at in range(0, size, block):
            yield file, at


def _random_places(sizes: Sequence[int], block: int) -> Iterator[tuple[int, int]]:
    picks = random.Random(8)  # noqa: S311 - which bytes are read is no secret
    files = range(len(sizes))
    while True:
        (file,) = picks.choices(files, sizes)
        yield file, picks.randrange(max(1, (sizes[file] - block) // PAGE)) * PAGE


def _raw(
    descriptors: Sequence[int], places: Iterator[tuple[int, int]], block: int, in_flight: int, *, seconds: float
) -> float | None:
    """Read blocks at places, several at a time, until there are none or the time is over: bytes a second."""
    end = time.perf_counter() + seconds
    turn = threading.Lock()
    done = [0] * in_flight

    def work(number: int) -> None:
        with mmap.mmap(-1, block) as memory:  # aligned to pages
            while done[number] * in_flight < MOST_BYTES:
                with turn:
                    place = next(places, None)
                if place is None:
                    return
                done[number] += os.preadv(descriptors[place[0]], [memory], place[1])
                if time.perf_counter() >= end:
                    return

    began = time.perf_counter()
    together(work, in_flight)
    return sum(done) / (time.perf_counter() - began) if any(done) else None


def together(work: Callable[[int], None], threads: int) -> None:
    """Run `work(number)` on so many threads and wait for all of them; the first failure is this call's."""
    failures: list[Exception] = []

    def run(number: int) -> None:
        try:
            work(number)
        except Exception as error:  # noqa: BLE001 - raised again below, where somebody can catch it
            failures.append(error)

    crew = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(threads)]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    if failures:
        raise failures[0]


def _reads(
    descriptors: Sequence[int], sizes: Sequence[int], subject: Subject, in_order: float | None, seconds: float
) -> float | None:
    """Records a second of raw reads at random, each of what a record needs."""
    wanted = subject.chunk_bytes * subject.stored_share
    if wanted >= BLOCK_BYTES:  # where reads are so long it does not matter what comes next
        rate = in_order
    else:
        wanted = max(PAGE, -(-int(wanted) // PAGE) * PAGE)
        rate = _raw(descriptors, _random_places(sizes, wanted), wanted, RANDOM_IN_FLIGHT, seconds=seconds)
    # Of chunks that stay decoded, each is read once, for all of its records.
    records = subject.chunk_bytes / max(subject.record_bytes, 1) if subject.is_cached else 1
    return None if rate is None else rate / wanted * records


def _records(reader: Reader, subject: Subject, batch: int, seconds: float) -> float | None:
    """Records a second of random batches, each record once.

    None if they did not come from storage, and where it is decoding that would be measured: of chunks with many
    records, and of records that are kept, of which only the first batches read any.
    """
    stored_bytes = subject.record_bytes * subject.stored_share
    if _bytes_from_storage() is None or subject.is_cached or subject.shares_chunks or stored_bytes >= BLOCK_BYTES:
        return None
    options = reader._options | {"io": "direct", "cache_bytes": 0}  # noqa: SLF001 - part of the package
    with Reader(reader._inputs, **options) as direct:  # noqa: SLF001 - the same
        picked = _sample.numbers(len(direct), stored_bytes, most_bytes=MOST_BYTES, most=MOST_RECORDS, seed=9)
        done, taken, end = 0, 0.0, time.perf_counter() + seconds
        before = _bytes_from_storage() or 0
        for numbers in _sample.cut(picked, batch):
            began = time.perf_counter()
            direct.read_batch(numbers)
            taken += time.perf_counter() - began
            done += len(numbers)
            if time.perf_counter() >= end:
                break
    fetched = (_bytes_from_storage() or 0) - before
    return done / taken if fetched >= done * stored_bytes / 2 else None


def _bytes_from_storage() -> int | None:
    """What this process has had fetched; see `read_bytes` in proc_pid_io(5)."""
    try:
        with open("/proc/self/io", encoding="ascii") as file:
            found = re.search(r"^read_bytes: (\d+)$", file.read(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) if found else None

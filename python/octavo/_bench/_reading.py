"""What reading costs once the bytes are in memory: decoding without Python objects, and with them."""

from __future__ import annotations

import os
import pickle
import signal
import time
import warnings
from collections.abc import Callable, Sequence

from octavo._bench._device import together
from octavo._bench._figures import Rate
from octavo._bench._sample import Sample
from octavo._bench._timing import Work
from octavo._reader import Reader

BLOCK_BYTES = 1 << 20  # larger ones cost more in fresh memory than they save in calls
MOST_SINGLE = 2_000


def decoding(reader: Reader, sample: Sample) -> Work:
    """Records in order, in blocks, on all CPUs. The reader must not keep decoded chunks."""

    def pass_through() -> tuple[int, int]:
        size = 0
        for start, stop in sample.stretches:
            at = start
            while at < stop:
                block = reader._read_block(at, stop - at, BLOCK_BYTES)  # noqa: SLF001 - part of the package
                at += len(block)
                size += block.nbytes
        return sample.record_count, size

    return pass_through


def iterating(reader: Reader, sample: Sample) -> Work:
    """`for record in reader`."""

    def pass_through() -> tuple[int, int]:
        size = 0
        for start, stop in sample.stretches:
            for record in reader[start:stop]:
                size += len(record)
        return sample.record_count, size

    return pass_through


def lists(reader: Reader, batches: Sequence[list[int]], seconds: float) -> Work:
    """`reader.read` for so many seconds, or until all batches were read."""
    return _for_a_while(batches, lambda batch: sum(map(len, reader.read(batch))), seconds)


def buffers(reader: Reader, batches: Sequence[list[int]], seconds: float) -> Work:
    """`reader.read_batch`."""
    return _for_a_while(batches, lambda batch: reader.read_batch(batch).nbytes, seconds)


def singles(reader: Reader, batches: Sequence[list[int]], seconds: float) -> Work:
    """`reader[i]`."""
    picked = [number for batch in batches for number in batch][:MOST_SINGLE]
    tens = [picked[at : at + 10] for at in range(0, len(picked), 10)]
    return _for_a_while(tens, lambda ten: sum([len(reader[number]) for number in ten]), seconds)


def _for_a_while(batches: Sequence[list[int]], read: Callable[[list[int]], int], seconds: float) -> Work:
    def one_round() -> tuple[int, int]:
        records, size, end = 0, 0, time.perf_counter() + seconds
        for batch in batches:
            size += read(batch)
            records += len(batch)
            if time.perf_counter() >= end:
                break
        return records, size

    return one_round


def by_threads(reader: Reader, batches: Sequence[list[int]], threads: int, seconds: float) -> Work:
    """`reader.read_batch` from several Python threads at the same time."""

    def one_round() -> tuple[int, int]:
        done: list[tuple[int, int]] = []
        end = time.perf_counter() + seconds

        def work(number: int) -> None:
            for at in range(number, len(batches) * threads, threads):  # each begins elsewhere
                batch = batches[at % len(batches)]
                done.append((len(batch), reader.read_batch(batch).nbytes))
                if time.perf_counter() >= end:
                    return

        together(work, threads)
        return sum(records for records, _ in done), sum(size for _, size in done)

    return one_round


def warm_up(reader: Reader, picked: Sequence[int], batch: int, seconds: float) -> list[int]:
    """Bring records into memory, and say which are there when the time is over: those of one batch at least."""
    end = time.monotonic() + seconds
    for at in range(0, len(picked), batch):
        reader.read_batch(picked[at : at + batch])
        if time.monotonic() >= end:
            return list(picked[: at + batch])
    return list(picked)


def on_one_cpu(measure: Callable[[], Rate]) -> Rate | None:
    """Measure in a child that may use one CPU only, whose pool then has one thread. None where that cannot be had."""
    if not hasattr(os, "sched_setaffinity") or not hasattr(os, "fork"):
        return None
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Python warns of forking with threads. The child runs octavo's native code, which is made for that, and ends.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        _be_the_child(measure, reading, writing)
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as answer:
            told = answer.read()
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        os.waitpid(child, 0)
    return pickle.loads(told) if told else None  # noqa: S301 - our own child's words


def _be_the_child(measure: Callable[[], Rate], reading: int, writing: int) -> None:
    """Nothing of the parent's may happen here a second time: no cleaning up, no output, no traceback."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.close(reading)
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        os.write(writing, pickle.dumps(measure()))
    except BaseException:  # noqa: BLE001, S110 - the parent sees that there is no answer
        pass
    finally:
        os._exit(0)

"""Random batches against the number of cores: a fresh process for each, since octavo counts them when it starts.

Beside octavo stands what memory itself gives: a plain copy, and the same records gathered by NumPy from the mapped
file, both with a thread for each core and without checksums.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
import mmap
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks import data, ffrecord

REPOSITORY = Path(__file__).parent.parent
SMALL, LARGE = 1_024, 4_096  # records of a batch
PARALLEL = "read_into-threads"  # a thread for each core; the other ways of octavo are called from one
COPY_BYTES = 512 << 20

Numbers = npt.NDArray[np.int64]
Work = Callable[[int], int]  # of a thread with this number until the time is up: how many bytes it moved


@dataclasses.dataclass(frozen=True)
class Scaled:
    """What some cores gave: bytes per second, by the way in which they were read."""

    cores: int
    rates: dict[str, float]


def measure(path: Path, cores: int, seconds: float) -> Scaled:
    """One number of cores, in a process of its own; so many seconds for each way."""
    command = [sys.executable, "-m", "benchmarks.scaling", str(path), str(cores), str(seconds)]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY)
    return Scaled(**json.loads(answer.stdout))


class Reading:
    """All ways to read random batches of records of one size."""

    def __init__(self, path: Path, cores: int, seconds: float) -> None:
        os.sched_setaffinity(0, _cpus_apart()[:cores])
        self.cores = cores
        self.seconds = seconds
        self.deadline = 0.0
        self.reader = importlib.import_module("octavo").open(path)
        self.order = importlib.import_module("octavo.shuffle").Permutation(len(self.reader), seed=7)
        offsets, lengths, _ = ffrecord.read_index(path)
        self.record_bytes = int(lengths[0])
        self.mapped = np.memmap(path, np.uint8, "r", int(offsets[0]), (len(lengths), self.record_bytes))
        # Pages of its own, as pinned tensors have. What malloc gives starts 16 bytes behind a page, records here 12
        # bytes behind one, and so near to each other many processors copy at a third of their speed.
        shape = (cores, max(SMALL, LARGE), self.record_bytes)
        self.target = np.frombuffer(mmap.mmap(-1, math.prod(shape)), np.uint8).reshape(shape)
        self.copied = np.ones((2, cores, COPY_BYTES // cores), np.uint8)

    def check(self, path: Path) -> None:
        """Raises unless the bytes are right."""
        wanted = data.random_order(len(self.reader), 50)
        self.reader.read_into(wanted, self.target[0, : len(wanted)])
        if [row.tobytes() for row in self.target[0, : len(wanted)]] != ffrecord.read_some(path, wanted):
            raise ValueError(f"wrong bytes from {path}")

    def rates(self) -> dict[str, float]:
        return {
            "memcpy": self._rate(self._copy, self.cores),
            "gather": self._rate(self._gather, self.cores),
            PARALLEL: self._rate(self._read_into, self.cores),
            "read_into": self._rate(self._read_into, 1),
            "read_into-large": self._rate(self._read_into_large, 1),
            "read_batch": self._rate(self._read_batch, 1),
            "read": self._rate(self._read, 1),
        }

    def _rate(self, work: Work, threads: int) -> float:
        self.deadline = time.perf_counter() + self.seconds / 4
        _together(work, threads)  # pages are touched, threads are started
        start = time.perf_counter()
        self.deadline = start + self.seconds
        return _together(work, threads) / (time.perf_counter() - start)

    def _batches(self, thread: int, size: int = SMALL) -> Iterator[Numbers]:
        """Other records for each thread, until the time is up."""
        start = thread * len(self.order) // self.cores
        while time.perf_counter() < self.deadline:
            if start + size > len(self.order):
                start = 0
            yield np.asarray(self.order[start : start + size])
            start += size

    def _copy(self, thread: int) -> int:
        moved = 0
        while time.perf_counter() < self.deadline:
            np.copyto(self.copied[0, thread], self.copied[1, thread])
            moved += self.copied[0, thread].nbytes
        return moved

    def _gather(self, thread: int) -> int:
        target = self.target[thread, :SMALL]
        return sum(np.take(self.mapped, batch, 0, target, "clip").nbytes for batch in self._batches(thread))

    def _read_into(self, thread: int, size: int = SMALL) -> int:
        target, moved = self.target[thread, :size], 0
        for batch in self._batches(thread, size):
            self.reader.read_into(batch, target)
            moved += target.nbytes
        return moved

    def _read_into_large(self, thread: int) -> int:
        return self._read_into(thread, LARGE)

    def _read_batch(self, thread: int) -> int:
        return sum(len(self.reader.read_batch(batch)) for batch in self._batches(thread)) * self.record_bytes

    def _read(self, thread: int) -> int:
        return sum(len(self.reader.read(batch)) for batch in self._batches(thread)) * self.record_bytes


def _together(work: Work, threads: int) -> int:
    moved = [0] * threads

    def run(thread: int) -> None:
        moved[thread] = work(thread)

    running = [threading.Thread(target=run, args=(thread,)) for thread in range(threads)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    return sum(moved)


def _cpus_apart() -> list[int]:
    """The CPUs of this process, those first that share their core with none before them."""

    def order(cpu: int) -> tuple[bool, int]:
        siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        first = siblings.read_text(encoding="ascii").replace("-", ",").split(",")[0] if siblings.exists() else cpu
        return int(first) != cpu, cpu

    return sorted(os.sched_getaffinity(0), key=order)


def _child(path: Path, cores: int, seconds: float) -> Scaled:
    reading = Reading(path, cores, seconds)
    reading.check(path)
    return Scaled(cores, reading.rates())


if __name__ == "__main__":
    print(json.dumps(dataclasses.asdict(_child(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))))

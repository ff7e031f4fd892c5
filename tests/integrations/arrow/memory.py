"""A program: streams of batches, and the memory that they take.

It has a process to itself, because what others allocate there would be counted, too.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from pathlib import Path

import pyarrow as pa

from octavo.integrations import arrow
from tests.settling import settles

ROOT = Path(__file__).parents[3]


def anonymous_kib() -> int:
    """Memory of this process that is not of files."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))


def abandon_streams(path: str) -> None:
    """Take one batch of a stream, in two ways, and then nothing more."""
    stream = arrow.scan(path, batch_size=1000)

    def abandon() -> None:
        reader = pa.RecordBatchReader.from_stream(stream)
        reader.read_next_batch()
        next(iter(stream))

    for _ in range(20):
        abandon()
    gc.collect()
    threads, before = threading.active_count(), anonymous_kib()
    for _ in range(300):  # of some 3 MB each
        abandon()
    gc.collect()
    settles(threading.active_count, threads)
    assert anonymous_kib() - before < 100_000


def scan_in_batches(path: str) -> None:
    """Go through 200 records of 1 MiB, a few at a time."""
    before, most = anonymous_kib(), 0
    for batch in arrow.scan(path, batch_size=1024, batch_bytes="4MB"):
        assert batch.nbytes < 5 << 20
        most = max(most, anonymous_kib() - before)
    assert most < 60_000  # of 200 MB


PROGRAMS = {program.__name__: program for program in (abandon_streams, scan_in_batches)}


def check(name: str, path: Path) -> None:
    """Run one of these in a process of its own."""
    command = [sys.executable, "-m", "tests.integrations.arrow.memory", name, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-4000:]


if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](sys.argv[2])

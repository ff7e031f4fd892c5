"""A program: many epochs of a `Loader`, after which the process is as it was.

It has a process to itself, because what others hold there would be counted, too.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import torch

from octavo.torch import Loader
from tests.integrations.torch.records import as_floats
from tests.settling import open_descriptors, settles

KIB = 1024
OPTIONS: dict[str, dict[str, Any]] = {"decoded": {"decode": as_floats}, "read into tensors": {"dtype": torch.float32}}


def resident_bytes() -> int:
    """What of the process is in memory."""
    with open("/proc/self/statm", encoding="ascii") as numbers:
        return int(numbers.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def main(path: Path, name: str) -> None:
    """Go through 4096 rows over and over."""
    loader = Loader(path, batch_size=64, threads=3, **OPTIONS[name])

    def run(epochs: int) -> None:
        for epoch in range(epochs):
            assert sum(len(batch) for batch in loader) == 4096
            for _ in loader:
                break  # an epoch that is given up, in the middle of its first batches
            loader.set_epoch(epoch)

    run(3)  # what a process has once for all it has now
    gc.collect()
    threads, descriptors, shared = threading.active_count(), open_descriptors(), os.listdir("/dev/shm")
    resident = resident_bytes()
    tracemalloc.start()
    run(1)
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    run(20)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 64 * KIB
    assert resident_bytes() - resident < 16 * KIB * KIB  # a fifth of what has passed through, and it comes and goes
    settles(threading.active_count, threads)
    settles(open_descriptors, descriptors)
    assert [name for name in os.listdir("/dev/shm") if name not in shared and str(os.getpid()) in name] == []
    loader.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])

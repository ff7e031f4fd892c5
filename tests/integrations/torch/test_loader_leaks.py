"""`Loader`: twenty epochs leave nothing behind."""

from __future__ import annotations

import gc
import os
import sys
import threading
import tracemalloc

import pytest

torch = pytest.importorskip("torch")

from octavo.torch import Loader  # noqa: E402
from tests.integrations.torch.records import as_floats, write_rows  # noqa: E402
from tests.settling import open_descriptors, settles  # noqa: E402

pytestmark = [
    pytest.mark.usefixtures("no_thread_is_left"),
    pytest.mark.skipif(sys.platform != "linux", reason="needs /proc"),
]
KIB = 1024
OPTIONS = {"decoded": {"decode": as_floats}, "read into tensors": {"dtype": torch.float32}}


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as numbers:
        return int(numbers.read().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.parametrize("name", OPTIONS)
def test_twenty_epochs_leave_nothing_behind(tmp_path, name):
    path = write_rows(tmp_path / "rows.ffr", 4096, width=256)  # 4 MiB an epoch
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
    try:
        run(1)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        run(20)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 64 * KIB
    assert resident_bytes() - resident < 16 * KIB * KIB  # a fifth of what has passed through, and it comes and goes
    settles(threading.active_count, threads)
    settles(open_descriptors, descriptors)
    assert [name for name in os.listdir("/dev/shm") if name not in shared and str(os.getpid()) in name] == []
    loader.close()

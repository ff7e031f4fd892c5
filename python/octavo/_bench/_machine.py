"""The machine, as far as it bears on reading."""

from __future__ import annotations

import contextlib
import os

from octavo._bench._figures import Machine

_CGROUP_LIMIT = "/sys/fs/cgroup/memory.max"
_POOL_THREAD = "octavo-cpu-"  # crates/octavo-engine/src/pool.rs


def describe() -> Machine:
    """CPUs and memory that this process may use. Something must have been read before: that starts the pool."""
    return Machine(_cpus(), _memory_bytes())


def _cpus() -> int:
    """Threads of the pool, which knows of quotas too; where they cannot be counted, the CPUs that we may run on."""
    found = 0
    with contextlib.suppress(OSError):
        for task in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{task}/comm", encoding="utf-8") as file:
                found += file.read().startswith(_POOL_THREAD)
    if found:
        return found
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory_bytes() -> int | None:
    try:
        physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # a system without it
        return None
    with contextlib.suppress(OSError, ValueError), open(_CGROUP_LIMIT, encoding="ascii") as file:
        return min(physical, int(file.read()))
    return physical

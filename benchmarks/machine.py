"""What the figures were measured on."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path

DISTRIBUTIONS = (
    "octavo",
    "bagz",
    "array_record",
    "pyrecordio",
    "tensorflow",
    "tensorflow-cpu",
    "octavo-floors",
    "numpy",
    "torch",
    "grain",
    "litdata",
    "mosaicml-streaming",
    "webdataset",
)


def describe() -> dict[str, object]:
    """Processor, memory, kernel and versions; nothing that names the machine or its user."""
    return {
        "cpu": _field("/proc/cpuinfo", "model name") or platform.processor() or "unknown",
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory": _field("/proc/meminfo", "MemTotal") or "unknown",
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": {name: version for name in DISTRIBUTIONS if (version := _version(name))},
    }


def _field(path: str, name: str) -> str | None:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), None)


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None

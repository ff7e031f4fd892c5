"""Programs that run with the injector between them and the C library."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

_RUN = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
module, name, arguments = sys.argv[2:]
getattr(importlib.import_module(module), name)(**json.loads(arguments))
"""

# These would load other libraries first, or write where a program's answer is expected.
_NOT_INHERITED = {"PYTHONDEVMODE", "PYTHONFAULTHANDLER", "PYTHONWARNINGS", "RUST_BACKTRACE", "LD_PRELOAD"}


def build(folder: Path) -> Path:
    """Compiles the injector, where that can be done."""
    if sys.platform != "linux" or platform.libc_ver()[0] != "glibc":
        pytest.skip("faults are injected into glibc on Linux")
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler to build the injector with")
    library = folder / "injector.so"
    built = subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-o", library, HERE / "injector.c", "-ldl", "-lpthread"],
        capture_output=True,
        text=True,
        check=False,
    )
    if "linux/io_uring.h" in built.stderr:
        pytest.skip("the headers of the kernel are not installed")
    assert built.returncode == 0, built.stderr
    return library


def run(library: Path, program: Callable[..., object], *, timeout_s: float = 360, **arguments: Any) -> Any:
    """What the program says at last, as JSON. It must end well, and in time."""
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
    told = json.dumps(arguments | {"library": str(library)}, default=os.fspath)
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", _RUN, str(ROOT), program.__module__, program.__name__, told],
        env=environment | {"LD_PRELOAD": str(library)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout_s,
    )
    assert ended.returncode == 0, f"ended with {ended.returncode}\n{ended.stdout[-2000:]}\n{ended.stderr[-4000:]}"
    return json.loads(ended.stdout.splitlines()[-1])

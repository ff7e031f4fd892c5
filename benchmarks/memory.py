"""How much memory a scan takes: each round is a fresh process that goes through the whole file with a `for` loop.

Counted is the highest resident size, opening included, above what the interpreter and the imports took. Pages of a
mapped file are part of it, as they are for everybody who watches the process.
"""

from __future__ import annotations

import dataclasses
import gc
import importlib
import json
import re
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.engines import ENGINES
from benchmarks.results import Sample

REPOSITORY = Path(__file__).parent.parent


def sample(engine: str, path: Path) -> Sample:
    """One scan, in a process of its own: a child of a large process would start with its parent's peak."""
    command = [sys.executable, "-m", "benchmarks.memory", engine, str(path)]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY)
    return Sample(**json.loads(answer.stdout))


def _child(name: str, path: str) -> Sample:
    engine = ENGINES[name]
    importlib.import_module(engine.module)
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is counted from here, see proc(5)
    before = _peak_bytes()
    start = time.perf_counter_ns()
    reader = engine.open(Path(path))
    engine.iterate(reader)()
    elapsed = time.perf_counter_ns() - start
    peak_bytes = _peak_bytes() - before
    engine.close(reader)
    return Sample(elapsed / 1e9, peak_bytes=peak_bytes)


def _peak_bytes() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.findall(r"VmHWM:\s*(\d+) kB", status)[0]) * 1024


if __name__ == "__main__":
    print(json.dumps(dataclasses.asdict(_child(*sys.argv[1:]))))

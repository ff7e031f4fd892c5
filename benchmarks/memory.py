"""How much memory a scan or a conversion takes: each round is a fresh process that goes through the whole file.

Counted is the highest resident size, opening included, above what the interpreter and the imports took. Pages of a
mapped file are part of it, as they are for everybody who watches the process.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import re
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.engines import ENGINES
from benchmarks.results import Sample

REPOSITORY = Path(__file__).parent.parent


def sample(engine: str, path: Path, target: Path | None = None) -> Sample:
    """One scan with a `for` loop, or one conversion where there is a target.

    In a process of its own: a child of a large process would start with its parent's peak.
    """
    command = [sys.executable, "-m", "benchmarks.memory", engine, str(path), *([str(target)] if target else [])]
    answer = subprocess.run(command, check=False, capture_output=True, text=True, cwd=REPOSITORY)
    if answer.returncode:
        raise RuntimeError(f"{engine}: it failed with {path}\n{answer.stderr}")
    return Sample(**json.loads(answer.stdout))


def _child(name: str, path: str, target: str | None = None) -> Sample:
    engine = ENGINES[name]
    engine.load()
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is counted from here, see proc(5)
    before = _peak_bytes()
    start = time.perf_counter_ns()
    reader = None
    if target is None:
        reader = engine.open(Path(path))
        engine.iterate(reader)()
    else:
        engine.convert(Path(path), Path(target))
    elapsed = time.perf_counter_ns() - start
    peak_bytes = _peak_bytes() - before
    if reader is not None:
        engine.close(reader)
    return Sample(elapsed / 1e9, peak_bytes=peak_bytes)


def _peak_bytes() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.findall(r"VmHWM:\s*(\d+) kB", status)[0]) * 1024


if __name__ == "__main__":
    print(json.dumps(dataclasses.asdict(_child(*sys.argv[1:]))))

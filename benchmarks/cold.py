"""Cold rounds: a fresh process for each, the file's pages dropped just before.

The child first reads a small cold file of another name, untimed: code pages, rings and threads must come from
somewhere too. No record is read twice, so all that is timed is cold.
"""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
import time
import zlib
from pathlib import Path

from benchmarks import data, page_cache
from benchmarks.cases import Case, Contender, Dataset, load_cases
from benchmarks.engines import ENGINES
from benchmarks.engines.base import Engine
from benchmarks.results import Sample

REPOSITORY = Path(__file__).parent.parent
WARM_UP = Dataset("warm-up", records=4_096, record_bytes=8_192)
COLD_MEANS_AT_MOST = 0.01  # of the file


def sample(case: str, label: str, round_: int, path: Path, *, quick: bool) -> Sample:
    """One cold round, in a process of its own."""
    page_cache.drop(path)
    left = page_cache.resident_bytes(path) / path.stat().st_size
    if left > COLD_MEANS_AT_MOST:
        print(f"{path.name}: {left:.0%} could not be dropped; is it mapped by another process?", file=sys.stderr)
    command = [sys.executable, "-m", "benchmarks.cold", case, label, str(round_), "quick" if quick else "full"]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY)
    return Sample(**json.loads(answer.stdout))


def _child(case_name: str, label: str, round_: str, size: str) -> Sample:
    case = next(case for case in load_cases(quick=size == "quick") if case.name == case_name)
    contender = next(contender for contender in case.contenders if contender.label == label)
    engine, dataset = ENGINES[contender.engine], contender.dataset
    # Other records for each round and engine: what lies below the page cache (a host, a disk) caches as well.
    seed = zlib.crc32(f"{label} {round_}".encode())

    small = data.path_of(WARM_UP, engine.suffix)
    page_cache.drop(small)
    engine.batch(engine.open(small), [data.random_order(WARM_UP.records, case.batch, seed=seed)])()

    path = data.path_of(dataset, engine.suffix)
    measured = _open(engine, path) if case.operation == "open" else _read(case, contender, engine, path, seed)
    data.check_answers(dataset, engine, path)
    return measured


def _open(engine: Engine, path: Path) -> Sample:
    before = _bytes_from_storage()
    start = time.perf_counter_ns()
    reader = engine.open(path)
    elapsed = time.perf_counter_ns() - start
    fetched = _bytes_from_storage() - before
    engine.close(reader)
    return Sample(elapsed / 1e9, fetched=fetched / path.stat().st_size)


def _read(case: Case, contender: Contender, engine: Engine, path: Path, seed: int) -> Sample:
    batches = data.cut(data.random_order(contender.dataset.records, contender.reads, seed=seed), case.batch)
    run = engine.batch(engine.open(path), batches)
    before = page_cache.resident_bytes(path)
    start = time.perf_counter_ns()
    run()
    elapsed = time.perf_counter_ns() - start
    kept = page_cache.resident_bytes(path) - before
    return Sample(elapsed / 1e9, kept / (contender.reads * contender.dataset.record_bytes))


def _bytes_from_storage() -> int:
    """Read-ahead and pages of mappings included; see `read_bytes` in proc_pid_io(5)."""
    return int(re.findall(r"^read_bytes: (\d+)$", Path("/proc/self/io").read_text(encoding="ascii"), re.MULTILINE)[0])


if __name__ == "__main__":
    print(json.dumps(dataclasses.asdict(_child(*sys.argv[1:]))))

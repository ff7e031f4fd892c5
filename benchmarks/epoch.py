"""Epochs of training: each round is a fresh process that goes through the data twice, timed the second time.

The first time, every record is compared with the data set's checksums, and workers, caches and the page cache get warm.
A process of its own, because loaders fork, keep threads and shared memory, and some of them cannot live beside each
other; what they leave among the temporary files is removed with the process.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data, ffrecord
from benchmarks.cases import Contender, Dataset, load_cases
from benchmarks.engines import ENGINES
from benchmarks.results import Sample

REPOSITORY = Path(__file__).parent.parent
# Nothing between the lines of the tables, no look at the network for newer versions, nothing on a GPU.
QUIET = {
    "CUDA_VISIBLE_DEVICES": "",
    "GRPC_VERBOSITY": "ERROR",
    "LITDATA_DISABLE_VERSION_CHECK": "1",
    "PYTHONWARNINGS": "ignore",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}


def sample(case: str, label: str, *, quick: bool) -> Sample:
    """One epoch, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.epoch", case, label, "quick" if quick else "full"]
    with tempfile.TemporaryDirectory(prefix="octavo-epoch-") as folder:
        environment = {**os.environ, **QUIET, "OCTAVO_BENCH_DIR": str(data.cache_folder()), "TMPDIR": folder}
        answer = subprocess.run(command, check=False, capture_output=True, text=True, cwd=REPOSITORY, env=environment)
    if answer.returncode:
        raise RuntimeError(f"{label}: an epoch failed\n{answer.stderr}")
    return Sample(**json.loads(answer.stdout.splitlines()[-1]))


def _child(case_name: str, label: str, size: str) -> Sample:
    case = next(case for case in load_cases(quick=size == "quick") if case.name == case_name)
    contender = next(contender for contender in case.contenders if contender.label == label)
    engine = ENGINES[contender.engine]
    path = data.make(contender.dataset, engine)
    loader = engine.epochs(path, case.batch)
    _check(contender, _part(loader, contender, case.batch))
    start = time.perf_counter_ns()
    records = sum(len(batch) for batch in _part(loader, contender, case.batch))
    elapsed = time.perf_counter_ns() - start
    if records != contender.reads:
        raise ValueError(f"{label}: {records} records in the second epoch, not {contender.reads}")
    return Sample(elapsed / 1e9)


def _part(loader: Iterable[Any], contender: Contender, batch: int) -> Iterable[Any]:
    """The whole epoch, or its first batches where one reads but a part of it."""
    is_whole = contender.reads == contender.dataset.records
    return itertools.islice(loader, None if is_whole else contender.reads // batch)


def _check(contender: Contender, batches: Iterable[Any]) -> None:
    """Raises unless records of the data set come as they are, none of them twice, in another order than in the file."""
    expected = _checksums(contender.dataset)
    found = [zlib.crc32(row) for batch in batches for row in np.asarray(batch)]
    if len(found) != contender.reads or collections.Counter(found) - collections.Counter(expected):
        raise ValueError(f"{contender.label}: these are not the records of an epoch")
    if found == expected[: len(found)]:
        raise ValueError(f"{contender.label}: the records were not shuffled")


def _checksums(dataset: Dataset) -> list[int]:
    checksums: list[int] = ffrecord.read_index(data.path_of(dataset, ".ffr"))[2].tolist()
    return checksums


if __name__ == "__main__":
    print(json.dumps(dataclasses.asdict(_child(*sys.argv[1:]))))

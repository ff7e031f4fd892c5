"""The data files: made once, kept in a cache folder, the same records in every format.

FFRecord comes first (`ffrecord.py`); the other formats are copies of it, made by their originals: octavo never reads
what it wrote.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks import contents, ffrecord
from benchmarks.cases import Dataset
from benchmarks.engines.base import Engine

Order = TypeVar("Order", list[int], range)

SEED = 20_240_229
CHECKED_RECORDS = 1_000


def cache_folder() -> Path:
    """Where data files are kept: `$OCTAVO_BENCH_DIR`, or a folder among the temporary files."""
    folder = Path(os.environ.get("OCTAVO_BENCH_DIR") or Path(tempfile.gettempdir()) / "octavo-bench")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def path_of(dataset: Dataset, suffix: str) -> Path:
    """The file of a data set; its name holds the sizes, so that changed sizes make a new file."""
    content = "" if dataset.content == "random" else f"-{dataset.content}"
    return cache_folder() / f"{dataset.records}x{dataset.record_bytes}{content}{suffix}"


def make(dataset: Dataset, engine: Engine) -> Path:
    """The data set in the engine's format, written now unless it is there."""
    source = path_of(dataset, ".ffr")
    if not source.exists():
        records = contents.CONTENTS[dataset.content](dataset.records, dataset.record_bytes, SEED)
        _publish(source, lambda path: ffrecord.write(path, dataset.records, records))
        ffrecord.check_index(source)
        ffrecord.read_some(source, random_order(dataset.records, min(CHECKED_RECORDS, dataset.records)))
    target = path_of(dataset, engine.suffix)
    if not target.exists():
        original = engine.original or engine
        _publish(target, lambda path: original.write(path, ffrecord.iter_records(source)))
    engine.prepare(target)
    return target


def check_answers(dataset: Dataset, engine: Engine, path: Path) -> None:
    """Raises unless the engine gives the right bytes: a quick wrong answer is no figure."""
    sample = random_order(dataset.records, 50)
    reader = engine.open(path)
    found = engine.fetch(reader, sample)
    if found is not None and found != ffrecord.read_some(path_of(dataset, ".ffr"), sample):
        raise ValueError(f"{engine.name}: wrong bytes from {path}")
    engine.close(reader)


def random_order(records: int, reads: int, distinct: int = 0, *, seed: int = SEED) -> list[int]:
    """Record numbers as plain ints, as users pass them: without repeats as long as there are enough records.

    With `distinct`, that many records are picked from the whole file and read again and again.
    """
    rng = np.random.default_rng(seed)
    if distinct:
        order = rng.permutation(records)[:distinct][rng.integers(0, min(distinct, records), reads)]
    elif reads <= records:
        order = rng.permutation(records)[:reads]
    else:
        order = rng.integers(0, records, reads)
    return [int(record) for record in order]


def cut(order: Order, size: int) -> list[Order]:
    """The order in batches."""
    return [order[start : start + size] for start in range(0, len(order), size)]


def _publish(path: Path, write: Callable[[Path], None]) -> None:
    # The same suffix, because writers choose the format by it; renamed, so that a half-made file is never kept.
    partial = path.with_name(f"making-{path.name}")
    if partial.is_dir():
        shutil.rmtree(partial)
    write(partial)
    os.sync()  # pages that wait to be written back cannot be dropped from the page cache
    partial.rename(path)

"""From a case and a contender to something that can be sampled round after round."""

from __future__ import annotations

import dataclasses
import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import cold, data, epoch, ffrecord, memory, page_cache
from benchmarks.cases import Case, Contender
from benchmarks.engines import ENGINES
from benchmarks.engines.base import Engine, Run, call_each
from benchmarks.results import Sample


@dataclasses.dataclass(frozen=True)
class Trial:
    """`sample(round)` makes one round; `items` is how many records (or calls) that is."""

    items: int
    sample: Callable[[int], Sample]


def prepare(case: Case, contender: Contender, *, quick: bool) -> Trial:
    """Makes the data, opens the reader and checks its answers; none of that is timed."""
    engine = ENGINES[contender.engine]
    if case.operation == "import":
        return Trial(1, lambda _round: _time_import(engine.module))
    if case.operation == "write":
        return _prepare_write(engine, contender)
    if case.operation == "permutation":
        return _prepare_permutation(case, contender, engine)
    if case.operation == "epoch":
        return Trial(contender.reads, lambda _round: epoch.sample(case.name, contender.label, quick=quick))
    path = data.make(contender.dataset, engine)
    if case.is_cold:
        data.make(cold.WARM_UP, engine)
        items = 1 if case.operation == "open" else contender.reads
        return Trial(items, lambda round_: cold.sample(case.name, contender.label, round_, path, quick=quick))
    return _prepare_warm(case, contender, engine, path)


def _prepare_warm(case: Case, contender: Contender, engine: Engine, path: Path) -> Trial:
    page_cache.warm(path)
    if case.operation in {"convert", "check"}:
        return _prepare_whole_file(case, contender, engine, path)
    data.check_answers(contender.dataset, engine, path)
    if case.operation == "scan_memory":
        return Trial(contender.reads, lambda _round: memory.sample(engine.name, path))
    if case.operation == "open":
        return Trial(1, lambda _round: _time(lambda: engine.open(path), engine.close))
    if case.operation == "partitions":
        return Trial(1, lambda _round: _time(lambda: engine.partitions(path, case.batch)))
    if case.is_fresh:
        return Trial(contender.reads, lambda _round: _time_fresh(case, contender, engine, path))
    run = _reading(case, contender, engine, engine.open(path))
    return Trial(contender.reads, lambda _round: _time(run))


def _reading(case: Case, contender: Contender, engine: Engine, reader: Any) -> Run:
    if case.operation == "read_all":
        return engine.read_all(reader)
    if case.operation == "iterate":
        return engine.iterate(reader)
    order = data.random_order(contender.dataset.records, contender.reads, case.distinct)
    # Each thread gets a run of the order, not every nth number: numbers are objects, whose memory is touched as well.
    share = -(-len(order) // contender.threads)
    parts = [_part(engine, reader, part, case) for part in data.cut(order, share)]
    return lambda: _run_together(parts)


def _part(engine: Engine, reader: Any, order: list[int], case: Case) -> Run:
    if case.operation == "single":
        return engine.single(reader, order)
    return engine.batch(reader, data.cut(order, case.batch))


def _run_together(parts: list[Run]) -> None:
    if len(parts) == 1:
        parts[0]()
        return
    threads = [threading.Thread(target=part) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _prepare_write(engine: Engine, contender: Contender) -> Trial:
    records = list(ffrecord.iter_records(data.make(contender.dataset, ENGINES["floor-open"])))
    target = data.cache_folder() / f"written-{engine.name.replace(':', '-')}{engine.suffix}"

    def remove() -> None:
        target.unlink()
        os.sync()  # the next engine must not wait for this one's pages

    def sample(_round: int) -> Sample:
        measured = _time(lambda: engine.write(target, records))
        file_bytes = target.stat().st_size
        remove()
        return dataclasses.replace(measured, file_bytes=file_bytes)

    engine.write(target, records)
    data.check_answers(contender.dataset, engine.original or engine, target)
    remove()
    return Trial(len(records), sample)


def _prepare_whole_file(case: Case, contender: Contender, engine: Engine, path: Path) -> Trial:
    if case.operation == "convert":
        return Trial(contender.reads, lambda _round: _convert(contender, engine, path))
    if (found := engine.check(path)) != contender.dataset.records:
        raise ValueError(f"{engine.name}: {found} records in {path}, not {contender.dataset.records}")
    return Trial(contender.reads, lambda _round: _time(lambda: engine.check(path)))


def _convert(contender: Contender, engine: Engine, source: Path) -> Sample:
    target = data.cache_folder() / f"converted-{engine.name.replace(':', '-')}{engine.target.suffix}"
    target.unlink(missing_ok=True)  # of a run that was interrupted: octavo would find that everything is done
    measured = memory.sample(engine.name, source, target)
    data.check_answers(contender.dataset, engine.target, target)
    file_bytes = target.stat().st_size
    target.unlink()
    os.sync()  # the next engine must not wait for this one's pages
    return dataclasses.replace(measured, file_bytes=file_bytes)


def _prepare_permutation(case: Case, contender: Contender, engine: Engine) -> Trial:
    size, batches = contender.dataset.records, data.cut(range(contender.reads), case.batch)
    take = engine.permutation(size)
    numbers = {number for positions in batches for number in take(positions)}
    if len(numbers) != contender.reads or min(numbers) < 0 or max(numbers) >= size:
        raise ValueError(f"{engine.name}: this is no permutation of {size} numbers")
    return Trial(contender.reads, lambda _round: _time(lambda: call_each(take, batches)))


def _time_fresh(case: Case, contender: Contender, engine: Engine, path: Path) -> Sample:
    reader = engine.open(path)
    measured = _time(_reading(case, contender, engine, reader))
    engine.close(reader)
    return measured


def _time(run: Run, after: Callable[[Any], object] = lambda _result: None) -> Sample:
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter_ns()
        result = run()
        elapsed = time.perf_counter_ns() - start
    finally:
        gc.enable()
    after(result)
    return Sample(elapsed / 1e9)


def _time_import(module: str) -> Sample:
    code = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    # Bytecode is kept, as installers leave it: the first round may write it, and the best one counts.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    # -P: the working folder must not stand in for an installed package.
    command = [sys.executable, "-P", "-c", code]
    answer = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return Sample(float(answer.stdout.split()[-1]))

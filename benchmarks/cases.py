"""Reads `cases.toml` into typed values. Pure: it opens no data file and times nothing."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path
from typing import Any, Literal

Operation = Literal["single", "batch", "read_all", "iterate", "write", "open", "import"]
BarKind = Literal["rate", "cost", "ms", "cached"]

CASES_PATH = Path(__file__).with_name("cases.toml")
QUICK_DIVISOR = 10
_BAR_KEYS: dict[str, BarKind] = {
    "at_least": "rate",
    "at_most": "cost",
    "at_most_ms": "ms",
    "cached_at_most": "cached",
}


@dataclasses.dataclass(frozen=True)
class Dataset:
    """Records of one size, in every format that a case needs."""

    name: str
    records: int
    record_bytes: int


@dataclasses.dataclass(frozen=True)
class Contender:
    """One engine in one setting: a row of the table."""

    label: str
    engine: str
    dataset: Dataset
    threads: int
    baseline: str  # the contender that a sweep compares with: the same engine at the first value


@dataclasses.dataclass(frozen=True)
class Bar:
    """What must hold for `of`: against `over` (rate, cost) or against the limit itself (ms, cached)."""

    of: str
    over: str | None
    kind: BarKind
    limit: float


@dataclasses.dataclass(frozen=True)
class Case:
    """One question, put to several contenders in turn."""

    name: str
    operation: Operation
    contenders: tuple[Contender, ...]
    bars: tuple[Bar, ...]
    reads: int  # records touched in one round; the whole data set where the operation does not choose
    distinct: int  # how many different records are read; 0 for as many as there are
    batch: int
    is_cold: bool
    is_sweep: bool


def load_cases(path: Path = CASES_PATH, *, quick: bool = False) -> list[Case]:
    """All cases in the order of the file. `quick` shrinks data sets and reads, to try the harness itself."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    divisor = QUICK_DIVISOR if quick else 1
    datasets = {
        name: Dataset(name, max(entry["records"] // divisor, 100), entry["record_bytes"])
        for name, entry in document["datasets"].items()
    }
    return [_case(entry, datasets, divisor) for entry in document["case"]]


def _case(entry: dict[str, Any], datasets: dict[str, Dataset], divisor: int) -> Case:
    sweep: dict[str, list[Any]] = entry.get("sweep", {})
    contenders = tuple(
        _contender(engine, value, entry, datasets)
        for value in next(iter(sweep.values()), [None])
        for engine in entry["engines"]
    )
    batch = entry.get("batch", 1)
    reads = entry.get("reads", 0) // divisor // batch * batch
    return Case(
        name=entry["name"],
        operation=entry["operation"],
        contenders=contenders,
        bars=tuple(
            bar for raw in entry["bars"] for bar in _bars(raw, entry["engines"][0], contenders, is_sweep=bool(sweep))
        ),
        reads=reads or contenders[0].dataset.records,
        distinct=entry.get("distinct", 0),
        batch=batch,
        is_cold=entry.get("cold", False),
        is_sweep=bool(sweep),
    )


def _contender(
    engine: str,
    value: Any,
    entry: dict[str, Any],
    datasets: dict[str, Dataset],
) -> Contender:
    sweep: dict[str, list[Any]] = entry.get("sweep", {})
    swept = next(iter(sweep), None)
    dataset = datasets[value if swept == "dataset" else entry.get("dataset", next(iter(datasets)))]
    threads = value if swept == "threads" else 1
    if swept is None:
        return Contender(engine, engine, dataset, threads, engine)
    return Contender(f"{engine}@{value}", engine, dataset, threads, f"{engine}@{sweep[swept][0]}")


def _bars(raw: dict[str, Any], subject: str, contenders: tuple[Contender, ...], *, is_sweep: bool) -> list[Bar]:
    (key,) = _BAR_KEYS.keys() & raw.keys()
    of, over, kind, limit = raw.get("of", subject), raw.get("over"), _BAR_KEYS[key], float(raw[key])
    if not is_sweep:
        return [Bar(of, over, kind, limit)]
    return [
        Bar(contender.label, contender.baseline, kind, limit)
        for contender in contenders
        if contender.engine == of and contender.label != contender.baseline
    ]

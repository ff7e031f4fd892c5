"""Reads `cases.toml` into typed values. Pure: it opens no data file and times nothing."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path
from typing import Any, Literal

Operation = Literal[
    "single",
    "batch",
    "read_all",
    "iterate",
    "write",
    "open",
    "partitions",
    "import",
    "scan_memory",
    "epoch",
    "permutation",
    "convert",
    "check",
]
BarKind = Literal["rate", "cost", "ms", "cached", "fetched", "size", "peak"]
Content = Literal["random", "text"]

CASES_PATH = Path(__file__).with_name("cases.toml")
QUICK_DIVISOR = 10
_BAR_KEYS: dict[str, BarKind] = {
    "at_least": "rate",
    "at_most": "cost",
    "at_most_ms": "ms",
    "cached_at_most": "cached",
    "fetched_at_most": "fetched",
    "size_at_most": "size",
    "peak_at_most_mb": "peak",
}


@dataclasses.dataclass(frozen=True)
class Dataset:
    """The same records in every format that a case needs."""

    name: str
    records: int
    record_bytes: int  # of each; of text, on average
    content: Content = "random"


@dataclasses.dataclass(frozen=True)
class Contender:
    """One engine in one setting: a row of the table."""

    label: str
    engine: str
    dataset: Dataset
    reads: int  # records touched in one round (`reads_of`: for one engine); the whole data set where none are chosen
    threads: int
    baseline: str  # the contender that a sweep compares with: the same engine at the first value


@dataclasses.dataclass(frozen=True)
class Bar:
    """What must hold for `of`: against `over` (rate, cost, size) or against the limit (ms, cached, fetched, peak)."""

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
    distinct: int  # how many different records are read; 0 for as many as there are
    batch: int  # records of a batch; of partitions, the most records of one
    rounds: (
        int  # the most that are made, where even a slow engine shows enough in a few; 0 for as many as are asked for
    )
    is_cold: bool
    is_fresh: bool  # every round opens a reader of its own (untimed), so that none finds what the last had decoded
    is_sweep: bool


def load_cases(path: Path = CASES_PATH, *, quick: bool = False) -> list[Case]:
    """All cases in the order of the file. `quick` shrinks data sets and reads, to try the harness itself."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    divisor = QUICK_DIVISOR if quick else 1
    datasets = {
        name: Dataset(name, **{**entry, "records": max(entry["records"] // divisor, 100)})
        for name, entry in document["datasets"].items()
    }
    return [_case(entry, datasets, divisor) for entry in document["case"]]


def _case(entry: dict[str, Any], datasets: dict[str, Dataset], divisor: int) -> Case:
    sweep: dict[str, list[Any]] = entry.get("sweep", {})
    contenders = tuple(
        _contender(engine, value, entry, datasets, divisor)
        for value in next(iter(sweep.values()), [None])
        for engine in entry["engines"]
    )
    return Case(
        name=entry["name"],
        operation=entry["operation"],
        contenders=contenders,
        bars=tuple(
            bar for raw in entry["bars"] for bar in _bars(raw, entry["engines"][0], contenders, is_sweep=bool(sweep))
        ),
        distinct=entry.get("distinct", 0),
        batch=entry.get("batch", 1),
        rounds=entry.get("rounds", 0),
        is_cold=entry.get("cold", False),
        is_fresh=entry.get("fresh", False),
        is_sweep=bool(sweep),
    )


def _contender(
    engine: str,
    value: Any,
    entry: dict[str, Any],
    datasets: dict[str, Dataset],
    divisor: int,
) -> Contender:
    sweep: dict[str, list[Any]] = entry.get("sweep", {})
    swept = next(iter(sweep), None)
    dataset = datasets[value if swept == "dataset" else entry.get("dataset", next(iter(datasets)))]
    threads = value if swept == "threads" else 1
    batch = entry.get("batch", 1)
    wanted = entry.get("reads_of", {}).get(engine, entry.get("reads"))
    # Chosen records come in full batches; all of them may end with a smaller one.
    reads = dataset.records if wanted is None else max(wanted // divisor // batch, 1) * batch
    if swept is None:
        return Contender(engine, engine, dataset, reads, threads, engine)
    return Contender(f"{engine}@{value}", engine, dataset, reads, threads, f"{engine}@{sweep[swept][0]}")


def _bars(raw: dict[str, Any], subject: str, contenders: tuple[Contender, ...], *, is_sweep: bool) -> list[Bar]:
    (key,) = _BAR_KEYS.keys() & raw.keys()
    of, over, kind, limit = raw.get("of", subject), raw.get("over"), _BAR_KEYS[key], float(raw[key])
    if not is_sweep:
        return [Bar(of, one, kind, limit) for one in (over if isinstance(over, list) else [over])]
    return [
        Bar(contender.label, contender.baseline, kind, limit)
        for contender in contenders
        if contender.engine == of and contender.label != contender.baseline
    ]

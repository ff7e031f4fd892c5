"""Results as a table for people and as JSON for programs."""

from __future__ import annotations

import dataclasses
import textwrap
from typing import Any

from benchmarks.cases import BarKind, Case
from benchmarks.page_text import why_short
from benchmarks.results import CaseResult, Verdict

COLUMNS = (36, 12, 11, 14, 14)
UNITS: dict[BarKind, str] = {
    "rate": "x",
    "cost": "x cost",
    "ms": " ms",
    "cached": " kept in cache",
    "fetched": " fetched",
    "size": "x file",
    "peak": " MB",
}


def lines(result: CaseResult) -> list[str]:
    """The table of one case. A row's ratio is the first engine's over it; in a sweep, its own over its first value."""
    case = result.case
    out = [case.name, _row("", "rate", "each", "vs its first" if case.is_sweep else "first vs it", "bar", "")]
    for contender in case.contenders:
        label = contender.label
        if label in result.absent:
            out.append(_row(label, "", "", "", "", result.absent[label]))
            continue
        measured, ratio = result.rows[label], _ratio(result, label)
        verdicts = [verdict for verdict in result.verdicts() if label == _row_of(verdict, is_sweep=case.is_sweep)]
        shown = [
            verdict for verdict in verdicts if verdict.bar.kind in {"rate", "cost"} and not _is_of_other(case, verdict)
        ]
        notes = [_status(verdict) for verdict in shown]
        bar = _limit(shown[0]) if shown else ""
        if measured.cached is not None:
            notes.append(f"{measured.cached:.1%} of it kept in the page cache")
        if measured.fetched is not None:
            notes.append(f"{measured.fetched:.2%} of the file fetched")
        if measured.file_bytes is not None:
            notes.append(f"file of {measured.file_bytes / 1e6:.4g} MB")
        if measured.peak_bytes is not None:
            notes.append(f"{measured.peak_bytes / 1e6:.4g} MB of memory")
        for verdict in (verdict for verdict in verdicts if verdict not in shown):
            note = f"{_limit(verdict)} {_status(verdict)}"
            notes.append(f"{verdict.bar.of} {_value(verdict)} {note}" if _is_of_other(case, verdict) else note)
        rate, each = f"{_count(measured.rate)}/s", _duration(measured.seconds_each)
        out.append(_row(label, rate, each, ratio, bar, ", ".join(notes)))
    return out


def summary(results: list[CaseResult], skipped: int) -> str:
    """One line: how many bars are met, and how many cases were not asked at all."""
    verdicts = [verdict for result in results for verdict in result.verdicts()]
    absent = sum(verdict.value is None for verdict in verdicts)
    met = sum(verdict.is_met for verdict in verdicts)
    short = len(verdicts) - met - absent
    return f"{met} of {len(verdicts)} bars met, {short} short, {absent} not measured; {skipped} cases skipped"


def shortfalls(results: list[CaseResult]) -> list[str]:
    """The bars that do not hold, each case with what is known of why."""
    out = []
    for result in results:
        short = [verdict for verdict in result.verdicts() if verdict.value is not None and not verdict.is_met]
        for verdict in short:
            over = f" over {verdict.bar.over}" if verdict.bar.over else ""
            out.append(f"  {result.case.name}: {verdict.bar.of}{over} {_value(verdict)}, bar {_limit(verdict)}")
        if short:
            out.append(textwrap.indent(textwrap.fill(why_short(result.case.name), 110), "    "))
    return out


def as_json(results: list[CaseResult], machine: dict[str, object], rounds: int, *, quick: bool) -> dict[str, Any]:
    """Everything that was measured, every round included."""
    return {
        "machine": machine,
        "rounds": rounds,
        "quick": quick,
        "cases": [
            {
                "name": result.case.name,
                "engines": [
                    {
                        "engine": label,
                        "items": measured.items,
                        "rate": measured.rate,
                        "best_s": measured.seconds,
                        "rounds_s": [sample.seconds for sample in measured.samples],
                        "cached": measured.cached,
                        "fetched": measured.fetched,
                        "file_bytes": measured.file_bytes,
                        "peak_bytes": measured.peak_bytes,
                    }
                    for label, measured in result.rows.items()
                ],
                "absent": result.absent,
                "bars": [
                    {**dataclasses.asdict(verdict.bar), "value": verdict.value, "met": verdict.is_met}
                    for verdict in result.verdicts()
                ],
            }
            for result in results
        ],
    }


def _ratio(result: CaseResult, label: str) -> str:
    case = result.case
    kind: BarKind = case.bars[0].kind if case.is_sweep else "rate"
    first = next(c.baseline if case.is_sweep else case.contenders[0].label for c in case.contenders if c.label == label)
    value = result.ratio(label, first, kind) if case.is_sweep else result.ratio(first, label, kind)
    return "" if value is None or first == label else f"{value:.2f}{UNITS[kind]}"


def _row_of(verdict: Verdict, *, is_sweep: bool) -> str | None:
    """The row that shows a bar: that of the engine compared with, or its own where there is none."""
    return verdict.bar.of if is_sweep or verdict.bar.over is None else verdict.bar.over


def _is_of_other(case: Case, verdict: Verdict) -> bool:
    """Whether a bar compares two engines and neither is the first, so that no ratio of the table belongs to it."""
    return not case.is_sweep and verdict.bar.over is not None and verdict.bar.of != case.contenders[0].label


def _value(verdict: Verdict) -> str:
    return "" if verdict.value is None else f"{verdict.value:.2f}{UNITS[verdict.bar.kind]}"


def _limit(verdict: Verdict) -> str:
    sign = ">=" if verdict.bar.kind == "rate" else "<="
    limit = f"{verdict.bar.limit:.0%}" if verdict.bar.kind in {"cached", "fetched"} else f"{verdict.bar.limit:g}"
    return f"{sign} {limit}{UNITS[verdict.bar.kind]}"


def _status(verdict: Verdict) -> str:
    if verdict.value is None:
        return "not measured"
    return "ok" if verdict.is_met else "SHORT"


def _row(label: str, *cells: str) -> str:
    columns = [f"{cell:>{width}}" for cell, width in zip(cells, COLUMNS[1:], strict=False)]
    return f"  {label:<{COLUMNS[0]}}{''.join(columns)}  {cells[-1]}".rstrip()


def _count(value: float) -> str:
    for limit, unit in ((1e6, " M"), (1e3, " k")):
        if value >= limit:
            return f"{value / limit:.2f}{unit}"
    return f"{value:.1f} "


def _duration(seconds: float) -> str:
    for limit, unit in ((1e-6, "ns"), (1e-3, "us"), (1.0, "ms")):
        if seconds < limit:
            return f"{seconds / limit * 1000:.4g} {unit}"
    return f"{seconds:.2f} s"

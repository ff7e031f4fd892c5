"""`python -m benchmarks.page RESULTS.json`: the page about speed in the documentation, from what `make bench` measured.

Three files: `docs/performance.json` has the figures without the single rounds, `docs/performance.md` and the picture
are made of it and of nothing else. The sentences are fixed; every number comes from the JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.page_chart import chart
from benchmarks.page_text import HEAD, HOW, QUICK, TOPICS, why_short

DOCS = Path(__file__).parent.parent / "docs"
KEPT = ("engine", "items", "rate", "cached", "fetched", "file_bytes", "peak_bytes")
FAMILIES = ("octavo", "array_record", "bagz", "pyrecordio", "TFRecord", "others", "floors")
FAMILY_OF_ENGINE = {
    "octavo": "octavo",
    "drop-in": "octavo",
    "array_record": "array_record",
    "bagz": "bagz",
    "pyrecordio": "pyrecordio",
    "tensorflow": "TFRecord",
    "loop": "TFRecord",
}
RATIOS = {"rate": "rate", "cost": "cost", "size": "file size"}
LIMITS = {"ms": "time", "cached": "kept in the page cache", "fetched": "fetched from storage", "peak": "memory"}


def main(arguments: list[str] | None = None) -> int:
    """Writes the three files."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__)
    parser.add_argument("results", metavar="RESULTS.json", type=Path, nargs="+", help="what `--json` wrote, in parts")
    parser.add_argument("--docs", type=Path, default=DOCS, help="the folder to write to (default: docs)")
    options = parser.parse_args(arguments)
    try:
        figures = condense([json.loads(path.read_text(encoding="utf-8")) for path in options.results])
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    (options.docs / "images").mkdir(parents=True, exist_ok=True)
    written = {
        "performance.json": json.dumps(figures, indent=1) + "\n",
        "performance.md": page(figures),
        "images/performance.svg": chart(figures),
    }
    for name, text in written.items():
        (options.docs / name).write_text(text, encoding="utf-8")
    return 0


def condense(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """One set of figures, without the single rounds; of a case that was measured twice, the later one.

    Raises:
        ValueError: The parts come from different machines, or were not measured in the same way.
    """
    first = parts[0]
    for part in parts:
        if part["machine"] != first["machine"] or part["quick"] != first["quick"]:
            raise ValueError("the files come from different machines or settings: measure all of them in one place")
    cases = {case["name"]: case for part in parts for case in part["cases"]}
    return {
        "machine": first["machine"],
        "rounds": min(part["rounds"] for part in parts),
        "quick": first["quick"],
        "cases": [_condensed(case) for case in cases.values()],
    }


def _condensed(case: dict[str, Any]) -> dict[str, Any]:
    engines = [
        {name: _rounded(engine[name]) for name in KEPT if engine.get(name) is not None} for engine in case["engines"]
    ]
    bars = [{**bar, "value": _rounded(bar["value"])} for bar in case["bars"]]
    return {"name": case["name"], "engines": engines, "absent": case["absent"], "bars": bars}


def _rounded(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def page(figures: dict[str, Any]) -> str:
    """The page, from the condensed figures."""
    parts = [HEAD, QUICK if figures["quick"] else "", *_machine(figures), *_summary(figures)]
    for prefix, title, text in TOPICS:
        if cases := [case for case in figures["cases"] if case["name"].partition("/")[0] == prefix]:
            parts += [f"## {title}", text, _rates(cases), _bars(cases)]
    if not figures["quick"]:  # else there is nothing to explain
        parts += _shortfalls(figures)
    parts.append(HOW)
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _machine(figures: dict[str, Any]) -> Iterator[str]:
    machine = figures["machine"]
    memory, _, unit = str(machine["memory"]).partition(" ")
    shown = f"{int(memory) * 1024 / 1e9:.1f} GB" if unit == "kB" and memory.isdigit() else machine["memory"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    rows = [
        ("processor", f"{machine['cpu']}, {machine['cores']} cores"),
        ("memory", shown),
        ("system", f"{machine['kernel']}, {machine['python']}"),
        ("versions", versions),
        ("rounds", f"{figures['rounds']}, and more of short ones; the best counts"),
    ]
    yield "## The machine"
    yield _table(["", ""], rows)


def _summary(figures: dict[str, Any]) -> Iterator[str]:
    verdicts = [bar for case in figures["cases"] for bar in case["bars"]]
    met = sum(bar["met"] for bar in verdicts)
    unmeasured = sum(bar["value"] is None for bar in verdicts)
    short = len(verdicts) - met - unmeasured
    yield "## In one look"
    yield (
        f"{len(figures['cases'])} cases were measured, and {met} of their {len(verdicts)} bars hold; {short} do not, "
        f"{unmeasured} could not be measured."
    )
    yield "![Every bar: how far its figure is from it](images/performance.svg)"


def _rates(cases: list[dict[str, Any]]) -> str:
    cells = [(case["name"], _by_family(case)) for case in cases]
    used = [family for family in FAMILIES if any(family in found for _, found in cells)]
    rows = [(f"`{name}`", *("<br>".join(found.get(family, [])) for family in used)) for name, found in cells]
    return _table(["case", *used], rows)


def _by_family(case: dict[str, Any]) -> dict[str, list[str]]:
    """Rates of the engines of a family; what an engine's name says beyond the family stands behind its rate."""
    found: dict[str, list[str]] = {}
    for engine in case["engines"]:
        label = engine["engine"]
        name, _, setting = label.partition("@")
        base, _, variant = name.partition(":")
        family = "floors" if base.startswith("floor-") else FAMILY_OF_ENGINE.get(base, "others")
        told = base.removeprefix("floor-") if family in {"floors", "others"} else ""
        detail = " ".join(filter(None, [told, variant, setting and f"@{setting}"]))
        found.setdefault(family, []).append(f"{count(engine['rate'])}/s {detail}".strip())
    for label, reason in case["absent"].items():
        base = label.partition("@")[0].partition(":")[0]
        found.setdefault(FAMILY_OF_ENGINE.get(base, "others"), []).append(reason.partition(":")[0])
    return found


def count(value: float) -> str:
    """A rate as people read it."""
    for limit, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= limit:
            return f"{value / limit:.3g}{unit}"
    return f"{value:.3g}"


def _bars(cases: list[dict[str, Any]]) -> str:
    rows = [(f"`{case['name']}`", *_bar(bar)) for case in cases for bar in case["bars"]]
    return _table(["case", "what", "bar", "figure", "holds"], rows) if rows else ""


def _bar(bar: dict[str, Any]) -> tuple[str, str, str, str]:
    kind = bar["kind"]
    what = f"{RATIOS[kind]} of {bar['of']} over {bar['over']}" if kind in RATIOS else f"{LIMITS[kind]}: {bar['of']}"
    holds = "not measured" if bar["value"] is None else "yes" if bar["met"] else "**no**"
    figure = "" if bar["value"] is None else _amount(bar["value"], kind)
    return what, f"{'≥' if kind == 'rate' else '≤'} {_amount(bar['limit'], kind)}", figure, holds


def _amount(value: float, kind: str) -> str:
    if kind in {"cached", "fetched"}:
        return f"{value:.2%}"
    shown = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004 - from there on, whole numbers do
    return shown + {"ms": " ms", "peak": " MB"}.get(kind, "")


def _shortfalls(figures: dict[str, Any]) -> Iterator[str]:
    """A paragraph for each reason, with the bars that it is about."""
    short: dict[str, list[str]] = {}
    for case in figures["cases"]:
        for bar in case["bars"]:
            if not bar["met"] and bar["value"] is not None:
                what, limit, figure, _ = _bar(bar)
                short.setdefault(why_short(case["name"]), []).append(
                    f"* `{case['name']}`: {what} is {figure}, the bar {limit}"
                )
    if not short:
        return
    yield "## What does not hold"
    for note, lines in short.items():
        yield "\n".join(lines)
        yield note


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())

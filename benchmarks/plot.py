"""The ratios as a picture: one horizontal bar each, its limit marked. The only module that needs matplotlib."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from benchmarks.results import CaseResult, Verdict

MET, SHORT = "#2a7f62", "#c0392b"
WHAT = {"rate": "speed", "cost": "cost", "size": "file size"}


def draw(results: list[CaseResult], path: Path) -> bool:
    """Writes SVG, PNG or whatever the suffix says; False when no ratio was measured."""
    drawn = [
        (_label(result, verdict), verdict)
        for result in results
        for verdict in result.verdicts()
        if verdict.value is not None and verdict.bar.kind in WHAT
    ]
    if not drawn:
        return False
    matplotlib: Any = importlib.import_module("matplotlib")
    matplotlib.use("agg")  # no display needed
    pyplot: Any = importlib.import_module("matplotlib.pyplot")
    figure, axes = pyplot.subplots(figsize=(10, 1.2 + 0.32 * len(drawn)), layout="constrained")
    positions = range(len(drawn))
    values = [verdict.value for _, verdict in drawn]
    axes.barh(positions, values, height=0.62, color=[MET if verdict.is_met else SHORT for _, verdict in drawn])
    for position, (_, verdict) in zip(positions, drawn, strict=True):
        limit, sign = verdict.bar.limit, "≥" if verdict.bar.kind == "rate" else "≤"
        axes.plot([limit, limit], [position - 0.42, position + 0.42], color="black", linewidth=1.5)
        axes.annotate(
            f"{verdict.value:.2f}  ({sign} {limit:g})",
            (max(verdict.value or 0, limit), position),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    axes.set_yticks(positions, [label for label, _ in drawn], fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.margins(x=0.25)
    axes.set_xlabel("ratio, best of all rounds in one run (log scale); black mark: the bar")
    axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
    return True


def _label(result: CaseResult, verdict: Verdict) -> str:
    return f"{result.case.name}: {WHAT[verdict.bar.kind]} of {verdict.bar.of} over {verdict.bar.over}"

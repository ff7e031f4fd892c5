"""The bars as a picture, without a library: the same figures give the same bytes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from typing import Any

LINE, PLOT_WIDTH, TOP = 18, 380, 34
LETTER_WIDTH = 6.2  # at most, on average, at this size
MET, SHORT, UNMEASURED = "#2a7f62", "#c0392b", "#888888"
LARGEST = 100.0  # a figure that is further from its bar is drawn as if it were not


def chart(figures: dict[str, Any]) -> str:
    """One line a bar: how many times better its figure is than what is asked for, on a logarithmic scale."""
    bars = [(case["name"], bar) for case in figures["cases"] for bar in case["bars"]]
    height = TOP + LINE * len(bars) + 10
    longest = max((len(_label(name, bar)) for name, bar in bars), default=0)
    width = PLOT_WIDTH + 30 + round(LETTER_WIDTH * longest)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"',
        ' font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        *_scale(height),
    ]
    for number, (name, bar) in enumerate(bars):
        lines += _line(TOP + LINE * number, name, bar)
    return "\n".join([*lines, "</svg>"]) + "\n"


def headroom(bar: dict[str, Any]) -> float | None:
    """How many times better a figure is than its bar asks for; below 1 the bar does not hold."""
    value, limit = bar["value"], bar["limit"]
    if value is None:
        return None
    better, worse = (value, limit) if bar["kind"] == "rate" else (limit, value)
    return LARGEST if worse <= better / LARGEST else max(float(better) / float(worse), 1 / LARGEST)


def _place(ratio: float) -> float:
    """Where a ratio stands: from a hundredth to a hundredfold."""
    share = (math.log10(ratio) + math.log10(LARGEST)) / (2 * math.log10(LARGEST))
    return round(10 + PLOT_WIDTH * share, 1)


def _scale(height: int) -> Iterator[str]:
    for ratio, told in ((0.1, "a tenth"), (1.0, "the bar"), (10.0, "ten times better")):
        at = _place(ratio)
        color = "#000000" if ratio == 1 else "#cccccc"
        yield f'<line x1="{at}" x2="{at}" y1="{TOP - 8}" y2="{height - 6}" stroke="{color}"/>'
        yield f'<text x="{at}" y="{TOP - 14}" text-anchor="middle" fill="black">{told}</text>'


def _line(top: int, name: str, bar: dict[str, Any]) -> Iterator[str]:
    yield f'<text x="{PLOT_WIDTH + 20}" y="{top + 12}" fill="black">{escape(_label(name, bar))}</text>'
    ratio = headroom(bar)
    if ratio is None:
        yield f'<text x="{_place(1) + 5}" y="{top + 12}" fill="{UNMEASURED}">not measured</text>'
        return
    start, end = sorted((_place(1), _place(ratio)))
    color = MET if bar["met"] else SHORT
    yield f'<rect x="{start}" y="{top + 3}" width="{round(max(end - start, 1), 1)}" height="11" fill="{color}"/>'


def _label(name: str, bar: dict[str, Any]) -> str:
    return f"{name}: {bar['of']} over {bar['over']}" if bar["over"] else f"{name}: {bar['of']}"

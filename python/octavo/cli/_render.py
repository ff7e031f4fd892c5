"""Text for people: sizes, numbers, tables, histograms. Plain text only, so that a result is the same on every output.

Whatever comes from files is made harmless here, before it is measured: an escape is wider than what it stands for.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable, Sequence

from octavo.cli._terminal import harmless

_UNITS = ("kB", "MB", "GB", "TB", "PB", "EB")
_EIGHTHS = " ▏▎▍▌▋▊▉"
_BAR_WIDTH = 40


def number(value: int) -> str:
    """A number with its thousands apart: 1,234,567."""
    return f"{value:,}"


def plural(count: int, one: str, many: str | None = None) -> str:
    """A number and what is counted: `1 record`, `1,000 records`."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def size(count: float) -> str:
    """Bytes with three digits: 999 B, 1.23 MB, 45.6 GB. Units are powers of 1000."""
    if round(count) < 1000:  # noqa: PLR2004 - where kilobytes begin
        return f"{round(count)} B"
    for unit in _UNITS:
        count /= 1000
        digits = 2 if count < 9.995 else 1 if count < 99.95 else 0  # noqa: PLR2004 - where a digit more would be rounded up to
        if round(count, digits) < 1000 or unit == _UNITS[-1]:  # noqa: PLR2004
            break
    return f"{count:.{digits}f} {unit}"


def mean(value: float) -> str:
    """An average, with three digits at least: 1, 6.63, 62.5, 12,345."""
    return number(round(value)) if value >= 99.95 else f"{value:.3g}"  # noqa: PLR2004 - where three digits are none behind the point


def mean_size(count: float) -> str:
    """Bytes on average, which may be a part of one: 6.63 B, 1.23 MB."""
    return f"{mean(count)} B" if round(count) < 1000 else size(count)  # noqa: PLR2004 - where kilobytes begin


def round_size(count: int) -> str:
    """Bytes that have few digits, with no more of them than that: 500 B, 20 kB, 1.5 MB."""
    exact, unit = float(count), "B"
    for larger in _UNITS:
        if exact < 1000:  # noqa: PLR2004 - where the next unit begins
            break
        exact, unit = exact / 1000, larger
    return f"{exact:g} {unit}"


def size_and_bytes(count: int) -> str:
    """A size for people, and for those who compare: 1.23 MB (1,234,567 bytes)."""
    return size(count) if count < 1000 else f"{size(count)} ({number(count)} bytes)"  # noqa: PLR2004 - where kilobytes begin


def duration(seconds: float) -> str:
    """A time with about three digits: 12.3 ms, 4.56 s, 2 min 3 s, 1 h 2 min."""
    if seconds < 0.9995:  # noqa: PLR2004 - what would be rounded up to a second
        return f"{seconds * 1000:.3g} ms"
    if seconds < 59.95:  # noqa: PLR2004 - the same, to a minute
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:  # noqa: PLR2004
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def shown(path: str) -> str:
    """The path as it is from the working directory, where the file is below that."""
    try:
        here = os.path.join(os.getcwd(), "")
    except OSError:  # it was removed, and nothing is below it
        return path
    return path.removeprefix(here) or path


def table(rows: Iterable[Sequence[str]], header: Sequence[str] | None = None, align: str = "") -> list[str]:
    """Lines of a table with aligned columns, two blanks apart.

    Args:
        rows: The cells, of which each row has equally many.
        header: Names of the columns, above them.
        align: `<` or `>` for each column; those it does not name are left-aligned.
    """
    cells = [[harmless(cell) for cell in row] for row in ([header] if header is not None else []) + list(rows)]
    if not cells:
        return []
    widths = [max(_width(cell) for cell in column) for column in zip(*cells, strict=True)]
    align = align.ljust(len(widths), "<")
    return ["  ".join(_pad(*one) for one in zip(row, widths, align, strict=True)).rstrip() for row in cells]


def facts(pairs: Iterable[tuple[str, str]], indent: str = "") -> list[str]:
    """Lines that say one thing each, the names before the values."""
    return [indent + line for line in table(pairs)]


def histogram(bins: Sequence[tuple[str, int]]) -> list[str]:
    """Lines with a bar each: what is counted, how often, and how that compares."""
    most = max((count for _, count in bins), default=0)
    rows = [(label, number(count), _bar(count, most)) for label, count in bins]
    return table(rows, align=">>")


def _bar(count: int, most: int) -> str:
    if not count:
        return ""
    if not _shows_blocks():
        return "#" * max(1, round(_BAR_WIDTH * count / most))
    eighths = max(1, round(8 * _BAR_WIDTH * count / most))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _shows_blocks() -> bool:
    try:
        "█▏".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _pad(cell: str, width: int, side: str) -> str:
    blanks = " " * (width - _width(cell))
    return blanks + cell if side == ">" else cell + blanks


def _width(text: str) -> int:
    """Columns of a terminal: most characters take one, those of East Asia two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1

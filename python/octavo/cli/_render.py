"""Text for people: tables, facts, histograms. Plain text only, so that a result is the same on every output.

Whatever comes from files is made harmless here, before it is measured: an escape is wider than what it stands for.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable, Sequence

from octavo._wording import number
from octavo.cli._terminal import harmless

_EIGHTHS = " ▏▎▍▌▋▊▉"
_BAR_WIDTH = 40


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

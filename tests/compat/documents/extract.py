"""Code blocks out of the originals' user documents, which lie beside the checkout and are no part of the repository.

`../shared/documents` is looked for next to the repository root; OCTAVO_DOCUMENTS names another folder. Two of the
documents have lost the marks around their blocks. For those the repository holds the layout (`layouts.py`), never
the text.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[3]
FOLDER = Path(os.environ.get("OCTAVO_DOCUMENTS") or ROOT.parent / "shared" / "documents")
ABSENT = "the originals' documents are not beside the checkout; OCTAVO_DOCUMENTS can name their folder"

_FENCED = re.compile(r"^```(?P<language>\w*)[^\n]*\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)
_DIRECTIVE = re.compile(r"^\.\. code-block:: (?P<language>\w+)\n\n(?P<code>(?:(?: +[^\n]*)?\n)+)", re.MULTILINE)
_FENCED_IN_A_LINE = re.compile(r"```(?P<language>\w*) (?P<words>.*?) ```")
# What no sentence looks like: imports, blocks that are opened, assignments, calls, brackets that are closed.
_PYTHON = re.compile(
    r"^\s*(?:import \w|from \S+ import |(?:async )?(?:def|class) \w|(?:for|with|if|while) .*:$|return\b|yield\b"
    r"|[\w.\[\]]+ = |[\w.]+\(.*$|[)\]}]+,?$)"
)


@dataclasses.dataclass(frozen=True)
class Block:
    """A block as the document has it. Its first line stands in this line of the document, counted from 1."""

    language: str
    line: int
    text: str


Extraction = Callable[[str], list[Block]]


def path_of(number: str) -> Path | None:
    """The document whose file name begins with this number."""
    return next(iter(sorted(FOLDER.glob(f"{number}_*.txt"))), None)


def fenced(document: str) -> list[Block]:
    """Blocks of Markdown."""
    return [_block(document, match) for match in _FENCED.finditer(document)]


def directives(document: str) -> list[Block]:
    """Blocks of reStructuredText."""
    return [_block(document, match) for match in _DIRECTIVE.finditer(document)]


def _block(document: str, match: re.Match[str]) -> Block:
    line = document.count("\n", 0, match.start("code")) + 1
    return Block(match["language"].lower(), line, textwrap.dedent(match["code"]))


def collapsed(document: str, layouts: Mapping[int, str]) -> list[Block]:
    """Blocks of Markdown that has become a single line. Those without a layout stay a line."""
    return [
        Block(
            match["language"].lower(),
            1,
            lay_out(match["words"], layouts[number]) if number in layouts else match["words"],
        )
        for number, match in enumerate(_FENCED_IN_A_LINE.finditer(document))
    ]


def lay_out(words: str, layout: str) -> str:
    """Words cut into lines. `2 0 4:3` is a line of two words, an empty one, and three words indented by four."""
    rest = iter(words.split())
    lines = []
    for line in layout.split():
        indentation, _, count = line.rpartition(":")
        cut = list(itertools.islice(rest, int(count)))
        if len(cut) < int(count):
            raise ValueError(f"the layout asks for more than the block has: {layout}")
        lines.append(" " * int(indentation or 0) * bool(cut) + " ".join(cut))
    if over := list(rest):
        raise ValueError(f"{len(over)} words are left over by the layout: {layout}")
    return "\n".join(lines) + "\n"


def ranged(document: str, ranges: Sequence[tuple[int, int, str]]) -> list[Block]:
    """Blocks of a document without marks: first and last line of each, and what it is written in."""
    lines = document.split("\n")
    return [Block(language, first, "\n".join(lines[first - 1 : last]) + "\n") for first, last, language in ranges]


def python_outside(document: str, ranges: Sequence[tuple[int, int, str]]) -> Iterator[tuple[int, str]]:
    """Lines that look like Python and are in none of the blocks."""
    inside = set(itertools.chain.from_iterable(range(first, last + 1) for first, last, _ in ranges))
    for number, line in enumerate(document.split("\n"), 1):
        if number not in inside and _PYTHON.match(line):
            yield number, line

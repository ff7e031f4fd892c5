"""A document as its reader meets it: block after block, in one folder, with the names of the blocks before.

A module for each document lists its steps. A step makes the world that the text describes around one block, runs the
block as it stands, and asserts what the text promises.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import doctest
import io
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.compat.documents.extract import Block, Extraction, path_of
from tests.compat.documents.repairs import REPAIRS, repaired


@dataclasses.dataclass(frozen=True)
class Step:
    """What is done with one block. Steps of one process share names, folder and interpreter; `needs` are frameworks."""

    block: int
    check: Callable[[Page], None]
    needs: tuple[str, ...]
    process: str


@dataclasses.dataclass(frozen=True)
class Document:
    """A document of one original, whose blocks are run by steps unless they are listed as something else."""

    number: str
    original: str
    extract: Extraction
    not_python: Mapping[int, str]
    steps: list[Step] = dataclasses.field(default_factory=list)

    def step(
        self, block: int, *, needs: tuple[str, ...] = (), process: str = "plain"
    ) -> Callable[[Callable[[Page], None]], Callable[[Page], None]]:
        """Has a function run a block."""

        def add(check: Callable[[Page], None]) -> Callable[[Page], None]:
            self.steps.append(Step(block, check, needs, process))
            return check

        return add

    def text(self) -> str:
        """The whole document."""
        path = path_of(self.number)
        assert path is not None, f"document {self.number} is absent"
        return path.read_text(encoding="utf-8")

    def blocks(self) -> list[Block]:
        """Its code blocks, in order."""
        return self.extract(self.text())


@dataclasses.dataclass(frozen=True)
class Shown:
    """A statement of a session, what the document shows for it and what it gives here."""

    source: str
    expected: str
    given: str

    def values(self) -> tuple[Any, Any]:
        """The expected result and the given one, as values."""
        return ast.literal_eval(self.expected), ast.literal_eval(self.given)


class Page:
    """The document while it is read."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.blocks = document.blocks()
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def give(self, **names: Any) -> None:
        """Names that the text takes for granted."""
        self.names.update(names)

    def run(self, block: int) -> str:
        """Runs a block and returns what it has printed."""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(self._prepared(block), self._place(block), "exec"), self.names)
        return printed.getvalue()

    def run_session(self, block: int) -> list[Shown]:
        """Runs a block of prompts, statement by statement, as the interactive interpreter does."""
        return list(self._session(block))

    def _session(self, block: int) -> Iterator[Shown]:
        for example in doctest.DocTestParser().get_examples(self._prepared(block), self._place(block)):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(example.source, self._place(block), "single"), self.names)
            yield Shown(example.source.strip(), example.want.strip(), printed.getvalue().strip())

    def _prepared(self, block: int) -> str:
        text = self.blocks[block].text
        repair = REPAIRS.get((self.document.number, block))
        if repair is None:
            return text
        self.give(**repair.names)
        return repaired(text, repair.lines)

    def _place(self, block: int) -> str:
        return f"document {self.document.number}, block {block}"

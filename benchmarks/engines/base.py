"""What an adapter is: it opens a file and hands back, for each operation it supports, a call to be timed.

Everything an engine needs to prepare (offsets, arrays, lists) is prepared before that call is returned, so that the
timed part holds what a user of the engine would write and nothing else.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

Run = Callable[[], object]


class Engine:
    """One way to read or write the records of a case."""

    name: str
    module: str  # imported by the import case; absent means that the engine is left out
    distribution: str
    suffix: str  # of its files, with what tells two layouts of a format apart
    operations: frozenset[str]
    target: Engine  # of conversions: reads what they write
    original: Engine | None = None  # makes the files that this one reads, and reads back what this one writes
    is_optional = False  # too large for everybody to install: cases that need it are skipped without it

    def is_installed(self) -> bool:
        """Whether the engine can run here."""
        return importlib.util.find_spec(self.module.partition(".")[0]) is not None

    def needed(self) -> list[Engine]:
        """What must be installed: the engine and the original of its files."""
        return [self, self.original] if self.original else [self]

    def load(self) -> None:
        """Imports the library, for processes that time or weigh what comes after."""
        importlib.import_module(self.module)

    def prepare(self, path: Path) -> None:
        """Whatever the engine wants beside a finished data file."""

    def open(self, path: Path) -> Any:
        """A reader."""
        raise NotImplementedError

    def close(self, reader: Any) -> None:
        """Gives back what `open` took."""

    def fetch(self, reader: Any, records: list[int]) -> list[bytes] | None:
        """Some records, to be checked; None when the engine reads without handing anything out."""
        raise NotImplementedError

    def single(self, reader: Any, order: list[int]) -> Run:
        """Reads the records one by one."""
        raise NotImplementedError

    def batch(self, reader: Any, batches: list[list[int]]) -> Run:
        """Reads the records batch by batch."""
        raise NotImplementedError

    def read_all(self, reader: Any) -> Run:
        """Returns all records as a list."""
        raise NotImplementedError

    def iterate(self, reader: Any) -> Run:
        """Goes through all records with a `for` loop."""
        raise NotImplementedError

    def partitions(self, path: Path, max_records: int) -> object:
        """Opens a file and cuts it into tasks that end where chunks do, as far as possible."""
        raise NotImplementedError

    def epochs(self, path: Path, batch: int) -> Iterable[Any]:
        """A loader: every loop over it is an epoch in random order, in batches that are one array or tensor each."""
        raise NotImplementedError

    def permutation(self, size: int) -> Callable[[range], Any]:
        """A random order of so many records: for a range of positions, the numbers there."""
        raise NotImplementedError

    def write(self, path: Path, records: Iterable[bytes]) -> None:
        """Writes and closes a file."""
        raise NotImplementedError

    def convert(self, source: Path, target: Path) -> None:
        """Writes the records of a file into one of another format."""
        raise NotImplementedError

    def check(self, path: Path) -> int:
        """Opens a file and goes through all records without handing them out; returns how many there are."""
        raise NotImplementedError


# The loops, once for all engines, so that the interpreter's share is the same for each.


def subscript_each(reader: Any, order: list[int]) -> None:
    """`reader[i]`, as users write it."""
    for record in order:
        reader[record]


def call_each(read: Callable[[Any], object], batches: Sequence[Any]) -> None:
    """One call per batch; each result dies before the next is made, as in a training loop."""
    for batch in batches:
        read(batch)


def exhaust(records: Iterable[bytes]) -> None:
    """A `for` loop that does nothing."""
    for _ in records:
        pass

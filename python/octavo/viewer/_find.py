"""Searching for records, and samples of them."""

from __future__ import annotations

import dataclasses
import json
import struct
from typing import Any

from octavo import _core
from octavo.errors import OctavoError, OptionError
from octavo.viewer._events import Emit, Event, Pace, Work
from octavo.viewer._opened import LARGE_BYTES, Opened

MOST_FOUND = 100_000
_MOST_PATTERN = 10_000  # characters
_MOST_TOLD = 1000  # damaged places
_NO_LIMIT = 2**63 - 1


@dataclasses.dataclass(frozen=True)
class Query:
    """What is searched for."""

    text: str = ""
    mode: str = "text"
    ignore_case: bool = False
    text_only: bool = False
    min_bytes: int | None = None
    max_bytes: int | None = None
    start: int = 0
    limit: int = MOST_FOUND

    @classmethod
    def of(cls, asked: dict[str, Any]) -> Query:
        """From what the page has sent."""
        kinds = {"str": str, "bool": bool, "int": int, "int | None": int}
        for field in dataclasses.fields(cls):
            value = asked.get(field.name, field.default)
            is_missing = value is None and field.default is None
            if not is_missing and type(value) is not kinds[str(field.type)]:
                raise OptionError(f"{field.name} is not of type {field.type}")
        query = cls(**{field.name: asked.get(field.name, field.default) for field in dataclasses.fields(cls)})
        query.check()
        return query

    def check(self) -> None:
        """Refuse what makes no sense."""
        if self.mode not in {"text", "regex"}:
            raise OptionError("mode is none of: text, regex")
        if not self.text.isprintable() and any("\ud800" <= character <= "\udfff" for character in self.text):
            raise OptionError("what is searched for is no text")
        if len(self.text) > _MOST_PATTERN:
            raise OptionError(f"what is searched for has more than {_MOST_PATTERN:,} characters")
        if not self.text and self.min_bytes is None and self.max_bytes is None and not self.text_only:
            raise OptionError("there is nothing to search for")
        if any(not 0 <= (size or 0) <= _NO_LIMIT for size in (self.min_bytes, self.max_bytes, self.start)):
            raise OptionError("a number is out of range")
        if not 1 <= self.limit <= MOST_FOUND:
            raise OptionError(f"limit is between 1 and {MOST_FOUND:,}")

    @property
    def patterns(self) -> list[str]:
        """What must occur. Text is looked for as JSON has it, too, where that is not the same."""
        if not self.text:
            return []
        if self.mode == "regex":
            return [self.text]
        # Escapes of one letter in its two cases have nothing in common.
        texts = [self.text, self.text.lower(), self.text.upper()] if self.ignore_case else [self.text]
        escaped = (json.dumps(text, ensure_ascii=to_ascii)[1:-1] for text in texts for to_ascii in (False, True))
        return list(dict.fromkeys([*texts, *escaped]))


def find(opened: Opened, query: Query) -> Work:
    """Search; a pattern that is none is refused at once."""
    reader = opened.reader[query.start :]
    total = len(opened.reader)
    options: dict[str, Any] = {
        "patterns": query.patterns,
        "literal": query.mode == "text",
        "ignore_case": query.ignore_case,
        "text_only": query.text_only,
        "smallest": query.min_bytes or 0,
        "largest": _NO_LIMIT if query.max_bytes is None else query.max_bytes,
        "most_bytes": LARGE_BYTES,
    }
    _core.find(reader[:0], lambda *_: None, **options)

    def work(emit: Emit) -> None:
        search = _Search(emit, query, total)
        try:
            _core.find(reader, search.report, **options)
        except _Enough:
            emit(search.end(complete=False))
        else:
            emit(search.end(complete=True))

    return work


class _Enough(Exception):  # noqa: N818 - it is no error
    """As many were found as were asked for."""


class _Search:
    """What has been found so far."""

    def __init__(self, emit: Emit, query: Query, total: int) -> None:
        self.found = 0
        self.done = query.start
        self._emit = emit
        self._pace = Pace(emit)
        self._query = query
        self._total = total
        self._told = 0
        self._damaged = 0
        self._skipped = 0

    def end(self, *, complete: bool) -> Event:
        return {
            "end": {
                "found": self.found,
                "searched": self.done,
                "complete": complete,
                "damaged": self._damaged,
                "skipped": self._skipped,
            }
        }

    def report(
        self,
        done: int,
        found: list[int],
        damaged: list[tuple[int, int, OctavoError]],
        oversized: list[tuple[int, int, int]],
    ) -> None:
        start = self._query.start
        self.done = start + done
        fitting = [start + number for number in found[: self._query.limit - self.found]]
        self.found += len(fitting)
        if fitting:
            self._emit({"found": fitting})
        self._damaged += sum(count for _, count, _ in damaged)
        self._skipped += sum(count for _, count, _ in oversized)
        for position, count, error in damaged:
            self._tell("damage", start + position, count, str(error))
        for position, count, size in oversized:
            self._tell("skipped", start + position, count, f"not searched: it would take {size:,} bytes of memory")
        if self.found == self._query.limit and (len(found) > len(fitting) or self.done < self._total):
            raise _Enough
        self._pace(self.done, self._total)

    def _tell(self, what: str, record: int, count: int, reason: str) -> None:
        self._told += 1
        if self._told <= _MOST_TOLD:
            self._emit({what: {"record": record, "count": count, "reason": reason}})


def sample(opened: Opened, count: int, seed: int) -> list[int]:
    """Distinct records at random, always the same for a seed."""
    size = len(opened.reader)
    count = min(count, size)
    if not count:
        return []
    taken = _core.Order(size, seed=seed, epoch=0).take(0, 1, count)
    return list(struct.unpack(f"={count}q", taken))

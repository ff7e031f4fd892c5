"""Records by number, as the page asks for them: one batch for a screen, and what was just read is not read again.

What comes back for a record is its bytes or a reason why not. Nothing here is larger than a screen's budget of bytes,
but for one record at a time of up to `LARGE_BYTES`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Sequence

from octavo.errors import FormatError, OctavoError, SourceChangedError
from octavo.viewer._opened import LARGE_BYTES, Opened

_SCREEN_BYTES = 8 << 20
_KEPT_BYTES = 24 << 20
_HEAVY_BYTES = 4 << 20


@dataclasses.dataclass(frozen=True)
class Damaged:
    """A record that cannot be read."""

    reason: str


@dataclasses.dataclass(frozen=True)
class Large:
    """A record that is not read by itself, because it, or the chunk that it is in, would take this much memory."""

    load_bytes: int
    record_bytes: int | None


@dataclasses.dataclass(frozen=True)
class Later:
    """A record for which there was no room; it can be asked for again."""


Content = bytes | Damaged | Large | Later


class Contents:
    """Records of a data set. Can be shared between threads."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._reader = opened.reader
        self._kept: OrderedDict[int, bytes] = OrderedDict()
        self._kept_bytes = 0
        self._lock = threading.Lock()
        self._heavy = threading.Lock()

    def turn(self, numbers: Sequence[int]) -> contextlib.AbstractContextManager[object]:
        """Who reads large records, and decodes them, does so alone: a browser asks for six at once."""
        with self._lock:
            missing = [number for number in numbers if number not in self._kept]
        loads = self._reader._loads(missing)  # noqa: SLF001 - part of the package
        heaviest = max((load[1] for load in loads if load is not None), default=0)
        return self._heavy if heaviest > _HEAVY_BYTES else contextlib.nullcontext()

    def one(self, number: int) -> Content:
        """A record."""
        return self.several([number])[0]

    def several(self, numbers: Sequence[int]) -> list[Content]:
        """Records in this order, in one batch as far as they were not read before."""
        found: dict[int, Content] = {}
        with self._lock:
            for number in numbers:
                if (record := self._kept.get(number)) is not None:
                    self._kept.move_to_end(number)
                    found[number] = record
        missing = [number for number in dict.fromkeys(numbers) if number not in found]
        found |= self._read(missing)
        return [found[number] for number in numbers]

    def _read(self, numbers: list[int]) -> dict[int, Content]:
        if not numbers:
            return {}
        found: dict[int, Content] = {}
        loads = self._reader._loads(numbers)  # noqa: SLF001 - part of the package
        readable = []
        for number, load in zip(numbers, loads, strict=True):
            if load is not None and load[1] > LARGE_BYTES:
                found[number] = Large(load[1], load[0])
            else:
                readable.append(number)
        self._read_within(readable, found)
        self._keep({number: one for number, one in found.items() if isinstance(one, bytes)})
        return {number: found.get(number, Later()) for number in numbers}

    def _read_within(self, numbers: list[int], found: dict[int, Content]) -> None:
        """Read as many as fit; each is right or wrong by itself."""
        try:
            each = self._each(numbers)
        except SourceChangedError as error:
            groups = self._by_file(numbers)
            if len(groups) > 1:  # the other files may be as they were
                for group in groups:
                    self._read_within(group, found)
                return
            each = [error] * len(numbers)
        for number, one in zip(numbers, each, strict=False):  # those that fitted come first
            found[number] = one if isinstance(one, bytes) else Damaged(str(one))

    def _each(self, numbers: list[int]) -> Sequence[bytes | OctavoError]:
        if len(numbers) != 1:
            return self._reader._read_each(numbers, _SCREEN_BYTES)  # noqa: SLF001 - part of the package
        try:
            return [self._reader[numbers[0]]]  # without a batch around it: it may be large
        except FormatError as error:
            return [error]

    def _by_file(self, numbers: list[int]) -> list[list[int]]:
        groups: dict[int, list[int]] = {}
        for number in numbers:
            groups.setdefault(self._opened.file_of(number)[0], []).append(number)
        return list(groups.values())

    def _keep(self, records: dict[int, bytes]) -> None:
        with self._lock:
            for number, record in records.items():
                if number not in self._kept and len(record) <= _KEPT_BYTES:
                    self._kept[number] = record
                    self._kept_bytes += len(record)
            while self._kept_bytes > _KEPT_BYTES:
                _, oldest = self._kept.popitem(last=False)
                self._kept_bytes -= len(oldest)

"""What a disk may hold after a power cut, by the letter of what a program may count on.

A file has what was in it at its last sync; of what was written since, any sectors may be there and any may not, in
any order, and its size may have grown without its bytes: those are zeros then. A name is there when its folder was
synced; of the changes of names since, the first so many have happened, for file systems keep those in order.
"""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Iterable, Iterator

from tests.faults.injected.recording import Event

EXHAUSTIVE = 6
"""As many pieces are tried in all combinations; of more, some combinations that chance has picked."""

State = dict[str, bytes]


@dataclasses.dataclass
class File:
    """What is on the disk for certain, and what is on its way."""

    durable: bytes = b""
    pending: list[tuple[int, bytes | None]] = dataclasses.field(default_factory=list)
    """Bytes at an offset, or nothing: cut off there."""

    def now(self) -> bytes:
        """What programs see."""
        return applied(self.durable, self.pending)

    def pieces(self, sector_bytes: int) -> list[tuple[int, bytes | None]]:
        """What reaches the disk as a whole or not at all."""
        found: list[tuple[int, bytes | None]] = []
        for offset, data in self.pending:
            if data is None:
                found.append((offset, None))
                continue
            begin = offset
            while begin < offset + len(data):
                end = min((begin // sector_bytes + 1) * sector_bytes, offset + len(data))
                found.append((begin, data[begin - offset : end - offset]))
                begin = end
        return found


def applied(content: bytes, pieces: Iterable[tuple[int, bytes | None]]) -> bytes:
    """The content after some changes; what lies between is zeros."""
    changed = bytearray(content)
    for offset, data in pieces:
        if data is None:
            del changed[offset:]
            continue
        changed.extend(bytes(max(0, offset - len(changed))))
        changed[offset : offset + len(data)] = data
    return bytes(changed)


class Disk:
    """Follows the events."""

    def __init__(self, name: str, before: bytes | None, number: int) -> None:
        self._names: dict[str, File] = {}
        self._numbers: dict[int, File] = {}
        if before is not None:
            self._names[name] = self._numbers[number] = File(before)
        self._durable_names = dict(self._names)
        self._changes: list[tuple[str, str, File | None]] = []

    def follow(self, event: Event) -> None:
        """One change more."""
        getattr(self, f"_{event.kind}")(event)

    def _change(self, gone: str, name: str, file: File | None) -> None:
        self._changes.append((gone, name, file))
        _rename(self._names, gone, name, file)

    def _open(self, event: Event) -> None:
        if event.name not in self._names:
            self._numbers[event.number] = File()
            self._change("", event.name, self._numbers[event.number])
        elif event.offset == 0:
            self._names[event.name].pending.append((0, None))

    def _write(self, event: Event) -> None:
        self._numbers[event.number].pending.append((event.offset, event.data))

    def _truncate(self, event: Event) -> None:
        file = self._numbers[event.number]
        if event.offset < len(file.now()):
            file.pending.append((event.offset, None))

    def _sync(self, event: Event) -> None:
        if event.name:
            self._durable_names, self._changes = dict(self._names), []
            return
        file = self._numbers[event.number]
        file.durable, file.pending = file.now(), []

    def _rename(self, event: Event) -> None:
        self._change(event.name, _base(event.data), self._names[event.name])

    def _link(self, event: Event) -> None:
        self._change("", _base(event.data), self._names[event.name])

    def _unlink(self, event: Event) -> None:
        self._change(event.name, "", None)

    def states(self, chance: random.Random, most: int) -> Iterator[State]:
        """What may be there if the power goes now."""
        for happened in range(len(self._changes) + 1):
            names = dict(self._durable_names)
            for change in self._changes[:happened]:
                _rename(names, *change)
            files = {id(file): file for file in names.values()}
            ways = [_contents(file, chance, most) for file in files.values()]
            combinations = itertools.product(*ways)
            for contents in itertools.islice(combinations, most):
                kept = dict(zip(files, contents, strict=True))
                yield {name: kept[id(file)] for name, file in names.items()}


def _base(path: bytes) -> str:
    return path.decode().rpartition("/")[2]


def _rename(names: dict[str, File], gone: str, name: str, file: File | None) -> None:
    names.pop(gone, None)
    if file is not None:
        names[name] = file


def _contents(file: File, chance: random.Random, most: int) -> list[bytes]:
    """What may be in the file."""
    if not file.pending:
        return [file.durable]
    found = dict.fromkeys([file.durable, file.now()])
    for sector_bytes in (4096, 512):
        pieces = file.pieces(sector_bytes)
        chosen: Iterable[tuple[bool, ...]]
        if len(pieces) <= EXHAUSTIVE:
            chosen = itertools.product([True, False], repeat=len(pieces))
        else:
            chosen = (_choice(len(pieces), chance) for _ in range(most))
        for choice in chosen:
            content = applied(file.durable, itertools.compress(pieces, choice))
            found.update(dict.fromkeys(_sizes(content, file, chance)))
    return chance.sample([*found], min(most, len(found)))


def _choice(count: int, chance: random.Random) -> tuple[bool, ...]:
    """Which of so many pieces are there: the first ones, all but one, one alone, or any."""
    at = chance.randrange(count)
    likely = chance.choice([0.1, 0.5, 0.9])
    return chance.choice(
        [
            tuple(number < at for number in range(count)),
            tuple(number != at for number in range(count)),
            tuple(number == at for number in range(count)),
            tuple(chance.random() < likely for _ in range(count)),
        ]
    )


def _sizes(content: bytes, file: File, chance: random.Random) -> Iterator[bytes]:
    """The size is kept elsewhere: it may be ahead of the bytes or behind them."""
    yield content
    size = len(file.now())
    yield content + bytes(max(0, size - len(content)))
    if len(content) > len(file.durable):
        yield content[: chance.randint(len(file.durable), len(content))]

"""Mutation without coverage: what every Python can do, with the seeds and words of a target."""

from __future__ import annotations

import importlib
import random
import time
from collections.abc import Sequence
from typing import Protocol, cast

_EDITS = 4  # at most so many, one after the other
_LONGEST = 8192
_ODD_BYTES = b'\x00\x01\x7f\x80\xff 0:,\n"\\{[/.'


class Target(Protocol):
    """The names of a module that is a target."""

    SEEDS: Sequence[bytes]
    WORDS: Sequence[bytes]

    def check(self, data: bytes) -> None:
        """Raise if octavo and the twin disagree about these bytes."""


def target(name: str) -> Target:
    """The target of that name."""
    return cast("Target", importlib.import_module(f"fuzz.python.{name}"))


def mutate(data: bytes, one: Target, dice: random.Random) -> bytes:
    """The same bytes after some edits."""
    for _ in range(dice.randint(1, _EDITS)):
        at = dice.randrange(len(data) + 1)
        to = min(len(data), at + int(dice.expovariate(0.2)))
        match dice.randrange(6):
            case 0:
                data = data[:at] + data[to:]
            case 1:
                data = data[:at] + dice.choice(one.WORDS) + data[at:]
            case 2:
                data = data[:at] + dice.choice(one.WORDS) + data[to:]
            case 3:
                data = data[:at] + bytes([dice.choice(_ODD_BYTES)]) + data[at + 1 :]
            case 4 if at < len(data):
                data = data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :]
            case _:
                other = dice.choice(one.SEEDS)
                data = data[:at] + other[dice.randrange(len(other) + 1) :]
    return data[:_LONGEST]


def try_seeds(one: Target) -> None:
    """Check what mutation begins with."""
    for seed in one.SEEDS:
        one.check(seed)


def try_mutations(one: Target, *, runs: int, seed: int = 0, seconds: float | None = None) -> int:
    """Check so many mutations, or as many as there is time for, and say how many that were."""
    dice = random.Random(seed)  # noqa: S311 - the same every time
    pool = list(one.SEEDS)
    end = None if seconds is None else time.monotonic() + seconds
    done = 0
    while done < runs and (end is None or time.monotonic() < end):
        data = mutate(dice.choice(pool), one, dice)
        try:
            one.check(data)
        except Exception as error:
            error.add_note(f"the bytes: {data!r}")
            raise
        done += 1
        if dice.random() < 0.05:  # noqa: PLR2004 - edits add up, but mostly begin at something sound
            pool[dice.randrange(len(pool))] = data
            if len(pool) < 4 * len(one.SEEDS):
                pool += one.SEEDS
    return done

"""Data sets that `ffrecord.utils.dump` writes; in a module of their own, so that started processes can import them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path


class Numbered:
    """`count` records, each its number as text."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> bytes:
        return b"record %d" % index


class Broken(Numbered):
    """The same, but one record is something else: an exception, a record that is none, the end of the process."""

    def __init__(self, count: int, broken: int, how: str) -> None:
        super().__init__(count)
        self.broken = broken
        self.how = how

    def __getitem__(self, index: int) -> bytes:
        return WAYS[self.how](index) if index == self.broken else super().__getitem__(index)


class Slow(Broken):
    """The same, and every other record takes its time; `seen` is a file with a line for each that was asked for."""

    def __init__(self, count: int, broken: int, how: str, seen: Path | None = None) -> None:
        super().__init__(count, broken, how)
        self.seen = seen

    def __getitem__(self, index: int) -> bytes:
        if self.seen is not None:
            with self.seen.open("a") as file:  # several processes append to it
                file.write(f"{index}\n")
        if index != self.broken:
            time.sleep(0.5)
        return super().__getitem__(index)


def _raise(index: int) -> bytes:
    raise KeyError(f"record {index} is not there")


def _no_record(index: int) -> bytes:
    return f"text {index}"  # type: ignore[return-value]


def _die(_: int) -> bytes:
    os._exit(3)


WAYS: dict[str, Callable[[int], bytes]] = {"raises": _raise, "no record": _no_record, "dies": _die}

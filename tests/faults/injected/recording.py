"""The program that writes a file while every change of the disk is written down, and what reads that again."""

from __future__ import annotations

import dataclasses
import itertools
import os
import random
import struct
from pathlib import Path

import octavo
from tests.faults import samples
from tests.faults.injected import ways
from tests.faults.injected.faults import Injector
from tests.faults.programs.outcome import say

KINDS = ("open", "read", "write", "sync", "truncate", "rename", "link", "unlink")
MARK = 15
PORTIONS = 3


def portions() -> list[list[bytes]]:
    """What is written between two flushes: bytes that no codec makes smaller, so that they fill sectors."""
    chance = random.Random(11)
    return [[chance.randbytes(chance.randrange(3000)) for _ in range(13)] for _ in range(PORTIONS)]


OLDER = samples.records(7, seed=9)
BASE = samples.records(13, seed=2)
TORN = samples.records(40, seed=4)
"""What an earlier append wrote that was interrupted. Some of it may be found again."""
WRITTEN = list(itertools.chain(*portions()))
WRITINGS = ("create", "create over another", "create exclusively", "create in one go", "append", "append to torn")


@dataclasses.dataclass(frozen=True)
class Event:
    """One change, or a mark of the program. `name` is that in the folder, empty for what has a number alone."""

    kind: str
    number: int
    name: str
    offset: int
    data: bytes


def read_log(log: bytes) -> list[Event]:
    """Everything that happened, in order."""
    events, at = [], 0
    while at < len(log):
        kind, name_bytes, number, offset, data_bytes = struct.unpack_from("<IIQqQ", log, at)
        at += 32
        path = log[at : at + name_bytes].decode()
        name = path if kind == MARK else os.path.basename(path)
        at += name_bytes
        data = log[at : at + data_bytes]
        at += data_bytes
        events.append(Event("mark" if kind == MARK else KINDS[kind], number, name, offset, data))
    return events


def prepare(path: str, writing: str, way: ways.Way) -> None:
    """What is there before."""
    if writing == "create over another":
        ways.write(path, way, OLDER)
    if writing.startswith("append"):
        ways.write(path, way, BASE)
    if writing == "append to torn":
        with octavo.append(path) as writer:
            writer.write_many(TORN)
        Path(path).write_bytes(Path(path).read_bytes()[:-70])


def record(library: str, folder: str, writing: str, way: str) -> None:
    """Writes `log` and `before` beside the folder that is watched, and leaves what the writer made in it."""
    watched = os.path.join(folder, "watched")
    os.makedirs(watched)
    how = ways.WAYS[way]
    path = os.path.join(watched, f"out{how.suffix}")
    prepare(path, writing, how)
    if os.path.exists(path):
        Path(folder, "before").write_bytes(Path(path).read_bytes())
        number = os.stat(path).st_ino
    else:
        number = 0
    injector = Injector(library, watched)
    log = os.open(os.path.join(folder, "log"), os.O_WRONLY | os.O_CREAT)
    injector.record(log)
    if writing.startswith("append"):
        writer = octavo.append(path)
    else:
        writer = octavo.create(path, overwrite=writing != "create exclusively", **how.options)
    acknowledged = 0
    for portion in portions():
        writer.write_many(portion)
        acknowledged += len(portion)
        if writing != "create in one go" and acknowledged < len(WRITTEN):
            writer.flush()
            injector.mark(f"flushed {acknowledged}")
    writer.close()
    injector.mark("closed")
    injector.record(-1)
    os.close(log)
    say(number)

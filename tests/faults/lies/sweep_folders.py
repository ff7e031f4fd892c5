"""Tables of packed folders made to harm: pickles whose every byte lies, and some that are built to grow."""

from __future__ import annotations

import pickle
import struct
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from tests.faults.lies.edges import Case
from tests.naive import ffrecord

MAGIC = b"piouhjgbr"
FILES = [b"first", b"second", b"third"]
TREE: Any = OrderedDict(a=0, folder=OrderedDict(b=1, inner=OrderedDict(c=2)))
BYTES = (0x00, 0x01, 0x7F, 0x80, 0xFF, *b"(.0tRuscKJXjr\x8a\x94\x95")
NEW_FOLDER = b"ccollections\nOrderedDict\n)R"


def packed(table: bytes) -> bytes:
    """A packed folder with that table."""
    return ffrecord.encode([*FILES, MAGIC + table])


def _mutated() -> Iterator[Case]:
    for protocol in (0, 2, 4):
        table = pickle.dumps(TREE, protocol)
        yield f"protocol {protocol}: the truth", packed(table)
        for place in range(len(table)):
            for byte in BYTES:
                yield (
                    f"protocol {protocol}: byte {place} = {byte}",
                    packed(table[:place] + bytes([byte]) + table[place + 1 :]),
                )


def _name(text: bytes) -> bytes:
    return b"X" + struct.pack("<I", len(text)) + text


def _lengths() -> Iterator[Case]:
    for size in (5, (1 << 31) - 1, 1 << 31, (1 << 32) - 1):
        yield f"a name of {size} bytes", packed(NEW_FOLDER + b"X" + struct.pack("<I", size) + b"nameK\0s.")
        yield f"entry {size} of the memo", packed(NEW_FOLDER + b"j" + struct.pack("<I", size) + b"s.")
        yield f"entry {size} put into the memo", packed(NEW_FOLDER + b"r" + struct.pack("<I", size) + b".")
        yield f"file {size}", packed(NEW_FOLDER + _name(b"a") + b"J" + struct.pack("<I", size) + b"s.")
    for size in (1 << 32, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1):
        yield f"a frame of {size} bytes", packed(b"\x80\4\x95" + struct.pack("<Q", size) + NEW_FOLDER + b".")
        yield f"file {size}", packed(NEW_FOLDER + _name(b"a") + b"\x8a\x09" + struct.pack("<Q", size) + b"\0s.")
        yield f"file {size} in digits", packed(NEW_FOLDER + _name(b"a") + b"I%d\ns." % size)
        yield f"memo {size} in digits", packed(NEW_FOLDER + b"g%d\n." % size)
    yield "a number of a million digits", packed(NEW_FOLDER + _name(b"a") + b"I" + b"9" * 1_000_000 + b"\ns.")
    yield "a number of 255 bytes", packed(NEW_FOLDER + _name(b"a") + b"\x8a\xff" + b"\x7f" * 255 + b"s.")


def _growing() -> Iterator[Case]:
    """Folders in folders: deep, in a circle, and the same one again and again."""
    deep = 100_000
    yield "folders in folders", packed((NEW_FOLDER + _name(b"d")) * deep + NEW_FOLDER + b"s" * deep + b".")
    yield "a folder in itself", packed(NEW_FOLDER + b"q\0" + _name(b"d") + b"h\0s.")
    yield (
        "two folders in each other",
        packed(NEW_FOLDER + b"q\0" + _name(b"d") + NEW_FOLDER + b"q\1" + _name(b"e") + b"h\0ss."),
    )
    twice = b"".join(
        NEW_FOLDER + b"q%c" % at + _name(b"l") + b"h%cs" % (at - 1) + _name(b"r") + b"h%cs" % (at - 1)
        for at in range(1, 60)
    )
    yield "each folder twice in the next", packed(NEW_FOLDER + b"q\0" + twice + b".")
    yield "marks by the million", packed(NEW_FOLDER + b"(" * 1_000_000 + b"u" * 1_000_000 + b".")
    yield "empty items by the million", packed(NEW_FOLDER + b"(u" * 1_000_000 + b".")
    yield "a memo by the million", packed(NEW_FOLDER + b"\x94" * 1_000_000 + b".")
    yield (
        "one name a hundred thousand times",
        packed(NEW_FOLDER + _name(b"a") + b"q\0K\0s" + b"h\0K\0s" * 100_000 + b"."),
    )
    yield (
        "a long name in many folders",
        packed(NEW_FOLDER + b"(" + _name(b"x" * 70_000) + b"q\0" + NEW_FOLDER + (b"h\0" + NEW_FOLDER) * 20_000 + b"u."),
    )
    yield (
        "a hundred thousand names",
        packed(NEW_FOLDER + b"(" + b"".join(_name(b"%d" % number) + b"K\0" for number in range(100_000)) + b"u."),
    )


def folders() -> Iterator[Case]:
    """All of them."""
    yield from _mutated()
    yield from _lengths()
    yield from _growing()

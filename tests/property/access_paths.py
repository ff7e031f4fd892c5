"""Every way to get all records out of a reader. They must all give the same list."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

import octavo

AccessPath: TypeAlias = Callable[[octavo.Reader], list[bytes]]


def by_views(reader: octavo.Reader) -> list[bytes]:
    return [bytes(view) for view in reader.read_batch(range(len(reader)))]


def by_offsets(reader: octavo.Reader) -> list[bytes]:
    batch = reader.read_batch(np.arange(len(reader)))
    edges = batch.offsets.tolist()
    return [bytes(batch.data[start:stop]) for start, stop in itertools.pairwise(edges)]


def by_blocks(reader: octavo.Reader) -> list[bytes]:
    return [record for start in range(0, len(reader), 7) for record in reader[start : start + 7]]


def by_interleaved_slices(reader: octavo.Reader) -> list[bytes]:
    found: dict[int, bytes] = {}
    for start in range(3):
        found.update(zip(range(start, len(reader), 3), reader[start::3].read_all(), strict=True))
    return [found[number] for number in range(len(reader))]


def by_filling(reader: octavo.Reader) -> list[bytes]:
    found = []
    for number, record in enumerate(reader):
        out = bytearray(len(record))
        reader.read_into([number], out)
        found.append(bytes(out))
    return found


ACCESS_PATHS: dict[str, AccessPath] = {
    "number": lambda reader: [reader[number] for number in range(len(reader))],
    "number from the end": lambda reader: [reader[number - len(reader)] for number in range(len(reader))],
    "read": lambda reader: reader.read(list(range(len(reader)))),
    "read backwards": lambda reader: reader.read(range(len(reader) - 1, -1, -1))[::-1],
    "brackets": lambda reader: reader[list(range(len(reader)))],
    "read_all": lambda reader: reader.read_all(),
    "read_range": lambda reader: reader.read_range(0, len(reader)),
    "iteration": list,
    "reversed": lambda reader: list(reversed(reader))[::-1],
    "batch": lambda reader: reader.read_batch(range(len(reader))).to_list(),
    "views": by_views,
    "offsets": by_offsets,
    "slice": lambda reader: reader[:].read_all(),
    "reversed slice": lambda reader: reader[::-1].read_all()[::-1],
    "blocks": by_blocks,
    "interleaved slices": by_interleaved_slices,
    "filling": by_filling,
}

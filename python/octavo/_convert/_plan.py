"""Which records go into which file. Pure: names and numbers only.

A target is one file (`out.ffr`), a sharded name (`out@20.ffr`), a name whose shards are counted here because a shard
has a most size, or a directory that gets one file for each file of the source.
"""

from __future__ import annotations

import dataclasses
import os
import re
from itertools import pairwise

from octavo.errors import OptionError

MOST_SHARDS = 99_999  # five digits, as in the names
_SHARDED = re.compile(r"^(?P<stem>.*)@(?P<count>\d+)(?P<suffix>(\.[^/\\@]*)?)$")
_SHARD_NUMBER = re.compile(r"-\d{5,}-of-\d{5,}\Z")
_SUFFIXES = re.compile(r"(?P<stem>.*?[^/\\])(?P<suffix>\.[^/\\.]+(\.gz)?)?", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Job:
    """One file to be written: records `start` to `stop` of the source."""

    path: str
    start: int
    stop: int | None
    """None: to the end, wherever that is."""
    file: int | None = None
    """Set where the records are those of one file of the source, whose number it is; they are counted from there."""


def shard_count_of(target: str) -> tuple[str, int | None]:
    """The name without its count, and the count, if the target is a sharded name: `out@20.ffr` is `out.ffr` and 20."""
    found = _SHARDED.match(target)
    if not found:
        return target, None
    return found["stem"] + found["suffix"], checked_count(int(found["count"]), target)


def checked_count(count: int, target: str) -> int:
    """So many shards as a name can count."""
    if not 1 <= count <= MOST_SHARDS:
        message = f"{target}: {count} shards; from 1 to {MOST_SHARDS} can be named"
        raise OptionError(message, path=target)
    return count


def shard_names(name: str, count: int) -> list[str]:
    """The names of `count` shards of a file that would be called `name`."""
    found = _SUFFIXES.fullmatch(name)
    stem, suffix = (found["stem"], found["suffix"] or "") if found else (name, "")
    return [f"{stem}-{number:05d}-of-{count:05d}{suffix}" for number in range(checked_count(count, name))]


def edges_by_count(records: int, shards: int) -> list[int]:
    """Where shards of the same size begin, give or take a record, and the end. There may be empty ones."""
    return [records * number // shards for number in range(shards + 1)]


def edges_by_records(records: int, most: int) -> list[int]:
    """Where shards of `most` records begin, and the end."""
    return [*range(0, records, most), records] if records else [0, 0]


def jobs_of(name: str, edges: list[int] | None) -> list[Job]:
    """One job for each shard; without edges, one for everything."""
    if edges is None:
        return [Job(name, 0, None)]
    runs = list(pairwise(edges))
    return [Job(path, *run) for path, run in zip(shard_names(name, len(runs)), runs, strict=True)]


def names_in(directory: str, sources: list[str], suffix: str) -> list[str]:
    """One name in a directory for each source file: its own, with another suffix."""
    names = []
    for path in sources:
        shard = _SHARD_NUMBER.search(path)  # x.tfrecord-00003-of-00064 keeps its number behind
        found = _SUFFIXES.fullmatch(_SHARD_NUMBER.sub("", os.path.basename(path)))
        stem = found["stem"] if found else os.path.basename(path)
        names.append(os.path.join(directory, stem + suffix + (shard[0] if shard else "")))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        message = f"{twice}: two source files would get this name; name the target otherwise"
        raise OptionError(message, path=twice)
    return names

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
_MOST_DIGITS = 20  # more of them are not even looked at
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


@dataclasses.dataclass(frozen=True)
class Name:
    """A target's name, taken apart where the number of a shard goes."""

    stem: str
    suffix: str
    shards: int | None = None
    """How many there are, if the name says so."""

    @classmethod
    def of(cls, target: str) -> Name:
        """`out@20.ffr` and `out.ffr@20` are what `octavo.open` reads by these names: the number is where the `@` is."""
        if found := _SHARDED.match(target):
            count = found["count"]
            shards = int(count) if len(count) < _MOST_DIGITS else MOST_SHARDS + 1
            return cls(found["stem"], found["suffix"], checked_count(shards, target))
        found = _SUFFIXES.fullmatch(target)
        return cls(found["stem"], found["suffix"] or "") if found else cls(target, "")

    @property
    def whole(self) -> str:
        """The name of a single file; of several, that of the first."""
        return self.stem + self.suffix if self.shards is None else self.of_shards(self.shards)[0]

    def of_shards(self, count: int) -> list[str]:
        """The names of so many shards."""
        checked_count(count, self.stem + self.suffix)
        return [f"{self.stem}-{number:05d}-of-{count:05d}{self.suffix}" for number in range(count)]


def checked_count(count: int, target: str) -> int:
    """So many shards as a name can count."""
    if not 1 <= count <= MOST_SHARDS:
        message = f"{target}: {count} shards; from 1 to {MOST_SHARDS} can be named"
        raise OptionError(message, path=target)
    return count


def without_shard_number(path: str) -> str:
    """`x.jsonl` for `x.jsonl-00003-of-00064`: by its end a name tells what is in the file."""
    return _SHARD_NUMBER.sub("", path)


def edges_by_count(records: int, shards: int) -> list[int]:
    """Where shards of the same size begin, give or take a record, and the end. There may be empty ones."""
    return [records * number // shards for number in range(shards + 1)]


def edges_by_records(records: int, most: int) -> list[int]:
    """Where shards of `most` records begin, and the end."""
    return [*range(0, records, most), records] if records else [0, 0]


def jobs_of(name: Name, edges: list[int] | None) -> list[Job]:
    """One job for each shard; without edges, one for everything."""
    if edges is None:
        return [Job(name.whole, 0, None)]
    runs = list(pairwise(edges))
    return [Job(path, *run) for path, run in zip(name.of_shards(len(runs)), runs, strict=True)]


def names_in(directory: str, sources: list[str], suffix: str) -> list[str]:
    """One name in a directory for each source file: its own, with another suffix."""
    names = [os.path.join(directory, _with_suffix(os.path.basename(path), suffix)) for path in sources]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        message = f"{twice}: two source files would get this name; name the target otherwise"
        raise OptionError(message, path=twice)
    return names


def _with_suffix(name: str, suffix: str) -> str:
    """The number of a shard stays on its side of the suffix, and goes before it where there was none.

    So the shards are found by the sharded name that `octavo.open` knows them by: x.tfrecord-00003-of-00064 as
    x.array_record@64, x-00003-of-00064 as x@64.array_record.
    """
    shard = _SHARD_NUMBER.search(name)
    found = _SUFFIXES.fullmatch(without_shard_number(name))
    if found is None or (shard and found["suffix"] is None):
        return name + suffix
    return found["stem"] + suffix + (shard[0] if shard else "")

"""Files without an index that are appended to again and again, by writers that all die in their work."""

from __future__ import annotations

import functools
import json
import os
import random
import shutil
from collections.abc import Iterator
from typing import Any

from tests.faults import samples
from tests.faults.programs import killed
from tests.faults.programs.outcome import say

ROUNDS = 5
BASE_CHUNK_BYTES = 300


class Append(killed.Job):
    """One append of several to the same file."""

    @property
    def file(self) -> int:
        """The number of that file."""
        return self.seed // ROUNDS

    def portions(self) -> Iterator[list[bytes]]:
        """Mostly small: what is written in pieces has more than a megabyte."""
        chosen = random.Random(self.seed + 2)
        for portion in range(chosen.randint(1, 4)):
            count = chosen.choice((1, 3, 20))
            longest = chosen.choice((3000, 30_000, 30_000, 30_000, 1_200_000)) // count
            first = portion * 1000
            yield [samples.sized(first + n, chosen.randint(0, longest), seed=self.seed) for n in range(count)]


class Creation(Append):
    """One file that was to be."""

    @property
    def options(self) -> dict[str, int | str]:
        """Dialects and codecs take turns."""
        kinds = [*samples.RECORDIO.values(), *samples.COMPRESSED.values(), samples.STREAMS["tfrecord"]]
        return kinds[self.seed % len(kinds)]

    @property
    def format(self) -> Any:
        return self.options["format"]


def base_of(file: int) -> list[bytes]:
    """The records of that file before anybody appends to it; some have none."""
    return [samples.sized(number, 100, seed=file) for number in range(file % 4 * 3)]


def path_of(folder: str, file: int, suffix: str) -> str:
    return os.path.join(folder, f"{file}{suffix}")


def left_by(folder: str, append: Append, suffix: str) -> str:
    """A copy of the file as that append has left it."""
    return os.path.join(folder, f"{append.file}.after-{append.seed}{suffix}")


def crash_creating(folder: str, seeds: list[int], *, limited: bool) -> None:
    """The same for files that are created; they are called by their number."""
    said = {}
    for seed in seeds:
        creation, path = Creation(seed), os.path.join(folder, str(seed))
        work = functools.partial(killed.write, creation, path, appends=False, waits=not limited)
        said[seed] = killed.limit(creation, path, work) if limited else killed.kill(creation, work)
    say(json.dumps(said))


def crash(folder: str, files: list[int], suffix: str, *, limited: bool) -> None:
    """Says, for every append to every file, how often it had flushed or closed when it died."""
    said = {}
    for file in files:
        path = path_of(folder, file, suffix)
        for seed in range(file * ROUNDS, (file + 1) * ROUNDS):
            append = Append(seed)
            work = functools.partial(killed.write, append, path, appends=True, waits=not limited)
            said[seed] = killed.limit(append, path, work) if limited else killed.kill(append, work)
            shutil.copy(path, left_by(folder, append, suffix))
    say(json.dumps(said))

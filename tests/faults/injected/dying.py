"""The program whose writers of Riegeli files die at any moment; those of other formats die in programs/killed.py."""

from __future__ import annotations

import functools
import json
import os
import random

from tests.faults import samples
from tests.faults.programs import killed
from tests.faults.programs.outcome import say


class RiegeliJob(killed.Job):
    """What one writer writes."""

    @property
    def options(self) -> dict[str, int | str]:
        """Groups by their number, or none and so by their bytes."""
        chosen = random.Random(self.seed)
        options: dict[str, int | str] = {"codec": chosen.choice(killed.CODECS)}
        return options | chosen.choice([{}, {"group_size": 7}])

    @property
    def base(self) -> list[bytes]:
        """The records of the file before it is appended to."""
        return [samples.sized(number, 40, seed=self.seed) for number in range(self.seed % 4 * 9)]


def path_of(folder: str, seed: int) -> str:
    """Where the writer of that number writes."""
    return os.path.join(folder, f"{seed}.riegeli")


def kill_writers(folder: str, seeds: list[int], *, appends: bool) -> None:
    """Says, for every writer, how often it had flushed or closed when it died."""
    said = {}
    for seed in seeds:
        job, path = RiegeliJob(seed), path_of(folder, seed)
        is_limited = killed.is_limited(seed)
        work = functools.partial(killed.write, job, path, appends=appends, waits=not is_limited)
        said[seed] = killed.limit(job, path, work) if is_limited else killed.kill(job, work)
    say(json.dumps(said))

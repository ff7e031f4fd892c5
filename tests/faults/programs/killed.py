"""Writers of chunked files that are killed at any moment, by a driver that never uses octavo itself.

The driver forks for every writer and reads from a pipe what the writer says was flushed. Most writers it kills in the
middle of what they do next. Few of those die inside a call that writes, so the others may write so many bytes, and die
by the one after them.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import os
import random
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator

import octavo
from tests.conformance.originals import digest_of
from tests.faults import samples
from tests.faults.programs.outcome import say

GROUP_SIZES = (1, 7, 256)
CODECS = ("zstd", "none")
MOST_PORTIONS = 4
FIRST_LIMITED = 1000
# A flush takes milliseconds on one disk and microseconds on another: the moment of death is anywhere in the next one.
DELAYS_S = tuple(10.0**power for power in (-5, -4.5, -4, -3.5, -3, -2.5, -2.2))


@dataclasses.dataclass(frozen=True)
class Job:
    """What one writer writes. The test that looks at what is left of it computes the same."""

    seed: int

    @property
    def options(self) -> dict[str, int | str]:
        chosen = random.Random(self.seed)
        return {"group_size": chosen.choice(GROUP_SIZES), "codec": chosen.choice(CODECS)}

    @property
    def base(self) -> list[bytes]:
        """The records of the file before it is appended to: none, whole groups, or a short group at the end."""
        chosen = random.Random(self.seed + 1)
        group_size = int(self.options["group_size"])
        count = chosen.choice((0, group_size, 2 * group_size, 1, group_size + 1, 3 * group_size - 1))
        return [samples.sized(number, 40, seed=self.seed) for number in range(count)]

    def portions(self) -> Iterator[list[bytes]]:
        """The records that are written, in the portions after which they are flushed."""
        chosen = random.Random(self.seed + 2)
        numbers = itertools.count(100_000)
        for _ in range(chosen.randint(1, MOST_PORTIONS)):
            count = chosen.choice((1, 3, 7, 20, 300))
            longest = chosen.choice((40_000, 40_000, 4_000_000)) // count
            yield [samples.sized(next(numbers), chosen.randint(10, longest), seed=self.seed) for _ in range(count)]

    def written(self, portions: int | None = None) -> list[bytes]:
        """Everything in the first portions."""
        return list(itertools.chain.from_iterable(itertools.islice(self.portions(), portions)))


def path_of(folder: str, seed: int) -> str:
    """Where the writer of that number writes."""
    return os.path.join(folder, f"{seed}.array_record")


def is_limited(seed: int) -> bool:
    """Whether that writer dies by what it writes, and is not killed."""
    return seed >= FIRST_LIMITED


def write(job: Job, path: str, acknowledge: Callable[[], object], *, appends: bool, waits: bool) -> None:
    writer = octavo.append(path) if appends else octavo.create(path, **job.options)  # type: ignore[arg-type]
    for portion in job.portions():
        writer.write_many(portion)
        writer.flush()
        acknowledge()
    writer.close()
    acknowledge()
    if waits:
        signal.pause()


def start(work: Callable[[], object]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        work()
    except BaseException:  # noqa: BLE001 - the child must end here
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)


def kill(job: Job, work: Callable[[Callable[[], object]], object]) -> int:
    """Kills a writer in the middle of what it does; how often it had said that it flushed."""
    chosen = random.Random(job.seed + 3)
    reading, writing = os.pipe()
    child = start(lambda: work(lambda: os.write(writing, b".")))
    os.close(writing)
    wait_for = chosen.randint(0, len(list(job.portions())) + 1)
    said = 0
    while said < wait_for and (heard := len(os.read(reading, 100))):
        said += heard
    time.sleep(chosen.uniform(0, chosen.choice(DELAYS_S)))
    os.kill(child, signal.SIGKILL)
    _expect_death(child, signal.SIGKILL)
    return said + _heard_last(reading)


def limit(job: Job, path: str, work: Callable[[Callable[[], object]], object]) -> int:
    """Lets a writer write so many bytes and no more; how often it had said that it flushed."""
    chosen = random.Random(job.seed + 4)
    room = chosen.choice((chosen.randint(0, 5000), chosen.randint(0, 300_000), chosen.randint(0, 3_000_000)))
    size = room + (os.path.getsize(path) if os.path.exists(path) else 0)
    reading, writing = os.pipe()

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python would ignore it
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        work(lambda: os.write(writing, b"."))
        os.kill(os.getpid(), signal.SIGXFSZ)  # there was room for everything

    child = start(limited)
    os.close(writing)
    _expect_death(child, signal.SIGXFSZ)
    return _heard_last(reading)


def _expect_death(child: int, by: signal.Signals) -> None:
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -by, "the writer ended by itself"


def _heard_last(reading: int) -> int:
    said = 0
    while heard := len(os.read(reading, 100)):
        said += heard
    os.close(reading)
    return said


def kill_writers(folder: str, seeds: list[int], *, appends: bool) -> None:
    """Says, for every writer, how often it had flushed or closed when it died."""
    said = {}
    for seed in seeds:
        job, path = Job(seed), path_of(folder, seed)
        work = functools.partial(write, job, path, appends=appends, waits=not is_limited(seed))
        said[seed] = limit(job, path, work) if is_limited(seed) else kill(job, work)
    say(json.dumps(said))


def read_by_the_original(paths: list[str]) -> None:
    """Says what the original package reads: a digest of each file's records, read at once and by number."""
    from array_record.python import array_record_module

    for path in paths:
        reader = array_record_module.ArrayRecordReader(path)
        by_number = reader.read(list(range(reader.num_records()))) if reader.num_records() else []
        say(f"{digest_of(reader.read_all())} {digest_of(by_number)}")
        reader.close()

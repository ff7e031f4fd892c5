"""A writer that is killed at any moment leaves the file as it was, and every record that it had flushed."""

from __future__ import annotations

import itertools
import random
import time
from pathlib import Path

import pytest

from tests.faults import isolation, spool
from tests.faults.programs import writing
from tests.naive import ffrecord as naive

KILLS = 20


def content_of(number: int) -> bytes:
    return naive.encode([record for portion in writing.generation(number) for record in portion])


def kill_a_writer(path: Path, first: int, after_s: float) -> tuple[str, int, int]:
    """The last thing that it said: whether that was flushed or published, which file, and how many portions."""
    process = isolation.Process(writing.write_until_killed, path=path, first=first)
    process.wait_for(f"published {first} 0")
    time.sleep(after_s)
    process.popen.kill()
    ended = process.end()
    *_, last = (f"published {first} 0\n" + ended.output).splitlines()
    what, number, portions = last.split()
    return what, int(number), int(portions)


@pytest.fixture(scope="module", params=range(KILLS))
def killed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, int, int]:
    path = tmp_path_factory.mktemp("killed") / "out.ffr"
    after_s = random.Random(request.param).uniform(0, 0.05)
    return path, *kill_a_writer(path, 1000 * request.param, after_s)


def published_in(path: Path, numbers: range) -> int | None:
    content = path.read_bytes()
    return next((number for number in numbers if content == content_of(number)), None)


def test_killed_writer_leaves_a_whole_file_under_the_final_name(killed: tuple[Path, str, int, int]):
    path, what, number, _ = killed
    # What was published last, or what was being published at that moment.
    first = number if what == "published" else number - 1
    assert published_in(path, range(first, number + 2)) is not None


def test_killed_writer_leaves_every_flushed_record(killed: tuple[Path, str, int, int]):
    path, what, number, portions = killed
    if what == "published" or published_in(path, range(number, number + 1)) is not None:
        return  # what was flushed is in the file
    flushed = list(itertools.chain.from_iterable(itertools.islice(writing.generation(number), portions)))
    left = list(spool.records(Path(f"{path}.partial").read_bytes()))
    assert left[: len(flushed)] == flushed


def test_file_can_be_written_after_its_writer_was_killed(tmp_path: Path):
    path = tmp_path / "out.ffr"
    for first in range(3):
        kill_a_writer(path, first, 0.005)
    ended = isolation.Process(writing.write_until_killed, path=path, first=7)
    ended.wait_for("published 7 0")
    ended.popen.kill()
    ended.end()

"""A writer of chunked files that is killed at any moment leaves every record that it had flushed.

What was created is saved from `NAME.partial`; what was appended is simply there when the file is opened.
"""

from __future__ import annotations

import importlib.util
import json
import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.conformance.originals import digest_of
from tests.faults import isolation
from tests.faults.programs import killed
from tests.faults.programs.killed import Job, path_of

KILLED = range(200)
LIMITED = range(killed.FIRST_LIMITED, killed.FIRST_LIMITED + 80)
SEEDS = [*KILLED, *LIMITED]
AT_ONCE = 40
MORE = b"of the next append"

needs_the_original = pytest.mark.skipif(
    importlib.util.find_spec("array_record") is None, reason="the original package is not installed"
)


def kill_writers(
    folder: Path,
    *,
    appends: bool,
    program: Callable[..., None] = killed.kill_writers,
    all_seeds: Sequence[int] = SEEDS,
    at_once: int = AT_ONCE,
) -> dict[int, int]:
    """How often each writer had said that it flushed or closed."""
    said: dict[int, int] = {}
    for first in range(0, len(all_seeds), at_once):
        seeds = all_seeds[first : first + at_once]
        ended = isolation.check(program, folder=folder, seeds=seeds, appends=appends, timeout_s=300)
        said |= {int(seed): times for seed, times in json.loads(ended.output).items()}
    return said


def is_prefix(found: list[bytes], of: list[bytes]) -> bool:
    return found == of[: len(found)]


def read_by_the_original(paths: list[str]) -> list[str]:
    ended = isolation.check(killed.read_by_the_original, paths=paths, timeout_s=300)
    return ended.output.splitlines()


def twice(records: list[bytes]) -> str:
    digest = digest_of(records)
    return f"{digest} {digest}"


# Files that are created.


@pytest.fixture(scope="module")
def created(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, int]]:
    folder = tmp_path_factory.mktemp("created")
    return folder, kill_writers(folder, appends=False)


@pytest.fixture(scope="module")
def saved(created: tuple[Path, dict[int, int]]) -> dict[int, str]:
    """Where the records of each dead writer are, if it left any: in its file, or in what was recovered."""
    folder, said = created
    found = {}
    for seed in said:
        path = path_of(str(folder), seed)
        partial = f"{path}.partial"
        if os.path.exists(path):
            found[seed] = path
        elif os.path.exists(partial) and os.path.getsize(partial) > 0:
            found[seed] = os.path.join(folder, f"{seed}.recovered.array_record")
            octavo.recover(partial, found[seed])
    return found


def test_killed_writers_died_at_every_stage(created: tuple[Path, dict[int, int]]):
    folder, said = created
    unpublished = {seed for seed in LIMITED if not os.path.exists(path_of(str(folder), seed))}
    assert 0 < len(unpublished) < len(LIMITED)
    assert {0, 1, 2} <= {said[seed] for seed in unpublished}


def test_every_flushed_record_is_recovered(created: tuple[Path, dict[int, int]], saved: dict[int, str]):
    _, said = created
    for seed, times in said.items():
        if seed not in saved:
            assert times == 0, f"writer {seed} left nothing"
            continue
        records = octavo.open(saved[seed]).read_all()
        assert len(records) >= len(Job(seed).written(times)), f"writer {seed}"
        assert is_prefix(records, Job(seed).written()), f"writer {seed}"


def test_recovered_files_are_written_as_the_lost_ones_were(saved: dict[int, str]):
    for seed, path in saved.items():
        with octavo.open(path) as reader:
            if len(reader) > int(Job(seed).options["group_size"]):
                assert reader.info.group_size == Job(seed).options["group_size"], f"writer {seed}"
                assert reader.info.codec == Job(seed).options["codec"], f"writer {seed}"


@needs_the_original
def test_the_original_reads_recovered_files(saved: dict[int, str]):
    expected = [twice(octavo.open(path).read_all()) for path in saved.values()]
    assert read_by_the_original(list(saved.values())) == expected


# Files that are appended to.


@pytest.fixture(scope="module")
def appended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, int]]:
    folder = tmp_path_factory.mktemp("appended")
    for seed in SEEDS:
        with octavo.create(path_of(str(folder), seed), **Job(seed).options) as writer:  # type: ignore[arg-type]
            writer.write_many(Job(seed).base)
    return folder, kill_writers(folder, appends=True)


def read_perhaps_torn(path: str) -> tuple[list[bytes], int]:
    """The records and the bytes left out; there is a warning if, and only if, there are any."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # of what other tests have left
        reader = octavo.open(path)
    torn_bytes = reader.info.torn_bytes
    assert [one.category for one in caught] == [errors.TornAppendWarning] * (torn_bytes > 0)
    assert all(path in str(one.message) and str(torn_bytes) in str(one.message) for one in caught)
    return reader.read_all(), torn_bytes


@pytest.fixture(scope="module")
def found(appended: tuple[Path, dict[int, int]]) -> dict[int, tuple[list[bytes], int]]:
    """What each file holds after its writer died."""
    folder, said = appended
    return {seed: read_perhaps_torn(path_of(str(folder), seed)) for seed in said}


def test_killed_appends_died_at_every_stage(
    appended: tuple[Path, dict[int, int]], found: dict[int, tuple[list[bytes], int]]
):
    _, said = appended
    assert {0, 1, 2, 3} <= set(said.values())
    assert any(torn_bytes > 0 for _, torn_bytes in found.values())
    assert any(len(Job(seed).base) % int(Job(seed).options["group_size"]) for seed in said)


def test_every_flushed_record_is_there(
    appended: tuple[Path, dict[int, int]], found: dict[int, tuple[list[bytes], int]]
):
    for seed, times in appended[1].items():
        records, _ = found[seed]
        job = Job(seed)
        assert len(records) >= len(job.base) + len(job.written(times)), f"writer {seed}"
        assert is_prefix(records, job.base + job.written()), f"writer {seed}"


def test_recovery_saves_at_least_what_opens(
    appended: tuple[Path, dict[int, int]], found: dict[int, tuple[list[bytes], int]]
):
    folder, _ = appended
    for seed, (records, torn_bytes) in found.items():
        if torn_bytes == 0:
            continue
        target = os.path.join(folder, f"{seed}.recovered.array_record")
        report = octavo.recover(path_of(str(folder), seed), target)
        saved = octavo.open(target).read_all()
        assert report.record_count == len(saved) >= len(records), f"writer {seed}"
        assert is_prefix(saved, Job(seed).base + Job(seed).written()), f"writer {seed}"


@pytest.fixture(scope="module")
def continued(appended: tuple[Path, dict[int, int]], found: dict[int, tuple[list[bytes], int]]) -> list[str]:
    """The same files with one record more. The test above wants them as they were."""
    folder, _ = appended
    copies = []
    for seed in found:
        copies.append(os.path.join(folder, f"{seed}.continued.array_record"))
        Path(copies[-1]).write_bytes(Path(path_of(str(folder), seed)).read_bytes())
        with octavo.append(copies[-1]) as writer:
            writer.write(MORE)
    return copies


def test_the_next_append_goes_on_with_what_opens(continued: list[str], found: dict[int, tuple[list[bytes], int]]):
    for path, (seed, (records, _)) in zip(continued, found.items(), strict=True):
        assert read_perhaps_torn(path) == ([*records, MORE], 0), f"writer {seed}"


@needs_the_original
def test_the_original_reads_what_the_next_append_left(continued: list[str], found: dict[int, tuple[list[bytes], int]]):
    assert read_by_the_original(continued) == [twice([*records, MORE]) for records, _ in found.values()]

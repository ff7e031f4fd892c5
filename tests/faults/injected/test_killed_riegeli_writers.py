"""Writers of Riegeli files, killed at any moment: flushed records are recovered, and no others than those written.

A Riegeli file has no end that could be missing, and no older one to go back to: a torn one is refused, and recovered.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.faults import test_killed_chunked_writers
from tests.faults.injected import dying, ways
from tests.faults.injected.dying import RiegeliJob
from tests.faults.programs import killed

SEEDS = [*range(40), *range(killed.FIRST_LIMITED, killed.FIRST_LIMITED + 20)]
AT_ONCE = 20


def kill_writers(folder: Path, *, appends: bool) -> dict[int, int]:
    """How often each writer had said that it flushed or closed."""
    return test_killed_chunked_writers.kill_writers(
        folder, appends=appends, program=dying.kill_writers, all_seeds=SEEDS, at_once=AT_ONCE
    )


def saved_from(path: Path, folder: Path) -> list[bytes]:
    target = folder / "saved.riegeli"
    octavo.recover(path, target, overwrite=True)
    return ways.contents(target)


def test_every_flushed_record_of_a_file_that_was_to_be_is_recovered(quick_path: Path):
    unfinished = 0
    for seed, flushes in kill_writers(quick_path, appends=False).items():
        job, path = RiegeliJob(seed), Path(dying.path_of(str(quick_path), seed))
        partial = path.with_name(f"{path.name}.partial")
        if path.exists():
            assert ways.contents(path) == job.written(), job
        elif partial.exists() and partial.stat().st_size > 0:
            saved = saved_from(partial, quick_path)
            assert saved == job.written()[: len(saved)], job
            assert len(saved) >= len(job.written(flushes)), job
            unfinished += 1
        else:
            assert flushes == 0, job
    assert unfinished >= 10


def test_every_flushed_record_of_an_append_is_recovered(quick_path: Path):
    for seed in SEEDS:
        job = RiegeliJob(seed)
        with octavo.create(dying.path_of(str(quick_path), seed), **job.options) as writer:  # type: ignore[arg-type]
            writer.write_many(job.base)
    refused = 0
    for seed, flushes in kill_writers(quick_path, appends=True).items():
        job, path = RiegeliJob(seed), Path(dying.path_of(str(quick_path), seed))
        truth, safe = job.base + job.written(), len(job.base) + len(job.written(flushes))
        saved = saved_from(path, quick_path)
        assert len(saved) >= safe, job
        assert saved == truth[: len(saved)], job
        try:
            assert ways.contents(path) == saved, job
        except errors.TruncatedError:
            refused += 1
            with pytest.raises(errors.FormatError):
                octavo.append(path)
    assert refused >= 3

"""What tests of faults share. They make their faults by Linux's means, so they run there alone."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.faults import page_cache, samples

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]

# Tests that fail today, by the end of their name, and why. One that passes must be taken out of the list.
KNOWN_BUGS = {
    r"test_lost_page_is_an_error\[.*-single-after\]": (
        "a single read does not look whether somebody has put a handler over the guard"
    ),
    r"test_lost_page_is_an_error_after_a_handler_in_python_took_a_signal\[single\]": (
        "the guard is gone after it has passed a signal on, until the next batch; the read faults forever"
    ),
    r"test_signal_reaches_the_last_handler_of_many": "the guard forgets handlers after the eighth",
    r"test_process_that_may_not_start_threads_.*\[direct\]": (
        "the kernel cancels reads of a ring that gets no worker, after a long while; the ring is tried every time"
    ),
    r"test_cold_read_waits_for_no_page_faults\[single\]": (
        "one single read that finds its page in memory makes the next 63 trust that theirs are"
    ),
}

# The same, but they fail only when threads or processes meet at the wrong moment, which they nearly always do.
KNOWN_RACES = {
    r"test_a_thousand_shards_.*\[(auto-cold|uring-.*|direct-.*)\]": (
        "parts of a cold batch run side by side, each with up to 64 descriptors or more"
    ),
    r"test_child_goes_on_with_an_iterator_.*": "the iterator's lock is held by a thread that the child does not have",
    r"test_child_may_abort_a_writer_.*": "the writer's lock is held by a thread that the child does not have",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of known bugs."""
    for item in items:
        if item.path.parent != Path(__file__).parent:
            continue
        for name, reason in (KNOWN_BUGS | KNOWN_RACES).items():
            if re.search(name + "$", item.name):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=name in KNOWN_BUGS))


@pytest.fixture(params=samples.IO_MODES)
def io(request: pytest.FixtureRequest) -> str:
    """Every way to read local files."""
    mode: str = request.param
    return mode


@pytest.fixture(params=[True, False], ids=["checked", "unchecked"])
def check_data(request: pytest.FixtureRequest) -> bool:
    """With checksums and without."""
    checked: bool = request.param
    return checked


@pytest.fixture(scope="session")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thousand small files."""
    folder = tmp_path_factory.mktemp("shards")
    for shard in range(samples.SHARDS):
        numbers = range(samples.SHARD_RECORDS)
        content = [samples.sized(number, samples.SHARD_RECORD_BYTES, shard) for number in numbers]
        samples.write(folder / f"shard-{shard:05d}.ffr", content)
    os.sync()
    return folder


@pytest.fixture(scope="session")
def wide_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """4,000 records of 8 kB; record `n` is `samples.sized(n, 8192)`."""
    path = tmp_path_factory.mktemp("wide") / "wide.ffr"
    samples.write(path, (samples.sized(number, 8192) for number in range(4000)), durable=True)
    return path


@pytest.fixture
def cold_file(wide_file: Path) -> Path:
    """The wide file, out of the page cache."""
    if not page_cache.can_drop([wide_file]):
        pytest.skip("the file system of the temporary folder keeps its pages in memory")
    return wide_file

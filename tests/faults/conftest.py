"""What tests of faults share. They make their faults by Linux's means, so they run there alone."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import page_cache, samples

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]


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


@pytest.fixture
def quick_path(tmp_path: Path) -> Iterator[Path]:
    """A folder of the test's own, in memory where there is such: whole files are synced, and disks take their time."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="octavo-") as folder:
        yield Path(folder)


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

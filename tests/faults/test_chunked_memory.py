"""Reading hundreds of megabytes of chunks takes a bounded part of them, and the cache keeps to its size."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.faults import isolation
from tests.faults.programs import memory


@pytest.fixture(scope="module", params=["none", "zstd"])
def large_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """400 MB of records; a few megabytes on disk where they are compressed."""
    folder = tmp_path_factory.mktemp("large")
    memory.write(folder / "large.array_record", request.param)
    yield folder / "large.array_record"
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, compressed."""
    path = tmp_path_factory.mktemp("small") / "small.array_record"
    memory.write(path, "zstd")
    return path


def test_scan_takes_bounded_memory(large_file: Path, io: str):
    isolation.check(memory.scan, path=large_file, io=io, timeout_s=60)


def test_scan_backwards_takes_bounded_memory(small_file: Path):
    isolation.check(memory.scan_backwards, path=small_file, timeout_s=60)


def test_verify_takes_bounded_memory(large_file: Path):
    isolation.check(memory.verify, path=large_file, timeout_s=60)


def test_recovery_takes_bounded_memory(small_file: Path):
    isolation.check(memory.recover, path=small_file, timeout_s=60)


@pytest.mark.parametrize("cache_bytes", [0, 16 << 20, 64 << 20, 1 << 30])
@pytest.mark.parametrize("mode", ["auto", "pread"])
def test_cache_keeps_to_its_size(small_file: Path, mode: str, cache_bytes: int):
    isolation.check(memory.fill_the_cache, path=small_file, io=mode, cache_bytes=cache_bytes, timeout_s=60)


def test_reader_without_a_cache_reads_from_the_file(tmp_path: Path, small_file: Path, io: str):
    path = shutil.copy(small_file, tmp_path)
    isolation.check(memory.lose_the_file_behind_the_cache, path=path, io=io, timeout_s=60)

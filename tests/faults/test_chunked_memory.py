"""Reading hundreds of megabytes of chunks takes a bounded part of them, and the cache keeps to its size."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.faults import isolation
from tests.faults.programs import memory

LARGE: dict[str, tuple[str, dict[str, Any]]] = {
    "none": (".array_record", {"codec": "none", "group_size": memory.GROUP_SIZE}),
    "zstd": (".array_record", {"codec": "zstd", "group_size": memory.GROUP_SIZE}),
    "recordio": (".recordio", {"codec": "snappy", "group_size": memory.GROUP_SIZE}),
    "tfrecord": (".tfrecord", {"codec": "none"}),
    "tfrecord.gz": (".tfrecord.gz", {"codec": "gzip:1"}),
}
SMALL = {"array_record": LARGE["zstd"], "recordio": LARGE["recordio"]}


@pytest.fixture(scope="module", params=LARGE)
def large_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """400 MB of records; a few megabytes on disk where they are compressed."""
    folder = tmp_path_factory.mktemp("large")
    suffix, options = LARGE[request.param]
    memory.write(folder / f"large{suffix}", **options)
    yield folder / f"large{suffix}"
    shutil.rmtree(folder)


@pytest.fixture(scope="module", params=SMALL)
def small_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, compressed, in chunks."""
    suffix, options = SMALL[request.param]
    path: Path = tmp_path_factory.mktemp("small") / f"small{suffix}"
    memory.write(path, **options)
    return path


def test_scan_takes_bounded_memory(large_file: Path, io: str):
    isolation.check(memory.scan, path=large_file, io=io)


def test_scan_backwards_takes_bounded_memory(small_file: Path):
    isolation.check(memory.scan_backwards, path=small_file)


def test_verify_takes_bounded_memory(large_file: Path):
    isolation.check(memory.verify, path=large_file)


def test_recovery_takes_bounded_memory(small_file: Path):
    isolation.check(memory.recover, path=small_file)


@pytest.mark.parametrize("cache_bytes", [0, 16 << 20, 64 << 20, 1 << 30])
@pytest.mark.parametrize("mode", ["auto", "pread"])
def test_cache_keeps_to_its_size(small_file: Path, mode: str, cache_bytes: int):
    isolation.check(memory.fill_the_cache, path=small_file, io=mode, cache_bytes=cache_bytes)


def test_reader_without_a_cache_reads_from_the_file(tmp_path: Path, small_file: Path, io: str):
    path = shutil.copy(small_file, tmp_path)
    isolation.check(memory.lose_the_file_behind_the_cache, path=path, io=io)

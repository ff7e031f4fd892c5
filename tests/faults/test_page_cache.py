"""Reads of bytes that are in memory copy them; reads of bytes that are not do not crawl through page faults."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.faults import isolation, samples
from tests.faults.programs import temperature

FILE_PAGES = temperature.COUNT * temperature.RECORD_BYTES // samples.PAGE_BYTES

ATTEMPTS = 5

# The index is read through the page cache, and the kernel reads on for a while behind it.
PAGES_OF_THE_INDEX = 200


@pytest.fixture
def warm_file(wide_file: Path) -> Path:
    wide_file.read_bytes()
    return wide_file


def measured(path: Path, io: str, way: str, *, warm: bool) -> dict[str, int]:
    ended = isolation.check(temperature.measure, path=path, io=io, way=way, warm=warm)
    costs: dict[str, int] = json.loads(ended.output)
    return costs


@pytest.mark.parametrize("way", temperature.WAYS)
def test_cold_read_waits_for_no_page_faults(cold_file: Path, way: str):
    costs = measured(cold_file, io="auto", way=way, warm=False)
    assert costs["bytes_from_device"] > 0, "the file was in memory"
    assert costs["major_faults"] < costs["records"] / 20


def test_mapped_cold_read_waits_for_page_faults(cold_file: Path):
    """So the figure above means something."""
    costs = measured(cold_file, io="mmap", way="batch", warm=False)
    assert costs["major_faults"] > costs["records"] / 2


def test_read_of_the_cold_half_after_many_of_the_warm_one_waits_for_few_page_faults(cold_file: Path):
    ended = isolation.check(temperature.measure_after_warm_ones, path=cold_file)
    assert int(ended.output) < 50  # of a thousand records


def measured_undisturbed(path: Path, way: str) -> dict[str, int]:
    """What a warm read costs. Where memory is short, pages of the file or of code may be gone again: not each time."""
    for _ in range(ATTEMPTS):
        path.read_bytes()
        costs = measured(path, io="auto", way=way, warm=True)
        if costs["bytes_from_device"] == costs["major_faults"] == 0:
            break
    return costs


@pytest.mark.parametrize("way", temperature.WAYS)
def test_warm_read_copies_memory_and_asks_no_device(wide_file: Path, way: str):
    costs = measured_undisturbed(wide_file, way)
    assert costs["bytes_from_device"] == 0
    assert costs["bytes_by_calls"] < costs["records"] * temperature.RECORD_BYTES / 20
    assert costs["major_faults"] == 0


def test_warm_positional_read_asks_the_kernel(warm_file: Path):
    """So the figure above means something."""
    costs = measured(warm_file, io="pread", way="batch", warm=True)
    assert costs["bytes_by_calls"] >= costs["records"] * temperature.RECORD_BYTES


@pytest.mark.parametrize("way", temperature.WAYS)
def test_direct_read_leaves_the_page_cache_alone(cold_file: Path, way: str):
    try:
        os.close(os.open(cold_file, os.O_RDONLY | os.O_DIRECT))
    except OSError:
        pytest.skip("the file system of the temporary folder cannot be read past the page cache")
    ended = isolation.check(temperature.count_pages, path=cold_file, io="direct", way=way)
    assert int(ended.output) < PAGES_OF_THE_INDEX


@pytest.mark.parametrize("io", ["auto", "pread", "uring"])
def test_other_reads_fill_the_page_cache(cold_file: Path, io: str):
    """So the figure above means something."""
    ended = isolation.check(temperature.count_pages, path=cold_file, io=io, way="whole")
    assert int(ended.output) >= FILE_PAGES


@pytest.mark.parametrize("code", ["EPERM", "ENOSYS", "ENOMEM"])
@pytest.mark.parametrize("io", ["auto", "uring", "direct"])
def test_ring_that_is_forbidden_is_done_without(cold_file: Path, io: str, code: str):
    isolation.check(temperature.read_without_a_ring, path=cold_file, io=io, code=code, used_before=False)


def test_ring_that_is_forbidden_after_it_was_used_is_done_without(cold_file: Path):
    isolation.check(
        temperature.read_without_a_ring, path=cold_file, io="uring", code="EPERM", used_before=True, timeout_s=20
    )

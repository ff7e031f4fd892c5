"""Reads of bytes that are in memory copy them; reads of bytes that are not do not crawl through page faults."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import pytest

from tests.faults import isolation, page_cache, samples
from tests.faults.programs import temperature

FILE_PAGES = temperature.COUNT * temperature.RECORD_BYTES // samples.PAGE_BYTES

ATTEMPTS = 5

# The index is read through the page cache, and the kernel reads on for a while behind it.
PAGES_OF_THE_INDEX = 200


Costs: TypeAlias = dict[str, int]
Figure = TypeVar("Figure", int, Costs)


def assert_comes_true(is_right: Callable[[Figure], bool], measure: Callable[[], Figure]) -> None:
    """Where memory is short, pages of the file or of code come and go while a program runs: not each time."""
    seen: list[Figure] = []
    while not (seen and is_right(seen[-1])):
        assert len(seen) < ATTEMPTS, seen
        seen.append(measure())


def cold(program: Callable[..., object], path: Path, **arguments: Any) -> Any:
    """What a program says that begins without a page of the file."""
    page_cache.drop(path)
    return json.loads(isolation.check(program, path=path, **arguments).output)


def warm(path: Path, io: str, way: str) -> Costs:
    path.read_bytes()
    costs: Costs = json.loads(isolation.check(temperature.measure, path=path, io=io, way=way, warm=True).output)
    return costs


@pytest.mark.parametrize("way", temperature.WAYS)
def test_cold_read_waits_for_no_page_faults(cold_file: Path, way: str):
    def is_right(costs: Costs) -> bool:
        return costs["bytes_from_device"] > 0 and costs["major_faults"] < costs["records"] / 20

    assert_comes_true(is_right, lambda: cold(temperature.measure, cold_file, io="auto", way=way, warm=False))


def test_mapped_cold_read_waits_for_page_faults(cold_file: Path):
    """So the figure above means something."""

    def is_right(costs: Costs) -> bool:
        return costs["major_faults"] > costs["records"] / 2

    assert_comes_true(is_right, lambda: cold(temperature.measure, cold_file, io="mmap", way="batch", warm=False))


def test_read_of_the_cold_half_after_many_of_the_warm_one_waits_for_few_page_faults(cold_file: Path):
    of_a_thousand_records = 50
    assert_comes_true(
        lambda faults: faults < of_a_thousand_records, lambda: cold(temperature.measure_after_warm_ones, cold_file)
    )


@pytest.mark.parametrize("way", temperature.WAYS)
def test_warm_read_copies_memory_and_asks_no_device(wide_file: Path, way: str):
    def is_right(costs: Costs) -> bool:
        asks_the_kernel = costs["bytes_by_calls"] >= costs["records"] * temperature.RECORD_BYTES / 20
        return costs["bytes_from_device"] == costs["major_faults"] == 0 and not asks_the_kernel

    assert_comes_true(is_right, lambda: warm(wide_file, "auto", way))


def test_warm_positional_read_asks_the_kernel(wide_file: Path):
    """So the figure above means something."""
    costs = warm(wide_file, "pread", "batch")
    assert costs["bytes_by_calls"] >= costs["records"] * temperature.RECORD_BYTES


@pytest.mark.parametrize("way", temperature.WAYS)
def test_direct_read_leaves_the_page_cache_alone(cold_file: Path, way: str):
    try:
        os.close(os.open(cold_file, os.O_RDONLY | os.O_DIRECT))
    except OSError:
        pytest.skip("the file system of the temporary folder cannot be read past the page cache")
    assert_comes_true(
        lambda pages: pages < PAGES_OF_THE_INDEX,
        lambda: cold(temperature.count_pages, cold_file, io="direct", way=way),
    )


@pytest.mark.parametrize("io", ["auto", "pread", "uring"])
def test_other_reads_fill_the_page_cache(cold_file: Path, io: str):
    """So the figure above means something."""
    assert_comes_true(
        lambda pages: pages >= 0.95 * FILE_PAGES,
        lambda: cold(temperature.count_pages, cold_file, io=io, way="whole"),
    )


@pytest.mark.parametrize("code", ["EPERM", "ENOSYS", "ENOMEM"])
@pytest.mark.parametrize("io", ["auto", "uring", "direct"])
def test_ring_that_is_forbidden_is_done_without(cold_file: Path, io: str, code: str):
    isolation.check(temperature.read_without_a_ring, path=cold_file, io=io, code=code, used_before=False)


def test_ring_that_is_forbidden_after_it_was_used_is_done_without(cold_file: Path):
    isolation.check(temperature.read_without_a_ring, path=cold_file, io="uring", code="EPERM", used_before=True)

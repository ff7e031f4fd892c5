"""Counting and partitioning a large RecordIO file reads its headers, and next to nothing of what is between them."""

from __future__ import annotations

import json
import os
import struct
import zlib
from pathlib import Path

import pytest

from tests.faults import isolation, page_cache
from tests.faults.programs import counting
from tests.faults.test_page_cache import Costs, assert_comes_true
from tests.naive import recordio as naive

CHUNK_BYTES = 1 << 20
CHUNKS = 3000
CHUNK_RECORDS = (CHUNK_BYTES - naive.HEADER) // 4
RECORDS = CHUNKS * CHUNK_RECORDS
FILE_BYTES = CHUNKS * CHUNK_BYTES


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """3 GB of whole chunks. All records are empty, so that what is between headers is a hole."""
    path = tmp_path_factory.mktemp("large") / "large.recordio"
    payload = bytes(CHUNK_BYTES - naive.HEADER)
    header = naive.MAGIC + struct.pack("<4I", zlib.crc32(payload), 0, len(payload), CHUNK_RECORDS)
    with path.open("wb") as file:
        for begin in range(0, FILE_BYTES, CHUNK_BYTES):
            file.seek(begin)
            file.write(header)
        try:
            file.truncate(FILE_BYTES)
        except OSError as error:
            pytest.skip(f"the file system of the temporary folder has no such files: {error}")
        file.flush()
        os.fsync(file.fileno())
    if not page_cache.can_drop([path]):
        pytest.skip("the file system of the temporary folder keeps its pages in memory")
    return path


def test_counting_reads_much_less_than_a_hundredth(large_file: Path, io: str):
    def is_right(costs: Costs) -> bool:
        return (
            0 < costs["bytes_from_device"] < FILE_BYTES / 200
            and costs["bytes_in_memory"] < FILE_BYTES / 100
            and costs["bytes_by_calls"] < FILE_BYTES / 500
        )

    def measure() -> Costs:
        costs: Costs = json.loads(isolation.check(counting.measure, path=large_file, io=io, records=RECORDS).output)
        return costs

    assert_comes_true(is_right, measure)


def test_tasks_begin_where_chunks_do(large_file: Path):
    isolation.check(counting.read_tasks, path=large_file, chunk_records=CHUNK_RECORDS)

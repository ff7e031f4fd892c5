"""However many files are open as one, few descriptors are; and all of them are given back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import isolation, page_cache, samples
from tests.faults.programs import descriptors
from tests.naive import recordio


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "records.ffr"
    samples.write(path, samples.records(500), durable=True)
    return path


@pytest.fixture(params=[".ffr", ".recordio", ".tfrecord"])
def any_path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The same in several formats."""
    path = tmp_path / f"records{request.param}"
    samples.write_plainly(path, samples.records(500))
    return path


@pytest.mark.parametrize("cold", [False, True], ids=["warm", "cold"])
def test_a_thousand_shards_need_no_more_than_256_descriptors(shards: Path, io: str, cold):
    if cold and not page_cache.can_drop(shards.iterdir()):
        pytest.skip("the file system of the temporary folder keeps its pages in memory")
    isolation.check(descriptors.read_shards, folder=shards, io=io, cold=cold)


def test_hundreds_of_shards_without_an_index_need_no_more_than_256_descriptors(tmp_path: Path):
    for shard in range(400):
        numbers = range(samples.SHARD_RECORDS)
        content = [samples.sized(number, samples.SHARD_RECORD_BYTES, shard) for number in numbers]
        (tmp_path / f"shard-{shard:05d}.recordio").write_bytes(recordio.encode_chunk(content, "go"))
    isolation.check(descriptors.read_shards, folder=tmp_path, io="auto", cold=False)


def test_closed_reader_has_no_file_open(any_path: Path, io: str):
    isolation.check(descriptors.close_reader, path=any_path, io=io)


def test_opening_and_closing_again_and_again_leaks_nothing(any_path: Path, io: str):
    isolation.check(descriptors.open_and_close, path=any_path, io=io)


def test_failing_to_open_leaks_nothing(path: Path, tmp_path: Path, io: str):
    empty, damaged, cut, absent = (tmp_path / f"{name}.ffr" for name in ("empty", "damaged", "cut", "absent"))
    content = path.read_bytes()
    empty.touch()
    damaged.write_bytes(content[:100] + b"damage" + content[106:])
    cut.write_bytes(content[:1000])
    isolation.check(descriptors.fail_to_open, paths=[path, empty, damaged, cut, absent], io=io)


def test_failing_to_write_leaks_nothing(tmp_path: Path):
    isolation.check(descriptors.fail_to_write, folder=tmp_path)

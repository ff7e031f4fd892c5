"""A file that changes under an open reader gives its old bytes or an error: never a crash, never wrong bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import isolation, page_cache, samples
from tests.faults.programs import changed_files


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "records.ffr"
    samples.write(path, changed_files.OLD, durable=True)
    return path


@pytest.mark.parametrize("change", changed_files.CHANGES)
def test_changed_file_gives_old_bytes_or_an_error(path: Path, change: str, io: str, check_data):
    isolation.check(changed_files.read_after, path=path, change=change, io=io, check_data=check_data)


@pytest.mark.parametrize("change", ["truncated in a record", "rewritten", "replaced by a shorter file"])
def test_changed_file_that_is_not_in_memory_gives_old_bytes_or_an_error(path: Path, change: str, check_data):
    if not page_cache.can_drop([path]):
        pytest.skip("the file system of the temporary folder keeps its pages in memory")
    isolation.check(
        changed_files.read_after, path=path, change=change, io="auto", check_data=check_data, drop_pages=True
    )


def test_truncation_is_reported_as_a_changed_source(path: Path, io: str, check_data):
    change = "truncated by a byte"
    ended = isolation.check(changed_files.first_error, path=path, change=change, io=io, check_data=check_data)
    assert ended.output.strip() == f"SourceChangedError of {path}"


def test_rewriting_is_reported_as_a_changed_source(path: Path, io: str, check_data):
    ended = isolation.check(changed_files.first_error, path=path, change="rewritten", io=io, check_data=check_data)
    assert ended.output.strip() == f"SourceChangedError of {path}"


@pytest.mark.parametrize("change", ["replaced", "deleted"])
def test_reader_holds_on_to_the_file_it_has_opened(path: Path, change: str, io: str):
    ended = isolation.check(changed_files.first_error, path=path, change=change, io=io, check_data=True)
    assert ended.output.strip() == "old bytes"


@pytest.mark.parametrize("happening", ["shrinks", "is rewritten"])
def test_threads_that_read_while_the_file_changes_see_old_bytes_or_errors(
    path: Path, happening: str, io: str, check_data
):
    isolation.check(changed_files.read_while, path=path, happening=happening, io=io, check_data=check_data)


@pytest.mark.parametrize(
    "change", ["replaced", "replaced by a shorter file", "rewritten", "truncated to nothing", "deleted"]
)
def test_shard_that_changes_before_it_is_touched_gives_old_bytes_or_an_error(
    path: Path, tmp_path: Path, change: str, check_data
):
    second = tmp_path / "second.ffr"
    samples.write(second, changed_files.OLD)
    isolation.check(changed_files.read_shard_after, paths=[path, second], change=change, check_data=check_data)

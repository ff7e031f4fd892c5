"""Readers and writers of files without an index: threads, forks, workers, lost pages and changes of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import isolation, samples
from tests.faults.programs import bus_errors, changed_files, forks, threads

MODES = pytest.mark.parametrize("mode", ["auto", "pread"])


@pytest.fixture(scope="module", params=[".recordio", ".tfrecord", ".tfrecord.gz"])
def suffix(request: pytest.FixtureRequest) -> str:
    one: str = request.param
    return one


@pytest.fixture(params=[".recordio", ".tfrecord"])
def growing(request: pytest.FixtureRequest) -> str:
    """Those of them that can be appended to, and that one read does not bring into memory as a whole."""
    one: str = request.param
    return one


@pytest.fixture(scope="module")
def path(suffix: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """5,000 records."""
    assert forks.CONTENT == threads.CONTENT
    path = tmp_path_factory.mktemp("streams") / f"records{suffix}"
    if suffix == ".recordio":
        samples.write_stream(path, forks.CONTENT, "paddle-python-snappy")
    else:
        samples.write_plainly(path, forks.CONTENT)
    return path


@pytest.fixture
def own_path(tmp_path: Path, growing: str) -> Path:
    """The same for a test that harms it."""
    path = tmp_path / f"records{growing}"
    samples.write_plainly(path, forks.CONTENT)
    return path


# Threads.


def test_sixteen_threads_on_one_reader_get_the_right_bytes(path: Path):
    isolation.check(threads.share_a_reader, path=path, io="auto")


def test_sixteen_threads_on_one_reader_without_a_cache_get_the_right_bytes(own_path: Path):
    isolation.check(threads.share_a_reader, path=own_path, io="pread", cache_bytes=0)


def test_shared_iterator_gives_every_record_once(path: Path):
    isolation.check(threads.share_an_iterator, path=path, io="auto")


def test_closing_under_readers_ends_their_work(path: Path):
    isolation.check(threads.close_while_reading, path=path, io="auto")


def test_shared_writer_keeps_every_record(tmp_path: Path, suffix: str):
    isolation.check(threads.share_a_writer, path=tmp_path / f"out{suffix}")


# Forks and workers.


@pytest.mark.parametrize("used", ["single", "whole"])
def test_reader_used_before_a_fork_works_on_both_sides(path: Path, used: str):
    isolation.check(forks.use_and_fork, path=path, io="auto", used=used)


def test_iteration_goes_on_on_both_sides_of_a_fork(path: Path):
    isolation.check(forks.fork_in_mid_iteration, path=path, io="auto")


def test_reader_works_in_children_forked_while_threads_read(path: Path):
    isolation.check(forks.fork_under_busy_threads, path=path, io="auto")


@MODES
def test_deleted_file_gives_old_bytes_or_an_error_in_a_child(own_path: Path, mode: str):
    isolation.check(forks.delete_after_a_fork, path=own_path, io=mode)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_readers_and_partitions_are_sent_to_workers(path: Path, method: str):
    isolation.check(forks.send_to_workers, path=path, method=method, io="auto")


@pytest.mark.parametrize("max_records", [7, 257, 4999, 10_000])
def test_partitions_read_by_workers_in_any_order_hold_every_record_once(path: Path, max_records: int):
    isolation.check(forks.read_partitions, path=path, max_records=max_records)


@pytest.mark.parametrize("in_child", forks.IN_CHILD)
def test_child_does_not_harm_the_file_its_parent_writes(tmp_path: Path, suffix: str, in_child: str):
    isolation.check(forks.fork_a_writer, path=tmp_path / f"out{suffix}", in_child=in_child, flushed=True)


@pytest.mark.parametrize("flushed", [False, True], ids=["not flushed", "flushed"])
@pytest.mark.parametrize("in_child", forks.IN_CHILD)
def test_child_does_not_harm_the_file_its_parent_appends_to(tmp_path: Path, growing: str, in_child: str, flushed):
    isolation.check(forks.fork_an_append, path=tmp_path / f"out{growing}", in_child=in_child, flushed=flushed)


def test_child_of_a_process_that_writes_can_write(quick_path: Path, suffix: str):
    isolation.check(forks.write_in_both, folder=quick_path, suffix=suffix)


# Files that change.


@pytest.mark.parametrize("way", bus_errors.WAYS)
def test_lost_page_is_an_error(tmp_path: Path, growing: str, way: str):
    path = tmp_path / f"records{growing}"
    samples.write_plainly(path, bus_errors.CONTENT)
    isolation.check(bus_errors.lose_a_page, path=path, io="mmap", way=way, faulthandler_enabled="never")


@pytest.fixture
def changing(tmp_path: Path, growing: str) -> Path:
    path = tmp_path / f"records{growing}"
    samples.write_plainly(path, changed_files.OLD)
    return path


REWRITES = [change for change in changed_files.CHANGES if change.startswith("rewritten")]


@pytest.mark.parametrize("change", [change for change in changed_files.CHANGES if change not in REWRITES])
def test_changed_file_gives_old_bytes_or_an_error(changing: Path, change: str, check_data):
    isolation.check(changed_files.read_after, path=changing, change=change, io="auto", check_data=check_data)


@pytest.mark.parametrize("change", ["truncated in a record", "replaced by a shorter file", "rewritten", "extended"])
def test_changed_file_that_is_compressed_gives_old_bytes_or_an_error(tmp_path: Path, change: str):
    path = tmp_path / "records.tfrecord.gz"
    samples.write_plainly(path, changed_files.OLD)
    isolation.check(changed_files.read_after, path=path, change=change, io="auto", check_data=False)


@MODES
@pytest.mark.parametrize("change", REWRITES)
def test_file_rewritten_by_one_of_the_same_layout_gives_old_bytes_or_an_error(changing: Path, change: str, mode: str):
    isolation.check(changed_files.read_after, path=changing, change=change, io=mode, check_data=False)


# Pieces carry their own checksums, and appends write to files under their readers: a change alone is no error.
@MODES
@pytest.mark.parametrize("change", REWRITES)
def test_file_rewritten_by_one_of_the_same_layout_gives_whole_records_of_either(changing: Path, change: str, mode: str):
    isolation.check(changed_files.read_either, path=changing, change=change, io=mode)


@pytest.mark.parametrize("change", changed_files.CHANGES)
def test_tasks_of_a_changed_file_give_whole_records_or_an_error(changing: Path, change: str):
    isolation.check(changed_files.open_tasks_after, path=changing, change=change)


def test_tasks_of_a_file_that_grows_stay_the_same(changing: Path):
    isolation.check(changed_files.open_tasks_while_it_grows, path=changing)


@MODES
def test_threads_that_read_while_the_file_shrinks_see_old_bytes_or_errors(changing: Path, mode: str, check_data):
    isolation.check(changed_files.read_while, path=changing, happening="shrinks", io=mode, check_data=check_data)

"""Readers of files whose records share chunks: threads, forks and changes of the file meet a cache of chunks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.faults import isolation, samples
from tests.faults.programs import bus_errors, changed_files, forks, threads

# Large enough for everything, for three chunks, and for none.
CACHES = pytest.mark.parametrize("cache_bytes", ["256MB", "300k", 0])
MODES = pytest.mark.parametrize("mode", ["auto", "pread", "uring"])


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """5,000 records in groups of 256."""
    assert forks.CONTENT == threads.CONTENT
    path = tmp_path_factory.mktemp("chunked") / "records.array_record"
    samples.write_chunks(path, forks.CONTENT)
    return path


@pytest.fixture
def own_path(tmp_path: Path) -> Path:
    """The same for a test that harms it."""
    path = tmp_path / "records.array_record"
    samples.write_chunks(path, forks.CONTENT)
    return path


# Threads.


@CACHES
@MODES
def test_sixteen_threads_on_one_reader_get_the_right_bytes(path: Path, mode: str, cache_bytes: int | str):
    isolation.check(threads.share_a_reader, path=path, io=mode, cache_bytes=cache_bytes)


def test_sixteen_threads_share_an_index_that_is_not_in_memory(path: Path):
    isolation.check(threads.share_a_reader, path=path, io="auto", index_storage="offloaded")


def test_sixteen_threads_open_a_shard_at_the_same_moment(own_path: Path, tmp_path: Path):
    paths = [own_path, *(tmp_path / f"{number}.array_record" for number in range(3))]
    for other in paths[1:]:
        os.link(own_path, other)
    isolation.check(threads.share_shards, paths=paths, io="auto")


@MODES
def test_shared_iterator_gives_every_record_once(path: Path, mode: str):
    isolation.check(threads.share_an_iterator, path=path, io=mode)


@MODES
def test_closing_under_readers_ends_their_work(path: Path, mode: str):
    isolation.check(threads.close_while_reading, path=path, io=mode)


@pytest.mark.parametrize("group_size", [1, 7, 256])
def test_shared_writer_keeps_every_record(tmp_path: Path, group_size: int):
    isolation.check(threads.share_a_writer, path=tmp_path / "out.array_record", group_size=group_size)


# Forks.


@pytest.mark.parametrize("index_storage", ["memory", "offloaded"])
@pytest.mark.parametrize("used", ["single", "batch", "iteration", "whole"])
def test_reader_used_before_a_fork_works_on_both_sides(path: Path, used: str, index_storage: str):
    isolation.check(forks.use_and_fork, path=path, io="auto", used=used, index_storage=index_storage)


@MODES
def test_iteration_goes_on_on_both_sides_of_a_fork(path: Path, mode: str):
    isolation.check(forks.fork_in_mid_iteration, path=path, io=mode)


@MODES
def test_child_may_drop_an_iterator_of_its_parent(path: Path, mode: str):
    isolation.check(forks.drop_an_iterator_in_the_child, path=path, io=mode)


@MODES
def test_reader_works_in_children_forked_while_threads_read(path: Path, mode: str):
    isolation.check(forks.fork_under_busy_threads, path=path, io=mode)


def test_child_is_not_stuck_with_the_lock_of_the_cache(path: Path):
    isolation.check(forks.fork_under_a_busy_cache, path=path)


def test_child_is_not_stuck_with_an_iterator_that_another_thread_was_advancing(path: Path):
    isolation.check(forks.fork_under_an_advanced_iterator, path=path)


@MODES
def test_deleted_file_gives_old_bytes_or_an_error_in_a_child(own_path: Path, mode: str):
    isolation.check(forks.delete_after_a_fork, path=own_path, io=mode)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_readers_and_partitions_are_sent_to_workers(path: Path, method: str):
    isolation.check(forks.send_to_workers, path=path, method=method, io="auto")


@MODES
def test_workers_inherit_a_used_reader(path: Path, mode: str):
    isolation.check(forks.inherit_by_workers, path=path, io=mode)


FLUSHED = pytest.mark.parametrize("flushed", [False, True], ids=["not flushed", "flushed"])


@FLUSHED
@pytest.mark.parametrize("in_child", forks.IN_CHILD)
def test_child_does_not_harm_the_file_its_parent_writes(tmp_path: Path, in_child: str, flushed):
    path = tmp_path / "out.array_record"
    isolation.check(forks.fork_a_writer, path=path, in_child=in_child, flushed=flushed, group_size=256)


@FLUSHED
@pytest.mark.parametrize("in_child", forks.IN_CHILD)
def test_child_does_not_harm_the_file_its_parent_appends_to(tmp_path: Path, in_child: str, flushed):
    path = tmp_path / "out.array_record"
    isolation.check(forks.fork_an_append, path=path, in_child=in_child, flushed=flushed)


def test_child_may_abort_a_writer_that_another_thread_was_using(tmp_path: Path):
    isolation.check(forks.fork_under_a_busy_writer, path=tmp_path / "out.array_record", group_size=256)


def test_child_of_a_process_that_writes_can_write(quick_path: Path):
    isolation.check(forks.write_in_both, folder=quick_path, suffix=".array_record", group_size=256)


# Files that change.


@pytest.mark.parametrize("way", bus_errors.WAYS)
@pytest.mark.parametrize("mode", ["auto", "mmap"])
def test_lost_page_is_an_error(tmp_path: Path, mode: str, way: str):
    path = tmp_path / "records.array_record"
    samples.write_chunks(path, bus_errors.CONTENT)
    isolation.check(bus_errors.lose_a_page, path=path, io=mode, way=way, faulthandler_enabled="never")


@pytest.fixture
def changing(tmp_path: Path) -> Path:
    path = tmp_path / "records.array_record"
    samples.write_chunks(path, changed_files.OLD, codec="none")
    return path


REWRITES = [change for change in changed_files.CHANGES if change.startswith("rewritten")]


@MODES
@pytest.mark.parametrize("change", [change for change in changed_files.CHANGES if change not in REWRITES])
def test_changed_file_gives_old_bytes_or_an_error(changing: Path, change: str, mode: str, check_data):
    isolation.check(changed_files.read_after, path=changing, change=change, io=mode, check_data=check_data)


@MODES
@pytest.mark.parametrize("change", REWRITES)
def test_file_rewritten_by_one_of_the_same_layout_gives_old_bytes_or_an_error(changing: Path, change: str, mode: str):
    isolation.check(changed_files.read_after, path=changing, change=change, io=mode, check_data=False)


# Chunks carry their own hashes, and appends write to files under their readers: a change alone is no error.
@MODES
@pytest.mark.parametrize("change", REWRITES)
def test_file_rewritten_by_one_of_the_same_layout_gives_whole_records_of_either(changing: Path, change: str, mode: str):
    isolation.check(changed_files.read_either, path=changing, change=change, io=mode)


@MODES
def test_threads_that_read_while_the_file_shrinks_see_old_bytes_or_errors(changing: Path, mode: str, check_data):
    isolation.check(changed_files.read_while, path=changing, happening="shrinks", io=mode, check_data=check_data)


@MODES
def test_threads_that_read_while_the_file_is_rewritten_see_old_bytes_or_errors(changing: Path, mode: str):
    isolation.check(changed_files.read_while, path=changing, happening="is rewritten", io=mode, check_data=False)

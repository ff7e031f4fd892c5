"""Readers survive a fork on both sides; writers stay with the process that made them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import isolation, samples
from tests.faults.programs import forks


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "records.ffr"
    samples.write(path, forks.CONTENT)
    return path


@pytest.mark.parametrize("used", ["single", "batch", "iteration", "whole"])
def test_reader_used_before_a_fork_works_on_both_sides(path: Path, io: str, used: str):
    isolation.check(forks.use_and_fork, path=path, io=io, used=used)


def test_iteration_goes_on_on_both_sides_of_a_fork(path: Path, io: str):
    isolation.check(forks.fork_in_mid_iteration, path=path, io=io)


def test_child_may_drop_an_iterator_of_its_parent(path: Path, io: str):
    isolation.check(forks.drop_an_iterator_in_the_child, path=path, io=io)


def test_reader_works_in_children_forked_while_threads_read(path: Path, io: str):
    isolation.check(forks.fork_under_busy_threads, path=path, io=io)


def test_child_is_not_stuck_with_an_iterator_that_another_thread_was_advancing(path: Path):
    isolation.check(forks.fork_under_an_advanced_iterator, path=path)


def test_lost_page_is_an_error_in_a_child_too(path: Path, io: str):
    isolation.check(forks.truncate_after_a_fork, path=path, io=io)


def test_deleted_file_gives_old_bytes_or_an_error_in_a_child(path: Path, io: str):
    isolation.check(forks.delete_after_a_fork, path=path, io=io)


@pytest.mark.parametrize("flushed", [False, True], ids=["not flushed", "flushed"])
@pytest.mark.parametrize("in_child", forks.IN_CHILD)
def test_child_does_not_harm_the_file_its_parent_writes(tmp_path: Path, in_child: str, flushed):
    isolation.check(forks.fork_a_writer, path=tmp_path / "out.ffr", in_child=in_child, flushed=flushed)


def test_child_may_abort_a_writer_that_another_thread_was_using(tmp_path: Path):
    isolation.check(forks.fork_under_a_busy_writer, path=tmp_path / "out.ffr")


def test_child_of_a_process_that_writes_can_write(quick_path: Path):
    isolation.check(forks.write_in_both, folder=quick_path)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_readers_and_partitions_are_sent_to_workers(path: Path, method: str):
    isolation.check(forks.send_to_workers, path=path, method=method, io="auto")


def test_workers_inherit_a_used_reader(path: Path, io: str):
    isolation.check(forks.inherit_by_workers, path=path, io=io)

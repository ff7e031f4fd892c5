"""Readers, iterators and writers are shared by threads without a lock around them."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.faults import isolation, samples
from tests.faults.programs import threads

NOBODY = 65534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "records.ffr"
    samples.write(path, threads.CONTENT)
    return path


def test_sixteen_threads_on_one_reader_get_the_right_bytes(path: Path, io: str):
    isolation.check(threads.share_a_reader, path=path, io=io)


def test_sixteen_threads_open_a_shard_at_the_same_moment(path: Path, tmp_path: Path, io: str):
    paths = [path, *(tmp_path / f"{number}.ffr" for number in range(3))]
    for other in paths[1:]:
        os.link(path, other)
    isolation.check(threads.share_shards, paths=paths, io=io)


def test_shared_iterator_gives_every_record_once(path: Path, io: str):
    isolation.check(threads.share_an_iterator, path=path, io=io)


def test_closing_under_readers_ends_their_work(path: Path, io: str):
    isolation.check(threads.close_while_reading, path=path, io=io)


def test_shared_writer_keeps_every_record(tmp_path: Path):
    isolation.check(threads.share_a_writer, path=tmp_path / "out.ffr")


def test_process_that_may_not_start_threads_reads_all_the_same(path: Path, io: str):
    if os.geteuid() != 0:
        pytest.skip("only root can become a user with no processes to spare")
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to others
        os.chmod(folder, 0o755)
        copied = shutil.copy(path, folder)
        isolation.check(threads.do_without_threads, path=copied, io=io, user=NOBODY)

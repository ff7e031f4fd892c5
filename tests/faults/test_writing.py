"""A write that fails says why, and leaves nothing half-written: neither under the final name nor beside it."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.faults import isolation, samples
from tests.faults.programs import writing
from tests.naive import ffrecord as naive

NOBODY = 65534

HAS_OLDER = pytest.mark.parametrize("has_older", [False, True], ids=["new file", "older file"])


@HAS_OLDER
@pytest.mark.parametrize("failure", writing.FAILURES)
def test_full_disk_leaves_what_was_there_and_what_was_flushed(tmp_path: Path, failure: str, has_older):
    ended = isolation.check(writing.fill_the_disk, folder=tmp_path, failure=failure, has_older=has_older)
    assert int(ended.output) == errno.ENOSPC


@HAS_OLDER
@pytest.mark.parametrize("failure", writing.FAILURES)
def test_limit_on_file_sizes_leaves_what_was_there_and_what_was_flushed(tmp_path: Path, failure: str, has_older):
    ended = isolation.check(writing.exceed_the_file_size, folder=tmp_path, failure=failure, has_older=has_older)
    assert int(ended.output) == errno.EFBIG


@pytest.mark.parametrize("failure", ["flush", "close"])
@pytest.mark.parametrize("suffix", [".recordio", ".tfrecord"])
def test_full_disk_leaves_what_was_flushed_of_a_file_without_an_index(tmp_path: Path, suffix: str, failure: str):
    name = f"out{suffix}"
    ended = isolation.check(writing.fill_the_disk, folder=tmp_path, failure=failure, has_older=True, name=name)
    assert int(ended.output) == errno.ENOSPC


def test_full_disk_inside_with_is_what_the_block_raises(tmp_path: Path):
    assert int(isolation.check(writing.fail_inside_with, folder=tmp_path).output) == errno.ENOSPC


def test_read_only_disk_is_a_storage_error(tmp_path: Path):
    assert int(isolation.check(writing.write_on_a_read_only_disk, folder=tmp_path).output) == errno.EROFS


def test_folder_of_somebody_else_is_denied():
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to others
        os.chmod(folder, 0o555)
        ended = isolation.check(writing.write_without_rights, folder=folder, user=NOBODY)
        os.chmod(folder, 0o755)
    assert int(ended.output) == errno.EACCES


@pytest.mark.parametrize("suffix", ["ffr", "array_record", "riegeli", "recordio", "tfrecord", "tfrecord.gz"])
@pytest.mark.parametrize("kind", [LookupError, KeyboardInterrupt])
def test_exception_inside_with_leaves_what_was_flushed_as_a_crash_does(tmp_path: Path, suffix: str, kind):
    path = tmp_path / f"out.{suffix}"
    flushed, more = samples.records(1000), samples.records(100)

    def write() -> None:
        with octavo.create(path) as writer:
            writer.write_many(flushed)
            writer.flush()
            writer.write_many(more)
            raise kind

    with pytest.raises(kind) as caught:
        write()
    side_file = tmp_path / f"{path.name}.partial"
    assert caught.value.__notes__ == [f"What was flushed is in {side_file}: octavo.recover saves it."]
    assert list(tmp_path.iterdir()) == [side_file]
    octavo.recover(side_file, path)
    saved = octavo.open(path).read_all()
    assert saved[: len(flushed)] == flushed
    assert saved == (flushed + more)[: len(saved)]


@pytest.mark.parametrize("suffix", ["ffr", "array_record", "riegeli", "recordio", "tfrecord", "tfrecord.gz"])
def test_exception_inside_with_leaves_nothing_where_no_record_was_flushed(tmp_path: Path, suffix: str):
    def write() -> None:
        with octavo.create(tmp_path / f"out.{suffix}") as writer:
            writer.flush()
            writer.write_many(samples.records(1000))
            raise LookupError

    with pytest.raises(LookupError) as caught:
        write()
    assert not hasattr(caught.value, "__notes__")
    assert list(tmp_path.iterdir()) == []


def test_exception_inside_with_says_nothing_of_the_side_file_of_another_writer(tmp_path: Path):
    path = tmp_path / "log.array_record"
    with octavo.create(path) as writer:
        writer.write(b"first")
    path.with_name(f"{path.name}.partial").write_bytes(b"of another writer")

    def grow() -> None:
        with octavo.append(path) as writer:
            writer.write(b"second")
            writer.flush()
            raise LookupError

    with pytest.raises(LookupError) as caught:
        grow()
    assert not hasattr(caught.value, "__notes__")
    assert octavo.open(path).read_all() == [b"first", b"second"]


def test_name_that_is_too_long_for_its_side_file_is_a_storage_error(tmp_path: Path):
    path = tmp_path / ("n" * 250 + ".ffr")
    with pytest.raises(errors.StorageError) as caught:
        octavo.create(path)
    assert caught.value.errno == errno.ENAMETOOLONG
    assert list(tmp_path.iterdir()) == []


def test_folder_that_is_removed_under_a_writer_is_an_error(tmp_path: Path):
    folder = tmp_path / "folder"
    folder.mkdir()
    isolation.check(writing.lose_the_folder, folder=folder)


def test_side_file_that_is_removed_under_a_writer_is_an_error(tmp_path: Path):
    path = tmp_path / "out.ffr"
    writer = octavo.create(path)
    writer.write(b"record")
    os.unlink(f"{path}.partial")
    with pytest.raises(errors.OctavoError):
        writer.close()
    assert list(tmp_path.iterdir()) == []


def test_side_files_are_no_part_of_a_pattern(tmp_path: Path):
    samples.write(tmp_path / "train.ffr", [b"record"])
    for suffix in (".partial", ".assembling"):
        (tmp_path / f"train.ffr{suffix}").write_bytes(b"of a writer that was killed")
    assert octavo.open(f"{tmp_path}/train*").read_all() == [b"record"]


def test_link_in_the_place_of_the_side_file_is_not_followed(tmp_path: Path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"of somebody else")
    (tmp_path / "out.ffr.partial").symlink_to(victim)
    with contextlib.suppress(errors.OctavoError), octavo.create(tmp_path / "out.ffr") as writer:
        writer.write(b"record")
    assert victim.read_bytes() == b"of somebody else"


def test_process_that_ends_with_an_open_writer_publishes_nothing(tmp_path: Path):
    isolation.check(writing.leave_without_closing, path=tmp_path / "out.ffr")
    assert not (tmp_path / "out.ffr").exists()


def test_second_writer_of_a_file_is_refused_and_does_no_harm(tmp_path: Path):
    path = tmp_path / "out.ffr"
    process = isolation.Process(writing.hold_open, path=path)
    process.wait_for("writing")
    with pytest.raises(errors.StorageError):
        octavo.create(path)
    (tmp_path / "out.ffr.go").touch()
    process.end().assert_success()
    assert octavo.open(path).read_all() == [b"of the first", b"of the first, too"]


def test_file_that_several_write_is_whole_at_every_moment(tmp_path: Path):
    path = tmp_path / "out.ffr"
    whole = naive.encode(samples.records(3))
    processes = [isolation.Process(writing.write_again_and_again, path=path, seconds=1) for _ in range(3)]
    torn = 0
    while any(process.popen.poll() is None for process in processes):
        try:
            torn += path.read_bytes() != whole
        except FileNotFoundError:
            continue
    all_ended = [process.end() for process in processes]
    for ended in all_ended:
        ended.assert_success()
    assert sum(int(ended.output) for ended in all_ended) > 0, "nobody published anything"
    assert torn == 0

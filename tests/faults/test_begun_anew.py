"""A file that is begun anew after its writer was killed: what had been flushed is kept, and nothing else is."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest

import octavo
from octavo.errors import AlreadyExistsError, InterruptedWriteWarning, UnclosedWriterWarning
from tests.faults.marks import has_marks

RECORDS = [b"record %d" % number for number in range(50)]
NAMES = ["run.ffr", "run.array_record", "run.riegeli", "run.recordio", "run.tfrecord", "run.tfrecord.gz"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    if not has_marks(tmp_path):
        pytest.skip("the file system has no attributes of users")
    return tmp_path


def write_and_die(path: Path, *, flush: bool, count: int = len(RECORDS)) -> None:
    """Some records in a process that ends without a word, perhaps after they were flushed."""
    child = os.fork()
    if child == 0:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InterruptedWriteWarning)
            writer = octavo.create(path)
        writer.write_many(RECORDS[:count])
        if flush:
            writer.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("name", NAMES)
def test_what_was_flushed_is_kept_under_another_name(folder: Path, name: str):
    path, stem, suffix = folder / name, *name.split(".", 1)
    write_and_die(path, flush=True)
    kept = folder / f"{stem}.1.{suffix}.partial"
    with pytest.warns(InterruptedWriteWarning, match=r"octavo\.recover") as told:
        writer = octavo.create(path)
    assert str(kept) in str(told[0].message)
    assert told[0].filename == __file__
    with writer:
        writer.write(b"another")
    assert octavo.open(path).read_all() == [b"another"]
    octavo.recover(kept, folder / f"saved.{suffix}")
    assert octavo.open(folder / f"saved.{suffix}").read_all() == RECORDS
    assert sorted(os.listdir(folder)) == sorted([kept.name, name, f"saved.{suffix}"])


def test_what_several_writers_had_flushed_is_kept_apart(folder: Path):
    path = folder / "run.array_record"
    for count in (10, 20, 30):
        write_and_die(path, flush=True, count=count)
    with pytest.warns(InterruptedWriteWarning):
        octavo.create(path).abort()
    assert sorted(os.listdir(folder)) == [f"run.{number}.array_record.partial" for number in (1, 2, 3)]
    for number, count in enumerate((10, 20, 30), 1):
        octavo.recover(folder / f"run.{number}.array_record.partial", folder / "saved.array_record", overwrite=True)
        assert octavo.open(folder / "saved.array_record").read_all() == RECORDS[:count]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("error")
def test_what_nobody_was_promised_is_begun_anew_without_a_word(folder: Path, name: str):
    write_and_die(folder / name, flush=False)
    with octavo.create(folder / name) as writer:
        writer.write(b"another")
    assert os.listdir(folder) == [name]


@pytest.mark.parametrize("name", NAMES)
def test_a_finished_file_has_no_mark(folder: Path, name: str):
    with octavo.create(folder / name) as writer:
        writer.write_many(RECORDS)
        writer.flush()
    assert os.listxattr(folder / name) == []


def test_whoever_takes_warnings_for_errors_loses_nothing(folder: Path):
    path = folder / "run.recordio"
    write_and_die(path, flush=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InterruptedWriteWarning):
            octavo.create(path)
    assert os.listdir(folder) == ["run.1.recordio.partial"]


@pytest.mark.parametrize("name", NAMES)
def test_what_a_forgotten_writer_had_flushed_stays(tmp_path: Path, name: str):
    writer = octavo.create(tmp_path / name)
    writer.write_many(RECORDS)
    writer.flush()
    with pytest.warns(UnclosedWriterWarning, match=rf"What was flushed is in .*{name}\.partial"):
        del writer
    assert os.listdir(tmp_path) == [f"{name}.partial"]
    octavo.recover(tmp_path / f"{name}.partial", tmp_path / name)
    assert octavo.open(tmp_path / name).read_all() == RECORDS


def test_a_refusal_says_how_to_save_it(folder: Path):
    path = folder / "run.array_record"
    write_and_die(path, flush=True)
    with pytest.raises(AlreadyExistsError, match=r"interrupted write, which octavo\.recover saves"):
        octavo.create(path, overwrite=False)
    assert os.listdir(folder) == ["run.array_record.partial"]


def test_a_copy_by_a_link_is_left_as_it_is(folder: Path):
    path, copy = folder / "run.recordio", folder / "backup.recordio.partial"
    for is_flushed in (False, True):
        if is_flushed:
            write_and_die(path, flush=True)
        else:
            path.with_name(f"{path.name}.partial").write_bytes(b"not flushed")
        os.link(f"{path}.partial", copy)
        before = copy.read_bytes()
        with pytest.raises(AlreadyExistsError):
            octavo.create(path, overwrite=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InterruptedWriteWarning)
            with octavo.create(path) as writer:
                writer.write(b"another")
        assert copy.read_bytes() == before
        assert octavo.open(path).read_all() == [b"another"]
        path.unlink()
        copy.unlink()
    assert os.listdir(folder) == ["run.1.recordio.partial"]


def test_a_writer_that_died_between_two_names_has_published(tmp_path: Path):
    path = tmp_path / "run.recordio"
    with octavo.create(path) as writer:
        writer.write(b"whole")
    os.link(path, f"{path}.partial")
    with pytest.raises(AlreadyExistsError):
        octavo.create(path, overwrite=False)
    with octavo.create(path) as writer:
        assert octavo.open(path).read_all() == [b"whole"]
        writer.write(b"another")
    assert octavo.open(path).read_all() == [b"another"]
    assert os.listdir(tmp_path) == ["run.recordio"]

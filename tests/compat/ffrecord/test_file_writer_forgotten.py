"""A `ffrecord.FileWriter` that nobody closes: it finishes its file or warns, and never touches what is another's."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from octavo.compat.ffrecord import FileReader, FileWriter
from tests.naive import ffrecord as naive
from tests.settling import collect_leftovers


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "records.ffr"


def begin(path: Path, n: int | None, *records: bytes) -> FileWriter:
    writer = FileWriter(path, n)
    for record in records:
        writer.write_one(record)
    return writer


def test_a_forgotten_writer_with_all_its_records_finishes_its_file(path):
    writer = begin(path, 1, b"one")
    del writer
    gc.collect()
    assert path.read_bytes() == naive.encode([b"one"])


def test_a_program_that_ends_without_closing_has_its_file(path):
    program = (
        "import sys; from octavo.compat.ffrecord import FileWriter; "
        "writer = FileWriter(sys.argv[1], 1); writer.write_one(b'one')"
    )
    ended = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    assert ended.stderr == ""
    assert path.read_bytes() == naive.encode([b"one"])


@pytest.mark.parametrize("n", [2, None])
def test_a_forgotten_writer_with_records_missing_warns_and_leaves_nothing_that_opens(path, n):
    writer = begin(path, n, b"one")
    collect_leftovers()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del writer
        gc.collect()
    assert [one.category for one in caught] == [ResourceWarning]
    assert str(caught[0].message) == f"a writer of {path} was never closed: its 1 records are lost"
    with pytest.raises((AssertionError, RuntimeError)):  # nothing is there, or nothing whole
        FileReader(path)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("records", [[], [b"first try"], [b"first try", bytes(5_000_000)]])
def test_a_forgotten_writer_leaves_the_file_of_a_newer_one(path, records):
    writer = begin(path, 2, *records)  # as in a notebook whose cell is run again
    writer = begin(path, 2, b"a", b"b")
    writer.close()
    assert path.read_bytes() == naive.encode([b"a", b"b"])


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("records", [[b"first try"], [b"first try", bytes(5_000_000)]])
def test_a_forgotten_writer_leaves_a_file_that_was_finished_before(path, records):
    old = begin(path, 2, *records)
    begin(path, 1, b"new").close()
    del old
    gc.collect()
    assert path.read_bytes() == naive.encode([b"new"])


def test_closing_a_writer_whose_file_was_begun_anew_is_an_error_and_leaves_it(path):
    old = begin(path, 1, b"old")
    begin(path, 1, b"new").close()
    with pytest.raises(RuntimeError, match="another writer"):
        old.close()
    assert path.read_bytes() == naive.encode([b"new"])


def test_a_block_that_ends_late_leaves_a_file_that_was_begun_anew(path):
    def interrupted():
        with FileWriter(path, 2) as writer:
            writer.write_one(b"old")
            yield

    forgotten = interrupted()
    next(forgotten)
    begin(path, 1, b"new").close()
    forgotten.close()
    assert path.read_bytes() == naive.encode([b"new"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_leaves_the_file_to_its_parent(path):
    with FileWriter(path, 2) as writer:
        writer.write_one(b"one")
        child = os.fork()
        if child == 0:
            writer.__del__()
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        writer.write_one(b"two")
    assert path.read_bytes() == naive.encode([b"one", b"two"])


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_writers_are_not_copied(path, copied):
    with FileWriter(path, 1) as writer:
        with pytest.raises(TypeError, match="cannot pickle 'FileWriter' object"):
            copied(writer)
        writer.write_one(b"one")
    assert path.read_bytes() == naive.encode([b"one"])

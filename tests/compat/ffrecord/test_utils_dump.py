"""`ffrecord.utils.dump`: every record arrives, or somebody is told."""

from __future__ import annotations

import concurrent.futures
import itertools
import multiprocessing
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from octavo.compat.ffrecord import FileReader
from octavo.compat.ffrecord.utils import dump
from tests.compat.ffrecord.sequences import Broken, Numbered, Slow


def parts_of(folder: Path) -> dict[str, list[bytes]]:
    """The records of each file in a folder."""
    readers = {path.name: FileReader(path) for path in sorted(folder.iterdir())}
    return {name: [one.tobytes() for one in reader.read(range(reader.n))] for name, reader in readers.items()}


def test_one_file_is_written_under_its_name(tmp_path):
    dump(Numbered(10), tmp_path / "all.ffr", 1)
    assert parts_of(tmp_path) == {"all.ffr": [b"record %d" % number for number in range(10)]}


def test_several_files_share_the_records_in_order(tmp_path):
    folder = tmp_path / "a" / "train.ffr"
    dump(Numbered(10), str(folder), 4)
    parts = parts_of(folder)
    assert list(parts) == ["PART_00000.ffr", "PART_00001.ffr", "PART_00002.ffr", "PART_00003.ffr"]
    assert [len(part) for part in parts.values()] == [3, 3, 3, 1]
    assert [*itertools.chain(*parts.values())] == [b"record %d" % number for number in range(10)]


def test_more_files_than_processes_are_written(tmp_path):
    dump(Numbered(40), tmp_path / "many", 40)
    assert [part for (part,) in parts_of(tmp_path / "many").values()] == [b"record %d" % number for number in range(40)]


def test_fewer_files_than_asked_for_are_a_warning(tmp_path):
    with pytest.warns(UserWarning, match="^Split into 10 files rather than 16 files$"):
        dump(Numbered(10), tmp_path / "few", 16)
    assert len(parts_of(tmp_path / "few")) == 10


def test_records_are_any_buffers(tmp_path):
    dump(np.arange(6, dtype=np.float64).reshape(3, 2), tmp_path / "rows.ffr", 1)
    assert FileReader(tmp_path / "rows.ffr").read_one(2).view(np.float64).tolist() == [4.0, 5.0]


def test_a_forked_dump_needs_no_pickles(tmp_path):
    if multiprocessing.get_start_method() != "fork":
        pytest.skip("processes are not forked here")
    dataset = Numbered(6)
    dataset.transform = lambda: None  # type: ignore[attr-defined] # no pickle can hold it
    dump(dataset, tmp_path / "forked", 3)
    assert len(parts_of(tmp_path / "forked")) == 3


@pytest.mark.parametrize("method", [name for name in multiprocessing.get_all_start_methods() if name != "fork"])
def test_a_dump_in_started_processes_works_as_well(tmp_path, method, monkeypatch):
    started: Any = concurrent.futures.ProcessPoolExecutor
    context = multiprocessing.get_context(method)
    monkeypatch.setattr(
        "octavo.compat.ffrecord.utils.ProcessPoolExecutor",
        lambda *arguments, **options: started(*arguments, mp_context=context, **options),
    )
    dump(Numbered(6), tmp_path / method, 2)
    assert [len(part) for part in parts_of(tmp_path / method).values()] == [3, 3]


@pytest.mark.parametrize("nfiles", [1, 4])
@pytest.mark.parametrize(("how", "error"), [("raises", KeyError), ("no record", TypeError)])
def test_a_failure_is_raised_and_leaves_nothing(tmp_path, nfiles, how, error):
    target = tmp_path / "new" if nfiles > 1 else tmp_path / "all.ffr"
    with pytest.raises(error):
        dump(Broken(40, 27, how), target, nfiles)
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_dies_is_a_failure_too(tmp_path):
    with pytest.raises(concurrent.futures.process.BrokenProcessPool):
        dump(Broken(40, 27, "dies"), tmp_path / "new", 4)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_what_was_in_the_folder_before(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(KeyError):
        dump(Broken(40, 5, "raises"), tmp_path, 4)
    assert [one.name for one in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(("how", "error"), [("raises", KeyError), ("dies", concurrent.futures.BrokenExecutor)])
def test_a_failure_leaves_the_parts_of_an_older_dump_that_were_not_begun(tmp_path, how, error):
    dump(Numbered(400), tmp_path, 400)
    before = parts_of(tmp_path)
    with pytest.raises(error):
        dump(Slow(400, 0, how), tmp_path, 400)  # to begin all of them would take long
    left = parts_of(tmp_path)
    assert len(left) > 0
    assert left.items() <= before.items()


def test_a_part_that_could_not_be_begun_is_left(tmp_path):
    part = tmp_path / "PART_00001.ffr"
    part.symlink_to(tmp_path / "absent" / "part.ffr")
    with pytest.raises(RuntimeError, match="PART_00001"):
        dump(Numbered(4), tmp_path, 2)
    assert list(tmp_path.iterdir()) == [part]


def test_a_dump_that_cannot_begin_leaves_an_older_one(tmp_path, monkeypatch):
    dump(Numbered(8), tmp_path, 4)
    monkeypatch.setitem(multiprocessing.current_process()._config, "daemon", 1)  # type: ignore[attr-defined]
    with pytest.raises(AssertionError, match="daemonic"):
        dump(Numbered(8), tmp_path, 4)
    assert len(parts_of(tmp_path)) == 4


def test_a_failure_is_told_before_the_other_parts_are_whole(tmp_path):
    seen = tmp_path / "seen"
    with pytest.raises(KeyError):
        dump(Slow(800, 0, "raises", seen), tmp_path / "new", 4)  # a part takes a hundred seconds
    asked_for = set(map(int, seen.read_text().split()))
    assert 0 in asked_for
    assert not asked_for & {199, 399, 599, 799}, "a part was written to its end"
    assert list(tmp_path.iterdir()) == [seen]


def test_no_records_make_one_file_but_not_several(tmp_path):
    dump(Numbered(0), tmp_path / "none.ffr", 1)
    assert FileReader(tmp_path / "none.ffr").n == 0
    with pytest.raises(ValueError, match="range"):
        dump(Numbered(0), tmp_path / "none", 2)


def test_numbers_of_files_are_positive(tmp_path):
    with pytest.raises(ZeroDivisionError):
        dump(Numbered(10), tmp_path / "none", 0)
    with pytest.raises(ValueError, match="nfiles"):
        dump(Numbered(10), tmp_path / "none", -2)
    assert list(tmp_path.iterdir()) == []


def test_one_file_has_the_suffix(tmp_path):
    with pytest.raises(AssertionError, match=r"does not end with \.ffr"):
        dump(Numbered(10), tmp_path / "all.bin", 1)


@pytest.mark.parametrize("nfiles", [1, 3])
def test_progress_is_shown_with_tqdm(tmp_path, nfiles, capfd):
    pytest.importorskip("tqdm")
    dump(Numbered(10), tmp_path / "shown.ffr", nfiles, verbose=True)
    assert "10/10" in capfd.readouterr().err


@pytest.mark.parametrize("nfiles", [1, 3])
def test_the_end_is_told_without_tqdm(tmp_path, nfiles, capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    dump(Numbered(10), tmp_path / "shown.ffr", nfiles, verbose=True)
    assert "10 of 10 records written" in capfd.readouterr().err


def test_nothing_is_shown_otherwise(tmp_path, capfd):
    dump(Numbered(10), tmp_path / "quiet", 2)
    assert capfd.readouterr() == ("", "")

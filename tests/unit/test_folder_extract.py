"""`Folder.extract`: files as they were, below the target."""

from __future__ import annotations

import os
from collections import OrderedDict
from pathlib import Path

import pytest

from octavo import errors
from octavo._folder import ExtractReport, Folder, _contents, pack
from tests.compat.ffrecord.folders import TREE, lay_out, packed

FILES = {path: content for path, content in TREE.items() if content is not None}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    pack(lay_out(tmp_path / "tree", TREE), tmp_path / "packed.ffr")
    return Folder(tmp_path / "packed.ffr")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def files_in(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if not path.is_dir()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def folders_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_dir()}


def test_everything_comes_back(folder, out):
    report = folder.extract(out)
    assert report == ExtractReport(str(out), len(FILES), 6, sum(map(len, FILES.values())))
    assert files_in(out) == FILES
    assert folders_in(out) == {"a dir", "a dir/nested", "a dir/nested/deep", "empty", "z", "z/only"}


def test_packing_it_again_gives_the_same_file(folder, out, tmp_path):
    folder.extract(out)
    pack(out, tmp_path / "again.ffr")
    assert (tmp_path / "again.ffr").read_bytes() == (tmp_path / "packed.ffr").read_bytes()


@pytest.mark.parametrize(
    ("paths", "files", "folders"),
    [
        ([], [], []),
        (["001.txt"], ["001.txt"], []),
        (["a dir"], ["a dir/001.txt", "a dir/nested/deep/file"], ["a dir", "a dir/nested", "a dir/nested/deep"]),
        ([Path("a dir/nested")], ["a dir/nested/deep/file"], ["a dir", "a dir/nested", "a dir/nested/deep"]),
        (["empty", "./é", "é"], ["é"], ["empty"]),
        (["z/only/x", "z", "z/only"], ["z/only/x", "z/\udcff\udcfe"], ["z", "z/only"]),
        (["", "a dir"], list(FILES), ["a dir", "a dir/nested", "a dir/nested/deep", "empty", "z", "z/only"]),
    ],
)
def test_files_and_folders_can_be_chosen(folder, out, paths, files, folders):
    report = folder.extract(out, paths)
    assert files_in(out) == {path: FILES[path] for path in files}
    assert folders_in(out) == set(folders)
    assert (report.file_count, report.folder_count) == (len(files), len(folders))


@pytest.mark.parametrize("path", ["nothing", "a dir/nothing", "../tree", "/etc/passwd", "001.txt/x"])
def test_what_is_not_there_is_an_error_before_anything_is_written(folder, out, path):
    with pytest.raises(errors.PathNotFoundError, match="is not in"):
        folder.extract(out, ["001.txt", path])
    assert not out.exists()


def test_files_that_exist_are_an_error_before_anything_is_written(folder, out):
    lay_out(out, {"z/only/x": b"old", "other": b"mine"})
    with pytest.raises(errors.AlreadyExistsError, match="out/z/only/x: exists already"):
        folder.extract(out)
    assert files_in(out) == {"z/only/x": b"old", "other": b"mine"}


def test_files_that_exist_are_replaced_if_that_is_wanted(folder, out):
    lay_out(out, {"z/only/x": b"old", "other": b"mine"})
    folder.extract(out, overwrite=True)
    assert files_in(out) == FILES | {"other": b"mine"}


def test_a_folder_with_other_files_is_added_to(folder, out):
    lay_out(out, {"z/other": b"mine"})
    folder.extract(out)
    assert files_in(out) == FILES | {"z/other": b"mine"}


def test_progress_is_told_file_by_file(folder, out):
    told: list[tuple[int, int]] = []
    folder.extract(out, progress=lambda done, total: told.append((done, total)))
    assert told == [(done, len(FILES)) for done in range(1, len(FILES) + 1)]


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt])
def test_an_interruption_leaves_whole_files_alone(folder, out, kind):
    def interrupt(done: int, _total: int) -> None:
        if done == 3:
            raise kind

    with pytest.raises(kind):
        folder.extract(out, progress=interrupt)
    assert files_in(out) == {path: FILES[path] for path in sorted(FILES)[:3]}


def test_options_have_their_types(folder, out):
    with pytest.raises(errors.RecordTypeError, match="overwrite is True or False"):
        folder.extract(out, overwrite="yes")
    with pytest.raises(errors.RecordTypeError, match="progress is a function"):
        folder.extract(out, progress="yes")
    with pytest.raises(errors.RecordTypeError, match="named by a path"):
        folder.extract(3)
    assert not out.exists()


def test_a_damaged_file_ends_it_and_does_not_appear(tmp_path, folder, out):
    content = bytearray((tmp_path / "packed.ffr").read_bytes())
    content[content.index(b"four")] ^= 1
    with pytest.raises(errors.ChecksumError):
        Folder(content).extract(out)
    assert "a dir/nested/deep/file" not in files_in(out)
    Folder(content).extract(out, ["001.txt", "z"], overwrite=True)
    assert folder.extract(tmp_path / "whole").file_count == len(FILES)


def test_a_closed_folder_is_not_extracted(folder, out):
    folder.close()
    with pytest.raises(errors.ClosedError):
        folder.extract(out)


@pytest.mark.parametrize("block_bytes", [1, 10, 1 << 20])
def test_files_of_every_size_come_in_blocks(tmp_path, out, monkeypatch, block_bytes):
    monkeypatch.setattr(_contents, "_BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(_contents, "_BLOCK_FILES", 3)
    tree = {f"{number:03}": bytes([number]) * (number % 13) for number in range(100)}
    pack(lay_out(tmp_path / "tree", tree), tmp_path / "packed.ffr")
    folder = Folder(tmp_path / "packed.ffr")
    folder.extract(out)
    assert files_in(out) == tree == dict(folder.items())
    chosen = [f"{number:03}" for number in (7, 99, 6, 0, 50)]
    folder.extract(tmp_path / "chosen", chosen)
    assert files_in(tmp_path / "chosen") == {name: tree[name] for name in chosen}


def test_one_content_may_have_many_names(tmp_path, out):
    structure = OrderedDict((f"{number:03}", number % 2) for number in range(100))
    Folder(packed(tmp_path / "packed.ffr", [b"even", b"odd"], structure)).extract(out)
    assert files_in(out) == {f"{number:03}": b"odd" if number % 2 else b"even" for number in range(100)}


def test_the_packed_folder_may_lie_in_the_target_and_have_a_name_in_it(tmp_path):
    structure = OrderedDict([("a", 0), ("packed.ffr", 1), ("z", 2)])
    path = packed(tmp_path / "packed.ffr", [b"first", b"in its place", b"last"], structure)
    with pytest.raises(errors.AlreadyExistsError):
        Folder(path).extract(tmp_path)
    Folder(path).extract(tmp_path, overwrite=True)
    assert files_in(tmp_path) == {"a": b"first", "packed.ffr": b"in its place", "z": b"last"}


@pytest.mark.skipif(os.name != "posix", reason="modes are the system's")
def test_nothing_is_executable(tmp_path, out):
    tree = lay_out(tmp_path / "tree", {"run": b"#!/bin/sh"})
    (tree / "run").chmod(0o777)
    pack(tree, tmp_path / "packed.ffr")
    Folder(tmp_path / "packed.ffr").extract(out)
    assert (out / "run").stat().st_mode & 0o111 == 0

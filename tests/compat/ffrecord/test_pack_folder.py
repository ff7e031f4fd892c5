"""`ffrecord.pack_folder`: the original's bytes; whatever cannot be packed is an error, and leaves nothing."""

from __future__ import annotations

import io
import os
import pickle
import tracemalloc
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest

from octavo.compat.ffrecord import FileReader, FileWriter, PackedFolder, pack_folder, packed_folder
from tests.compat.ffrecord.folders import MAGIC, TREE, lay_out
from tests.conformance.originals import Original, as_parameters, originals

PACKED = [one for one in originals("ffrecord") if one.kind == "packed-folder"]
# `packed_tiny.ffr` of the original: a.txt, d/b.txt and an empty folder e.
TINY = bytes.fromhex(
    "72950403 0300000000000000 f1866c7a 668aca11 ef447a86 3000000000000000 3300000000000000 3600000000000000"
    "6f6e65 74776f 70696f75686a676272 8004 954b00000000000000 8c0b636f6c6c656374696f6e7394"
    "8c0b4f72646572656444696374949394 295294 28 8c05612e747874944b00 8c016494 6802295294 8c05622e747874944b0173"
    "8c016594 6802295294 75 2e"
)


@pytest.fixture
def folder(tree: Path, out: Path) -> PackedFolder:
    pack_folder(tree, out)
    return PackedFolder(out)


def test_the_bytes_are_the_original_s(tmp_path, out):
    tree = lay_out(tmp_path / "tree", {"a.txt": b"one", "d/b.txt": b"two", "e/": None})
    pack_folder(str(tree), str(out))
    assert out.read_bytes() == TINY


def test_files_are_numbered_where_their_folders_sort(folder):
    assert folder.structure == OrderedDict(
        [
            (".hidden", 0),
            ("001.txt", 1),
            ("B.txt", 2),
            ("a dir", OrderedDict([("001.txt", 3), ("nested", OrderedDict(deep=OrderedDict(file=4)))])),
            ("empty", OrderedDict()),
            ("z", OrderedDict([("only", OrderedDict(x=5)), ("\udcff\udcfe", 6)])),
            ("é", 7),
        ]
    )
    assert folder.num_files() == 8
    assert isinstance(folder.reader, FileReader)


def test_the_original_could_load_the_table(folder):
    record = bytes(folder.reader.read_one(folder.num_files()))
    assert record.startswith(MAGIC)
    assert pickle.loads(record[len(MAGIC) :]) == folder.structure


def test_every_file_comes_back(folder):
    for path, content in TREE.items():
        if content is not None:
            assert bytes(folder.read_one(path)) == content


def test_an_empty_folder_can_be_packed(tmp_path, out):
    (tmp_path / "tree").mkdir()
    pack_folder(tmp_path / "tree", out)
    folder = PackedFolder(out)
    assert (folder.num_files(), folder.list(), folder.structure) == (0, [], OrderedDict())


def test_names_of_one_letter_are_written_as_cpython_does(tmp_path, out):
    # CPython has one object for each: the second comes from the memo.
    tree = lay_out(tmp_path / "tree", {f"{folder}/{name}": b"" for folder in "ab" for name in ("x", "é", "łł", "xy")})
    pack_folder(tree, out)
    folder = PackedFolder(out)
    listed = OrderedDict(
        (name, OrderedDict((inner, folder.structure[name][inner]) for inner in sorted(os.listdir(tree / name))))
        for name in sorted(os.listdir(tree))
    )
    assert bytes(folder.reader.read_one(8)) == MAGIC + pickle.dumps(listed, 4)


def test_each_file_is_announced(tmp_path, out, capsys, monkeypatch):
    lay_out(tmp_path / "tree", {f"{number:02}": b"" for number in range(11)} | {"x/\udcff": b""})
    monkeypatch.chdir(tmp_path)
    pack_folder("tree", out, verbose=True)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"00/12 {tmp_path}/tree/00"
    assert lines[10] == f"10/12 {tmp_path}/tree/10"
    assert lines[11] == f"11/12 {tmp_path}/tree/x/\\udcff"
    assert len(lines) == 12
    pack_folder("tree", out)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("encoding", "shown"), [("ascii", "\\xe9"), ("utf-8", "é"), (None, "é")])
def test_names_are_announced_in_what_the_output_can_show(tree, out, monkeypatch, encoding, shown):
    stream = io.StringIO() if encoding is None else io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr("sys.stdout", stream)
    pack_folder(tree, out, verbose=True)
    stream.seek(0)
    assert stream.read().splitlines()[-1] == f"7/8 {tree}/{shown}"


def test_the_parent_of_a_link_is_that_of_what_it_leads_to(tree, out, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(tree / "z")
    monkeypatch.chdir(tmp_path)
    pack_folder("link/..", out)
    assert PackedFolder(out).exists("a dir/001.txt")


@pytest.mark.parametrize("name", ["missing", "file", ""])
def test_only_folders_are_packed(tmp_path, out, name):
    (tmp_path / "file").touch()
    with pytest.raises(AssertionError, match=r"^'folder' must be a directory$"):
        pack_folder(str(tmp_path / name) if name else "", out)
    assert not out.exists()


def test_the_output_has_the_suffix_of_the_format(tree, tmp_path):
    with pytest.raises(AssertionError, match=r"out\.bin does not end with \.ffr"):
        pack_folder(tree, tmp_path / "out.bin")
    assert not (tmp_path / "out.bin").exists()


def test_an_output_that_cannot_be_made_is_named(tree, tmp_path):
    with pytest.raises(RuntimeError, match=r"^'fd > 0' failed\. Failed to open file .*/no/out\.ffr"):
        pack_folder(tree, tmp_path / "no" / "out.ffr")


def test_an_output_that_is_there_is_replaced(tree, out):
    out.write_bytes(b"something" * 1000)
    pack_folder(tree, out)
    assert PackedFolder(out).num_files() == 8


def test_the_output_is_not_packed_into_itself(tree):
    out = tree / "out.ffr"
    pack_folder(tree, out)
    once = out.read_bytes()
    pack_folder(tree, out)
    assert out.read_bytes() == once
    assert not PackedFolder(out).exists("out.ffr")


def test_links_are_followed(tree, out, tmp_path):
    lay_out(tmp_path / "elsewhere", {"file": b"seven"})
    (tree / "link").symlink_to(tmp_path / "elsewhere")
    (tree / "link to a file").symlink_to(tree / "001.txt")
    (tree / "a dir" / "sibling").symlink_to(tree / "z")
    pack_folder(tree, out)
    folder = PackedFolder(out)
    assert bytes(folder.read_one("link/file")) == b"seven"
    assert bytes(folder.read_one("link to a file")) == b"one"
    assert bytes(folder.read_one("a dir/sibling/only/x")) == b"five"


@pytest.mark.parametrize("place", ["loop", "a dir/loop", "a dir/nested/loop"])
def test_a_link_to_a_folder_above_it_is_an_error(tree, out, place):
    (tree / place).symlink_to(tree)
    with pytest.raises(OSError, match=f"a link leads back to a folder that it is in: '{tree / place}'"):
        pack_folder(tree, out)
    assert not out.exists()


def test_a_link_to_itself_or_to_nothing_is_an_error(tree, out):
    (tree / "link").symlink_to("link")
    with pytest.raises(OSError, match=f"{tree}/link"):
        pack_folder(tree, out)
    (tree / "link").unlink()
    (tree / "link").symlink_to("nothing")
    with pytest.raises(FileNotFoundError, match=f"{tree}/link"):
        pack_folder(tree, out)
    assert not out.exists()


def test_a_pipe_is_not_waited_for(tree, out):
    os.mkfifo(tree / "pipe")
    with pytest.raises(OSError, match=f"not a regular file: '{tree}/pipe'"):
        pack_folder(tree, out)
    assert not out.exists()


def test_a_file_that_vanishes_leaves_no_output(tree, out, monkeypatch):
    class Vanishing(FileWriter):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            (tree / "B.txt").unlink()

    monkeypatch.setattr(packed_folder, "FileWriter", Vanishing)
    with pytest.raises(FileNotFoundError, match=f"{tree}/B.txt"):
        pack_folder(tree, out)
    assert not out.exists()


def test_folders_that_could_not_be_read_again_are_not_packed(tmp_path, out):
    deepest = tmp_path.joinpath("tree", *("d" * 256))
    deepest.mkdir(parents=True)
    (deepest / "file").write_bytes(b"deep")
    pack_folder(tmp_path / "tree", out)
    assert bytes(PackedFolder(out).read_one("d/" * 256 + "file")) == b"deep"
    out.unlink()
    (deepest / "d").mkdir()
    with pytest.raises(OSError, match="nested deeper than 256 levels"):
        pack_folder(tmp_path / "tree", out)
    assert not out.exists()


def test_files_are_in_memory_one_at_a_time(tmp_path, out):
    size, count = 1 << 20, 24
    tree = lay_out(tmp_path / "tree", {f"{number}": bytes(size) for number in range(count)})
    tracemalloc.start()
    try:
        pack_folder(tree, out)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * size
    assert out.stat().st_size > count * size


@pytest.mark.parametrize("original", as_parameters(PACKED))
def test_what_was_packed_by_the_original_gives_the_same_file_again(original: Original, tmp_path):
    folder = PackedFolder(original.path)
    for path in folder.list(list_file=False, recursive=True):
        (tmp_path / "tree" / path).mkdir(parents=True)
    for path in folder.list(list_dir=False, recursive=True):
        (tmp_path / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / path).write_bytes(folder.read_one(path))
    pack_folder(tmp_path / "tree", tmp_path / "again.ffr")
    again = PackedFolder(tmp_path / "again.ffr")
    assert again.structure == folder.structure
    if "pack_folder" in original.facts["by"]:
        assert (tmp_path / "again.ffr").read_bytes() == original.path.read_bytes()

"""`octavo unpack`: files of a packed folder as files again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from octavo._folder import pack
from tests.compat.ffrecord.folders import TREE, lay_out
from tests.naive import ffrecord as naive

FILES = {path: content for path, content in TREE.items() if content is not None}


@pytest.fixture(autouse=True)
def _packed(tmp_path: Path) -> None:
    pack(lay_out(tmp_path / "tree", TREE), tmp_path / "packed.ffr")


def files_in(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if not path.is_dir()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_everything_comes_back(octavo, tmp_path):
    told = octavo("unpack", "packed.ffr", "out")
    assert told.text == "out: 8 files in 7 folders, 31 B\n"
    assert told.stderr == ""
    assert files_in(tmp_path / "out") == FILES
    assert (tmp_path / "out" / "empty").is_dir()


def test_files_and_folders_can_be_named(octavo, tmp_path):
    told = octavo("unpack", "packed.ffr", "out", "001.txt", "a dir", "--json")
    assert told.json == {"target": "out", "files": 3, "folders": 3, "file_bytes": 12}
    assert set(files_in(tmp_path / "out")) == {"001.txt", "a dir/001.txt", "a dir/nested/deep/file"}


@pytest.mark.skipif(os.name != "posix", reason="only there names are bytes")
def test_names_that_are_not_utf8_can_be_named(octavo, tmp_path):
    octavo("unpack", "packed.ffr", "out", b"z/\xff\xfe")
    assert files_in(tmp_path / "out") == {"z/\udcff\udcfe": b"not UTF-8"}


def test_paths_are_listed_and_nothing_is_written(octavo, tmp_path):
    told = octavo("unpack", "packed.ffr", "--list")
    assert told.lines == [
        ".hidden", "001.txt", "B.txt", "a dir/001.txt", "a dir/nested/deep/file", "z/only/x", r"z/\xff\xfe", "é",
    ]  # fmt: skip
    assert octavo("unpack", "packed.ffr", "-l", "z", "B.txt").lines == ["z/only/x", r"z/\xff\xfe", "B.txt"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["packed.ffr", "tree"]


def test_listings_in_json_have_sizes(octavo):
    told = octavo("unpack", "packed.ffr", "--list", "a dir", "z", "--json")
    assert told.json == {
        "packed": "packed.ffr",
        "files": 4,
        "entries": [
            {"path": "a dir/001.txt", "bytes": 5},
            {"path": "a dir/nested/deep/file", "bytes": 4},
            {"path": "z/only/x", "bytes": 4},
            {"path": "z/\udcff\udcfe", "bytes": 9},
        ],
    }


def test_sizes_that_no_index_tells_are_null(octavo, tmp_path):
    pack(tmp_path / "tree", tmp_path / "packed.array_record")
    told = octavo("unpack", "packed.array_record", "--list", "B.txt", "--json")
    assert told.json["entries"] == [{"path": "B.txt", "bytes": None}]


def test_overwriting_needs_force_and_is_refused_before_anything_is_written(octavo, tmp_path):
    lay_out(tmp_path / "out", {"z/only/x": b"old"})
    told = octavo("unpack", "packed.ffr", "out", check=1)
    assert "out/z/only/x: exists already" in told.stderr
    assert "--force" in told.stderr
    assert files_in(tmp_path / "out") == {"z/only/x": b"old"}
    octavo("unpack", "packed.ffr", "out", "--force")
    assert files_in(tmp_path / "out") == FILES


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["packed.ffr"], 2, "TARGET is missing"),
        ([], 2, "PACKED"),
        (["nothing.ffr", "out"], 1, "nothing.ffr"),
        (["tree", "out"], 1, "is a folder, but not a packed one"),
        (["plain.ffr", "out"], 1, "is not a packed folder"),
        (["packed.ffr", "out", "nothing"], 1, "nothing is not in"),
        (["packed.ffr", "out", "../tree"], 1, "../tree is not in"),
        (["packed.ffr", "--list", "nothing"], 1, "nothing is not in"),
        (["packed.ffr", "packed.ffr"], 1, "packed.ffr: not a folder"),
        (["packed.ffr", ""], 1, "is empty"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(octavo, tmp_path, arguments, status, reason):
    (tmp_path / "plain.ffr").write_bytes(naive.encode([b"one"]))
    told = octavo("unpack", *arguments, check=status)
    assert reason in told.stderr
    assert told.stdout == b""
    assert not (tmp_path / "out").exists()


def test_damage_is_a_failure_that_names_the_record(octavo, tmp_path):
    content = bytearray((tmp_path / "packed.ffr").read_bytes())
    content[content.index(b"four")] ^= 1
    (tmp_path / "damaged.ffr").write_bytes(content)
    assert "record 4" in octavo("unpack", "damaged.ffr", "out", check=1).stderr
    octavo("unpack", "damaged.ffr", "out", "z", "--force")
    assert (tmp_path / "out" / "z" / "only" / "x").read_bytes() == b"five"


@pytest.mark.skipif(os.name != "posix", reason="terminals are POSIX's")
def test_progress_is_shown_on_a_terminal(tmp_path):
    from tests.cli.terminals import on_a_terminal

    with on_a_terminal(tmp_path, "unpack", "packed.ffr", "out") as started:
        status, stdout = started.end()
    assert (status, stdout) == (0, b"out: 8 files in 7 folders, 31 B\n")
    assert "unpacking" in started.shown

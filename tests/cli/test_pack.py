"""`octavo pack`: a folder into one file."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo._folder import Folder
from octavo.compat.ffrecord import pack_folder
from tests.compat.ffrecord.folders import TREE, lay_out

FILES = {path: content for path, content in TREE.items() if content is not None}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return lay_out(tmp_path / "tree", TREE)


def test_a_folder_becomes_the_file_that_ffrecord_makes_of_it(octavo, tree, tmp_path):
    told = octavo("pack", "tree", "packed.ffr")
    assert told.text == "packed.ffr: 8 files in 7 folders, 31 B\n"
    assert told.stderr == ""
    pack_folder(tree, tmp_path / "other.ffr")
    assert (tmp_path / "packed.ffr").read_bytes() == (tmp_path / "other.ffr").read_bytes()


@pytest.mark.usefixtures("tree")
def test_json_has_stable_keys(octavo, tmp_path):
    told = octavo("pack", "tree", "packed.ffr", "--json")
    assert told.json == {
        "target": "packed.ffr",
        "files": 8,
        "folders": 6,
        "file_bytes": 31,
        "bytes": (tmp_path / "packed.ffr").stat().st_size,
    }


@pytest.mark.usefixtures("tree")
def test_other_formats_will_do(octavo, tmp_path):
    octavo("pack", "tree", "packed.array_record")
    assert dict(Folder(tmp_path / "packed.array_record").items()) == FILES


@pytest.mark.usefixtures("tree")
def test_overwriting_needs_force(octavo, tmp_path):
    (tmp_path / "packed.ffr").write_bytes(b"old")
    told = octavo("pack", "tree", "packed.ffr", check=1)
    assert "packed.ffr: exists already" in told.stderr
    assert "--force" in told.stderr
    assert (tmp_path / "packed.ffr").read_bytes() == b"old"
    octavo("pack", "tree", "packed.ffr", "--force")
    assert dict(Folder(tmp_path / "packed.ffr").items()) == FILES


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["nothing", "packed.ffr"], 1, "nothing: there is no such folder"),
        (["tree/B.txt", "packed.ffr"], 1, "only folders are packed"),
        (["tree", "packed.bin"], 2, "the suffix does not say which format"),
        (["tree", "no/packed.ffr"], 1, "packed.ffr"),
        (["tree"], 2, "TARGET"),
        ([], 2, "FOLDER"),
        (["", "packed.ffr"], 1, "is empty"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(octavo, tree, arguments, status, reason):
    told = octavo("pack", *arguments, check=status)
    assert reason in told.stderr
    assert told.stdout == b""
    assert not (tree.parent / "packed.ffr").exists()


def test_what_is_no_file_is_an_error(octavo, tree):
    (tree / "loop").symlink_to(tree)
    assert "loop: cannot pack: a link leads back" in octavo("pack", "tree", "packed.ffr", check=1).stderr
    assert [path.name for path in tree.parent.iterdir()] == ["tree"]

"""`ffrecord.PackedFolder`: the original's answers, and none of its pickles is ever loaded."""

from __future__ import annotations

import os
import pickle
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

from octavo.compat.ffrecord import PackedFolder, pack_folder
from tests.compat.ffrecord.folders import MAGIC, Touching, packed
from tests.conformance.originals import FIXTURES, Original, as_parameters, digest_of, originals, sha256_of
from tests.naive import ffrecord as naive

PACKED = [one for one in originals("ffrecord") if one.kind == "packed-folder"]
HOSTILE = [one for one in originals("ffrecord") if one.kind == "hostile" and one.path.name.startswith("packed_")]


@pytest.fixture
def folder(tree: Path, out: Path) -> PackedFolder:
    pack_folder(tree, out)
    return PackedFolder(out)


def as_in_the_manifest(path: str | Path) -> str:
    """The manifest writes bytes that are not UTF-8 as `\\xff`."""
    return os.fsencode(path).decode(errors="backslashreplace")


@pytest.mark.parametrize("original", as_parameters(PACKED))
def test_folders_of_the_original_are_read(original: Original):
    folder = PackedFolder(original.path)
    facts = original.facts
    assert folder.num_files() == facts["num_files"]
    records = folder.reader.read(range(folder.reader.n))
    assert digest_of(bytes(record) for record in records) == facts["records_digest"]
    everything = folder.list(recursive=True)
    if "list_recursive" in facts:
        assert [as_in_the_manifest(path) for path in everything] == facts["list_recursive"]
        assert [as_in_the_manifest(path) for path in folder.list()] == facts["list_root"]
    for path in everything:
        facts_of_file = facts.get("tree", {}).get(as_in_the_manifest(path))
        if facts_of_file:
            assert sha256_of(bytes(folder.read_one(path))) == facts_of_file["sha256"]
    assert folder.structure == pickle.loads(bytes(records[-1])[len(MAGIC) :])


@pytest.mark.parametrize("original", as_parameters(HOSTILE))
def test_hostile_folders_are_refused_and_nothing_is_run(original: Original, capfd):
    with pytest.raises(ValueError, match=f"^{original.path} is not a packed folder\nbyte [0-9]+ of the folder table"):
        PackedFolder(original.path)
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the originals' files are not beside the checkout")
@pytest.mark.parametrize("name", ["tiny.ffr", "zero.ffr", "sizes.ffr"])
def test_other_files_of_the_original_are_no_packed_folders(name):
    path = FIXTURES / "ffrecord" / name
    with pytest.raises(ValueError, match=f"^{path} is not a packed folder$"):
        PackedFolder(path)


def test_contents_are_writable_arrays_of_bytes(folder):
    content = folder.read_one("001.txt")
    assert (content.dtype, content.shape, content.tobytes()) == (np.uint8, (3,), b"one")
    content[0] = 0
    assert folder.read_one("001.txt").tobytes() == b"one"


@pytest.mark.parametrize("kind", [list, tuple])
def test_several_files_are_read_in_the_order_asked_for(folder, kind):
    contents = folder.read(kind(["B.txt", Path("a dir", "001.txt"), "B.txt"]))
    assert [bytes(content) for content in contents] == [b"two", b"three", b"two"]
    assert folder.read(kind([])) == []


@pytest.mark.parametrize("path", ["001.txt", Path("001.txt")])
def test_a_single_path_is_read_as_the_readme_does(folder, path):
    assert bytes(folder.read(path)) == b"one"


@pytest.mark.parametrize("paths", [(path for path in ["001.txt"]), {"001.txt"}, None, 1])
def test_paths_are_a_list_or_a_tuple(folder, paths):
    with pytest.raises(AssertionError):
        folder.read(paths)


@pytest.mark.parametrize("read", [lambda folder, path: folder.read_one(path), lambda folder, path: folder.read([path])])
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nothing", "nothing does not exist"),
        ("a dir/nothing", "a dir/nothing does not exist"),
        ("001.txt/x", "001.txt/x does not exist"),
        ("a dir", "a dir is not a file but a directory"),
        (".", ". is not a file but a directory"),
        ("../001.txt", "../001.txt does not exist"),
        ("/001.txt", "/001.txt does not exist"),
        (Path("a dir"), "a dir is not a file but a directory"),
    ],
)
def test_what_cannot_be_read_is_an_assertion(folder, read, path, message):
    with pytest.raises(AssertionError) as caught:
        read(folder, path)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("path", "is_file", "is_dir"),
    [
        ("001.txt", True, False),
        ("./001.txt", True, False),
        ("a dir//001.txt", True, False),
        ("a dir/./001.txt", True, False),
        (Path("a dir") / "001.txt", True, False),
        ("z/\udcff\udcfe", True, False),
        ("001.txt/", True, False),
        ("a dir", False, True),
        ("a dir/", False, True),
        ("empty", False, True),
        ("", False, True),
        (".", False, True),
        ("./", False, True),
        (Path(), False, True),
        ("001.txt/x", False, False),
        ("001.txt/x/y", False, False),
        ("001.txt/..", False, False),
        ("..", False, False),
        ("a dir/../001.txt", False, False),
        ("/", False, False),
        ("/001.txt", False, False),
        ("//a dir", False, False),
        ("nothing", False, False),
        ("nothing/at/all", False, False),
        ("A DIR", False, False),
        ("e\u0301", False, False),
    ],
)
def test_paths_are_found_or_not_but_never_an_error(folder, path, is_file, is_dir):
    assert folder.is_file(path) is is_file
    assert folder.is_dir(path) is is_dir
    assert folder.exists(path) is (is_file or is_dir)


def test_a_folder_lists_its_names(folder):
    names = [".hidden", "001.txt", "B.txt", "a dir", "empty", "z", "é"]
    assert folder.list() == folder.list("") == folder.list(".") == names
    assert all(type(name) is str for name in folder.list())
    assert folder.list("a dir") == folder.list(Path("a dir")) == ["001.txt", "nested"]
    assert folder.list("empty") == []
    assert folder.list(list_dir=False) == [".hidden", "001.txt", "B.txt", "é"]
    assert folder.list(list_file=False) == ["a dir", "empty", "z"]
    assert folder.list(None, False, False) == []  # noqa: FBT003 - by position, as the original takes them


def test_a_folder_lists_all_below_it(folder):
    assert folder.list("a dir", recursive=True) == [
        "001.txt",
        "nested",
        Path("nested/deep"),
        Path("nested/deep/file"),
    ]
    assert folder.list("z", list_dir=False, recursive=True) == [Path("only/x"), "\udcff\udcfe"]
    assert folder.list(None, False, True, True) == [  # noqa: FBT003
        "a dir",
        Path("a dir/nested"),
        Path("a dir/nested/deep"),
        "empty",
        "z",
        Path("z/only"),
    ]
    for name in folder.list(recursive=True):
        assert isinstance(name, Path if len(Path(name).parts) > 1 else str)
        assert folder.exists(name)


def test_only_folders_are_listed(folder):
    with pytest.raises(AssertionError, match=r"^nothing does not exist$"):
        folder.list("nothing")
    with pytest.raises(AssertionError, match=r"^001\.txt is not a directory but a file$"):
        folder.list("001.txt")


def test_folders_are_pickled(folder):
    copy = pickle.loads(pickle.dumps(folder))
    assert copy.structure == folder.structure
    assert bytes(copy.read_one("z/only/x")) == b"five"


@pytest.mark.parametrize("protocol", range(6))
def test_tables_of_every_protocol_are_read(out, protocol):
    structure = OrderedDict(b=1, a=OrderedDict(b=0, c=OrderedDict()))
    folder = PackedFolder(packed(out, [b"zero", b"one"], structure, protocol))
    assert folder.structure == structure
    assert folder.list() == ["b", "a"]
    assert bytes(folder.read_one("a/b")) == b"zero"


@pytest.mark.parametrize("records", [[], [b""], [b"piou"], [MAGIC], [b"one", b"two"], [MAGIC + b"x", b"last"]])
def test_files_without_a_table_are_no_packed_folders(out, records):
    out.write_bytes(naive.encode(records))
    for argument in (out, str(out)):
        with pytest.raises(ValueError, match=f"^{out} is not a packed folder$"):
            PackedFolder(argument)


def test_a_table_that_cannot_be_is_an_error_that_says_where(out):
    with pytest.raises(ValueError, match=r"is not a packed folder\nbyte .*: file 2 is not there: there are 1"):
        PackedFolder(packed(out, [b"zero"], OrderedDict(a=2)))


@pytest.mark.parametrize("protocol", range(6))
def test_opening_a_folder_runs_nothing(tmp_path, out, protocol):
    evil = Touching(tmp_path / "touched")
    for structure in (evil, OrderedDict(a=0, b=OrderedDict(c=evil))):
        with pytest.raises(ValueError, match=r"is not a packed folder\n.*GLOBAL"):
            PackedFolder(packed(out, [b"zero"], structure, protocol))
    assert not (tmp_path / "touched").exists()


def test_damage_is_seen_unless_it_is_not_looked_for(tree, out):
    pack_folder(tree, out)
    content = bytearray(out.read_bytes())
    content[content.index(b"one")] ^= 1
    out.write_bytes(content)
    with pytest.raises(RuntimeError, match="checksum"):
        PackedFolder(out).read_one("001.txt")
    assert bytes(PackedFolder(out, check_data=False).read_one("001.txt")) == bytes([b"one"[0] ^ 1]) + b"ne"

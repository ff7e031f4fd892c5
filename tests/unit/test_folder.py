"""`octavo.Folder`: the files of a packed folder by their paths."""

from __future__ import annotations

import io
import os
import pickle
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo import errors
from octavo._folder import Folder, pack
from tests.compat.ffrecord.folders import MAGIC, TREE, Touching, lay_out, packed
from tests.conformance.originals import Original, as_parameters, digest_of, originals, sha256_of
from tests.naive import ffrecord as naive
from tests.settling import open_descriptors, settles
from tests.unit.places import PathOnly

FILES = {path: content for path, content in TREE.items() if content is not None}
SUFFIXES = [".ffr", ".array_record", ".riegeli", ".recordio", ".tfrecord", ".tfrecord.gz"]
PACKED = [one for one in originals("ffrecord") if one.kind == "packed-folder"]
HOSTILE = [one for one in originals("ffrecord") if one.kind == "hostile" and one.path.name.startswith("packed_")]


@pytest.fixture(params=SUFFIXES)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A packed folder of every format."""
    path = tmp_path / f"packed{request.param}"
    pack(lay_out(tmp_path / "tree", TREE), path)
    return path


@pytest.fixture
def folder(target: Path) -> Folder:
    return Folder(target)


class TestReading:
    def test_a_folder_is_a_mapping_of_paths_to_contents(self, folder):
        assert isinstance(folder, Mapping)
        assert len(folder) == len(FILES)
        assert list(folder) == list(folder.keys()) == sorted(FILES)
        assert {path: folder[path] for path in folder} == FILES
        assert folder.get("001.txt") == b"one"
        assert folder.get("nothing") is None
        assert folder.get("a dir", b"default") == b"default"

    def test_items_and_values_come_in_stored_order(self, folder):
        assert list(folder.items()) == [(path, FILES[path]) for path in sorted(FILES)]
        assert list(folder.values()) == [FILES[path] for path in sorted(FILES)]
        assert (len(folder.items()), len(folder.values())) == (len(FILES), len(FILES))
        assert ("001.txt", b"one") in folder.items()
        assert b"six" in folder.values()

    def test_many_files_are_read_at_once_in_the_order_asked_for(self, folder):
        assert folder.read(["é", Path("a dir", "001.txt"), "é"]) == [b"six", b"three", b"six"]
        assert folder.read(path for path in ["B.txt"]) == [b"two"]
        assert folder.read(folder.files("z")) == [b"five", b"not UTF-8"]
        assert folder.read([]) == []

    @pytest.mark.parametrize("kind", [str, Path, PathOnly])
    def test_paths_of_every_kind_name_files(self, folder, kind):
        assert folder[kind(Path("a dir/nested/deep/file"))] == b"four"

    @pytest.mark.parametrize("path", ["a dir//001.txt", "./a dir/001.txt", "a dir/./001.txt", "a dir/001.txt/"])
    def test_paths_are_read_as_the_system_would(self, folder, path):
        assert folder[path] == b"three"
        assert path in folder

    @pytest.mark.parametrize("read", [lambda folder, path: folder[path], lambda folder, path: folder.read([path])])
    @pytest.mark.parametrize(
        ("path", "reason"),
        [
            ("nothing", "nothing is not in "),
            ("a dir/nothing", "a dir/nothing is not in "),
            ("001.txt/x", "001.txt/x is not in "),
            ("../001.txt", "../001.txt is not in "),
            ("a dir/../001.txt", "a dir/../001.txt is not in "),
            ("/001.txt", "/001.txt is not in "),
            ("A DIR/001.txt", "A DIR/001.txt is not in "),
            ("a dir", "a dir is a folder, not a file, in "),
            ("", "'' is a folder, not a file, in "),
            (".", ". is a folder, not a file, in "),
            ("\x1b[2J", "\\x1b[2J is not in "),
        ],
    )
    def test_what_is_no_file_is_a_key_error_and_a_missing_file(self, folder, path, read, reason):
        with pytest.raises(errors.PathNotFoundError) as caught:
            read(folder, path)
        assert isinstance(caught.value, KeyError)
        assert isinstance(caught.value, FileNotFoundError)
        assert str(caught.value).startswith(reason)
        assert caught.value.path == path
        assert path not in folder

    @pytest.mark.parametrize("path", [3, None, b"001.txt", ["001.txt"]])
    def test_what_is_no_path_is_a_type_error(self, folder, path):
        for act in (folder.__getitem__, folder.exists, folder.listdir, folder.size, lambda path: folder.read([path])):
            with pytest.raises(errors.RecordTypeError, match="named by a path, not"):
                act(path)
        assert path not in folder

    @pytest.mark.parametrize("paths", ["001.txt", b"001.txt", Path("001.txt"), 3])
    def test_one_path_is_not_several(self, folder, paths, tmp_path):
        for act in (folder.read, lambda paths: folder.extract(tmp_path / "out", paths)):
            with pytest.raises(errors.RecordTypeError, match="in a list"):
                act(paths)
        assert not (tmp_path / "out").exists()


class TestNames:
    @pytest.mark.parametrize(
        ("path", "is_file", "is_dir"),
        [
            ("001.txt", True, False),
            ("z/\udcff\udcfe", True, False),
            ("a dir", False, True),
            ("a dir/nested/", False, True),
            ("empty", False, True),
            ("", False, True),
            (".", False, True),
            ("001.txt/x", False, False),
            ("..", False, False),
            ("/", False, False),
            ("nothing/at/all", False, False),
        ],
    )
    def test_paths_are_files_folders_or_nothing(self, folder, path, is_file, is_dir):
        assert folder.is_file(path) is is_file
        assert folder.is_dir(path) is is_dir
        assert folder.exists(path) is (is_file or is_dir)
        assert (path in folder) is is_file

    def test_folders_list_their_names(self, folder):
        assert folder.listdir() == folder.listdir(".") == [".hidden", "001.txt", "B.txt", "a dir", "empty", "z", "é"]
        assert folder.listdir("a dir") == folder.listdir(Path("a dir")) == ["001.txt", "nested"]
        assert folder.listdir("empty") == []

    def test_folders_list_all_files_below_them(self, folder):
        assert list(folder.files("a dir")) == ["a dir/001.txt", "a dir/nested/deep/file"]
        assert list(folder.files("./z/")) == ["z/only/x", "z/\udcff\udcfe"]
        assert list(folder.files("empty")) == []

    def test_walking_gives_each_folder_before_those_in_it(self, folder):
        assert list(folder.walk()) == [
            ("", ["a dir", "empty", "z"], [".hidden", "001.txt", "B.txt", "é"]),
            ("a dir", ["nested"], ["001.txt"]),
            ("a dir/nested", ["deep"], []),
            ("a dir/nested/deep", [], ["file"]),
            ("empty", [], []),
            ("z", ["only"], ["\udcff\udcfe"]),
            ("z/only", [], ["x"]),
        ]
        assert list(folder.walk("./z/")) == [("z", ["only"], ["\udcff\udcfe"]), ("z/only", [], ["x"])]

    @pytest.mark.parametrize("method", ["listdir", "walk", "files"])
    def test_only_folders_are_listed(self, folder, method):
        with pytest.raises(errors.PathNotFoundError, match=r"^001\.txt is a file, not a folder, in "):
            getattr(folder, method)("001.txt")
        with pytest.raises(errors.PathNotFoundError, match=r"^nothing is not in "):
            getattr(folder, method)("nothing")

    def test_sizes_are_those_of_the_files(self, folder):
        assert {path: folder.size(path) for path in folder} == {path: len(content) for path, content in FILES.items()}
        with pytest.raises(KeyError):
            folder.size("a dir")


class TestOpening:
    def test_the_bytes_of_a_file_and_file_objects_will_do(self, tmp_path):
        pack(lay_out(tmp_path / "tree", TREE), tmp_path / "packed.ffr")
        content = (tmp_path / "packed.ffr").read_bytes()
        assert Folder(content)["001.txt"] == b"one"
        assert Folder(io.BytesIO(content)).size("001.txt") == 3

    def test_a_folder_is_a_context_manager(self, target):
        with Folder(target) as folder:
            assert not folder.closed
        assert folder.closed
        folder.close()
        assert folder.listdir("a dir") == ["001.txt", "nested"]
        with pytest.raises(errors.ClosedError):
            folder["001.txt"]
        assert repr(folder) == "<octavo.Folder, closed>"

    def test_a_folder_says_what_it_is(self, folder, target):
        assert repr(folder) == f"<octavo.Folder of {len(FILES)} files in {target}>"

    def test_folders_are_pickled_by_their_location(self, folder, monkeypatch):
        content = pickle.dumps(folder)
        monkeypatch.chdir("/")
        again = pickle.loads(content)
        assert type(again) is Folder
        assert dict(again.items()) == FILES
        assert again.size("B.txt") == 3

    def test_folders_are_equal_to_themselves_alone(self, folder, target):
        assert folder == folder  # noqa: PLR0124 - the test
        assert folder != Folder(target)
        assert len({folder, folder}) == 1

    def test_folders_are_shared_between_threads(self, folder):
        with ThreadPoolExecutor(4) as pool:
            assert (
                list(pool.map(folder.__getitem__, sorted(FILES) * 20)) == [FILES[path] for path in sorted(FILES)] * 20
            )

    def test_damage_is_seen_unless_it_is_not_looked_for(self, tmp_path):
        pack(lay_out(tmp_path / "tree", TREE), tmp_path / "packed.ffr")
        content = bytearray((tmp_path / "packed.ffr").read_bytes())
        content[content.index(b"three")] ^= 1
        assert Folder(content)["001.txt"] == b"one"
        with pytest.raises(errors.ChecksumError):
            Folder(content)["a dir/001.txt"]
        assert Folder(content, check_data=False)["a dir/001.txt"] == b"uhree"

    def test_a_damaged_table_is_seen(self, tmp_path):
        pack(lay_out(tmp_path / "tree", TREE), tmp_path / "packed.ffr")
        content = (tmp_path / "packed.ffr").read_bytes()
        with pytest.raises(errors.FormatError):
            Folder(content[:-1])
        with pytest.raises(errors.DamagedFileError, match="not a packed folder that can be read: byte "):
            Folder(content[:-1], check_data=False)

    @pytest.mark.parametrize("records", [[], [b""], [b"piou"], [MAGIC], [b"one", b"two"], [MAGIC + b"x", b"last"]])
    def test_files_without_a_table_are_no_packed_folders(self, write_file, records):
        path = write_file(records)
        with pytest.raises(errors.FormatError, match=f"^{path} is not a packed folder") as caught:
            Folder(path)
        assert caught.value.path == str(path)

    def test_a_folder_on_disk_is_not_a_packed_one(self, tmp_path):
        with pytest.raises(
            errors.FormatError, match=r"is a folder, but not a packed one: octavo\.pack makes one of it"
        ):
            Folder(tmp_path)

    def test_several_packed_folders_are_not_one(self, tmp_path):
        paths = [packed(tmp_path / name, [b"zero"], OrderedDict(a=0)) for name in ("1.ffr", "2.ffr")]
        with pytest.raises(errors.OptionError, match="is one file, and these are 2"):
            Folder(paths)
        with pytest.raises(errors.OptionError, match="is one file, and these are 2"):
            Folder(str(tmp_path / "*.ffr"))

    def test_what_is_not_there_is_not_found(self, tmp_path):
        with pytest.raises(errors.NotFoundError):
            Folder(tmp_path / "nothing.ffr")

    def test_switches_are_true_or_false(self, target):
        with pytest.raises(errors.RecordTypeError, match="check_data is True or False"):
            Folder(target, check_data=1)  # type: ignore[arg-type]

    @pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="descriptors cannot be counted here")
    def test_what_is_refused_is_closed(self, write_file):
        path = write_file([b"one"])
        before = open_descriptors()
        for _ in range(20):
            with pytest.raises(errors.FormatError):
                Folder(path)
        settles(open_descriptors, before)


class TestTablesOfOthers:
    @pytest.mark.parametrize("protocol", range(6))
    def test_tables_of_every_protocol_are_read_in_their_own_order(self, tmp_path, protocol):
        structure = OrderedDict(b=1, a=OrderedDict(b=0, c=OrderedDict(), d=1))
        folder = Folder(packed(tmp_path / "packed.ffr", [b"zero", b"one", b"without a name"], structure, protocol))
        assert len(folder) == 3
        assert list(folder.items()) == [("b", b"one"), ("a/b", b"zero"), ("a/d", b"one")]
        assert folder.extract(tmp_path / "out").file_count == 3
        assert (tmp_path / "out" / "a" / "d").read_bytes() == b"one"

    @pytest.mark.parametrize("protocol", range(6))
    def test_opening_a_folder_runs_nothing(self, tmp_path, protocol):
        evil: Any = Touching(tmp_path / "touched")
        for structure in (evil, OrderedDict(a=0, b=OrderedDict(c=evil))):
            with pytest.raises(errors.DamagedFileError, match="GLOBAL"):
                Folder(packed(tmp_path / "packed.ffr", [b"zero"], structure, protocol))
        assert not (tmp_path / "touched").exists()

    @pytest.mark.parametrize("original", as_parameters(PACKED))
    def test_folders_of_the_original_are_read_and_extracted(self, original: Original, tmp_path):
        folder = Folder(original.path)
        facts = original.facts
        assert len(folder) == facts["num_files"]
        reader = octavo.open(original.path)
        assert digest_of(reader.read_all()) == facts["records_digest"]
        report = folder.extract(tmp_path / "out")
        assert report.file_count == facts["num_files"]
        for path, content in folder.items():
            shown = os.fsencode(path).decode(errors="backslashreplace")
            if shown in facts.get("tree", {}):
                assert sha256_of(content) == facts["tree"][shown]["sha256"]
            assert (tmp_path / "out" / path).read_bytes() == content
            assert folder.size(path) == len(content)
        if "pack_folder" in facts["by"]:
            pack(tmp_path / "out", tmp_path / "again.ffr")
            assert (tmp_path / "again.ffr").read_bytes() == original.path.read_bytes()

    @pytest.mark.parametrize("original", as_parameters(HOSTILE))
    def test_hostile_folders_of_the_original_are_refused(self, original: Original):
        with pytest.raises(errors.FormatError, match="is not a packed folder"):
            Folder(original.path)

    def test_an_old_file_without_a_checksum_is_read(self, tmp_path):
        table = MAGIC + pickle.dumps(OrderedDict(a=0, b=1))
        path = tmp_path / "old.ffr"
        path.write_bytes(naive.encode([b"zero", b"one", table], legacy=True))
        folder = Folder(path)
        assert (folder["b"], folder.size("a")) == (b"one", 4)

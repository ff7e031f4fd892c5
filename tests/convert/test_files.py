"""Folders: every file is a record and every record a file, and nothing is written anywhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo._convert._files import FolderSink
from octavo._convert._source import Block
from octavo.errors import (
    AlreadyExistsError,
    FormatError,
    NotFoundError,
    OptionError,
    RecordTypeError,
    SourceChangedError,
    StorageError,
)
from tests.convert import shelf


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def grow(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


class TestReading:
    def test_files_are_records_in_the_order_of_their_paths(self, tmp_path: Path) -> None:
        files = ["b", "a/z", "a/b/c", "a.txt", "B", ".hidden", "a-", "empty", "c/.d/e"]
        grow(tmp_path, {name: name.encode() for name in files} | {"empty": b""})
        (tmp_path / "no files").mkdir()
        ordered = sorted(files, key=lambda name: name.split("/"))
        assert shelf.names_in("folder", tmp_path) == ordered
        assert shelf.read("folder", tmp_path) == [b"" if name == "empty" else name.encode() for name in ordered]

    def test_a_folder_without_files_has_no_records(self, tmp_path: Path) -> None:
        (tmp_path / "inner").mkdir()
        assert shelf.read("folder", tmp_path) == []
        assert shelf.source("folder", tmp_path).count() == 0

    def test_a_part_is_that_part_of_all(self, tmp_path: Path) -> None:
        grow(tmp_path, {f"{number // 3}/{number}": b"%d" % number for number in range(9)})
        source = shelf.source("folder", tmp_path)
        assert source.record_count is None
        for start in range(11):
            for stop in (None, *range(11)):
                expected = [b"%d" % number for number in range(9)][start:stop]
                assert [record for block in source.blocks(start, stop) for record in block.records] == expected
        assert source.count() == source.record_count == 9

    def test_several_folders_are_read_one_after_the_other(self, tmp_path: Path) -> None:
        first, second = grow(tmp_path / "x", {"b": b"1"}), grow(tmp_path / "y", {"a": b"2"})
        assert shelf.read("folder", [first, second]) == [b"1", b"2"]

    def test_links_are_followed(self, tmp_path: Path) -> None:
        grow(tmp_path / "elsewhere", {"file": b"linked"})
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "inner").symlink_to(tmp_path / "elsewhere")
        assert shelf.names_in("folder", tmp_path / "folder") == ["inner/file"]

    def test_a_link_that_leads_back_is_refused(self, tmp_path: Path) -> None:
        grow(tmp_path, {"a/b/file": b""})
        (tmp_path / "a/b/up").symlink_to(tmp_path / "a")
        with pytest.raises(StorageError, match="up: cannot read: a link leads back"):
            shelf.read("folder", tmp_path)

    def test_pipes_and_links_to_nothing_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "x").mkdir()
        os.mkfifo(tmp_path / "x" / "pipe")
        with pytest.raises(StorageError, match="pipe: cannot read: not a regular file"):
            shelf.read("folder", tmp_path / "x")
        (tmp_path / "y").mkdir()
        (tmp_path / "y" / "link").symlink_to("nothing")
        with pytest.raises(NotFoundError, match="link"):
            shelf.source("folder", tmp_path / "y").count()

    def test_folders_in_folders_beyond_all_measure_are_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for _ in range(258):
            os.mkdir("d")
            os.chdir("d")
        with pytest.raises(StorageError, match="nested deeper than 256 levels"):
            shelf.read("folder", tmp_path)

    def test_a_file_that_is_no_folder_and_a_missing_one_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(NotFoundError, match="none: cannot open"):
            shelf.source("folder", tmp_path / "none")
        with pytest.raises(StorageError, match="file: cannot open"):
            shelf.source("folder", grow(tmp_path, {"file": b""}) / "file")

    def test_a_file_that_grows_while_it_is_read_is_an_error(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        grow(tmp_path, {"log": b"1"})
        statuses = os.fstat

        def fstat(descriptor: int) -> os.stat_result:
            found = statuses(descriptor)
            with open(tmp_path / "log", "ab") as log:
                log.write(b"more")
            return found

        monkeypatch.setattr("octavo._folder._survey.os.fstat", fstat)
        with pytest.raises(SourceChangedError, match="log"):
            shelf.read("folder", tmp_path)


class TestWriting:
    @settings(max_examples=20, deadline=None, derandomize=True)
    @given(st.lists(st.one_of(st.binary(max_size=20), st.sampled_from(shelf.HARD_RECORDS)), max_size=9))
    def test_every_record_comes_back(self, tmp_path_factory: pytest.TempPathFactory, records: list[bytes]) -> None:
        folder = tmp_path_factory.mktemp("folder") / "out"
        shelf.write("folder", folder, records)
        assert shelf.read("folder", folder) == records

    def test_records_without_names_are_numbered(self, tmp_path: Path) -> None:
        shelf.write("folder", tmp_path / "out", [b"%d" % number for number in range(1001)], suffix=".txt")
        found = tree(tmp_path / "out")
        assert found["000000/000000000.txt"] == b"0"
        assert found["000001/000001000.txt"] == b"1000"
        assert shelf.read("folder", tmp_path / "out") == [b"%d" % number for number in range(1001)]

    def test_names_are_kept(self, tmp_path: Path) -> None:
        names = ["a/b/c.txt", "./d", "././/e", "Ünï", b"\xff".decode("utf-8", "surrogateescape"), "a/.hidden"]
        shelf.write("folder", tmp_path / "out", [b"%d" % number for number in range(6)], names)
        kept = ["a/b/c.txt", "d", "e", *names[3:]]
        assert tree(tmp_path / "out") == {name: b"%d" % number for number, name in enumerate(kept)}

    def test_nothing_is_there_until_all_is(self, tmp_path: Path) -> None:
        sink = FolderSink(tmp_path / "out")
        sink.write(Block([b"1"], ["a"]))
        assert os.listdir(tmp_path) == ["out.partial"]
        sink.close()
        assert os.listdir(tmp_path) == ["out"]
        assert tree(tmp_path / "out") == {"a": b"1"}

    def test_giving_up_leaves_nothing(self, tmp_path: Path) -> None:
        sink = FolderSink(tmp_path / "out")
        sink.write(Block([b"1"]))
        sink.abort()
        sink.abort()
        assert os.listdir(tmp_path) == []

    def test_no_records_make_an_empty_folder(self, tmp_path: Path) -> None:
        shelf.write("folder", tmp_path / "new" / "out", [])
        assert os.listdir(tmp_path / "new") == ["out"]
        assert os.listdir(tmp_path / "new" / "out") == []

    def test_an_empty_folder_is_as_good_as_none(self, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        shelf.write("folder", tmp_path / "out", [b"1"], ["a"])
        assert tree(tmp_path) == {"out/a": b"1"}

    def test_a_folder_with_files_is_merged_with_only_if_it_may_be_overwritten(self, tmp_path: Path) -> None:
        grow(tmp_path / "out", {"old": b"old", "both": b"old"})
        with pytest.raises(AlreadyExistsError, match="out: there is something already"):
            shelf.write("folder", tmp_path / "out", [])
        shelf.write("folder", tmp_path / "out", [b"new", b"new"], ["both", "more"], overwrite=True)
        assert tree(tmp_path) == {"out/old": b"old", "out/both": b"new", "out/more": b"new"}

    def test_a_file_in_the_way_is_never_overwritten(self, tmp_path: Path) -> None:
        (tmp_path / "out").write_bytes(b"file")
        for overwrite in (False, True):
            with pytest.raises(AlreadyExistsError):
                shelf.write("folder", tmp_path / "out", [], overwrite=overwrite)
        assert tree(tmp_path) == {"out": b"file"}

    @pytest.mark.parametrize("overwrite", [False, True])
    @pytest.mark.parametrize("names", [["a", "a"], ["a", "./a"], ["a", "a/b"], ["a/b", "a"]])
    def test_a_name_that_comes_twice_is_an_error(self, tmp_path: Path, names: list[str], *, overwrite: bool) -> None:
        sink = FolderSink(tmp_path / "out", overwrite=overwrite)
        with pytest.raises(StorageError):
            sink.write(Block([b"1", b"2"], names))
        sink.abort()
        assert os.listdir(tmp_path) == []

    def test_what_an_interrupted_writer_left_is_cleared_away(self, tmp_path: Path) -> None:
        grow(tmp_path / "out.partial", {"lock": b"", "files/000000/old": b"old"})
        shelf.write("folder", tmp_path / "out", [b"1"], ["a"])
        assert tree(tmp_path) == {"out/a": b"1"}

    def test_a_folder_of_somebody_else_is_not_cleared_away(self, tmp_path: Path) -> None:
        grow(tmp_path / "out.partial", {"precious": b"data"})
        with pytest.raises(AlreadyExistsError, match=r"out\.partial: .*move what is there away"):
            FolderSink(tmp_path / "out")
        assert tree(tmp_path) == {"out.partial/precious": b"data"}

    def test_two_writers_do_not_share_a_folder(self, tmp_path: Path) -> None:
        first = FolderSink(tmp_path / "out")
        with pytest.raises(StorageError, match="another process is writing"):
            FolderSink(tmp_path / "out")
        first.write(Block([b"1"], ["a"]))
        first.close()
        assert tree(tmp_path) == {"out/a": b"1"}

    def test_a_link_to_a_folder_stays_one(self, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "out").symlink_to("real")
        shelf.write("folder", tmp_path / "out", [b"1"], ["a"])
        assert (tmp_path / "out").is_symlink()
        assert tree(tmp_path / "real") == {"a": b"1"}

    def test_wrong_targets_and_options_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(NotFoundError, match="empty"):
            FolderSink("")
        with pytest.raises(RecordTypeError, match="named by a path"):
            shelf.written("folder", [])
        with pytest.raises(RecordTypeError, match="named by a path"):
            shelf.source("folder", b"")
        with pytest.raises(OptionError, match="folder has no such options: column"):
            shelf.write("folder", tmp_path / "out", [], column="x")
        with pytest.raises(FormatError, match="absolute"):
            shelf.write("folder", tmp_path / "out", [b""], ["/etc/octavo"])

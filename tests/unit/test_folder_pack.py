"""`octavo.pack`: the original's bytes, all of a folder or nothing, and no file that changed meanwhile."""

from __future__ import annotations

import os
import socket
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo import errors
from octavo._folder import Folder, PackReport, _pack, _survey, pack
from octavo.compat.ffrecord import pack_folder
from tests.compat.ffrecord.folders import TREE, lay_out
from tests.unit.places import PathOnly, without_privileges

FILES = {path: content for path, content in TREE.items() if content is not None}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return lay_out(tmp_path / "tree", TREE)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.ffr"


class TestPacking:
    def test_the_bytes_are_those_of_pack_folder(self, tree, out, tmp_path):
        pack(tree, out)
        pack_folder(tree, tmp_path / "other.ffr")
        assert out.read_bytes() == (tmp_path / "other.ffr").read_bytes()

    def test_the_report_says_what_was_packed(self, tree, out):
        report = pack(tree, out)
        size = sum(len(content) for content in FILES.values())
        assert report == PackReport(str(out), len(FILES), 6, size, out.stat().st_size)

    @pytest.mark.parametrize("kind", [str, Path, PathOnly])
    def test_paths_of_every_kind_will_do(self, tree, out, kind):
        pack(kind(tree), kind(out))
        assert dict(Folder(out).items()) == FILES

    def test_paths_are_relative_to_the_working_directory(self, tree, tmp_path, monkeypatch):
        monkeypatch.chdir(tree / "z")
        assert pack("..", "../../out.ffr").target.endswith("out.ffr")
        assert "a dir/001.txt" in Folder(tmp_path / "out.ffr")
        monkeypatch.chdir(tree)
        pack(".", tmp_path / "again.ffr")
        assert (tmp_path / "again.ffr").read_bytes() == (tmp_path / "out.ffr").read_bytes()

    def test_an_empty_folder_can_be_packed(self, tmp_path, out):
        (tmp_path / "tree").mkdir()
        report = pack(tmp_path / "tree", out)
        assert (report.file_count, report.folder_count, report.file_bytes) == (0, 0, 0)
        assert list(Folder(out)) == []

    def test_progress_is_told_file_by_file(self, tree, out):
        told: list[tuple[int, int]] = []
        pack(tree, out, progress=lambda done, total: told.append((done, total)))
        assert told == [(done, len(FILES)) for done in range(1, len(FILES) + 1)]

    def test_files_are_in_memory_one_at_a_time(self, tmp_path, out):
        size, count = 1 << 20, 24
        tree = lay_out(tmp_path / "tree", {f"{number}": bytes(size) for number in range(count)})
        tracemalloc.start()
        try:
            pack(tree, out)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 4 * size

    @pytest.mark.skipif(not os.path.exists("/proc/version"), reason="the system makes up no files here")
    def test_files_that_the_system_makes_up_are_read_to_their_end(self, tree, out):
        (tree / "version").symlink_to("/proc/version")
        pack(tree, out)
        assert Folder(out)["version"] == Path("/proc/version").read_bytes() != b""

    def test_folders_to_the_limit_can_be_packed_and_no_deeper(self, tmp_path, out):
        deepest = tmp_path.joinpath("tree", *("d" * 256))
        deepest.mkdir(parents=True)
        (deepest / "file").write_bytes(b"deep")
        pack(tmp_path / "tree", out)
        assert Folder(out)["d/" * 256 + "file"] == b"deep"
        (deepest / "d").mkdir()
        with pytest.raises(errors.StorageError, match="nested deeper than 256 levels"):
            pack(tmp_path / "tree", out, overwrite=True)
        assert Folder(out)["d/" * 256 + "file"] == b"deep"


@pytest.mark.skipif(not hasattr(os, "link"), reason="files have one name here")
def test_a_second_name_of_the_target_is_packed(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "old.ffr").write_bytes(b"an old one")
    os.link(folder / "old.ffr", folder / "kept.ffr")
    report = pack(folder, folder / "old.ffr", overwrite=True)
    assert report.file_count == 1
    assert Folder(folder / "old.ffr")["kept.ffr"] == b"an old one"


class TestTargets:
    def test_a_file_that_exists_stays(self, tree, out):
        out.write_bytes(b"old")
        with pytest.raises(errors.AlreadyExistsError, match="exists already"):
            pack(tree, out)
        assert out.read_bytes() == b"old"

    def test_a_file_that_exists_is_replaced_if_that_is_wanted(self, tree, out):
        out.write_bytes(b"old")
        pack(tree, out, overwrite=True)
        assert dict(Folder(out).items()) == FILES

    @pytest.mark.parametrize("suffix", ["", ".partial", ".assembling"])
    def test_the_target_is_not_packed_into_itself(self, tree, suffix):
        out = tree / "out.ffr"
        (tree / f"out.ffr{suffix}").write_bytes(b"left by somebody" * 100)
        pack(tree, out, overwrite=True)
        once = out.read_bytes()
        assert dict(Folder(out).items()) == FILES
        pack(tree, out, overwrite=True)
        assert out.read_bytes() == once

    def test_other_files_of_a_similar_name_are_packed(self, tree):
        (tree / "other.ffr.partial").write_bytes(b"other")
        pack(tree, tree / "out.ffr")
        assert Folder(tree / "out.ffr")["other.ffr.partial"] == b"other"

    def test_the_suffix_says_the_format(self, tree, tmp_path):
        pack(tree, tmp_path / "out.array_record")
        assert octavo.open(tmp_path / "out.array_record").info.format == "array_record"
        with pytest.raises(errors.OptionError, match="the suffix does not say which format"):
            pack(tree, tmp_path / "out.bin")

    def test_a_target_that_cannot_be_made_is_an_error(self, tree, tmp_path):
        with pytest.raises(errors.NotFoundError):
            pack(tree, tmp_path / "no" / "out.ffr")
        with pytest.raises(errors.StorageError):
            pack(tree, tree / "z" / "only" / "x" / "out.ffr")

    @pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt])
    def test_an_interruption_leaves_nothing(self, tree, out, kind):
        def interrupt(done: int, _total: int) -> None:
            if done == 3:
                raise kind

        with pytest.raises(kind):
            pack(tree, out, progress=interrupt)
        assert sorted(path.name for path in out.parent.iterdir()) == ["tree"]


class TestWhatCannotBePacked:
    def refused(self, tree: Path, out: Path, kind: type[Exception], reason: str) -> Any:
        with pytest.raises(kind, match=reason) as caught:
            pack(tree, out)
        assert sorted(path.name for path in out.parent.iterdir() if path.name != "elsewhere") == ["tree"]
        return caught.value

    def test_only_folders_are_packed(self, tree, out):
        assert self.refused(tree / "nothing", out, errors.NotFoundError, "no such folder").path == str(tree / "nothing")
        self.refused(tree / "001.txt", out, errors.StorageError, "only folders are packed")

    def test_an_empty_path_is_not_the_working_directory(self, out):
        with pytest.raises(errors.NotFoundError, match="is empty"):
            pack("", out)

    @pytest.mark.parametrize("name", [None, 3, ["tree"]])
    def test_paths_are_paths(self, tree, out, name):
        with pytest.raises(errors.RecordTypeError):
            pack(name, out)
        with pytest.raises(errors.RecordTypeError):
            pack(tree, name)

    def test_options_have_their_types(self, tree, out):
        with pytest.raises(errors.RecordTypeError, match="overwrite is True or False"):
            pack(tree, out, overwrite=1)  # type: ignore[arg-type]
        with pytest.raises(errors.RecordTypeError, match="progress is a function"):
            pack(tree, out, progress=1)  # type: ignore[arg-type]
        assert not out.exists()

    @pytest.mark.parametrize("place", ["loop", "a dir/loop", "a dir/nested/loop"])
    def test_a_link_to_a_folder_above_it_is_an_error(self, tree, out, place):
        (tree / place).symlink_to(tree)
        assert self.refused(tree, out, errors.StorageError, "leads back").path == str(tree / place)

    def test_a_link_to_itself_or_to_nothing_is_an_error(self, tree, out):
        (tree / "link").symlink_to("link")
        assert self.refused(tree, out, errors.StorageError, "link: cannot pack").path == str(tree / "link")
        (tree / "link").unlink()
        (tree / "link").symlink_to("nothing")
        self.refused(tree, out, errors.NotFoundError, "link: cannot pack")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
    def test_pipes_are_not_waited_for(self, tree, out):
        os.mkfifo(tree / "pipe")
        self.refused(tree, out, errors.StorageError, "pipe: cannot pack: not a regular file")

    @pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="sockets are no files here")
    def test_sockets_are_refused(self, out):
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.join(folder, "socket"))  # a short path, for the system's sake
            (out.parent / "tree").symlink_to(folder)
            self.refused(out.parent / "tree", out, errors.StorageError, "socket: cannot pack: not a regular file")

    @pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there are no devices here")
    def test_devices_are_refused(self, tree, out):
        (tree / "zero").symlink_to("/dev/zero")
        self.refused(tree, out, errors.StorageError, "zero: cannot pack: not a regular file")

    def test_what_may_not_be_read_is_denied(self):
        with tempfile.TemporaryDirectory() as folder:
            lay_out(Path(folder), {"file": b"secret"})
            os.chmod(os.path.join(folder, "file"), 0)
            os.chmod(folder, 0o777)
            with without_privileges(), pytest.raises(errors.PermissionDeniedError, match="file: cannot pack"):
                pack(folder, os.path.join(folder, "out.ffr"))
            assert os.listdir(folder) == ["file"]


class TestFilesThatChange:
    @pytest.fixture(autouse=True)
    def _one_file(self, tmp_path: Path) -> None:
        self.tree = lay_out(tmp_path / "tree", {"file": b"before" * 1000})
        self.file = self.tree / "file"
        self.out = tmp_path / "out.ffr"

    def change_while_read(self, monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
        """Between the two looks at a file that is being read."""
        look, looks = os.fstat, []

        def fstat(descriptor: int) -> os.stat_result:
            looks.append(look(descriptor))
            if len(looks) == 1:
                change()
            return look(descriptor) if len(looks) > 1 else looks[0]

        monkeypatch.setattr(_survey.os, "fstat", fstat)  # type: ignore[attr-defined]

    @pytest.mark.parametrize("content", [b"after!" * 1000, b"before" * 1000 + b"more", b"less", b""])
    def test_a_file_that_is_written_to_meanwhile_is_an_error(self, monkeypatch, content):
        def change() -> None:
            self.file.write_bytes(content)
            os.utime(self.file, ns=(1, 1))  # clocks of file systems are coarse

        self.change_while_read(monkeypatch, change)
        with pytest.raises(errors.SourceChangedError, match="file: the file changed while it was packed") as caught:
            pack(self.tree, self.out)
        assert caught.value.path == str(self.file)
        assert not self.out.exists()

    def test_a_file_that_is_replaced_meanwhile_is_read_as_it_was(self, monkeypatch):
        def change() -> None:
            (self.tree / "new").write_bytes(b"after")
            (self.tree / "new").replace(self.file)

        self.change_while_read(monkeypatch, change)
        pack(self.tree, self.out)
        assert Folder(self.out)["file"] == b"before" * 1000

    def after_the_survey(self, monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
        look = _pack._structure

        def survey(*arguments: Any) -> Any:
            found = look(*arguments)
            change()
            return found

        monkeypatch.setattr(_pack, "_structure", survey)

    def test_a_file_that_vanishes_is_an_error(self, monkeypatch):
        self.after_the_survey(monkeypatch, self.file.unlink)
        with pytest.raises(errors.NotFoundError, match="file: cannot pack"):
            pack(self.tree, self.out)
        assert not self.out.exists()

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
    def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(self, monkeypatch):
        def change() -> None:
            self.file.unlink()
            os.mkfifo(self.file)

        self.after_the_survey(monkeypatch, change)
        with pytest.raises(errors.StorageError, match="not a regular file"):
            pack(self.tree, self.out)

    def test_a_file_that_changed_before_it_is_read_is_packed_as_it_is(self, monkeypatch):
        self.after_the_survey(monkeypatch, lambda: self.file.write_bytes(b"after"))
        pack(self.tree, self.out)
        assert Folder(self.out)["file"] == b"after"

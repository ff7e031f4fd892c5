"""`TargetFolder`: files by names that strangers have chosen, below one folder and nowhere else."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from octavo import errors
from octavo._folder import _directory, _names
from octavo._folder._target import Piece, TargetFolder
from tests.settling import open_descriptors, settles
from tests.unit.places import PathOnly, without_privileges

SURROGATES = os.name == "posix"  # where names are bytes


@pytest.fixture(params=["held", "by path"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to get at folders: the second is Windows'."""
    if request.param == "by path":
        monkeypatch.setattr(_directory, "CAN_BE_HELD", False)
    elif not _directory.CAN_BE_HELD:
        pytest.skip("folders cannot be held open here")
    return str(request.param)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """A folder that nothing may be written to."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "file").write_bytes(b"precious")
    yield folder
    assert content_of(folder) == {"file": b"precious"}


def content_of(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder, however it is called."""
    paths = sorted(folder.rglob("*"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None for path in paths}


@contextmanager
def without_privileges_in(folder: Path) -> Iterator[Path]:
    folder.chmod(0o755)
    (folder / "out").mkdir(mode=0o555)
    with without_privileges():
        yield folder / "out"


class TestWriting:
    def test_files_are_where_their_paths_say(self, out):
        with TargetFolder(out) as target:
            assert target.write("a.txt", b"one") == 3
            assert target.write("b/c/d", b"") == 0
            target.make_folder("b/empty")
            target.make_folder("b")
            assert target.write("b/c/e", b"two") == 3
            assert target.write("z", memoryview(b"three")) == 5
        assert content_of(out) == {
            "a.txt": b"one", "b": None, "b/c": None, "b/c/d": b"", "b/c/e": b"two", "b/empty": None, "z": b"three",
        }  # fmt: skip

    def test_a_file_may_come_in_pieces(self, out):
        with TargetFolder(out) as target:
            pieces: list[Piece] = [b"one", bytearray(b"two"), memoryview(b"three"), b""]
            assert target.write("a", iter(pieces)) == 11
            assert target.write("empty", []) == 0
        assert content_of(out) == {"a": b"onetwothree", "empty": b""}

    @pytest.mark.parametrize("kind", [str, Path, PathOnly])
    def test_the_folder_and_those_above_it_are_made(self, tmp_path, kind):
        with TargetFolder(kind(tmp_path / "x" / "y")) as target:
            target.write("a", b"one")
        assert content_of(tmp_path) == {"x": None, "x/y": None, "x/y/a": b"one"}

    def test_the_folder_stays_where_it_was_when_the_process_goes_elsewhere(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with TargetFolder("out") as target:
            os.chdir("/")
            target.write("a", b"one")
        assert (tmp_path / "out" / "a").read_bytes() == b"one"

    def test_the_folder_itself_may_be_a_link(self, tmp_path, out):
        (tmp_path / "real").mkdir()
        out.symlink_to("real")
        with TargetFolder(out) as target:
            target.write("b/a", b"one")
        assert content_of(tmp_path / "real") == {"b": None, "b/a": b"one"}

    @pytest.mark.skipif(os.name != "posix", reason="modes are the system's")
    def test_modes_are_plain(self, out):
        before = os.umask(0o027)
        try:
            with TargetFolder(out) as target:
                target.write("folder/file", b"")
        finally:
            os.umask(before)
        assert stat.S_IMODE((out / "folder").stat().st_mode) == 0o750
        assert stat.S_IMODE((out / "folder" / "file").stat().st_mode) == 0o640

    def test_folders_in_folders_to_the_limit_take_few_descriptors(self, out):
        deepest = "/".join("d" * 256)
        before = open_descriptors()
        with TargetFolder(out) as target:
            target.write(f"{deepest}/file", b"deep")
            assert open_descriptors() <= before + 2
            with pytest.raises(errors.FormatError, match="more than 256 folders"):
                target.write(f"{deepest}/d/file", b"")
        settles(open_descriptors, before)
        assert out.joinpath(*("d" * 256), "file").read_bytes() == b"deep"

    @pytest.mark.skipif(not _directory.CAN_BE_HELD, reason="paths are limited here")
    def test_paths_may_be_longer_than_the_system_takes_at_once(self, out, way):
        if way == "by path":
            pytest.skip("they are given to the system at once")
        name = "long" * 50
        with TargetFolder(out) as target:
            target.write(f"{name}/" * 30 + "file", b"far away")
        folder = os.open(out, os.O_RDONLY)
        for _ in range(30):
            inner = os.open(name, os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = inner
        with open(os.open("file", os.O_RDONLY, dir_fd=folder), "rb") as file:
            assert file.read() == b"far away"
        os.close(folder)

    def test_a_closed_folder_takes_nothing(self, out):
        target = TargetFolder(out)
        target.close()
        target.close()
        for act in (lambda: target.write("a", b""), lambda: target.make_folder("a"), lambda: target.check_free("a")):
            with pytest.raises(errors.ClosedError):
                act()
        assert content_of(out) == {}


class TestWhatIsThere:
    def test_a_file_that_exists_stays(self, out):
        out.mkdir()
        (out / "a").write_bytes(b"old")
        with TargetFolder(out) as target:
            for act in (lambda: target.check_free("a"), lambda: target.write("a", b"new")):
                with pytest.raises(errors.AlreadyExistsError, match="exists already") as caught:
                    act()
                assert caught.value.path == str(out / "a")
        assert content_of(out) == {"a": b"old"}

    def test_a_file_that_exists_is_replaced_if_that_is_wanted(self, out):
        out.mkdir()
        (out / "a").write_bytes(b"old")
        os.link(out / "a", out / "other name")
        with TargetFolder(out, overwrite=True) as target:
            target.check_free("a")
            target.write("a", b"new")
        assert content_of(out) == {"a": b"new", "other name": b"old"}

    def test_without_hard_links_a_file_that_exists_stays_too(self, out, monkeypatch):
        def no_links(*_: Any, **__: Any) -> None:
            raise PermissionError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr(os, "link", no_links)
        with TargetFolder(out) as target:
            target.write("a", b"old")
            target.write("b", b"other")
            with pytest.raises(errors.AlreadyExistsError):
                target.write("a", b"new")
        assert content_of(out) == {"a": b"old", "b": b"other"}

    @pytest.mark.parametrize("overwrite", [False, True])
    def test_a_path_is_written_once(self, out, overwrite):
        with TargetFolder(out, overwrite=overwrite) as target:
            target.write("a", b"first")
            with pytest.raises(errors.AlreadyExistsError, match="same file as one that was just written"):
                target.write("a", b"second")
        assert content_of(out) == {"a": b"first"}

    @pytest.mark.parametrize("overwrite", [False, True])
    def test_a_folder_is_not_replaced_by_a_file(self, out, overwrite):
        (out / "a" / "b").mkdir(parents=True)
        with TargetFolder(out, overwrite=overwrite) as target, pytest.raises(errors.StorageError, match="out/a"):
            target.write("a", b"new")
        assert content_of(out) == {"a": None, "a/b": None}

    @pytest.mark.parametrize("overwrite", [False, True])
    def test_a_file_is_not_replaced_by_a_folder(self, out, overwrite):
        out.mkdir()
        (out / "a").write_bytes(b"old")
        with TargetFolder(out, overwrite=overwrite) as target:
            for act in (
                lambda: target.write("a/b", b""),
                lambda: target.make_folder("a"),
                lambda: target.check_free("a/b"),
            ):
                with pytest.raises(errors.StorageError, match="a link or a file is where a folder must be"):
                    act()
        assert content_of(out) == {"a": b"old"}

    def test_nothing_is_made_while_it_is_looked_whether_a_path_is_free(self, out):
        with TargetFolder(out) as target:
            target.check_free("a/b/c")
            target.check_free("d")
        assert content_of(out) == {}

    def test_it_is_known_whether_the_folder_was_empty(self, out):
        with TargetFolder(out) as target:
            assert target.was_empty
            target.write("a", b"")
        with TargetFolder(out) as target:
            assert not target.was_empty

    @pytest.mark.parametrize("name", ["file", "file/below"])
    def test_a_file_is_no_folder_to_write_into(self, tmp_path, name):
        (tmp_path / "file").write_bytes(b"old")
        with pytest.raises(errors.AlreadyExistsError, match=f"{name}: not a folder"):
            TargetFolder(tmp_path / name)
        assert content_of(tmp_path) == {"file": b"old"}

    def test_a_folder_without_a_name_is_none(self):
        with pytest.raises(errors.NotFoundError, match="is empty"):
            TargetFolder("")
        with pytest.raises(errors.RecordTypeError, match="a folder to write into is named by a path, not int"):
            TargetFolder(3)  # type: ignore[arg-type]

    def test_what_the_system_refuses_names_the_file(self):
        with tempfile.TemporaryDirectory() as folder, without_privileges_in(Path(folder)) as out:
            with TargetFolder(out) as target, pytest.raises(errors.PermissionDeniedError, match="out/a: cannot write"):
                target.write("a", b"")
            with pytest.raises(errors.PermissionDeniedError, match="out/inner: cannot write into this folder"):
                TargetFolder(out / "inner")


class TestLinks:
    @pytest.mark.parametrize("overwrite", [False, True])
    @pytest.mark.parametrize("path", ["link/file", "link/new", "link/new/file", "a/link/file"])
    def test_links_to_folders_are_not_followed(self, out, elsewhere, path, overwrite):
        (out / "a").mkdir(parents=True)
        (out / "link").symlink_to(elsewhere)
        (out / "a" / "link").symlink_to("../../elsewhere")
        with TargetFolder(out, overwrite=overwrite) as target:
            for act in (lambda: target.write(path, b"evil"), lambda: target.check_free(path)):
                with pytest.raises(errors.StorageError, match="links are not followed"):
                    act()

    def test_links_to_files_are_not_written_through(self, out, elsewhere):
        out.mkdir()
        for name, leads_to in [("link", elsewhere / "file"), ("dangling", elsewhere / "new"), ("loop", "loop")]:
            (out / name).symlink_to(leads_to)
            with TargetFolder(out) as target, pytest.raises(errors.AlreadyExistsError):
                target.write(name, b"evil")
            with TargetFolder(out, overwrite=True) as target:
                target.write(name, b"mine")
            assert not (out / name).is_symlink()
            assert (out / name).read_bytes() == b"mine"

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
    def test_a_pipe_is_not_waited_for(self, out):
        out.mkdir()
        os.mkfifo(out / "pipe")
        with TargetFolder(out) as target:
            with pytest.raises(errors.AlreadyExistsError):
                target.write("pipe", b"")
            with pytest.raises(errors.StorageError):
                target.write("pipe/file", b"")
        with TargetFolder(out, overwrite=True) as target:
            target.write("pipe", b"a file")
        assert content_of(out) == {"pipe": b"a file"}

    def test_a_link_that_comes_in_between_is_not_followed(self, out, elsewhere):
        with TargetFolder(out) as target:
            target.write("a/file", b"good")
            target.write("b", b"good")
            (out / "a" / "file").unlink()
            (out / "a").rmdir()
            (out / "a").symlink_to(elsewhere)
            with pytest.raises(errors.StorageError, match="links are not followed"):
                target.write("a/new", b"evil")

    def test_a_folder_that_is_open_stays_the_same_when_a_link_takes_its_place(self, out, elsewhere, way):
        with TargetFolder(out) as target:
            target.write("a/first", b"good")
            (out / "a").rename(out / "moved")
            (out / "a").symlink_to(elsewhere)
            if way == "by path":
                return  # without the system's help that cannot be: the module says so
            target.write("a/second", b"good")
        assert content_of(out / "moved") == {"first": b"good", "second": b"good"}

    def test_a_link_that_comes_while_a_folder_is_made_is_not_followed(self, out, elsewhere, monkeypatch):
        make = os.mkdir

        def make_link(path: Any, *arguments: Any, **options: Any) -> None:
            if os.path.basename(path) == "a":
                (out / "a").symlink_to(elsewhere)
            make(path, *arguments, **options)

        monkeypatch.setattr(os, "mkdir", make_link)
        with TargetFolder(out) as target, pytest.raises(errors.StorageError, match="links are not followed"):
            target.write("a/file", b"evil")


class TestNames:
    @pytest.mark.parametrize(
        ("path", "reason"),
        [
            ("/etc/passwd", "absolute"),
            ("/", "absolute"),
            ("", "is empty"),
            ("a//b", "is empty"),
            ("a/", "is empty"),
            (".", "has a meaning"),
            ("./a", "has a meaning"),
            ("..", "has a meaning"),
            ("a/../../b", "has a meaning"),
            ("../a", "has a meaning"),
            ("a\0b", "has a zero byte"),
            ("a/" + "é" * 128, "is too long"),
            ("x" * 256, "is too long"),
        ],
    )
    def test_paths_that_are_none_are_refused_before_anything_is_made(self, out, path, reason):
        with TargetFolder(out) as target:
            for act in (target.make_folder, target.check_free, lambda path: target.write(path, b"evil")):
                with pytest.raises(errors.FormatError, match=reason) as caught:
                    act(path)
                assert caught.value.path == path
                assert str(caught.value).isprintable()
        assert content_of(out.parent) == {"out": None}

    @pytest.mark.parametrize(
        "name", ["...", "..a", "a.", " ", "\n", "\x1b[2J", "\u202e", "C:", "a\\b", "con", "é" * 127]
    )
    @pytest.mark.skipif(os.name != "posix", reason="these are names of files there")
    def test_odd_names_are_names(self, out, name):
        with TargetFolder(out) as target:
            target.write(f"{name}/{name}", b"odd")
        assert content_of(out) == {name: None, f"{name}/{name}": b"odd"}

    @pytest.mark.skipif(not SURROGATES, reason="only there names are bytes")
    def test_names_that_are_not_utf8_are_their_bytes(self, out):
        with TargetFolder(out) as target:
            target.write("\udcff\udcfe", b"odd")
        assert os.listdir(os.fsencode(out)) == [b"\xff\xfe"]

    @pytest.mark.skipif(not SURROGATES, reason="only there names are bytes")
    def test_surrogates_cannot_pass_for_other_names(self, out):
        with TargetFolder(out) as target:
            for name in ("\ud800", "\udc2e\udc2e", "\udc2f", "\udc00", "\udcc3\udca9", "a\udbff"):
                with pytest.raises(errors.FormatError, match="cannot be the name of a file"):
                    target.write(name, b"evil")

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("a\\b", "has a"),
            ("..\\a", "has a"),
            ("C:", "has a"),
            ("file:stream", "has a"),
            ("a\tb", "has a"),
            ("what?", "has a"),
            ("a.", "ends with"),
            ("a ", "ends with"),
            ("...", "ends with"),
            ("con", "a device"),
            ("NUL.txt", "a device"),
            ("Aux .tar.gz", "a device"),
            ("COM1", "a device"),
            ("lpt\u00b2.x", "a device"),
            ("CONIN$", "a device"),
            ("x" * 256, "too long"),
            ("..", "meaning"),
            ("", "empty"),
            ("a/b", "has a '/'"),
        ],
    )
    def test_windows_has_names_of_its_own(self, name, reason):
        assert reason in str(_names.flaw(name, on_windows=True))

    @pytest.mark.parametrize("name", ["a", "console", "com", "com10", "nully.txt", "x.con", "é" * 255, ".a", "a b"])
    def test_windows_takes_all_others(self, name):
        assert _names.flaw(name, on_windows=True) is None

    def test_names_are_shown_harmlessly(self):
        assert _names.shown("plain é 中") == "plain é 中"
        assert _names.shown("a\x1b[2J\n\u202eb\udcff") == r"a\x1b[2J\n\u202eb\udcff"
        assert _names.shown("x" * 1000) == "x" * 200 + "..."


class OneCase:
    """The system's calls, as a file system has them that does not tell `A` from `a`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("open", "mkdir", "link", "rename", "replace", "stat", "unlink"):
            monkeypatch.setattr(os, name, self.lowering(getattr(os, name), name in {"link", "rename", "replace"}))

    def lowering(self, call: Any, takes_two: bool) -> Any:  # noqa: FBT001 - beside what it is about
        def lower(path: Any) -> Any:
            if not isinstance(path, str):
                return path
            folder, name = os.path.split(path)
            return os.path.join(folder, name.lower())

        if takes_two:
            return lambda old, new, **options: call(lower(old), lower(new), **options)
        return lambda path, *arguments, **options: call(lower(path), *arguments, **options)


class TestNamesThatAreTheSame:
    @pytest.mark.parametrize("overwrite", [False, True])
    def test_two_files_that_the_file_system_takes_for_one_are_an_error(self, out, monkeypatch, overwrite):
        with TargetFolder(out, overwrite=overwrite) as target:
            OneCase(monkeypatch)
            target.write("folder/readme", b"first")
            with pytest.raises(errors.AlreadyExistsError, match="same file as one that was just written"):
                target.write("folder/README", b"second")
        assert content_of(out) == {"folder": None, "folder/readme": b"first"}

    @pytest.mark.parametrize("overwrite", [False, True])
    def test_two_folders_that_the_file_system_takes_for_one_are_an_error(self, out, monkeypatch, overwrite):
        with TargetFolder(out, overwrite=overwrite) as target:
            OneCase(monkeypatch)
            target.write("folder/a", b"first")
            with pytest.raises(errors.AlreadyExistsError, match="same folder as folder"):
                target.write("Folder/b", b"second")
            target.write("folder/c", b"third")
        assert content_of(out) == {"folder": None, "folder/a": b"first", "folder/c": b"third"}


class TestInterruptions:
    @pytest.mark.parametrize("overwrite", [False, True])
    @pytest.mark.parametrize("what", [RuntimeError, KeyboardInterrupt, OSError])
    def test_a_file_that_is_not_whole_leaves_nothing(self, out, what, overwrite):
        def pieces() -> Iterator[bytes]:
            yield b"half of it"
            raise what("the source broke")

        out.mkdir()
        (out / "a").write_bytes(b"old")
        before = open_descriptors()
        with TargetFolder(out, overwrite=overwrite) as target, pytest.raises(what, match=r"^the source broke$"):
            target.write("a", pieces())
        assert content_of(out) == {"a": b"old"}
        settles(open_descriptors, before)

    def test_until_a_file_is_whole_it_has_another_name(self, out):
        def pieces() -> Iterator[bytes]:
            yield b"half"
            (name,) = os.listdir(out)
            assert name.startswith(".octavo-")
            assert name.endswith(".partial")
            yield b"half"

        with TargetFolder(out) as target:
            target.write("a", pieces())
        assert content_of(out) == {"a": b"halfhalf"}

    @pytest.mark.parametrize("call", ["write", "link", "rename"])
    def test_an_interruption_within_the_system_s_calls_leaves_nothing_half(self, out, monkeypatch, call):
        def interrupted(*_: Any, **__: Any) -> None:
            raise KeyboardInterrupt

        with TargetFolder(out, overwrite=call == "rename") as target:
            if call == "write":
                monkeypatch.setattr(TargetFolder, "_fill", interrupted)
            else:
                monkeypatch.setattr(os, "replace" if call == "rename" else call, interrupted)
            with pytest.raises(KeyboardInterrupt):
                target.write("a", b"new")
        assert content_of(out) == {}

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="nothing is full here")
    def test_a_full_device_is_an_error_that_names_the_file(self, out, monkeypatch):
        monkeypatch.setattr(_directory.Directory, "create", lambda *_: os.open("/dev/full", os.O_WRONLY))
        with (
            TargetFolder(out) as target,
            pytest.raises(errors.StorageError, match="out/a: cannot write: No space left"),
        ):
            target.write("a", b"new")
        assert content_of(out) == {}

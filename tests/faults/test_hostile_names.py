"""Packed folders with names of an enemy's choice: nothing outside the target is touched, nothing harmful is printed."""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
import json
import os
import pickle
import select
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from octavo import errors
from octavo._folder import Folder, _names, _target
from tests.compat.ffrecord.folders import MAGIC, packed
from tests.naive import ffrecord as naive

# No file can have these names, so no table may either.
IMPOSSIBLE = ["", ".", "..", "/", "/etc/passwd", "a/b", "../../evil", "a/../../evil", "a\0b", "\0"]
TOO_LONG = ["x" * 256, "é" * 200, "x" * 70_000]
HARMFUL = [
    "new\nline", "carriage\rreturn", "bell\a", "back\b\b\b\b", "tab\t", "\x1b[2J\x1b[1;1Hclear", "\x1b]0;title\a",
    "c1\x9b31m", "right\u202eto left", "\u2066isolated\u2069", "\u200fmark", "line\u2028paragraph\u2029", "del\x7f",
    "bytes\udcff\udc9b", "[red]markup", "%s%n{0}", "$(touch evil)", "`touch evil`", "-rf", "--force", " ", "~", "*",
]  # fmt: skip
DEVICES = ["CON", "nul.txt", "COM1", "aux .log", "a:b", "C:evil", "a\\b", "..\\evil", "dot.", "space "]
CONTROLS = {chr(number) for start, stop in [
    (0, 10), (11, 32), (0x7F, 0xA0), (0x200E, 0x2010), (0x2028, 0x202F), (0x2066, 0x206A), (0xD800, 0xE000),
] for number in range(start, stop)}  # fmt: skip


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """The target, with a folder beside it that is not to be touched, and one above."""
    (tmp_path / "above" / "beside" / "inner").mkdir(parents=True)
    (tmp_path / "above" / "beside" / "precious").write_bytes(b"precious")
    return tmp_path / "above" / "out"


@pytest.fixture(autouse=True)
def _nothing_outside_changes(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
    """Everything around the target is the same afterwards; packed folders are made by the test in `tmp_path` itself."""
    if "out" not in request.fixturenames:
        yield
        return
    out = request.getfixturevalue("out")
    before = surroundings(tmp_path, out)
    yield
    after = surroundings(tmp_path, out)
    assert {path: what for path, what in after.items() if not path.endswith(".ffr")} == before


def surroundings(folder: Path, target: Path) -> dict[str, tuple[int, bytes | None]]:
    """All that is in a folder but not in the target: mode, and content."""
    found = {}
    for above, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if Path(above, name) != target]
        for name in folders + files:
            path = Path(above, name)
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else None
            found[str(path)] = (path.lstat().st_mode, content)
    return found


def folder_of(path: Path, structure: Any) -> Folder:
    return Folder(packed(path / "evil.ffr", [b"evil"], structure))


def past_the_parser(path: Path, structure: Any) -> Folder:
    """A folder with names that reading the table would have refused: what is behind it must not rely on that."""
    folder = folder_of(path, OrderedDict(a=0))
    folder._structure = structure
    return folder


@pytest.fixture
def octavo(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a command; whatever becomes of it, it prints nothing that a terminal would obey."""
    pytest.importorskip("typer", reason="the command line needs typer")

    def run(*arguments: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "octavo", *map(str, arguments)]
        ended = subprocess.run(command, capture_output=True, cwd=tmp_path, timeout=120, check=False, encoding="utf-8")
        for text in (ended.stdout, ended.stderr):
            assert not CONTROLS & set(text), ascii(text)
            assert "Traceback" not in text
        return ended

    return run


class TestNamesThatLeadElsewhere:
    @pytest.mark.parametrize("name", IMPOSSIBLE)
    def test_tables_with_them_are_refused(self, tmp_path, out, octavo, name):
        for entry in (0, OrderedDict(), OrderedDict(inner=0)):
            for structure in (OrderedDict([(name, entry)]), OrderedDict(a=OrderedDict([("b", 0), (name, entry)]))):
                with pytest.raises(errors.DamagedFileError, match="cannot be a name in a folder") as caught:
                    folder_of(tmp_path, structure)
                assert str(caught.value).isprintable()
        for arguments in (["unpack", "evil.ffr", out], ["unpack", "evil.ffr", "--list"]):
            assert octavo(*arguments).returncode == 1
        assert not out.exists()

    @pytest.mark.parametrize(
        "name", [*(name for name in IMPOSSIBLE if name != "a/b"), *TOO_LONG]
    )  # two names are a path
    @pytest.mark.parametrize("kind", ["file", "folder", "empty folder"])
    def test_extracting_judges_them_again_before_anything_is_written(self, tmp_path, out, name, kind):
        entry: Any = {"file": 0, "folder": OrderedDict(inner=0), "empty folder": OrderedDict()}[kind]
        structure = OrderedDict([("a", 0), ("b", OrderedDict([("c", 0), (name, entry)]))])
        with pytest.raises(errors.FormatError):
            past_the_parser(tmp_path, structure).extract(out)
        assert not out.exists()

    @pytest.mark.parametrize("name", TOO_LONG)
    def test_names_that_are_too_long_are_read_but_not_written(self, tmp_path, out, octavo, name):
        folder = folder_of(tmp_path, OrderedDict([("a", 0), (name, 0)]))
        assert folder[name] == b"evil"
        with pytest.raises(errors.FormatError, match="is too long") as caught:
            folder.extract(out)
        assert len(str(caught.value)) < 1000
        ended = octavo("unpack", "evil.ffr", out)
        assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
        assert not out.exists()
        folder.extract(out, ["a"])
        assert os.listdir(out) == ["a"]

    @pytest.mark.parametrize("name", DEVICES)
    def test_names_that_mean_something_on_windows_are_refused_there(self, tmp_path, out, name, monkeypatch):
        folder = folder_of(tmp_path, OrderedDict([("a", 0), ("b", OrderedDict([(name, 0)]))]))
        on_windows = functools.partial(_names.flaw, on_windows=True)
        monkeypatch.setattr(_names, "flaw", on_windows)
        monkeypatch.setattr(_target, "flaw", on_windows)
        with pytest.raises(errors.FormatError, match="cannot be the name of a file here"):
            folder.extract(out)
        assert not out.exists()
        with _target.TargetFolder(out) as target, pytest.raises(errors.FormatError):
            target.write(name, b"evil")
        assert os.listdir(out) == []

    def test_surrogates_do_not_make_two_names_of_one(self, tmp_path, out):
        folder = folder_of(tmp_path, OrderedDict([("é", 0), ("\udcc3\udca9", 0)]))
        assert len(folder) == 2
        with pytest.raises(errors.FormatError, match="is the same to this system as 'é'"):
            folder.extract(out)
        for name in ("\ud800", "\udc2e\udc2e", "\udc2f"):
            with pytest.raises(errors.FormatError, match="names of this system cannot have"):
                folder_of(tmp_path, OrderedDict([(name, 0)])).extract(out)
        assert not out.exists()

    @pytest.mark.parametrize("table", [b"Va\nK\0sVa\nK\0s", b"(Va\nK\0V\\u0061\nK\0u", b"(Va\nK\0Va\nh\0)Ru"])
    def test_two_entries_of_one_name_are_refused(self, tmp_path, out, octavo, table):
        content = naive.encode([b"evil", MAGIC + b"ccollections\nOrderedDict\nq\0)R" + table + b"."])
        (tmp_path / "twice.ffr").write_bytes(content)
        with pytest.raises(errors.DamagedFileError, match="two entries of the name 'a'"):
            Folder(tmp_path / "twice.ffr")
        assert octavo("unpack", "twice.ffr", out).returncode == 1
        assert not out.exists()


class TestNamesThatAreHarmful:
    @pytest.fixture(autouse=True)
    def _folder_of_them(self, tmp_path: Path) -> None:
        self.names = [*HARMFUL, *DEVICES]
        inner = OrderedDict((name, 0) for name in self.names)
        self.folder = folder_of(tmp_path, OrderedDict([*inner.items(), ("inner", OrderedDict(inner))]))

    def test_they_are_names_like_others(self, out):
        assert set(self.folder.listdir("inner")) == set(self.names)
        assert self.folder[f"inner/{HARMFUL[0]}"] == b"evil"
        self.folder.extract(out)
        assert set(os.listdir(out / "inner")) == set(self.names)
        assert set(os.listdir(out)) == {*self.names, "inner"}

    def test_they_are_printed_harmlessly(self, octavo, out):
        listed = octavo("unpack", "evil.ffr", "--list")
        assert listed.returncode == 0
        assert len(listed.stdout.splitlines()) == 2 * len(self.names)
        assert r"\x1b[2J\x1b[1;1Hclear" in listed.stdout
        assert r"right\u202eto left" in listed.stdout
        told = octavo("unpack", "evil.ffr", "--list", "--json")
        assert [one["path"] for one in json.loads(told.stdout)["entries"]] == list(self.folder)
        assert told.stdout.isascii()
        assert octavo("unpack", "evil.ffr", out).returncode == 0
        again = octavo("unpack", "evil.ffr", out)
        assert (again.returncode, again.stderr.count("\n")) == (1, 1)

    @pytest.mark.parametrize("name", HARMFUL)
    def test_messages_show_them_harmlessly(self, out, name):
        for act in (
            lambda: self.folder[f"{name}/nothing"],
            lambda: self.folder.listdir(name),
            lambda: [self.folder.extract(out, ["inner"]) for _ in range(2)],
        ):
            with pytest.raises(errors.OctavoError) as caught:
                act()
            assert str(caught.value).isprintable()

    @pytest.mark.parametrize("name", ["new\nline", "\x1b[2J", "right\u202eto left", "bytes\udcff\udc9b", "--force"])
    def test_commands_show_them_harmlessly(self, octavo, out, name):
        assert octavo("unpack", "evil.ffr", out, "--", f"{name}/nothing").returncode == 1
        assert octavo("pack", "--", name, f"{name}.ffr").returncode == 1
        assert octavo("unpack", "--", name, out).returncode == 1
        assert not out.exists()

    def test_nothing_of_them_reaches_a_terminal(self, out, tmp_path):
        import pty

        pytest.importorskip("typer", reason="the command line needs typer")
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "octavo", "unpack", "evil.ffr", str(out)]
        with subprocess.Popen(command, stdout=theirs, stderr=theirs, cwd=tmp_path) as process:
            os.close(theirs)
            shown = b""
            with contextlib.suppress(OSError):  # the end, as Linux tells it
                while select.select([ours], [], [], 120)[0] and (piece := os.read(ours, 1 << 16)):
                    shown += piece
            assert process.wait(120) == 0
        os.close(ours)
        assert b"clear" not in shown
        assert f"{2 * len(self.names)} files".encode() in shown


class TestLinksInTheTarget:
    @pytest.mark.parametrize("overwrite", [False, True])
    @pytest.mark.parametrize("path", ["link/evil", "link/precious", "link/inner/evil", "deep/link/evil"])
    def test_links_to_folders_are_not_followed(self, tmp_path, out, octavo, path, overwrite):
        (out / "deep").mkdir(parents=True)
        (out / "link").symlink_to("../beside")
        (out / "deep" / "link").symlink_to(out.parent / "beside")
        structure: Any = 0
        for name in reversed(path.split("/")):
            structure = OrderedDict([(name, structure)])
        folder = folder_of(tmp_path, structure)
        with pytest.raises(errors.StorageError, match="links are not followed"):
            folder.extract(out, overwrite=overwrite)
        assert octavo("unpack", "evil.ffr", out, *["--force"] * overwrite).returncode == 1
        assert sorted(os.listdir(out)) == ["deep", "link"]

    def test_empty_folders_are_not_made_behind_links(self, tmp_path, out):
        out.mkdir()
        (out / "link").symlink_to("../beside")
        with pytest.raises(errors.StorageError, match="links are not followed"):
            folder_of(tmp_path, OrderedDict(link=OrderedDict(new=OrderedDict()))).extract(out, overwrite=True)

    def test_links_to_files_are_replaced_not_written_through(self, tmp_path, out, octavo):
        out.mkdir()
        for name, leads_to in [("to file", "../beside/precious"), ("to nothing", "../beside/new"), ("to folder", "..")]:
            (out / name).symlink_to(leads_to)
        folder_of(tmp_path, OrderedDict([("to file", 0), ("to nothing", 0), ("to folder", 0)]))
        assert octavo("unpack", "evil.ffr", out).returncode == 1
        assert all(path.is_symlink() for path in out.iterdir())
        assert octavo("unpack", "evil.ffr", out, "--force").returncode == 0
        assert {path.name: path.read_bytes() for path in out.iterdir()} == {
            "to file": b"evil", "to nothing": b"evil", "to folder": b"evil",
        }  # fmt: skip
        assert not any(path.is_symlink() for path in out.iterdir())

    @pytest.mark.parametrize("overwrite", [False, True])
    def test_hard_links_are_not_written_through(self, tmp_path, out, overwrite):
        out.mkdir()
        os.link(out.parent / "beside" / "precious", out / "a")
        folder = folder_of(tmp_path, OrderedDict(a=0))
        if not overwrite:
            with pytest.raises(errors.AlreadyExistsError):
                folder.extract(out)
        else:
            folder.extract(out, overwrite=True)
            assert (out / "a").read_bytes() == b"evil"

    def test_a_link_that_is_swapped_in_while_files_are_written_is_not_followed(self, tmp_path, out):
        names = [f"{number:03}" for number in range(50)]
        structure = OrderedDict((name, OrderedDict(evil=0, inner=OrderedDict(evil=0))) for name in names)
        folder = folder_of(tmp_path, structure)

        def swap(done: int, _total: int) -> None:
            if done == 10:
                (out / "030").symlink_to("../beside")
                (out / "040").mkdir()
                (out / "040" / "inner").symlink_to("../../beside")

        with pytest.raises(errors.StorageError, match="030: a link or a file is where a folder must be"):
            folder.extract(out, progress=swap)
        (out / "030").unlink()
        with pytest.raises(errors.StorageError, match="040/inner: a link or a file is where a folder must be"):
            folder.extract(out, overwrite=True)

    def test_a_folder_that_turns_into_a_link_over_and_over_is_never_a_way_out(self, tmp_path, out):
        out.mkdir()
        folder = folder_of(
            tmp_path, OrderedDict(x=OrderedDict((f"{number}", 0) for number in range(20)), y=OrderedDict(z=0))
        )
        is_over = threading.Event()

        def swap() -> None:
            for number in itertools.count():
                if is_over.is_set():
                    return
                for change in (
                    lambda number=number: os.rename(out / "x", out / f"was x {number}"),
                    lambda: os.symlink("../beside", out / "x"),
                    lambda: os.unlink(out / "x"),  # which removes no folder
                ):
                    with contextlib.suppress(OSError):
                        change()

        thread = threading.Thread(target=swap)
        thread.start()
        try:
            for _ in range(100):
                with contextlib.suppress(errors.StorageError):  # whether it is refused depends on the moment
                    folder.extract(out, overwrite=True)
        finally:
            is_over.set()
            thread.join()
        assert sorted(os.listdir(out.parent / "beside")) == ["inner", "precious"]


class TestSizes:
    def test_a_hundred_thousand_files(self, quick_path):
        count = 100_000
        inner = [OrderedDict((f"{number:03}", 1000 * group + number) for number in range(1000)) for group in range(100)]
        structure = OrderedDict((f"{group:02}", one) for group, one in enumerate(inner))
        folder = Folder(packed(quick_path / "many.ffr", [b"%d" % number for number in range(count)], structure))
        assert (len(folder), folder["99/999"], sum(1 for _ in folder)) == (count, b"99999", count)
        report = folder.extract(quick_path / "out")
        assert (report.file_count, report.folder_count) == (count, 100)
        assert (quick_path / "out" / "42" / "123").read_bytes() == b"42123"
        assert sum(len(files) for _, _, files in os.walk(quick_path / "out")) == count

    def test_folders_in_folders_to_the_limit_need_no_depth_of_calls(self, tmp_path, out, octavo):
        structure: Any = OrderedDict(file=0)
        for _ in range(256):
            structure = OrderedDict(d=structure, e=OrderedDict())
        path = "d/" * 256 + "file"
        packed(tmp_path / "deep.ffr", [b"deep"], structure, protocol=4)
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(len(inspect.stack(0)) + 60)
        try:
            folder = Folder(tmp_path / "deep.ffr")
            assert (list(folder), len(folder), folder[path]) == ([path], 1, b"deep")
            assert sum(1 for _ in folder.walk()) == 513
            assert folder.extract(out).folder_count == 512
        finally:
            sys.setrecursionlimit(limit)
        assert (out / path).read_bytes() == b"deep"
        assert octavo("unpack", "deep.ffr", "--list").stdout == path + "\n"
        assert octavo("unpack", "deep.ffr", out, "--force").returncode == 0

    def test_one_folder_more_is_refused(self, tmp_path, out, octavo):
        structure: Any = OrderedDict(file=0)
        for _ in range(257):
            structure = OrderedDict(d=structure)
        with pytest.raises(errors.DamagedFileError, match="nested deeper than 256 levels"):
            folder_of(tmp_path, structure)
        assert octavo("unpack", "evil.ffr", out).returncode == 1
        with pytest.raises(errors.FormatError, match="more than 256 folders"):
            past_the_parser(tmp_path, structure).extract(out)
        assert not out.exists()

    def test_a_table_for_files_that_are_not_there_is_refused(self, tmp_path, out, octavo):
        with pytest.raises(errors.DamagedFileError, match="file 1 is not there: there are 1"):
            folder_of(tmp_path, OrderedDict(a=1))
        assert octavo("unpack", "evil.ffr", out).returncode == 1

    def test_what_is_left_of_a_packed_folder_is_refused(self, tmp_path, out, octavo):
        content = packed(tmp_path / "whole.ffr", [b"one", b"two"], OrderedDict(a=0, b=OrderedDict(c=1))).read_bytes()
        for size in range(0, len(content), 7):
            (tmp_path / "cut.ffr").write_bytes(content[:size])
            with pytest.raises(errors.OctavoError):
                Folder(tmp_path / "cut.ffr")
            with pytest.raises(errors.OctavoError):
                Folder(tmp_path / "cut.ffr", check_data=False)
        assert octavo("unpack", "cut.ffr", out).returncode == 1


def test_a_pickle_that_runs_something_is_not_run(tmp_path, out, octavo):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(out.parent / "run"),)

    (tmp_path / "evil.ffr").write_bytes(naive.encode([MAGIC + pickle.dumps(Evil())]))
    with pytest.raises(errors.DamagedFileError):
        Folder(tmp_path / "evil.ffr")
    assert octavo("unpack", "evil.ffr", out).returncode == 1

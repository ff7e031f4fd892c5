"""Files that sinks write: whole under their name or not at all, and never in anybody's way."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from octavo._convert import _foreign, _publish
from octavo._convert._source import Block
from octavo.errors import (
    AlreadyExistsError,
    ClosedError,
    NotFoundError,
    OptionError,
    PermissionDeniedError,
    RecordTypeError,
    StorageError,
)
from tests.convert import shelf

KINDS = ["jsonl", "tar", "parquet"]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    if found == "parquet":
        pytest.importorskip("pyarrow")
    return found


@pytest.fixture
def path(kind: str, tmp_path: Path) -> Path:
    return tmp_path / f"file.{kind}"


def test_nothing_is_there_until_all_is(kind: str, path: Path) -> None:
    sink = _foreign.open_sink(kind, str(path))
    sink.write(Block([b"1"]))
    assert os.listdir(path.parent) == [path.name + ".partial"]
    sink.close()
    assert os.listdir(path.parent) == [path.name]
    assert shelf.read(kind, path) == [b"1"]


def test_giving_up_leaves_what_was_there(kind: str, path: Path) -> None:
    path.write_bytes(b"old")
    sink = _foreign.open_sink(kind, str(path), overwrite=True)
    sink.write(Block([b"1"]))
    sink.abort()
    sink.abort()
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() == b"old"


def test_a_sink_that_is_dropped_leaves_nothing(kind: str, path: Path) -> None:
    sink = _foreign.open_sink(kind, str(path))
    sink.write(Block([b"1"]))
    del sink
    assert os.listdir(path.parent) == []


def test_what_is_there_is_overwritten_only_if_that_was_said(kind: str, path: Path) -> None:
    path.write_bytes(b"old")
    with pytest.raises(AlreadyExistsError, match="cannot create: it exists") as caught:
        shelf.write(kind, path, [b"1"])
    assert caught.value.path == str(path)
    assert os.listdir(path.parent) == [path.name]
    shelf.write(kind, path, [b"1"], overwrite=True)
    assert shelf.read(kind, path) == [b"1"]


def test_what_came_there_meanwhile_is_not_overwritten(kind: str, path: Path) -> None:
    sink = _foreign.open_sink(kind, str(path))
    path.write_bytes(b"quicker")
    with pytest.raises(AlreadyExistsError, match="cannot publish: it exists"):
        sink.close()
    sink.abort()
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() == b"quicker"


def test_what_a_crash_left_is_written_over(kind: str, path: Path) -> None:
    Path(f"{path}.partial").write_bytes(b"x" * 100_000)
    shelf.write(kind, path, [b"1"])
    assert os.listdir(path.parent) == [path.name]
    assert shelf.read(kind, path) == [b"1"]


@pytest.mark.parametrize("kind", ["jsonl", "tar"])
def test_a_file_that_a_crash_left_with_both_names_is_not_cut_off(kind: str, path: Path) -> None:
    path.write_bytes(b"whole")
    os.link(path, f"{path}.partial")
    sink = _foreign.open_sink(kind, str(path), overwrite=True)
    sink.write(Block([b"1"]))
    assert path.read_bytes() == b"whole"
    sink.abort()
    assert path.read_bytes() == b"whole"
    assert not os.path.exists(f"{path}.partial")


def test_two_writers_do_not_share_a_file(kind: str, path: Path) -> None:
    first = _foreign.open_sink(kind, str(path))
    with pytest.raises(StorageError, match="another process is writing it"):
        _foreign.open_sink(kind, str(path), overwrite=True)
    first.write(Block([b"1"]))
    first.close()
    assert shelf.read(kind, path) == [b"1"]


def test_a_planted_link_is_not_followed(path: Path, kind: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    Path(f"{path}.partial").symlink_to(victim)
    shelf.write(kind, path, [b"1"])
    assert victim.read_bytes() == b"precious"
    assert shelf.read(kind, path) == [b"1"]


def test_a_pipe_in_the_place_of_the_side_file_does_not_stop_the_work(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.jsonl.partial")
    with pytest.raises(StorageError):
        _foreign.open_sink("jsonl", str(tmp_path / "x.jsonl"))


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_pipe_or_a_device_is_never_replaced(tmp_path: Path, *, overwrite: bool) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "link.jsonl").symlink_to(os.devnull)
    for name in ("pipe.jsonl", "link.jsonl"):
        with pytest.raises(StorageError, match="it is not a regular file"):
            _foreign.open_sink("jsonl", str(tmp_path / name), overwrite=overwrite)
    assert sorted(os.listdir(tmp_path)) == ["link.jsonl", "pipe.jsonl"]


def test_a_folder_in_the_way_and_a_missing_one_are_refused(kind: str, path: Path) -> None:
    path.mkdir()
    for overwrite in (True, False):
        with pytest.raises(StorageError, match="cannot create"):
            _foreign.open_sink(kind, str(path), overwrite=overwrite)
    with pytest.raises(NotFoundError, match="none"):
        _foreign.open_sink(kind, str(path.parent / "none" / "file"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionDeniedError):
        _foreign.open_sink("jsonl", str(tmp_path / "x.jsonl"))


def test_a_full_disk_is_told_with_the_files_name(kind: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sink = _foreign.open_sink(kind, str(path))

    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("octavo._convert._publish.os.write", refuse)
    with pytest.raises(StorageError, match=rf"{path.name}: cannot write: No space left") as caught:
        shelf.fill(sink, [os.urandom(3 << 20)] * 25)
    assert caught.value.errno == errno.ENOSPC
    monkeypatch.undo()
    sink.abort()
    assert os.listdir(path.parent) == []


def test_a_file_system_without_hard_links_will_do(kind: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr("octavo._convert._publish.os.link", refuse)
    shelf.write(kind, path, [b"1"])
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # has threads, which the child does without
def test_a_forked_child_neither_writes_nor_removes(kind: str, path: Path) -> None:
    sink = _foreign.open_sink(kind, str(path))
    sink.write(Block([b"1"]))
    child = os.fork()
    if child == 0:
        del sink
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    sink.write(Block([b"2"]))
    sink.close()
    assert shelf.read(kind, path) == [b"1", b"2"]


def test_a_closed_file_is_not_written_to(tmp_path: Path) -> None:
    output = _publish.NewFile(str(tmp_path / "x"), overwrite=False)
    output.commit()
    output.close()
    with pytest.raises(ClosedError, match="not open for writing"):
        output.write(b"more")
    assert (tmp_path / "x").read_bytes() == b""


def test_a_stream_gets_all_and_stays_open(kind: str) -> None:
    class Slow(io.BytesIO):
        """Takes a few bytes at a time."""

        def write(self, data: Any, /) -> int:
            return super().write(memoryview(data)[:1000])

    stream = Slow()
    shelf.fill(_foreign.open_sink(kind, stream), [b"x" * 5000, b"2"])
    assert not stream.closed
    assert shelf.read(kind, stream.getvalue()) == [b"x" * 5000, b"2"]


def test_a_stream_of_text_is_refused(kind: str) -> None:
    with pytest.raises(RecordTypeError, match="not StringIO"):
        _foreign.open_sink(kind, io.StringIO())  # type: ignore[arg-type]
    with pytest.raises(RecordTypeError, match="not StringIO"):
        _foreign.open_source(kind, io.StringIO())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.jsonl", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.jsonl.gz", "jsonl"),
        ("x/a.b.tar", "tar"),
        ("a.tar.gz", "tar"),
        ("a.tgz", "tar"),
        ("a.parquet", "parquet"),
        ("a.json", None),
        ("a.gz", None),
        ("tar", None),
        ("folder/", None),
        ("a.tfrecord", None),
    ],
)
def test_names_tell_the_kind(name: str, kind: str | None) -> None:
    assert _foreign.kind_of(name) == kind


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(OptionError, match="format 'zip' is none of: jsonl, tar, parquet, folder"):
        _foreign.open_source("zip", [])
    with pytest.raises(OptionError, match="format 'zip' is none of"):
        _foreign.open_sink("zip", "x")


def test_parquet_without_pyarrow_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "octavo._convert._parquet", raising=False)
    with pytest.raises(ImportError, match=r"pip install 'octavo\[arrow\]'"):
        _foreign.open_source("parquet", b"")


def test_importing_octavo_imports_no_container() -> None:
    program = (
        "import sys, octavo; print([name for name in sys.modules if name in {'json', 'tarfile', 'gzip', 'pyarrow'}])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {"tarfile", "gzip", "pyarrow"}.isdisjoint(found.stdout.strip("[]\n").replace("'", "").split(", "))

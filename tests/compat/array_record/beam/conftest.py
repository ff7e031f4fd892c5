"""What the tests of the Beam drop-in share."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import octavo


@pytest.fixture
def options() -> Callable[..., Any]:
    """Makes options of a pipeline that runs in this process, without looking for a runner to download."""
    pipeline_options = pytest.importorskip("apache_beam.options.pipeline_options")
    return lambda *more: pipeline_options.PipelineOptions(["--runner", runner(), *more])


def runner() -> str:
    return "apache_beam.runners.portability.fn_api_runner.FnApiRunner"


@pytest.fixture
def tfrecords(tmp_path: Path) -> dict[str, list[bytes]]:
    """The records of three TFRecord files, by the names of the files. Skips where Beam cannot read them."""
    tfrecordio = pytest.importorskip("apache_beam.io.tfrecordio")
    try:
        tfrecordio._default_crc32c_fn(b"")
    except RuntimeError:
        pytest.skip("Beam has no CRC for TFRecord files: pip install google-crc32c")
    files = {
        str(tmp_path / "source" / f"part.{i}.tfrecord"): [b"%d:%d" % (i, k) for k in range(5 + i)] for i in range(3)
    }
    (tmp_path / "source").mkdir()
    for name, records in files.items():
        with octavo.create(name, format="tfrecord") as writer:
            writer.write_many(records)
    return files


@pytest.fixture
def staging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that temporary files are in."""
    folder = tmp_path / "staging"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def buckets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that gs:// means, whatever Beam would make of it."""
    pytest.importorskip("apache_beam")
    from apache_beam.io.filesystem import FileSystem

    from tests.compat.array_record.beam.bucket import Bucket

    for other in FileSystem.get_all_subclasses():
        if other.scheme() == "gs":
            monkeypatch.setattr(other, "scheme", classmethod(lambda _cls: "octavo-unused"))
    folder = tmp_path / "buckets"
    folder.mkdir()
    monkeypatch.setattr(Bucket, "root", folder)
    return folder


@pytest.fixture
def no_logging() -> Iterator[None]:
    """Keeps pytest from keeping errors that were logged, and with them all that their frames hold."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def read_twice() -> Callable[[Path], list[bytes]]:
    """Reads an ArrayRecord file with octavo, and where it is installed with the original."""
    return _read_twice


def _read_twice(path: Path) -> list[bytes]:
    with octavo.open(path, format="array_record") as reader:
        records = reader.read_all()
    try:
        from array_record.python.array_record_module import ArrayRecordReader
    except ImportError:
        return records
    original = ArrayRecordReader(str(path))
    assert original.read_all() == records
    original.close()
    return records


def files_in(folder: Path) -> list[str]:
    """The names of all files in a folder and in the folders in it."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())

"""Objects that octavo writes: whole, or not there at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.cloud import samples
from tests.cloud.conftest import Lead
from tests.cloud.servers import s3
from tests.cloud.servers.http_server import HttpServer
from tests.cloud.servers.object_server import ObjectServer

pytest.importorskip("obstore")

RECORDS = samples.make_records(400, size=300)
LARGE = samples.make_records(300, size=100_000)
"""30 MB, more than one part of an upload."""


def test_every_format_is_the_same_in_a_file_and_in_an_object(
    writable: ObjectServer, kind: samples.Kind, folder: str, tmp_path: Path
) -> None:
    key = f"{folder}/records{kind.suffix}"
    with octavo.create(writable.url(key), **kind.options) as writer:
        writer.write_many(RECORDS)
        assert writable.keys(folder) == []
    assert writable.keys(folder) == [key]
    assert writable.get(key) == samples.content(kind, RECORDS, tmp_path)
    with octavo.open(writable.url(key)) as reader:
        assert list(reader) == RECORDS


def test_a_store_and_a_key_can_be_written_to(writable: ObjectServer, folder: str) -> None:
    key = f"{folder}/records.array_record"
    location = octavo.storage.InStore(writable.store(), key)
    with octavo.create(location) as writer:
        writer.write_many(RECORDS)
    with octavo.open(location) as reader:
        assert list(reader) == RECORDS


def test_an_object_of_no_records_is_one(writable: ObjectServer, kind: samples.Kind, folder: str) -> None:
    url = writable.url(f"{folder}/records{kind.suffix}")
    octavo.create(url, **kind.options).close()
    with octavo.open(url) as reader:
        assert len(reader) == 0


@pytest.mark.parametrize("name", ["array_record-64", "ffrecord", "tfrecord"])
def test_a_large_object_is_uploaded_in_parts(writable: ObjectServer, folder: str, name: str) -> None:
    kind = samples.BY_NAME[name]
    url = writable.url(f"{folder}/records{kind.suffix}")
    with octavo.create(url, **kind.options) as writer:
        for record in LARGE:
            writer.write(record)
        assert writable.keys(folder) == []
    with octavo.open(url) as reader:
        assert list(reader) == LARGE


@pytest.mark.parametrize("records", [RECORDS, LARGE], ids=["small", "large"])
def test_an_exception_leaves_nothing(s3_server: ObjectServer, folder: str, records: list[bytes]) -> None:
    url = s3_server.url(f"{folder}/records.array_record")

    def write() -> None:
        with octavo.create(url) as writer:
            writer.write_many(records)
            raise KeyError("on purpose")

    with pytest.raises(KeyError, match="on purpose"):
        write()
    assert s3_server.keys(folder) == []
    assert folder not in " ".join(s3.unfinished_uploads(s3_server))


@pytest.mark.parametrize("records", [RECORDS, LARGE], ids=["small", "large"])
def test_an_abort_leaves_what_was_there(s3_server: ObjectServer, folder: str, records: list[bytes]) -> None:
    key = f"{folder}/records.array_record"
    s3_server.put(key, b"before")
    writer = octavo.create(s3_server.url(key))
    writer.write_many(records)
    writer.abort()
    assert s3_server.get(key) == b"before"
    assert folder not in " ".join(s3.unfinished_uploads(s3_server))


def test_a_killed_writer_leaves_no_object(s3_server: ObjectServer, folder: str) -> None:
    program = """
import os, random, signal, sys, octavo
writer = octavo.create(sys.argv[1])
for _ in range(300):
    writer.write(random.randbytes(100_000))
os.kill(os.getpid(), signal.SIGKILL)
"""
    url = s3_server.url(f"{folder}/records.array_record")
    done = subprocess.run([sys.executable, "-c", program, url], timeout=120, check=False)
    assert done.returncode == -9
    assert s3_server.keys(folder) == []


def test_what_is_there_is_replaced_or_kept_as_asked(writable: ObjectServer, folder: str) -> None:
    url = writable.url(f"{folder}/records.ffr")
    for records in (RECORDS, RECORDS[:10]):
        with octavo.create(url) as writer:
            writer.write_many(records)
        with octavo.open(url) as reader:
            assert len(reader) == len(records)
    with pytest.raises(errors.AlreadyExistsError, match=url), octavo.create(url, overwrite=False) as writer:
        writer.write_many(RECORDS)
    with octavo.open(url) as reader:
        assert len(reader) == 10


def test_of_two_writers_that_must_not_replace_one_wins(writable: ObjectServer, folder: str) -> None:
    url = writable.url(f"{folder}/records.ffr")
    first, second = (octavo.create(url, overwrite=False) for _ in range(2))
    first.write(b"first")
    second.write(b"second")
    first.close()
    with pytest.raises(errors.AlreadyExistsError, match=url):
        second.close()
    second.abort()
    with octavo.open(url) as reader:
        assert list(reader) == [b"first"]


def test_a_writer_that_is_forgotten_leaves_nothing(s3_server: ObjectServer, folder: str) -> None:
    writer = octavo.create(s3_server.url(f"{folder}/records.ffr"))
    writer.write_many(LARGE)
    with pytest.warns(errors.UnclosedWriterWarning, match="never closed"):
        del writer
    assert s3_server.keys(folder) == []
    assert folder not in " ".join(s3.unfinished_uploads(s3_server))


def test_a_bucket_that_is_not_there_is_told(moto: ObjectServer, lead: Lead) -> None:
    lead(moto)
    with (
        pytest.raises(errors.NotFoundError, match="no-such-bucket"),
        octavo.create("s3://no-such-bucket/x.ffr") as writer,
    ):
        writer.write(b"record")


def test_plain_http_cannot_be_written_to(plain: HttpServer) -> None:
    with pytest.raises(errors.UnsupportedError, match="http"):
        octavo.create(f"{plain.endpoint}/records.ffr")

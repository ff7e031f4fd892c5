"""What else octavo does with files, done with objects: append, verify, recover, digest, compare, convert."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.cloud import samples
from tests.cloud.conftest import Lead
from tests.cloud.servers.object_server import ObjectServer

pytest.importorskip("obstore")

RECORDS = samples.make_records(400, size=300)
GROWING = ["array_record-1", "array_record-64", "riegeli", "recordio", "tfrecord"]


@pytest.fixture(params=samples.BY_NAME)
def kind(request: pytest.FixtureRequest) -> samples.Kind:
    return samples.BY_NAME[request.param]


@pytest.fixture
def url(writable: ObjectServer, kind: samples.Kind, folder: str, tmp_path: Path) -> str:
    """An object of `RECORDS`."""
    key = f"{folder}/records{kind.suffix}"
    writable.put(key, samples.content(kind, RECORDS, tmp_path))
    return writable.url(key)


@pytest.mark.parametrize("kind", GROWING, indirect=True)
def test_appended_records_appear_when_the_writer_is_closed(url: str) -> None:
    for more in ([b"first", b"second"], [b"third"]):
        before = octavo.open(url)
        with octavo.append(url) as writer:
            writer.write_many(more)
            with octavo.open(url) as reader:
                assert len(reader) == len(before)
        before.close()
    with octavo.open(url) as reader:
        assert list(reader) == [*RECORDS, b"first", b"second", b"third"]


@pytest.mark.parametrize("kind", GROWING, indirect=True)
def test_an_append_that_is_given_up_changes_nothing(url: str, writable: ObjectServer) -> None:
    key = url.removeprefix(writable.url(""))
    before = writable.get(key)
    writer = octavo.append(url)
    writer.write_many([b"never"] * 1000)
    writer.abort()
    assert writable.get(key) == before


@pytest.mark.parametrize("kind", ["recordio"], indirect=True)
def test_of_two_appends_none_is_lost_in_silence(url: str) -> None:
    first, second = octavo.append(url), octavo.append(url)
    first.write(b"first")
    second.write(b"second")
    first.close()
    with pytest.raises(errors.SourceChangedError, match=url):
        second.close()
    with octavo.open(url) as reader:
        assert list(reader) == [*RECORDS, b"first"]


@pytest.mark.parametrize("kind", ["recordio"], indirect=True)
def test_an_append_between_a_flush_and_a_close_is_not_lost_in_silence(url: str) -> None:
    first = octavo.append(url)
    first.write(b"first")
    first.flush()
    with octavo.append(url) as second:
        second.write(b"second")
    first.write(b"third")
    with pytest.raises(errors.SourceChangedError, match=url):
        first.close()
    with octavo.open(url) as reader:
        assert list(reader) == [*RECORDS, b"first", b"second"]


@pytest.mark.parametrize("kind", ["ffrecord", "tfrecord-gzip"], indirect=True)
def test_a_format_that_cannot_grow_says_so(url: str) -> None:
    with pytest.raises(errors.UnsupportedError, match="grow"):
        octavo.append(url)


def test_a_missing_object_cannot_be_appended_to(writable: ObjectServer, folder: str) -> None:
    with pytest.raises(errors.NotFoundError, match="absent"):
        octavo.append(writable.url(f"{folder}/absent.recordio"))


def test_an_object_is_verified_and_digested_like_its_file(url: str, kind: samples.Kind, tmp_path: Path) -> None:
    assert octavo.verify(url) == octavo.verify(tmp_path / f"records{kind.suffix}")
    assert octavo.digest(url) == octavo.digest(tmp_path / f"records{kind.suffix}")
    assert not octavo.diff(url, tmp_path / f"records{kind.suffix}").differences


DAMAGED = ["ffrecord", "array_record-1", "recordio", "tfrecord"]


@pytest.mark.parametrize("kind", DAMAGED, indirect=True)
def test_a_damaged_object_is_reported_and_recovered(
    writable: ObjectServer, kind: samples.Kind, folder: str, tmp_path: Path
) -> None:
    path = samples.write(kind, RECORDS, tmp_path)
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    path.write_bytes(damaged)
    source, target = (writable.url(f"{folder}/{name}{kind.suffix}") for name in ("damaged", "whole"))
    writable.put(f"{folder}/damaged{kind.suffix}", bytes(damaged))
    report = octavo.verify(source)
    assert not report.ok
    assert report.damaged_count == octavo.verify(path).damaged_count
    assert octavo.recover(source, target) == octavo.recover(path, tmp_path / f"whole{kind.suffix}")
    assert octavo.digest(target) == octavo.digest(tmp_path / f"whole{kind.suffix}")


@pytest.mark.parametrize("target", samples.KINDS, ids=str)
def test_objects_are_converted_into_objects(
    moto: ObjectServer, lead: Lead, target: samples.Kind, folder: str, tmp_path: Path
) -> None:
    server = lead(moto)
    server.put(f"{folder}/in.ffr", samples.content(samples.BY_NAME["ffrecord"], RECORDS, tmp_path))
    url = server.url(f"{folder}/out{target.suffix}")
    octavo.convert(server.url(f"{folder}/in.ffr"), url)
    octavo.convert(url, tmp_path / "back.ffr")
    with octavo.open(url) as there, octavo.open(tmp_path / "back.ffr") as back:
        assert list(there) == list(back) == RECORDS


COMMANDS = {
    "count": ["400"],
    "info": ["array_record", "400"],
    "verify": ["400"],
    "digest": ["400"],
    "head": [],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_take_urls(moto: ObjectServer, folder: str, tmp_path: Path, command: str) -> None:
    pytest.importorskip("typer")
    key = f"{folder}/records.array_record"
    moto.put(key, samples.content(samples.BY_NAME["array_record-1"], RECORDS, tmp_path))
    done = run_command(moto, command, moto.url(key))
    assert done.returncode == 0, done.stderr
    for word in COMMANDS[command]:
        assert word in done.stdout.decode(errors="replace")


def test_a_command_says_in_one_line_what_is_missing(moto: ObjectServer, folder: str) -> None:
    pytest.importorskip("typer")
    done = run_command(moto, "count", moto.url(f"{folder}/absent.ffr"))
    assert done.returncode != 0
    assert "absent.ffr" in done.stderr.decode()
    assert len(done.stderr.decode().strip().splitlines()) == 1


def test_convert_takes_urls_on_the_command_line(moto: ObjectServer, folder: str, tmp_path: Path) -> None:
    pytest.importorskip("typer")
    path = samples.write(samples.BY_NAME["tfrecord"], RECORDS, tmp_path)
    done = run_command(moto, "convert", str(path), moto.url(f"{folder}/out.array_record"))
    assert done.returncode == 0, done.stderr
    assert moto.keys(folder) == [f"{folder}/out.array_record"]


def run_command(server: ObjectServer, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "octavo", *arguments]
    environment = {**os.environ, **server.environment}
    return subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False)

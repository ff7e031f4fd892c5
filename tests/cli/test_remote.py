"""Every command on URLs: S3 on moto's server, and plain HTTP."""

from __future__ import annotations

import re
import uuid

import pytest

pytest.importorskip("obstore", reason="object stores need obstore: 'make test EXTRAS=all' installs it")
pytest.importorskip("moto", reason="S3 is tested on moto: 'make test EXTRAS=all' installs it")

from tests.cloud.servers import s3
from tests.cloud.servers.held_objects import HeldObjects
from tests.cloud.servers.http_server import HttpServer

RECORDS = [f"record {number}".encode() for number in range(300)]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """An S3 server with a bucket."""
    with s3.moto(tmp_path_factory.mktemp("moto")) as started:
        yield started


@pytest.fixture
def folder(server):
    """A folder of the bucket that no other test has."""
    return f"{server.scheme}://{server.bucket}/{uuid.uuid4().hex}"


@pytest.fixture
def cloud(octavo, server):
    """Runs a command that finds the server."""
    return lambda *arguments, **options: octavo(*arguments, environment=server.environment, **options)


@pytest.fixture
def client(server):
    """Another opinion on what the server has."""
    return s3.client(server)


@pytest.fixture
def names(client, server, folder):
    """What is in the folder."""
    prefix = folder.rpartition("/")[2] + "/"

    def found():
        listed = client.list_objects_v2(Bucket=server.bucket, Prefix=prefix).get("Contents", [])
        return sorted(one["Key"].removeprefix(prefix) for one in listed)

    return found


@pytest.fixture
def put(client, server, folder):
    """Puts an object into the folder."""
    prefix = folder.rpartition("/")[2] + "/"
    return lambda name, content: client.put_object(Bucket=server.bucket, Key=prefix + name, Body=content)


@pytest.fixture
def source(write_file, put, folder):
    """A file of records there; `records.ffr` is the same here."""
    put("in.ffr", write_file(RECORDS).read_bytes())
    return f"{folder}/in.ffr"


@pytest.fixture
def shards(cloud, source, folder):
    """Three files there."""
    cloud("convert", source, f"{folder}/x@3.tfrecord")
    return f"{folder}/x@3.tfrecord"


def test_looking(cloud, source, shards, folder):
    assert "300" in cloud("info", source).text
    assert cloud("info", f"{folder}/x-*", "--json").json["files"] == 3
    assert len(cloud("ls", shards).lines) == 4
    assert cloud("ls", f"{folder}/", "--json").json[0]["path"] == source
    assert cloud("head", "-n", 1, source).lines == ["record 0"]
    assert cloud("get", shards, -1, 150).lines == ["record 299", "record 150"]
    assert cloud("cat", "--start", 298, shards).lines == ["record 298", "record 299"]
    assert cloud("count", shards).text == "300\n"
    assert cloud("partitions", "-n", 2, shards, "--json").json[0]["paths"][0].startswith(folder)


def test_checking(cloud, source, shards, put, tmp_path):
    folder = source.rpartition("/")[0]
    assert cloud("verify", shards, source).lines == ["4 files, 600 records, 14.2 kB checked: no damage"]
    assert cloud("diff", source, shards).lines == ["same: 300 records"]
    digests = {line.split()[0] for line in cloud("digest", source, shards, "records.ffr").lines}
    assert len(digests) == 1
    content = bytearray((tmp_path / "records.ffr").read_bytes())
    content[-5] ^= 1
    put("damaged.ffr", bytes(content))
    result = cloud("verify", f"{folder}/damaged.ffr", check=3)
    assert f"{folder}/damaged.ffr: record 299" in result.text
    result = cloud("recover", f"{folder}/damaged.ffr", f"{folder}/whole.ffr", check=3)
    assert result.lines[-1] == f"299 records saved in {folder}/whole.ffr, 1 lost"
    assert cloud("count", f"{folder}/whole.ffr").text == "299\n"
    assert "--force" in cloud("recover", f"{folder}/damaged.ffr", f"{folder}/whole.ffr", check=1).stderr


def test_several_files_are_recovered_into_a_folder(cloud, shards, folder, names, tmp_path):
    cloud("recover", f"{folder}/x-*", f"{folder}/saved/")
    assert [name for name in names() if name.startswith("saved/")] == [
        f"saved/x-0000{number}-of-00003.tfrecord" for number in range(3)
    ]
    cloud("recover", shards, "here/")
    assert len(list((tmp_path / "here").iterdir())) == 3
    cloud("recover", "here/", f"{folder}/back/")
    assert cloud("diff", shards, f"{folder}/back/").lines == ["same: 300 records"]


def test_changing(cloud, source, shards, folder, names):
    result = cloud("convert", source, f"{folder}/out@2.array_record", "--json").json
    assert (result["records"], result["verified"], len(result["paths"])) == (300, True, 2)
    cloud("convert", shards, f"{folder}/dir/", "--to", "jsonl")
    cloud("merge", shards, f"{folder}/merged.recordio")
    cloud("split", source, f"{folder}/cut.ffr", "--max-records", 100)
    cloud("shuffle", source, f"{folder}/shuffled.ffr", "--seed", 1)
    assert cloud("append", f"{folder}/merged.recordio", source).lines == [
        f"{folder}/merged.recordio: 300 records, 2.89 kB added"
    ]
    assert cloud("count", f"{folder}/merged.recordio").text == "600\n"
    assert [name for name in names() if not name.startswith(("x-", "in"))] == [
        "cut-00000-of-00003.ffr",
        "cut-00001-of-00003.ffr",
        "cut-00002-of-00003.ffr",
        "dir/x-00000-of-00003.jsonl",
        "dir/x-00001-of-00003.jsonl",
        "dir/x-00002-of-00003.jsonl",
        "merged.recordio",
        "out-00000-of-00002.array_record",
        "out-00001-of-00002.array_record",
        "shuffled.ffr",
    ]
    for same in ("dir/", "out@2.array_record", "cut@3.ffr"):
        assert cloud("diff", source, f"{folder}/{same}").lines == ["same: 300 records"]
    assert cloud("convert", source, "-", "--to", "jsonl").lines[0] == '{"octavo.text":"record 0"}'
    cloud("convert", "-", f"{folder}/from-stdin.ffr", "--from", "jsonl", stdin=b"1\n2\n")
    assert cloud("count", f"{folder}/from-stdin.ffr").text == "2\n"


def test_a_packed_folder(cloud, tmp_path, folder):
    (tmp_path / "files" / "deep").mkdir(parents=True)
    (tmp_path / "files" / "deep" / "a.txt").write_text("a")
    packed = f"{folder}/packed.ffr"
    assert cloud("pack", "files", packed).lines == [f"{packed}: 1 file in 2 folders, 1 B"]
    assert cloud("unpack", "--list", packed).lines == ["deep/a.txt"]
    assert cloud("ls", "--packed", packed).lines == ["1  deep/a.txt"]
    cloud("unpack", packed, "back")
    assert (tmp_path / "back" / "deep" / "a.txt").read_text() == "a"


def test_a_manifest(cloud, shards, folder):
    assert cloud("manifest", shards, f"{folder}/all.octm").lines == [f"{folder}/all.octm: 300 records in 3 files"]
    assert cloud("count", f"{folder}/all.octm").text == "300\n"
    assert cloud("diff", f"{folder}/all.octm", shards).lines == ["same: 300 records"]
    cloud("convert", f"{folder}/in.ffr", f"{folder}/x@3.tfrecord", "--force", "--to", "tfrecord", "--no-verify")
    result = cloud("manifest", shards, "here.octm", "--json").json
    assert (result["files"], result["records"]) == (3, 300)


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["count", "{folder}/none.ffr"], 1, "there is no such object"),
        (["info", "{folder}/none*"], 1, "no object matches"),
        (["convert", "{folder}/none.jsonl", "out.ffr"], 1, "there is no such object"),
        (["convert", "{folder}/in.ffr", "{folder}/out", "--to", "folder"], 1, "tar file"),
        (["convert", "{folder}/in.ffr", "{folder}/in.ffr"], 2, "one of the sources"),
        (["convert", "{folder}/in.ffr", "{folder}/out"], 2, "does not say what to write"),
        (["convert", "{folder}/in.ffr", "http://127.0.0.1:9/out.ffr"], 1, "only read from"),
        (["append", "{folder}/in.ffr", "records.ffr"], 1, "ffrecord"),
        (["bench", "{folder}/in.ffr"], 1, "device"),
        (["pack", ".", "{folder}/in.ffr"], 1, "in.ffr"),
        (["count", "ftp://host/x.ffr"], 1, "no such kind of URL"),
        (["manifest", "{folder}/in.ffr", "{folder}/x.json"], 2, "ends in .octm"),
    ],
)
def test_failures_are_one_line(cloud, source, arguments, status, told):
    folder = source.rpartition("/")[0]
    result = cloud(*(argument.format(folder=folder) for argument in arguments), check=status)
    assert re.fullmatch(f"octavo: [^\n]*{re.escape(told)}[^\n]*\n", result.stderr)
    assert result.stdout == b""


def test_what_is_there_is_not_replaced_without_a_word(cloud, source, folder, put):
    put("out.jsonl", b'"other"\n')
    result = cloud("convert", source, f"{folder}/out.jsonl", check=1)
    assert result.stderr.endswith("--force replaces it\n")
    cloud("convert", source, f"{folder}/out.jsonl", "--force")
    assert cloud("convert", source, f"{folder}/out.jsonl").lines[0].endswith(", already there")


def test_web_servers(octavo, write_file):
    held = HeldObjects()
    held.put("data/in-00000-of-00001.ffr", write_file(RECORDS).read_bytes())
    held.put("data/lines.jsonl", b"1\n2\n")
    with HttpServer(held) as server:
        url = f"{server.endpoint}/data"
        assert octavo("count", f"{url}/in@1.ffr").text == "300\n"
        assert octavo("get", f"{url}/in-00000-of-00001.ffr", 7).lines == ["record 7"]
        octavo("convert", f"{url}/lines.jsonl", "out.ffr")
        assert octavo("cat", "out.ffr").lines == ["1", "2"]
        assert "web server" in octavo("count", f"{url}/*.ffr", check=1).stderr


class TestBeam:
    @pytest.fixture(autouse=True)
    def _needs_beam(self):
        pytest.importorskip("apache_beam", reason="Beam is tested where it is installed")

    def test_a_runner_writes_the_files(self, octavo, write_file):
        write_file(RECORDS)
        arguments = "--runner=apache_beam.runners.portability.fn_api_runner.FnApiRunner"
        here = octavo("convert", "records.ffr", "here@3.tfrecord", "--json").json
        there = octavo(
            "convert", "records.ffr", "there@3.tfrecord", "--runner", "beam", "--beam-args", arguments, "--json"
        ).json
        assert [path.replace("here", "there") for path in here.pop("paths")] == there.pop("paths")
        assert {**here, "seconds": 0} == {**there, "seconds": 0}

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["convert", "-", "out.ffr", "--runner", "beam"], "standard input"),
            (["convert", "records.ffr", "out.ffr", "--beam-args", "x"], "--runner beam"),
            (["convert", "records.ffr", "out.ffr", "--runner", "beam", "--beam-args", "'"], "taken apart"),
        ],
    )
    def test_wrong_usage(self, octavo, write_file, arguments, told):
        write_file(RECORDS)
        assert told in octavo(*arguments, check=2).stderr

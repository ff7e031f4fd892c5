"""Manifests: a list of objects, so that opening many of them costs one request."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.cloud import samples
from tests.cloud.conftest import Lead
from tests.cloud.servers.held_objects import HeldObjects
from tests.cloud.servers.http_server import HttpServer
from tests.cloud.servers.object_server import ObjectServer

pytest.importorskip("obstore")

FILES = 12
RECORDS = samples.make_records(FILES * 20, size=300)


@pytest.fixture(params=["ffrecord", "array_record-1", "array_record-64", "recordio", "tfrecord"])
def kind(request: pytest.FixtureRequest) -> samples.Kind:
    return samples.BY_NAME[request.param]


def write_shards(kind: samples.Kind, folder: Path) -> list[Path]:
    return [
        samples.write(kind, RECORDS[i * 20 : i * 20 + 20], folder, stem=f"train-{i:05}-of-{FILES:05}")
        for i in range(FILES)
    ]


@pytest.fixture
def manifest(kind: samples.Kind, plain: HttpServer, held: HeldObjects, tmp_path: Path) -> str:
    """The URL of a manifest that lies beside its files, written where they were before."""
    for path in write_shards(kind, tmp_path):
        held.put(f"data/{path.name}", path.read_bytes())
    octavo.write_manifest(tmp_path / f"train@{FILES}{kind.suffix}", tmp_path / "train.octm")
    held.put("data/train.octm", (tmp_path / "train.octm").read_bytes())
    plain.traffic.clear()
    return f"{plain.endpoint}/data/train.octm"


def test_opening_is_one_request(plain: HttpServer, manifest: str) -> None:
    last = f"train-{FILES - 1:05}-of-{FILES:05}"
    with octavo.open(manifest) as reader:
        assert len(reader) == len(RECORDS)
        assert len(plain.traffic.exchanges()) == 1
        assert reader[-1] == RECORDS[-1]
        assert all(one.target.startswith(f"/data/{last}") for one in plain.traffic.exchanges()[1:])


def test_records_are_the_same(plain: HttpServer, manifest: str) -> None:
    numbers = list(range(0, len(RECORDS), 13))
    with octavo.open(manifest) as reader:
        plain.latency_s = 0.02
        plain.traffic.clear()
        assert reader.read(numbers) == [RECORDS[number] for number in numbers]
        assert plain.traffic.rounds() < 10
        plain.latency_s = 0
        assert list(reader) == RECORDS
        parts = reader.partitions(5)
    assert [record for part in parts for record in part.open()] == RECORDS


def test_a_manifest_is_written_beside_objects(
    writable: ObjectServer, kind: samples.Kind, folder: str, tmp_path: Path
) -> None:
    for path in write_shards(kind, tmp_path):
        writable.put(f"{folder}/{path.name}", path.read_bytes())
    octavo.write_manifest(writable.url(f"{folder}/train-*{kind.suffix}"), writable.url(f"{folder}/train.octm"))
    with octavo.open(writable.url(f"{folder}/train.octm")) as reader:
        assert list(reader) == RECORDS
    replaced = f"{folder}/train-00003-of-{FILES:05}{kind.suffix}"
    writable.put(replaced, samples.content(kind, [bytes(len(record)) for record in RECORDS[60:80]], tmp_path))
    with octavo.open(writable.url(f"{folder}/train.octm")) as reader:
        assert reader[0] == RECORDS[0]
        with pytest.raises(errors.SourceChangedError, match="train-00003"):
            reader[65]


def test_a_file_of_another_size_is_noticed(
    held: HeldObjects, manifest: str, kind: samples.Kind, tmp_path: Path
) -> None:
    held.put(f"data/train-00003-of-{FILES:05}{kind.suffix}", samples.content(kind, RECORDS[:3], tmp_path))
    with octavo.open(manifest) as reader:
        assert reader[0] == RECORDS[0]
        with pytest.raises(errors.SourceChangedError, match="train-00003"):
            reader.read([0, 65])


def test_a_missing_file_is_told_when_it_is_needed(held: HeldObjects, manifest: str) -> None:
    text = json.loads(held.get("data/train.octm"))
    text["paths"][7] = "absent.ffr"
    held.put("data/train.octm", json.dumps(text).encode())
    with octavo.open(manifest) as reader:
        assert reader[0] == RECORDS[0]
        with pytest.raises(errors.StorageError, match=r"absent\.ffr"):
            reader[145]


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"{}", b"null", b"\xff\xfe", b'{"octavo": "manifest", "version": 99}', b"[" * 100_000]
)
def test_what_is_no_manifest_is_refused(plain: HttpServer, held: HeldObjects, text: bytes) -> None:
    held.put("train.octm", text)
    with pytest.raises(errors.DamagedFileError, match=r"train\.octm"):
        octavo.open(f"{plain.endpoint}/train.octm")


def test_counts_that_lie_give_no_wrong_record(held: HeldObjects, manifest: str) -> None:
    text = json.loads(held.get("data/train.octm"))
    text["records"][2] += 1
    held.put("data/train.octm", json.dumps(text).encode())
    with octavo.open(manifest) as reader, pytest.raises(errors.OctavoError, match="train-00002"):
        reader.read_all()


def test_a_missing_manifest_is_not_found(moto: ObjectServer, lead: Lead, folder: str) -> None:
    with pytest.raises(errors.NotFoundError, match=r"absent\.octm"):
        octavo.open(lead(moto).url(f"{folder}/absent.octm"))

"""Indexes beside objects."""

from __future__ import annotations

import pytest

import octavo
from tests.cloud import samples
from tests.cloud.servers.object_server import ObjectServer

pytest.importorskip("obstore")

RECORDS = samples.make_records(300, size=200)


@pytest.fixture(params=["riegeli", "recordio", "tfrecord", "tfrecord-gzip"])
def kind(request: pytest.FixtureRequest) -> samples.Kind:
    return samples.BY_NAME[request.param]


def test_a_sidecar_is_written_beside_an_object(writable: ObjectServer, kind: samples.Kind, folder: str) -> None:
    url = writable.url(f"{folder}/records{kind.suffix}")
    with octavo.create(url, sidecar=True, **kind.options) as writer:
        writer.write_many(RECORDS)
    assert writable.keys(folder) == [f"{folder}/records{kind.suffix}", f"{folder}/records{kind.suffix}.octx"]
    with octavo.open(url) as reader:
        assert reader.info.sidecar
        assert list(reader) == RECORDS
    with octavo.open(writable.url(f"{folder}/rec*")) as reader:
        assert reader.info.file_count == 1
    with octavo.open(url, sidecar=False) as reader:
        assert not reader.info.sidecar


def test_an_index_is_written_later(writable: ObjectServer, kind: samples.Kind, folder: str) -> None:
    url = writable.url(f"{folder}/records{kind.suffix}")
    with octavo.create(url, **kind.options) as writer:
        writer.write_many(RECORDS)
    assert octavo.write_index(url) == [f"{url}.octx"]
    with octavo.open(url) as reader:
        assert reader.info.sidecar
        assert reader.read([299, 0]) == [RECORDS[299], RECORDS[0]]


@pytest.mark.parametrize(
    "others", [RECORDS[::-1], RECORDS[:-1], [*RECORDS, b"more"]], ids=["as long", "shorter", "longer"]
)
def test_a_sidecar_of_another_object_is_passed_over(
    writable: ObjectServer, kind: samples.Kind, folder: str, others: list[bytes]
) -> None:
    url = writable.url(f"{folder}/records{kind.suffix}")
    with octavo.create(url, sidecar=True, **kind.options) as writer:
        writer.write_many(RECORDS)
    with octavo.create(url, **kind.options) as writer:
        writer.write_many(others)
    with octavo.open(url) as reader:
        assert list(reader) == others


def test_an_append_writes_the_sidecar_anew(writable: ObjectServer, folder: str) -> None:
    url = writable.url(f"{folder}/records.tfrecord")
    with octavo.create(url, sidecar=True) as writer:
        writer.write_many(RECORDS)
    with octavo.append(url) as writer:
        writer.write(b"more")
    with octavo.open(url) as reader:
        assert reader.info.sidecar
        assert reader[-1] == b"more"

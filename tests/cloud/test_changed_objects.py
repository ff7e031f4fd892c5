"""Objects that are replaced or removed while a reader has them open."""

from __future__ import annotations

from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.cloud import samples
from tests.cloud.servers import faults
from tests.cloud.servers.held_objects import HeldObjects
from tests.cloud.servers.http_server import HttpServer, Request, Wire
from tests.cloud.servers.object_server import ObjectServer

obstore = pytest.importorskip("obstore")

RECORDS = samples.make_records(500, size=400)
OTHERS = [bytes(len(record)) for record in RECORDS]


@pytest.fixture(params=[samples.BY_NAME[name] for name in ("ffrecord", "array_record-64", "tfrecord")], ids=str)
def kind(request: pytest.FixtureRequest) -> samples.Kind:
    found: samples.Kind = request.param
    return found


@pytest.mark.parametrize("others", [OTHERS, OTHERS[:100], OTHERS + OTHERS], ids=["as long", "shorter", "longer"])
def test_a_replaced_object_is_noticed(
    readable: ObjectServer, kind: samples.Kind, folder: str, tmp_path: Path, others: list[bytes]
) -> None:
    key = f"{folder}/records{kind.suffix}"
    readable.put(key, samples.content(kind, RECORDS, tmp_path))
    with octavo.open(readable.url(key), cache_bytes=0) as reader:
        readable.put(key, samples.content(kind, others, tmp_path))
        with pytest.raises(errors.SourceChangedError, match=key):
            reader.read([7, 300, 499])
        with pytest.raises(errors.SourceChangedError, match=key):
            list(reader)
        with pytest.raises(errors.SourceChangedError, match=key):
            reader[0]


def test_an_object_written_again_by_octavo_is_noticed(writable: ObjectServer, kind: samples.Kind, folder: str) -> None:
    url = writable.url(f"{folder}/records{kind.suffix}")
    with octavo.create(url, **kind.options) as writer:
        writer.write_many(RECORDS)
    with octavo.open(url, cache_bytes=0) as reader:
        with octavo.create(url, **kind.options) as writer:
            writer.write_many(OTHERS)
        with pytest.raises(errors.SourceChangedError):
            reader[7]
    with octavo.open(url) as reader:
        assert reader[7] == OTHERS[7]


def test_a_removed_object_is_noticed(writable: ObjectServer, kind: samples.Kind, folder: str, tmp_path: Path) -> None:
    key = f"{folder}/records{kind.suffix}"
    writable.put(key, samples.content(kind, RECORDS, tmp_path))
    with octavo.open(writable.url(key), cache_bytes=0) as reader:
        obstore.delete(writable.store(), key)
        with pytest.raises((errors.SourceChangedError, errors.NotFoundError), match=key):
            reader[7]


@pytest.mark.parametrize("number", range(6))
def test_an_object_replaced_between_requests_gives_no_mixture(
    plain: HttpServer, held: HeldObjects, kind: samples.Kind, tmp_path: Path, number: int
) -> None:
    held.put("records", samples.content(kind, RECORDS, tmp_path))
    other = samples.content(kind, OTHERS, tmp_path)

    def replace(wire: Wire, request: Request) -> None:
        reply = wire.reply_to(request)
        held.put("records", other)
        wire.send(reply)

    found: list[bytes] = []
    with plain.failing(replace, after=number):
        try:
            with octavo.open(f"{plain.endpoint}/records", cache_bytes=0) as reader:
                for first in range(0, 500, 50):
                    found += reader.read(range(first, first + 50))
        except errors.SourceChangedError as error:
            assert "records" in str(error)  # noqa: PT017 - one of two good ends
    assert found in (RECORDS[: len(found)], OTHERS[: len(found)])


def test_a_reply_with_another_etag_is_of_another_object(
    plain: HttpServer, held: HeldObjects, kind: samples.Kind, tmp_path: Path
) -> None:
    held.put("records", samples.content(kind, RECORDS, tmp_path))
    with octavo.open(f"{plain.endpoint}/records", cache_bytes=0) as reader:
        with plain.failing(faults.other_etag, times=1_000_000), pytest.raises(errors.SourceChangedError):
            reader.read([7, 300, 499])
        assert reader[7] == RECORDS[7]

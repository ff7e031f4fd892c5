"""Patterns, shards, and what is not there or not for us."""

from __future__ import annotations

from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.cloud import samples
from tests.cloud.conftest import Lead
from tests.cloud.servers import faults, s3
from tests.cloud.servers.http_server import HttpServer
from tests.cloud.servers.object_server import ObjectServer

pytest.importorskip("obstore")

KIND = samples.BY_NAME["array_record-1"]


@pytest.fixture(params=["moto", "versitygw", "azurite", "fake_gcs"])
def listing(request: pytest.FixtureRequest, lead: Lead) -> ObjectServer:
    """Every server that tells what it has."""
    return lead(request.getfixturevalue(request.param))


def put_shards(server: ObjectServer, folder: str, tmp_path: Path, names: list[str]) -> None:
    for number, name in enumerate(names):
        server.put(f"{folder}/{name}", samples.content(KIND, [b"%d/%d" % (number, i) for i in range(10)], tmp_path))


def test_a_pattern_names_what_matches_in_order(listing: ObjectServer, folder: str, tmp_path: Path) -> None:
    put_shards(
        listing, folder, tmp_path, ["b-2.array_record", "a-1.array_record", "b-10.array_record", "c/b-3.array_record"]
    )
    with octavo.open(listing.url(f"{folder}/b-*.array_record")) as reader:
        assert [path.rpartition("/")[2] for path in reader.info.paths] == ["b-10.array_record", "b-2.array_record"]
        assert len(reader) == 20
    with octavo.open(listing.url(f"{folder}/?-[12].array_record")) as reader:
        assert [path.rpartition("/")[2] for path in reader.info.paths] == ["a-1.array_record", "b-2.array_record"]
    with octavo.open(listing.url(f"{folder}/**/b-*.array_record")) as reader:
        assert len(reader) == 30


def test_a_pattern_in_a_folder_name_matches_folders(listing: ObjectServer, folder: str, tmp_path: Path) -> None:
    put_shards(listing, folder, tmp_path, ["day-1/x.array_record", "day-2/x.array_record", "night/x.array_record"])
    with octavo.open(listing.url(f"{folder}/day-*/x.array_record")) as reader:
        assert len(reader) == 20


def test_a_folder_stands_for_its_record_files(listing: ObjectServer, folder: str, tmp_path: Path) -> None:
    put_shards(listing, folder, tmp_path, ["b.array_record", "a.array_record", "c/d.array_record"])
    listing.put(f"{folder}/notes.txt", b"not a record file")
    with octavo.open(listing.url(f"{folder}/")) as reader:
        assert [path.rpartition("/")[2] for path in reader.info.paths] == ["a.array_record", "b.array_record"]


def test_a_sharded_name_counts_its_shards(listing: ObjectServer, folder: str, tmp_path: Path) -> None:
    put_shards(listing, folder, tmp_path, [f"train-{i:05d}-of-00003.array_record" for i in range(3)])
    with octavo.open(listing.url(f"{folder}/train@3.array_record")) as reader:
        assert reader[10] == b"1/0"
        assert len(reader) == 30


def test_a_missing_shard_is_named(listing: ObjectServer, folder: str, tmp_path: Path) -> None:
    put_shards(listing, folder, tmp_path, [f"train-{i:05d}-of-00004.array_record" for i in (0, 1, 3)])
    with pytest.raises(errors.NotFoundError, match="train-00002-of-00004"):
        octavo.open(listing.url(f"{folder}/train@4.array_record"))


def test_a_missing_object_is_not_found(readable: ObjectServer, folder: str) -> None:
    url = readable.url(f"{folder}/absent.ffr")
    with pytest.raises(errors.NotFoundError, match=r"absent\.ffr") as raised:
        octavo.open(url)
    assert raised.value.path == url
    assert "Debug source" not in str(raised.value)


def test_a_pattern_that_matches_nothing_is_not_found(listing: ObjectServer, folder: str) -> None:
    with pytest.raises(errors.NotFoundError, match=r"absent-\*\.ffr"):
        octavo.open(listing.url(f"{folder}/absent-*.ffr"))


def test_a_missing_bucket_is_not_found(moto: ObjectServer, lead: Lead) -> None:
    lead(moto)
    with pytest.raises(errors.NotFoundError, match="no-such-bucket"):
        octavo.open("s3://no-such-bucket/records.ffr")


def test_odd_characters_of_keys_are_kept(listing: ObjectServer, folder: str, tmp_path: Path) -> None:
    name = "a b+c%20d=e,f&g.array_record"
    put_shards(listing, folder, tmp_path, [name])
    with octavo.open(octavo.storage.InStore(listing.store(), f"{folder}/{name}")) as reader:
        assert reader[3] == b"0/3"
    with octavo.open(listing.url(f"{folder}/a b*.array_record")) as reader:
        assert reader[3] == b"0/3"


def test_a_wrong_secret_is_no_permission(
    versitygw: ObjectServer, lead: Lead, monkeypatch: pytest.MonkeyPatch, folder: str, tmp_path: Path
) -> None:
    put_shards(versitygw, folder, tmp_path, ["records.array_record"])
    lead(versitygw)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "guessed")
    for name in ["records.array_record", "*.array_record"]:
        with pytest.raises(errors.PermissionDeniedError, match=folder) as raised:
            octavo.open(versitygw.url(f"{folder}/{name}"))
        assert len(str(raised.value)) < 1000


@pytest.mark.parametrize("code", [401, 403])
def test_a_refusal_is_no_permission(watched: HttpServer, lead: Lead, code: int) -> None:
    server = lead(s3.s3_at(watched.endpoint))
    with (
        watched.failing(faults.status(code), times=1000),
        pytest.raises(errors.PermissionDeniedError, match=r"records\.ffr"),
    ):
        octavo.open(server.url("records.ffr"))


def test_plain_http_has_no_patterns(plain: HttpServer) -> None:
    with pytest.raises(errors.OctavoError, match=r"list"):
        octavo.open(f"{plain.endpoint}/train-*.ffr")


@pytest.mark.parametrize("url", ["ftp://host/records.ffr", "s4://bucket/records.ffr"])
def test_an_unknown_scheme_is_told(url: str) -> None:
    with pytest.raises(errors.OctavoError, match=url.partition(":")[0]):
        octavo.open(url)


@pytest.mark.parametrize("url", ["s3://", "s3:///records.ffr", "az://", "http://"])
def test_a_url_without_a_place_is_told(url: str, moto: ObjectServer, lead: Lead) -> None:
    lead(moto)
    with pytest.raises(errors.OctavoError):
        octavo.open(url)

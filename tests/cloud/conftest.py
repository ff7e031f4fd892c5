"""Servers for every test of this folder, each started once, when a test first asks for it; and kinds of files."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cloud import samples
from tests.cloud.servers import azure, gcs, s3, toxic
from tests.cloud.servers.forwarding import forwarding
from tests.cloud.servers.held_objects import HeldObjects
from tests.cloud.servers.http_server import HttpServer
from tests.cloud.servers.object_server import ObjectServer

Lead = Callable[[ObjectServer], ObjectServer]
PREFIXES = ("AWS_", "GOOGLE_", "AZURE_", "AZURITE_")


@pytest.fixture(scope="session")
def server_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("servers")


@pytest.fixture(scope="session")
def moto(server_folder: Path) -> Iterator[ObjectServer]:
    pytest.importorskip("moto", reason="S3 is tested on moto: 'make test EXTRAS=all' installs it")
    with s3.moto(server_folder) as server:
        yield server


@pytest.fixture(scope="session")
def versitygw(server_folder: Path) -> Iterator[ObjectServer]:
    with s3.versitygw(server_folder) as server:
        yield server


@pytest.fixture(scope="session")
def fake_gcs(server_folder: Path) -> Iterator[ObjectServer]:
    with gcs.fake_gcs(server_folder) as server:
        yield server


@pytest.fixture(scope="session")
def azurite(server_folder: Path) -> Iterator[ObjectServer]:
    with azure.azurite(server_folder) as server:
        yield server


@pytest.fixture(scope="session")
def toxiproxy(server_folder: Path) -> Iterator[toxic.Toxiproxy]:
    with toxic.toxiproxy(server_folder) as server:
        yield server


@pytest.fixture(params=samples.KINDS, ids=str)
def kind(request: pytest.FixtureRequest) -> samples.Kind:
    found: samples.Kind = request.param
    return found


@pytest.fixture
def held() -> HeldObjects:
    """What `plain` serves."""
    return HeldObjects()


@pytest.fixture
def plain(held: HeldObjects) -> Iterator[HttpServer]:
    """Plain HTTP, counted and spoiled at will."""
    with HttpServer(held) as server:
        yield server


@pytest.fixture
def watched(moto: ObjectServer) -> Iterator[HttpServer]:
    """S3, counted and spoiled at will: `s3.s3_at(watched.endpoint)`."""
    with HttpServer(forwarding(moto.endpoint)) as server:
        yield server


@pytest.fixture
def lead(monkeypatch: pytest.MonkeyPatch) -> Lead:
    """Makes URLs lead to a server, and nowhere else."""

    def lead_to(server: ObjectServer) -> ObjectServer:
        for name in os.environ:
            if name.startswith(PREFIXES):
                monkeypatch.delenv(name)
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        return server

    return lead_to


@pytest.fixture
def folder() -> str:
    """A prefix that no other test uses."""
    return f"tests/{uuid.uuid4().hex}"


@pytest.fixture(params=["moto", "versitygw", "azurite"])
def writable(request: pytest.FixtureRequest, lead: Lead) -> ObjectServer:
    """Every server that objects can be written to by URL."""
    return lead(request.getfixturevalue(request.param))


@pytest.fixture(params=["moto", "versitygw"])
def s3_server(request: pytest.FixtureRequest, lead: Lead) -> ObjectServer:
    """Every server that tells which uploads were not finished."""
    return lead(request.getfixturevalue(request.param))


@pytest.fixture(params=["moto", "versitygw", "azurite", "fake_gcs", "plain"])
def readable(request: pytest.FixtureRequest, lead: Lead) -> ObjectServer:
    """Every server that objects can be read from by URL."""
    server = request.getfixturevalue(request.param)
    if isinstance(server, HttpServer):
        server = server.as_object_server(request.getfixturevalue("held").put)
    return lead(server)

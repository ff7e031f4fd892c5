"""The servers of this folder do what the other tests take them for."""

from __future__ import annotations

import http.client
import threading
import urllib.error
import urllib.request

import pytest

from tests.cloud.servers import faults, s3
from tests.cloud.servers.forwarding import forwarding
from tests.cloud.servers.held_objects import HeldObjects
from tests.cloud.servers.http_server import Fault, HttpServer, Reply, Request
from tests.cloud.servers.object_server import ObjectServer
from tests.cloud.servers.toxic import Toxiproxy

obstore = pytest.importorskip("obstore")

CONTENT = bytes(range(200)) * 10
PATIENCE_S = 60.0  # a machine that is busy with other tests
STALL_S = 600.0


def fetch(
    server: HttpServer,
    key: str = "object",
    span: str = "bytes=100-299",
    if_match: str | None = None,
    timeout_s: float = PATIENCE_S,
) -> tuple[int, bytes]:
    headers = {"Range": span} | ({} if if_match is None else {"If-Match": if_match})
    request = urllib.request.Request(f"{server.endpoint}/{key}", headers=headers)
    with urllib.request.urlopen(request, timeout=timeout_s) as reply:
        return reply.status, reply.read()


@pytest.fixture
def server(plain: HttpServer, held: HeldObjects) -> HttpServer:
    held.put("object", CONTENT)
    return plain


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ("bytes=0-0", CONTENT[:1]),
        ("bytes=1990-", CONTENT[1990:]),
        ("bytes=-7", CONTENT[-7:]),
        ("bytes=5-9999", CONTENT[5:]),
    ],
)
def test_ranges_are_served(server: HttpServer, span: str, expected: bytes) -> None:
    assert fetch(server, span=span) == (206, expected)


def test_requests_and_bytes_are_counted(server: HttpServer) -> None:
    fetch(server)
    fetch(server, span="bytes=0-9")
    with pytest.raises(urllib.error.HTTPError, match="404"):
        fetch(server, key="absent")
    assert [(one.status, one.span, one.body_bytes) for one in server.traffic.exchanges("GET", "/object")] == [
        (206, "bytes=100-299", 200),
        (206, "bytes=0-9", 10),
    ]
    assert server.traffic.body_bytes("/object") == 210


def test_requests_at_the_same_time_are_one_round(server: HttpServer, held: HeldObjects) -> None:
    server.latency_s = 0.1
    all_are_noted = threading.Barrier(20)  # a busy machine may take longer than that between two of them

    def answer_together(request: Request) -> Reply:
        all_are_noted.wait(PATIENCE_S)
        return held(request)

    server.origin = answer_together
    threads = [threading.Thread(target=fetch, args=(server,)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.status for one in server.traffic.exchanges()] == [206] * 20
    assert server.traffic.rounds() == 1
    server.origin = held
    fetch(server)
    fetch(server)
    assert server.traffic.rounds() == 3


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (faults.status(500), urllib.error.HTTPError),
        (faults.status(503, retry_after="1"), urllib.error.HTTPError),
        (faults.stall(STALL_S), TimeoutError),
        (faults.stall(STALL_S, in_body=True), TimeoutError),
        (faults.reset, OSError),
        (faults.reset_in_body, ConnectionResetError),
        (faults.truncated_body, http.client.IncompleteRead),
        (faults.whole_object, (200, CONTENT)),
        (faults.wrong_content_range, (206, CONTENT[100:300])),
        (faults.bytes_from_elsewhere, (206, CONTENT[7:207])),
        (faults.too_few_bytes, (206, CONTENT[100:200])),
        (faults.too_many_bytes, (206, CONTENT[100:300] + b"more than was asked for")),
        (faults.other_etag, (206, CONTENT[100:300])),
    ],
)
def test_a_fault_spoils_one_request(
    server: HttpServer, fault: Fault, expected: type[Exception] | tuple[int, bytes]
) -> None:
    with server.failing(fault, after=1) as matched:
        assert fetch(server) == (206, CONTENT[100:300])
        if isinstance(expected, tuple):
            assert fetch(server) == expected
        else:
            with pytest.raises(expected):
                fetch(server, timeout_s=2 if expected is TimeoutError else PATIENCE_S)
        assert fetch(server) == (206, CONTENT[100:300])
    assert len(matched) == 3


def test_a_replaced_object_no_longer_matches(server: HttpServer, held: HeldObjects) -> None:
    with urllib.request.urlopen(f"{server.endpoint}/object", timeout=PATIENCE_S) as reply:
        etag = reply.headers["ETag"]
    assert fetch(server, if_match=etag)[0] == 206
    held.put("object", CONTENT[::-1])
    with pytest.raises(urllib.error.HTTPError, match="412"):
        fetch(server, if_match=etag)


def test_objects_come_and_go_on_every_server(writable: ObjectServer, folder: str) -> None:
    writable.put(f"{folder}/object", CONTENT)
    assert writable.get(f"{folder}/object") == CONTENT
    assert writable.keys(folder) == [f"{folder}/object"]


def test_google_lists_what_was_uploaded(fake_gcs: ObjectServer, folder: str) -> None:
    fake_gcs.put(f"{folder}/object", CONTENT)
    assert fake_gcs.get(f"{folder}/object") == CONTENT
    assert fake_gcs.keys(folder) == [f"{folder}/object"]


def test_signed_requests_pass_a_watcher(versitygw: ObjectServer, folder: str) -> None:
    with HttpServer(forwarding(versitygw.endpoint)) as watcher:
        behind = s3.s3_at(watcher.endpoint)
        behind.put(f"{folder}/object", CONTENT)
        watcher.traffic.clear()
        assert bytes(obstore.get_range(behind.store(), f"{folder}/object", start=3, end=9)) == CONTENT[3:9]
        assert [one.body_bytes for one in watcher.traffic.exchanges()] == [6]


def test_a_wrong_secret_is_refused(versitygw: ObjectServer) -> None:
    with pytest.raises(obstore.exceptions.PermissionDeniedError):
        obstore.put(versitygw.store(secret_access_key="guessed"), "object", b"")


def test_toxics_spoil_a_connection_while_they_are_there(
    toxiproxy: Toxiproxy, server: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with toxiproxy.before(server.endpoint) as endpoint:
        monkeypatch.setattr(server, "endpoint", endpoint)
        with toxiproxy.toxic("limit_data", bytes=350), pytest.raises((OSError, http.client.HTTPException)):
            fetch(server)
        assert fetch(server) == (206, CONTENT[100:300])

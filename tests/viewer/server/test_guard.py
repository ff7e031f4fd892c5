"""Who gets an answer, and what answers may do."""

from __future__ import annotations

import socket

import pytest

import octavo
from tests.settling import PATIENCE_S

PATHS = ["", "page/script/app.js", "api/about", "api/records?start=0&count=1", "api/record/0", "api/nothing", "nothing"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("guarded")


@pytest.fixture(scope="module")
def client(view, folder):
    with octavo.create(folder / "a.ffr") as writer:
        writer.write_many([b"<script>alert(1)</script>", b"two"])
    return view(folder / "a.ffr", export_folder=folder)


@pytest.mark.parametrize(
    "path", ["/", "/api/about", "/x/api/about", "//api/about", "/page/script/app.js", "/open/", "/open/x"]
)
def test_nothing_is_told_without_the_token(client, path):
    answer = client.ask("GET", path)
    assert answer.status == 403
    assert client.viewer._guard.token.encode() not in answer.body


def test_a_part_of_the_token_is_no_token(client):
    token = client.base.strip("/")
    for wrong in (token[:-1], token + "x", token.swapcase(), ""):
        assert client.ask("GET", f"/{wrong}/api/about").status == 403


def test_a_token_that_is_no_ascii_is_refused(client):
    assert client.ask("GET", "/%C3%A9%FF/api/about").status == 403


def test_two_viewers_have_two_tokens(client, view, folder):
    other = view(folder / "a.ffr")
    assert other.ask("GET", client.base + "api/about").status == 403


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:80",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "",
        "192.168.0.1",
        "[::2]",
        "[::1]evil.example",
        "127.0.0.1:1:2",
        "evil@localhost",
        "0.0.0.0",
    ],
)
def test_a_foreign_host_is_refused(client, path, host):
    assert client.get(path, Host=host).status == 403


@pytest.mark.parametrize("host", ["localhost", "localhost:9999", "127.0.0.1:9999", "LOCALHOST:80", "[::1]:80"])
def test_a_tunnel_may_change_the_port(client, host):
    assert client.get("api/about", Host=host).status == 200


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", "http://localhost"]
)
def test_a_foreign_origin_is_refused(client, path, origin):
    assert client.get(path, Origin=origin).status == 403


def test_the_pages_own_origin_is_let_in(client):
    assert client.get("api/about", Origin=f"http://{client.host}:{client.port}").status == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_other_sites_may_not_load_anything(client, site):
    for path in ("api/about", "page/script/app.js", "api/record/0/download"):
        assert client.get(path, Sec_Fetch_Site=site).status == 403
        # Not as a frame or a window either: only the page itself can be linked to.
        headers = {"Sec_Fetch_Site": site, "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
        assert client.get(path, **headers).status == 403


def test_a_link_elsewhere_may_lead_to_the_page(client):
    link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert client.get("", **link).status == 200
    assert client.get("", **(link | {"Sec_Fetch_Dest": "iframe"})).status == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_form_of_another_page_cannot_start_work(client, kind, folder):
    body = b'{"name": "x", "format": "ffrecord", "numbers": [0]}'
    assert client.ask("POST", client.base + "api/export", body, {"content-type": kind}).status == 403
    assert [path.name for path in folder.iterdir()] == ["a.ffr"]


def test_a_body_of_any_size_is_not_read(client):
    headers = {"content-type": "application/json", "content-length": str(1 << 40)}
    assert client.ask("POST", client.base + "api/find", b"{", headers).status == 403
    headers = {"content-type": "application/json", "transfer-encoding": "chunked"}
    assert client.ask("POST", client.base + "api/find", b"0\r\n\r\n", headers).status == 403
    headers["content-length"] = "2"
    assert client.ask("POST", client.base + "api/find", b"0\r\n\r\n", headers).status in {400, 403}


def test_who_goes_away_within_a_body_ends_nothing(client, caplog):
    with socket.create_connection((client.host, client.port), timeout=PATIENCE_S) as raw:
        line = f"POST {client.base}api/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        raw.sendall(f"{line}Content-Length: 200\r\n\r\n{{}}".encode())
    assert client.get("api/about").status == 200
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST"])
def test_other_methods_are_refused(client, method):
    headers = {"content-type": "application/json"}
    assert client.ask(method, client.base + "api/about", b"{}", headers).status in {403, 405}


@pytest.mark.parametrize("path", PATHS)
def test_no_answer_can_run_be_framed_or_be_taken_for_another_type(client, path):
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["access-control-allow-origin"] is None
    if path:
        assert headers["content-type"].partition(";")[0] in {"application/json", "text/javascript"}
        assert "sandbox" in policy


@pytest.mark.parametrize(
    "path",
    [
        "page/../../blocks.py", "page/%2e%2e/%2e%2e/blocks.py", "page/..%2f..%2fblocks.py", "page//etc/passwd", "page/",
        "page/script", "page/script/../index.html", "../page/index.html", "page/index.html", "page/..\\..\\blocks.py",
        "page/%00", "api/record/0/../../about", "api/record/-1", "api/record/0x0", "api/record/1e3",
        "api/record/%D9%A3",
    ],
)  # fmt: skip
def test_no_path_leads_elsewhere(client, path):
    assert client.get(path).status in {400, 403, 404}


def test_the_address_of_the_command_line_opens_the_page_once(client):
    path = client.viewer.once_url.partition(str(client.port))[2]
    assert client.ask("HEAD", path).status == 403
    first = client.ask("GET", path)
    assert (first.status, first.headers["location"]) == (303, client.base)
    assert client.ask("GET", path).status == 403


def test_a_lost_slash_is_put_back(client):
    answer = client.ask("GET", client.base.rstrip("/"))
    assert (answer.status, answer.headers["location"]) == (303, client.base)
    assert client.get("api/about/").status == 404


def test_the_address_of_the_command_line_does_not_hold_the_token(client):
    assert client.base.strip("/") not in client.viewer.once_url


def test_a_socket_of_the_web_is_refused(client):
    with socket.create_connection((client.host, client.port), timeout=PATIENCE_S) as raw:
        raw.sendall(
            f"GET {client.base}api/about HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        assert raw.recv(100).startswith(b"HTTP/1.1 403")


@pytest.mark.parametrize("junk", [b"\x00\xff\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"x" * 100_000])
def test_what_is_no_request_ends_no_server(client, junk):
    with socket.create_connection((client.host, client.port), timeout=PATIENCE_S) as raw:
        raw.sendall(junk)
    assert client.get("api/about").status == 200


def test_a_host_of_ones_own_knows_the_names_of_the_machine(view, tmp_path):
    with octavo.create(tmp_path / "a.ffr") as writer:
        writer.write(b"one")
    client = view(tmp_path / "a.ffr", host="0.0.0.0")
    assert client.host == "127.0.0.1"
    assert client.get("api/about", Host=socket.gethostname()).status == 200
    assert client.get("api/about", Host="10.1.2.3:80").status == 200
    assert client.get("api/about", Host="evil.example").status == 403

"""A viewer's server, asked over its socket: what a browser, or somebody who pretends to be one, can do."""

from __future__ import annotations

import http.client
import json
import urllib.parse
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the viewer needs Starlette: 'make test' installs it")
pytest.importorskip("uvicorn", reason="the viewer needs uvicorn: 'make test' installs it")

from octavo.viewer import Viewer

TIMEOUT_S = 60


class Answer:
    """What came back."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.body.splitlines()]

    @property
    def end(self) -> dict[str, Any]:
        assert list(self.events[-1]) == ["end"], self.events[-1]
        end: dict[str, Any] = self.events[-1]["end"]
        return end


class Client:
    """Asks a viewer."""

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        parts = urllib.parse.urlsplit(viewer.url)
        self.host, self.port, self.base = parts.hostname, parts.port, parts.path

    def ask(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Answer:
        """A request with exactly this path."""
        connection = http.client.HTTPConnection(self.host or "", self.port, timeout=TIMEOUT_S)
        try:
            connection.request(method, path, body, headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        """A request below the token."""
        return self.ask(
            "GET", self.base + path, headers={name.replace("_", "-"): text for name, text in headers.items()}
        )

    def post(self, path: str, asked: object) -> Answer:
        return self.ask("POST", self.base + path, json.dumps(asked).encode(), {"content-type": "application/json"})

    def begin(self, path: str, asked: object) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """Work whose events are still to come; closing the connection ends it."""
        connection = http.client.HTTPConnection(self.host or "", self.port, timeout=TIMEOUT_S)
        headers = {"content-type": "application/json"}
        connection.request("POST", self.base + path, json.dumps(asked).encode(), headers)
        return connection, connection.getresponse()

    def cards(self, query: str) -> list[dict[str, Any]]:
        answer = self.get(f"api/records?{query}")
        assert answer.status == 200, answer.body
        records: list[dict[str, Any]] = answer.json["records"]
        return records


@pytest.fixture(scope="module")
def view() -> Iterator[Callable[..., Client]]:
    """Opens viewers, which end with the tests of a file: to end takes each a moment."""
    viewers: list[Viewer] = []

    def open_viewer(location: Any, **options: Any) -> Client:
        viewer = Viewer(location, **options)
        viewers.append(viewer)
        viewer.start()
        return Client(viewer)

    yield open_viewer
    for viewer in viewers:
        viewer.close()

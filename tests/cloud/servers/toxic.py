"""Toxiproxy: a bad network between a client and a server."""

from __future__ import annotations

import contextlib
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.cloud.servers.processes import PATIENCE_S, find_tool, running


class Toxiproxy:
    """Proxies of one process; `api` is where it is told what to do."""

    def __init__(self, api: str) -> None:
        self._api = api

    def _call(self, method: str, path: str, content: Any = None) -> bytes:
        data = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(self._api + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as reply:
            return bytes(reply.read())

    @contextlib.contextmanager
    def before(self, endpoint: str) -> Iterator[str]:
        """The address of a proxy that passes everything on to `endpoint`."""
        proxy = {"name": "tested", "listen": "127.0.0.1:0", "upstream": urlsplit(endpoint).netloc}
        made = json.loads(self._call("POST", "/proxies", proxy))
        try:
            yield f"http://{made['listen']}"
        finally:
            self._call("DELETE", "/proxies/tested")

    @contextlib.contextmanager
    def toxic(self, kind: str, *, toxicity: float = 1.0, **attributes: int) -> Iterator[None]:
        """Spoil what the server sends, on all connections or a part of them, while the block runs."""
        content = {"name": kind, "type": kind, "toxicity": toxicity, "attributes": attributes}
        self._call("POST", "/proxies/tested/toxics", content)
        try:
            yield
        finally:
            self._call("DELETE", f"/proxies/tested/toxics/{kind}")


@contextlib.contextmanager
def toxiproxy(folder: Path) -> Iterator[Toxiproxy]:
    command = [find_tool("toxiproxy-server"), "-host", "127.0.0.1", "-port", "{port}", "-seed", "1"]
    with running(command, folder / "toxiproxy.log") as port:
        yield Toxiproxy(f"http://127.0.0.1:{port}")

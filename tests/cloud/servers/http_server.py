"""An HTTP server that counts, takes its time, and misbehaves where a rule says so.

What it serves comes from its origin: objects in memory (`held_objects.py`) or another server (`forwarding.py`).
"""

from __future__ import annotations

import contextlib
import http.server
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Self

from tests.cloud.servers.object_server import ObjectServer
from tests.cloud.servers.traffic import Exchange, Traffic


class Request(NamedTuple):
    method: str
    target: str
    headers: dict[str, str]
    """By lower-case name."""
    body: bytes


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    """By lower-case name."""
    body: bytes

    def but(self, **headers: str) -> Reply:
        """The same with other headers."""
        return self._replace(headers={**self.headers, **{name.replace("_", "-"): headers[name] for name in headers}})


Origin = Callable[[Request], Reply]
Fault = Callable[["Wire", Request], None]
"""Does something else than to send the reply that the origin has."""


class Rule(NamedTuple):
    fault: Fault
    when: Callable[[Request], bool]
    numbers: range
    """Which of the requests that match: the first is 0."""
    matched: list[Request]


class HttpServer:
    """Serves while it is used in a `with` block."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.traffic = Traffic()
        self.latency_s = 0.0
        """Nothing is answered before no request has come for so long: rounds can be told apart on a busy machine."""
        self.closing = threading.Event()
        self.latest = 0.0
        self._rules: list[Rule] = []
        self._turn = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), Wire)
        self._server.outer = self
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"

    @contextlib.contextmanager
    def failing(
        self, fault: Fault, *, when: Callable[[Request], bool] = lambda _: True, times: int = 1, after: int = 0
    ) -> Iterator[list[Request]]:
        """Answer `times` requests with `fault` while the block runs, `after` so many good ones; gives what matched."""
        rule = Rule(fault, when, range(after, after + times), [])
        with self._turn:
            self._rules.append(rule)
        try:
            yield rule.matched
        finally:
            with self._turn:
                self._rules.remove(rule)

    def fault_for(self, request: Request) -> Fault | None:
        with self._turn:
            for rule in self._rules:
                if rule.when(request):
                    rule.matched.append(request)
                    if len(rule.matched) - 1 in rule.numbers:
                        return rule.fault
        return None

    def as_object_server(self, put: Callable[[str, bytes], None]) -> ObjectServer:
        """Itself as a server of plain HTTP, where `put` brings an object into being."""
        return ObjectServer("http", self.endpoint.removeprefix("http://"), self.endpoint, {}, {}, put)

    def wait_for_quiet(self) -> None:
        while self.latency_s and (left := self.latest + self.latency_s - time.monotonic()) > 0:
            time.sleep(left)

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


class _Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True
    block_on_close = False
    outer: HttpServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are part of the tests."""


class Wire(http.server.BaseHTTPRequestHandler):
    """One connection; what faults are made of."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16
    server: _Server
    exchange: Exchange

    def answer(self) -> None:
        outer = self.server.outer
        outer.latest = began = time.monotonic()
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", 0)))
        request = Request(self.command, self.path, headers, body)
        self.exchange = Exchange(self.command, self.path, headers.get("range"), began)
        outer.traffic.note(self.exchange)
        fault = outer.fault_for(request)
        if fault is None:
            self.send(self.reply_to(request))
        else:
            fault(self, request)

    def reply_to(self, request: Request) -> Reply:
        return self.server.outer.origin(request)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_PROPFIND = answer  # noqa: N815 - the base class wants these

    def send(self, reply: Reply, *, only: int | None = None) -> None:
        """Send a reply, or its head and the `only` first bytes of its body."""
        self.server.outer.wait_for_quiet()
        self.exchange.ended = time.monotonic()
        self.send_response(reply.status)
        sized = reply if self.command == "HEAD" else reply.but(content_length=str(len(reply.body)))
        for name, value in sized.headers.items():
            self.send_header(name, value)
        self.end_headers()
        part = b"" if self.command == "HEAD" else reply.body[:only]
        self.exchange.status = reply.status
        self.exchange.body_bytes = len(part)
        self.wfile.write(part)
        self.wfile.flush()

    def hang_up(self) -> None:
        """End the connection as a server that is done with it."""
        self.close_connection = True

    def reset(self) -> None:
        """End the connection as a machine that went down does."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())

    def stall(self, seconds: float) -> None:
        """Neither send nor end."""
        self.server.outer.closing.wait(seconds)

    def log_message(self, *_: object) -> None:
        """The traffic is noted elsewhere."""

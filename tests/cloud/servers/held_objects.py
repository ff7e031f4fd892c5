"""Objects in memory, served by ranges: what a plain HTTP server does."""

from __future__ import annotations

import hashlib
import re
from email.utils import formatdate
from urllib.parse import unquote, urlsplit

from tests.cloud.servers.http_server import Reply, Request

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


class HeldObjects:
    """An origin. Replacing an object changes its ETag, and every object is a second later than the one put before."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[bytes, str, int]] = {}
        self._seconds = 0

    def put(self, key: str, data: bytes) -> None:
        self._seconds += 1
        self._held[f"/{key}"] = data, f'"{hashlib.md5(data).hexdigest()}"', self._seconds

    def get(self, key: str) -> bytes:
        return self._held[f"/{key}"][0]

    def __call__(self, request: Request) -> Reply:
        held = self._held.get(unquote(urlsplit(request.target).path))
        if request.method not in {"GET", "HEAD"}:
            return Reply(405, {}, b"")
        if held is None:
            return Reply(404, {}, b"no such object")
        data, etag, modified = held
        headers = {"etag": etag, "last-modified": formatdate(modified, usegmt=True), "accept-ranges": "bytes"}
        if request.headers.get("if-match", etag) != etag:
            return Reply(412, headers, b"")
        if request.method == "HEAD":
            return Reply(200, {**headers, "content-length": str(len(data))}, b"")
        if asked := _RANGE.fullmatch(request.headers.get("range", "")):
            return _part(data, asked[1], asked[2], headers)
        return Reply(200, headers, data)


def _part(data: bytes, first: str, last: str, headers: dict[str, str]) -> Reply:
    start = int(first) if first else max(len(data) - int(last), 0)
    end = min(int(last) + 1, len(data)) if first and last else len(data)
    if start >= end:
        return Reply(416, {"content-range": f"bytes */{len(data)}"}, b"")
    return Reply(206, {**headers, "content-range": f"bytes {start}-{end - 1}/{len(data)}"}, data[start:end])

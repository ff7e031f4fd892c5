"""Who may ask, and what answers may do: the border of the server.

- A request has the token in its path. It is compared in constant time.
- `Host` is a name of this machine: a page elsewhere whose name was made to point here (DNS rebinding) is refused.
- `Origin`, where a browser sends it, and `Sec-Fetch-Site` say that the page itself asks. Only the page as such may be
  opened from elsewhere, by a link; it shows nothing to whoever has linked it.
- What is written needs a JSON body of bounded size, which forms of other pages cannot send.
- Every answer has a policy under which nothing in it can run, load from elsewhere, be framed, or be taken for another
  type than it is.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
import socket
import time
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_MOST_BODY_BYTES = 4 << 20
_CODE_LIFETIME_S = 120.0
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:@/]+))(?::\d*)?")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
# What a record holds is content, never a page: nothing of it loads or runs even where it is opened by itself.
CONTENT_POLICY = (
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'none'; frame-ancestors 'none'; sandbox"
)

_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class Guard:
    """The application behind its border.

    Attributes:
        token: What every path begins with.
        code: What opens the page once, soon after the start. It stands on the command line of the browser, which
            others on the machine can see, and is worth nothing afterwards.
    """

    def __init__(self, app: ASGIApp, host: str) -> None:
        self.token = secrets.token_urlsafe(24)
        self.code = secrets.token_urlsafe(24)
        self._code_ends = time.monotonic() + _CODE_LIFETIME_S
        self._app = app
        self._is_known_host = _known_hosts(host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        answer = _with_headers(send)
        path = str(scope["path"])
        if reason := self._refusal(scope, path):
            await PlainTextResponse(reason + "\n", 403)(scope, receive, answer)
            return
        if path in {f"/open/{self.code}", f"/{self.token}"}:  # the last slash is easily lost
            if path.startswith("/open/"):
                self._code_ends = 0.0
            await RedirectResponse(f"/{self.token}/", 303)(scope, receive, answer)
            return
        inner = dict(scope)
        inner["path"] = path.removeprefix(f"/{self.token}")
        inner["raw_path"] = inner["path"].encode()
        await self._app(inner, receive, answer)

    def _refusal(self, scope: Scope, path: str) -> str | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_known_host(_name_of(host)):
            return "this is not the name of the machine that octavo view runs on"
        if (origin := headers.get("origin")) is not None and origin != f"http://{host}":
            return "another page may not ask here"
        is_link = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        is_page = "/" not in path.strip("/")
        if headers.get("sec-fetch-site", "none") not in {"none", "same-origin"} and not (is_link and is_page):
            return "another page may not ask here"
        if path.startswith("/open/") and scope["method"] == "GET":  # to ask what is there does not open it
            return self._refusal_of_code(path.removeprefix("/open/"))
        token, _, _ = path.removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return "open the address that octavo view has printed: it holds a token"
        return _refusal_of_body(scope, headers)

    def _refusal_of_code(self, code: str) -> str | None:
        is_good = secrets.compare_digest(code.encode(), self.code.encode()) and time.monotonic() < self._code_ends
        return None if is_good else "this address opens the page once; open the one that octavo view has printed"


def _refusal_of_body(scope: Scope, headers: Headers) -> str | None:
    if scope["method"] in {"GET", "HEAD"}:
        return None
    if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return "a body of JSON is expected"
    length = headers.get("content-length", "")
    if "transfer-encoding" in headers:  # which would count, and have no bound
        return "a body of known size is expected"
    if not (length.isascii() and length.isdigit()) or int(length) > _MOST_BODY_BYTES:
        return f"a body of at most {_MOST_BODY_BYTES:,} bytes is expected"
    return None


def _name_of(host: str) -> str:
    """A `Host` header without its port: tunnels change that."""
    found = _HOST.fullmatch(host)
    return "" if found is None else (found[1] or found[2]).lower()


def _known_hosts(host: str) -> Callable[[str], bool]:
    """Which names in `Host` are ours. An address can be no name that somebody else has made point here."""
    names = set(_LOOPBACK)
    if host in _LOOPBACK:
        return names.__contains__
    names |= {host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()}
    return lambda name: name in names or _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _with_headers(send: Send) -> Send:
    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("content-security-policy", CONTENT_POLICY)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return answer

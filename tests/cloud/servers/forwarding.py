"""Another server as an origin, so that its traffic is counted and spoiled as well."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

from tests.cloud.servers.http_server import Origin, Reply, Request

_OF_THE_CONNECTION = {"connection", "keep-alive", "transfer-encoding"}


def forwarding(endpoint: str) -> Origin:
    """Pass requests on as they are: signatures cover the Host header, too."""
    address = urlsplit(endpoint).netloc

    def origin(request: Request) -> Reply:
        upstream = http.client.HTTPConnection(address, timeout=60)
        try:
            headers = {name: value for name, value in request.headers.items() if name not in _OF_THE_CONNECTION}
            upstream.request(request.method, request.target, request.body or None, headers)
            reply = upstream.getresponse()
            body = reply.read()
        finally:
            upstream.close()
        told = {name.lower(): value for name, value in reply.getheaders()}
        return Reply(reply.status, {name: told[name] for name in told.keys() - _OF_THE_CONNECTION}, body)

    return origin

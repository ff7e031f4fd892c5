"""Ways in which a server can fail to send what it was asked for."""

from __future__ import annotations

from tests.cloud.servers.http_server import Fault, Reply, Request, Wire


def status(code: int, **headers: str) -> Fault:
    """Do nothing, and say so."""

    def fault(wire: Wire, _: Request) -> None:
        wire.send(Reply(code, {}, b"on purpose").but(**headers))

    return fault


def lost_reply(wire: Wire, request: Request) -> None:
    """Do what was asked, and say that it could not be done."""
    wire.reply_to(request)
    wire.send(Reply(500, {}, b"on purpose"))


def stall(seconds: float, *, in_body: bool = False) -> Fault:
    """Send nothing, or half of the body, and then nothing for a while."""

    def fault(wire: Wire, request: Request) -> None:
        if in_body:
            _send_half(wire, request)
        wire.stall(seconds)
        wire.hang_up()

    return fault


def reset(wire: Wire, _: Request) -> None:
    wire.reset()


def reset_in_body(wire: Wire, request: Request) -> None:
    _send_half(wire, request)
    wire.reset()


def truncated_body(wire: Wire, request: Request) -> None:
    """The connection ends in the middle of the body, though the head has promised all of it."""
    _send_half(wire, request)
    wire.hang_up()


def _send_half(wire: Wire, request: Request) -> None:
    reply = wire.reply_to(request)
    wire.send(reply, only=len(reply.body) // 2)


def whole_object(wire: Wire, request: Request) -> None:
    """As a server that does not know ranges: 200 instead of 206."""
    headers = {name: value for name, value in request.headers.items() if name != "range"}
    wire.send(wire.reply_to(request._replace(headers=headers)))


def wrong_content_range(wire: Wire, request: Request) -> None:
    """The head says that the bytes are from elsewhere."""
    reply = wire.reply_to(request)
    wire.send(reply.but(content_range=f"bytes 1-{len(reply.body)}/{10 * len(reply.body)}"))


def bytes_from_elsewhere(wire: Wire, request: Request) -> None:
    """The bytes are from elsewhere, and the head says nothing of it."""
    reply = wire.reply_to(request)
    whole = wire.reply_to(request._replace(headers={**request.headers, "range": "bytes=0-"})).body
    wire.send(reply._replace(body=(whole + whole)[7 : 7 + len(reply.body)]))


def too_few_bytes(wire: Wire, request: Request) -> None:
    """A body that is shorter than the range, and a head that agrees with the body."""
    reply = wire.reply_to(request)
    wire.send(reply._replace(body=reply.body[: len(reply.body) // 2]))


def too_many_bytes(wire: Wire, request: Request) -> None:
    reply = wire.reply_to(request)
    wire.send(reply._replace(body=reply.body + b"more than was asked for"))


def other_etag(wire: Wire, request: Request) -> None:
    """The reply says that the object is another one now."""
    wire.send(wire.reply_to(request).but(etag='"another"'))

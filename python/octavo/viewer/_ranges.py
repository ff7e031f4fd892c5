"""Content in ranges: players ask for the part that is heard."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from octavo.viewer._pieces import PIECE_BYTES, pieces

_RANGE = re.compile(r"bytes=(\d{1,18})?-(\d{1,18})?")
_MOST_RANGE_BYTES = 2 << 20  # players ask for the next range; one that waits in the network is not to hold all of it
_CACHED = "private, max-age=300"  # scrolling back asks for the same images again


def ranged(request: Request, content: bytes, media_type: str) -> Response:
    """The content, or the one range of it that was asked for."""
    headers = {"accept-ranges": "bytes", "cache-control": _CACHED}
    found = _RANGE.fullmatch(request.headers.get("range", ""))
    size = len(content)
    if found is None or not any(found.groups()):
        if size <= PIECE_BYTES:
            return Response(content, media_type=media_type, headers=headers)
        headers["content-length"] = str(size)
        return StreamingResponse(pieces(content), media_type=media_type, headers=headers)
    if found[1] is None:  # so many at the end
        start, stop = max(size - int(found[2]), 0), size
    else:
        start, stop = int(found[1]), min(int(found[2] or size) + 1, size)
    stop = min(stop, start + _MOST_RANGE_BYTES)
    if start >= stop:
        return Response(status_code=416, headers={**headers, "content-range": f"bytes */{size}"})
    headers["content-range"] = f"bytes {start}-{stop - 1}/{size}"
    return Response(content[start:stop], 206, media_type=media_type, headers=headers)

"""Content in ranges: players ask for the part that is heard."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import Response

_RANGE = re.compile(r"bytes=(\d{1,18})?-(\d{1,18})?")
_CACHED = "private, max-age=300"  # scrolling back asks for the same images again


def ranged(request: Request, content: bytes, media_type: str) -> Response:
    """The content, or the one range of it that was asked for."""
    headers = {"accept-ranges": "bytes", "cache-control": _CACHED}
    found = _RANGE.fullmatch(request.headers.get("range", ""))
    if found is None or not any(found.groups()):
        return Response(content, media_type=media_type, headers=headers)
    size = len(content)
    if found[1] is None:  # so many at the end
        start, stop = max(size - int(found[2]), 0), size
    else:
        start, stop = int(found[1]), min(int(found[2] or size) + 1, size)
    if start >= stop:
        return Response(status_code=416, headers={**headers, "content-range": f"bytes */{size}"})
    headers["content-range"] = f"bytes {start}-{stop - 1}/{size}"
    return Response(content[start:stop], 206, media_type=media_type, headers=headers)

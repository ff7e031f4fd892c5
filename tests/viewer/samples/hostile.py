"""Records that want to be more than records. Whatever runs of them sets `window.__pwned`, or asks some other host."""

from __future__ import annotations

import json
import zlib

from octavo import _tf_example
from tests.viewer.samples import pictures, structures

ELSEWHERE = "elsewhere.invalid"
"""The host that records want to reach."""
RUN = f"window.__pwned=1;top.__pwned=1;alert('pwned');fetch('//{ELSEWHERE}/')"
IMAGE = f'<img src=x onerror="{RUN}">'

HTML = f"""<!doctype html><html><head><meta http-equiv="refresh" content="0;url=//{ELSEWHERE}/">
<base href="//{ELSEWHERE}/"><link rel="stylesheet" href="//{ELSEWHERE}/a.css"><script>{RUN}</script></head>
<body onload="{RUN}">{IMAGE}<iframe src="javascript:{RUN}"></iframe><svg onload="{RUN}"></svg></body></html>"""
SVG = f"""<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="{RUN}">
<script>{RUN}</script><foreignObject><body xmlns="http://www.w3.org/1999/xhtml">{IMAGE}</body></foreignObject>
<image href="//{ELSEWHERE}/a.png"/></svg>"""
BREAKING_OUT = (
    f"\"'`</script></textarea></title></style>--><script>{RUN}</script>{{{{constructor.constructor('{RUN}')()}}}}"
)
BIDI = "user\u202e\u2066// admin\u2069\u2066 check\u202c\u200b\ufeff done \u0000\u0007\u001b[31m red \U000e0041"
FEATURE = f"</td>{IMAGE}"


def gif_polyglot() -> bytes:
    """A GIF that is a script as well: its width reads as the beginning of a comment."""
    content = pictures.gif(48, 32)
    return content[:6] + b"/*" + content[8:] + f"*/=1;{RUN}".encode()


def png_with_script() -> bytes:
    """A picture that goes on as a page."""
    return pictures.png(pictures.plot(1, 40, 30)) + HTML.encode()


def deep_json(depth: int = 20_000) -> bytes:
    return b"[" * depth + b"]" * depth


def png_bomb() -> bytes:
    """100,000 by 100,000 pixels: 30 GB, says the header."""
    return pictures.png_of(100_000, 100_000, zlib.compress(bytes(1 << 20), 9))


def npz_bomb() -> bytes:
    return structures.npz({"zeros": structures.npy([1]) + bytes(64 << 20)})


NAME = 'it\'s "quoted" <img src=x onerror=alert(1)> & %2e%2e .txt'
"""A name that a file in a packed folder may have."""


def records() -> dict[str, bytes]:
    """By what they are."""
    return {
        "html": HTML.encode(),
        "svg": SVG.encode(),
        "breaking out": BREAKING_OUT.encode(),
        "bidi": BIDI.encode(),
        "json": json.dumps({IMAGE: [IMAGE, SVG], "__proto__": {"polluted": 1}, "constructor": BREAKING_OUT}).encode(),
        "gif polyglot": gif_polyglot(),
        "png with script": png_with_script(),
        "png bomb": png_bomb(),
        "png without data": pictures.png_of(64, 64, b""),
        "example": _tf_example.encode({FEATURE: [HTML], f"svg{FEATURE}": [SVG.encode()], "image": [png_bomb()]}),
        "npz bomb": npz_bomb(),
        "npy lies": structures.npy([2, 2]).replace(b"(2, 2)", b"(9**9,"),
        "safetensors": structures.safetensors({FEATURE: [2]}, {IMAGE: IMAGE}),
        "msgpack": structures.msgpack({IMAGE: [SVG]}),
        "deep json": deep_json(),
        "deep msgpack": b"\x91" * 20_000 + b"\xc0",
        "one long line": b"x" * (1 << 20),
        "url": f"javascript:{RUN}".encode(),
        "empty": b"",
        "utf-16": HTML.encode("utf-16"),
        "utf-7": b"+ADw-script+AD4-" + RUN.encode() + b"+ADw-/script+AD4-",
    }

"""Manifests: docs/spec/octm.md, table by table."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from fuzz.python.comparing import REFUSED, Refused, agree, answer_of
from octavo import _manifest
from octavo.errors import DamagedFileError

_NAME = "/data/set.octm"
_MOST = 2**63

_SOUND: dict[str, Any] = {
    "octavo": "manifest",
    "version": 1,
    "format": "array_record",
    "paths": ["train-0.array_record", "/elsewhere/train-1.array_record"],
    "sizes": [131072, 65536],
    "records": [100, 0],
    "storing": ["chunked", "encoded"],
    "tags": [None, '"9a0364b9"'],
}
SEEDS = (
    json.dumps(_SOUND).encode(),
    json.dumps(_SOUND, indent=1).encode() + b"\n",
    json.dumps({**_SOUND, "paths": []}).encode(),
    json.dumps({**_SOUND, "sizes": [True, 1]}).encode(),
    json.dumps({**_SOUND, "records": [-1, 2**63]}).encode(),
    json.dumps({key: value[:1] if isinstance(value, list) else value for key, value in _SOUND.items()}).encode(),
    b'{"octavo":"manifest","version":1,"format":"ffrecord","paths":"ab","sizes":[1,2],"records":[1,2],"storing":"vv","tags":"xx"}',
    b'{"octavo":"manifest","version":1.0,"format":"","paths":["a"],"sizes":[1],"records":[0],"storing":[""],"tags":[null]}',
    b"[]",
    b"null",
)
WORDS = (
    *(json.dumps(key).encode() for key in (*_SOUND, "manifest", "chunked", "s3://bucket/key", "../x", "")),
    *(b"[", b"]", b"{", b"}", b":", b",", b"null", b"true", b"-1", b"1.0", b"9223372036854775807", b"1e3", b"\\u0000"),
    *(b"[[[[[[", b"NaN", b'["a","b"]', b"[1,2]", b"{}", b"\xef\xbb\xbf"),
)


def check(data: bytes) -> None:
    """Read the text; what is accepted, and what is made of it, is what the specification says."""
    expected = _read(data)
    found = answer_of(lambda: _manifest._parsed(data, _NAME), DamagedFileError)  # noqa: SLF001 - behind opening it
    if isinstance(found, Refused) or isinstance(expected, Refused):
        agree("manifest", found, expected)
        return
    agree("format", found["format"], expected["format"])
    columns = ("paths", "sizes", "records", "storing", "tags")
    rows = list(zip(*(found[column] for column in columns), strict=True))
    agree("rows", rows, list(zip(*(expected[column] for column in columns), strict=True)))
    for row in rows:
        if "://" in row[0]:
            continue  # of a store, which would be asked
        file = _manifest._input(_NAME, "/data/", None, found["format"], row)  # noqa: SLF001
        agree("path", str(file), row[0] if row[0].startswith("/") else f"/data/{row[0]}")
        agree("kind of path", type(file), _manifest.ListedFile)
        agree("what is known", getattr(file, "known", None), (found["format"], row[3], row[2], row[1]))


def _read(data: bytes) -> dict[str, Any] | Refused:
    """The object, if every line of the table holds for it."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return REFUSED
    return content if isinstance(content, dict) and _is_manifest(content) else REFUSED


def _is_manifest(content: dict[str, Any]) -> bool:
    lists: dict[str, Callable[[Any], bool]] = {
        "paths": lambda one: type(one) is str,
        "sizes": lambda one: type(one) is int and one >= 0,
        "records": lambda one: type(one) is int and one >= 0,
        "storing": lambda one: type(one) is str,
        "tags": lambda one: one is None or type(one) is str,
    }
    head = [content.get(name) for name in ("octavo", "version", "format")]
    if head[:2] != ["manifest", 1] or [type(one) for one in head] != [str, int, str]:
        return False
    if not all(type(content.get(name)) is list for name in lists):
        return False
    is_typed = all(fits(one) for name, fits in lists.items() for one in content[name])
    lengths = {len(content[name]) for name in lists}
    return is_typed and len(lengths) == 1 and lengths != {0} and sum(content["sizes"] + content["records"]) < _MOST

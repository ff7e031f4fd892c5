"""Tar files, JSON lines, manifests and tf.Examples made to harm."""

from __future__ import annotations

import gzip
import io
import json
import struct
import tarfile
from collections.abc import Iterator
from typing import Any

from tests.faults.lies.edges import Case, edges
from tests.naive.protobuf import message, varint

MEMBERS = {"a.txt": b"first", "b.txt": b"second " * 100, "c.txt": b""}
_SIZE, _KIND, _CHECKSUM = slice(124, 136), 156, slice(148, 156)
END = bytes(1024)


def sound_tar() -> bytes:
    """Three files."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in MEMBERS.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))
    return made.getvalue()


def _signed(header: bytes) -> bytes:
    """With the checksum that fits it."""
    lying = bytearray(header)
    lying[_CHECKSUM] = b" " * 8
    lying[_CHECKSUM] = b"%06o\0 " % sum(lying)
    return bytes(lying)


def _sizes(size: int) -> Iterator[tuple[str, bytes]]:
    if size < 1 << 33:
        yield "octal", b"%011o\0" % size
    yield "binary", b"\x80" + (size % (1 << 88)).to_bytes(11, "big")


def _with_size(header: bytes, field: bytes) -> bytes:
    return _signed(header[: _SIZE.start] + field + header[_SIZE.stop :])


def _pax(key: bytes, value: bytes, kind: bytes = b"x") -> bytes:
    line = b" %b=%b\n" % (key, value)
    size = len(line) + 1
    while len(b"%d" % size) + len(line) != size:
        size += 1
    body = b"%d" % size + line
    about = tarfile.TarInfo("pax")
    about.type, about.size = kind, len(body)
    return about.tobuf(tarfile.USTAR_FORMAT) + body + bytes(-len(body) % 512)


def tars() -> Iterator[Case]:
    """Sizes in every spelling, every type of member, and every byte of a header; checksums of headers are right."""
    sound = sound_tar()
    header, rest = sound[:512], sound[512:]
    yield "the truth", sound
    for size in edges(len(MEMBERS["a.txt"]), len(sound), bits=88):
        for spelling, field in _sizes(size):
            yield f"size {size}, {spelling}", _with_size(header, field) + rest
            for kind in b"xgLKS57":
                lying = _signed(header[:_KIND] + bytes([kind]) + header[_KIND + 1 :])
                yield f"type {kind:c} of {size} bytes, {spelling}", _with_size(lying, field) + rest
        for key in (b"size", b"GNU.sparse.realsize", b"GNU.sparse.size"):
            yield f"pax {key.decode()} = {size}", _pax(key, b"%d" % size) + sound
            yield f"pax {key.decode()} = {size} for all", _pax(key, b"%d" % size, b"g") + sound
    for kind in range(256):
        yield f"type {kind}", _signed(header[:_KIND] + bytes([kind]) + header[_KIND + 1 :]) + rest
    for place in range(0, 512, 3):
        for value in (0, 0x80, 0xFF, ord("7")):
            yield f"byte {place} = {value}", _signed(header[:place] + bytes([value]) + header[place + 1 :]) + rest
    yield from _long_tars(sound)


def _long_tars(sound: bytes) -> Iterator[Case]:
    yield "extensions by the thousand", _pax(b"comment", b"x" * 100) * 5000 + sound
    yield "extensions without a file", _pax(b"comment", b"x") * 1000 + END
    yield "a pax header of numbers", _pax(b"k", b"1 a=\n" * 100_000) + sound
    yield "a pax header of empty records", _signed(_pax(b"k", b"v")[:512]) + b"0 =\n" * 128 + sound
    yield "zeros behind the end", sound + bytes(8 << 20)
    links = []
    for number in range(100):
        about = tarfile.TarInfo(f"l{number}")
        about.type, about.linkname = tarfile.SYMTYPE, f"l{(number + 1) % 100}"
        links.append(about.tobuf(tarfile.USTAR_FORMAT))
    yield "links in a circle", b"".join(links) + END


def zipped_tars() -> Iterator[Case]:
    """The same in a stream, where nobody can tell how much is left."""
    for name, content in tars():
        if "byte" not in name:
            yield name, gzip.compress(content, 1, mtime=0)


def json_lines() -> Iterator[Case]:
    """Depth, length and envelopes."""
    deep = 50_000
    lines: dict[str, bytes] = {
        "lists in lists": b"[" * deep + b"]" * deep,
        "lists without an end": b"[" * deep,
        "objects in objects": b'{"a":' * deep + b"1" + b"}" * deep,
        "a number of a million digits": b"1" * 1_000_000,
        "an exponent of a million digits": b"1e" + b"9" * 1_000_000,
        "a string without an end": b'"' + b"\\u0041" * 100_000,
        "half of a pair": b'{"octavo.text":"\\ud800"}',
        "an envelope in an envelope": b'{"octavo.text":' * 1000 + b'"x"' + b"}" * 1000,
        "two envelopes": b'{"octavo.text":"a","octavo.base64":"YQ=="}',
        "an envelope of nothing": b'{"octavo.base64":""}',
        "an envelope that is not base64": b'{"octavo.base64":"' + b"=" * 10_000 + b'"}',
        "one key a hundred thousand times": b"{" + b'"a":1,' * 100_000 + b'"a":1}',
        "NUL": b"\0" * 100_000,
        "not UTF-8": b'"' + b"\xff" * 1000 + b'"',
        "surrogates in UTF-8": b'"\xed\xa0\x80"',
        "NaN": b"NaN",
    }
    for name, line in lines.items():
        yield name, line + b"\n"
        yield f"{name}, behind a sound one", b'{"a":1}\n' + line + b"\n"
    yield "empty lines by the million", b"\n" * 1_000_000


def example(features: bytes) -> bytes:
    """A tf.train.Example of these features, as they are."""
    return message((1, features))


def _feature(kind: int, values: bytes) -> bytes:
    return message((1, message((1, b"key"), (2, message((kind, values))))))


def examples() -> Iterator[Case]:
    """Every length and tag of an example."""
    packed = {1: message((1, b"value")), 2: message((1, struct.pack("<2f", 1, 2))), 3: message((1, varint(7)))}
    for kind, values in packed.items():
        sound = example(_feature(kind, values))
        yield f"kind {kind}: the truth", sound
        for place in range(len(sound)):
            for value in edges(sound[place], len(sound)):
                yield f"kind {kind}: varint at {place} = {value}", sound[:place] + varint(value) + sound[place + 1 :]
            yield f"kind {kind}: no end at {place}", sound[:place] + b"\xff" * 20
    deep = b""
    for _ in range(2000):
        deep = message((1, deep))
    yield "messages in messages", deep
    yield "numbers by the million", example(_feature(3, message((1, b"\x01" * 1_000_000))))
    yield "empty features by the hundred thousand", example(message((1, b"")) * 100_000)
    yield "empty lists by the hundred thousand", example(_feature(1, message((1, b"")) * 100_000))
    yield "lists of steps", message((2, message((1, message((1, b"k"), (2, message((1, b"")) * 100_000))))))


_NUMBERS: tuple[Any, ...] = (0, 2, 1 << 53, (1 << 63) - 1, 1 << 63, 1 << 64, -1, 10**400, 1.5, 1e308, True, None, "1")
_NUMBERS = (*_NUMBERS, [], {}, [[]])
PATHS = ("", ".", "..", "/", "/dev/zero", "a\0b", "\ud800", "x" * 5000, "self.octm", "*", "nothing", "a@3.ffr", "~")


def manifests(sound: dict[str, Any]) -> Iterator[Case]:
    """Given a manifest of two files: every number and text of it."""

    def told(name: str, **changed: Any) -> Case:
        return name, json.dumps(sound | changed).encode()

    yield told("the truth")
    for column in ("sizes", "records"):
        for at in range(2):
            for value in _NUMBERS:
                row = [*sound[column]]
                row[at] = value
                yield told(f"{column}[{at}] = {str(value)[:20]}", **{column: row})
    for key in sound:
        for value in (*_NUMBERS, "text", ["text"], {"a": 1}):
            yield told(f"{key} = {str(value)[:20]}", **{key: value})
    for path in PATHS:
        yield told(f"path {path[:20]!r}", paths=[path, sound["paths"][1]])
        yield told(f"second path {path[:20]!r}", paths=[sound["paths"][0], path])
    for text in ("verbatim", "encoded", "chunked", "", "x", "\0"):
        yield told(f"storing {text!r}", storing=[text] * 2)
        yield told(f"format {text!r}", format=text)
    many = 20_000
    columns = {"sizes": [1] * many, "records": [1] * many, "storing": ["verbatim"] * many, "tags": [None] * many}
    yield told("itself, twenty thousand times", paths=["self.octm"] * many, **columns)
    yield told("nothing, twenty thousand times", paths=["nothing.ffr"] * many, **columns)
    yield "lists in lists", b"[" * 1_000_000
    yield "objects in objects", b'{"octavo":' * 200_000
    yield "not UTF-8", b"\xff\xfe" * 1000

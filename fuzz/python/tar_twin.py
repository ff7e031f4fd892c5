"""Tar files read naively: whole in memory, every rule of docs/guide/containers.md where it applies, sums by adding up.

Beside it stands Python's own `tarfile`. It is asked where it can be: it ends without a word at a header that it cannot
read, so that only archives count whose headers are all plain (`is_plain`), with one extension before a file at most.
"""

from __future__ import annotations

import io
import re
import tarfile
from typing import TypeAlias

File: TypeAlias = tuple[str, bytes]

BLOCK = 512
_MOST_PADDING = 1 << 20
_MOST_EXTENSION = 1 << 20
_MOST_CONTENT = 2**31 - 1
_OCTAL = re.compile(rb"[ \0]*([0-7]*)[ \0]*")
_PLAIN_NUMBER = re.compile(rb" *[0-7]*[ \0]*")
_NUMBERS = ((100, 8), (108, 8), (116, 8), (124, 12), (136, 12), (148, 8), (329, 8), (337, 8))


class NoTarError(ValueError):
    """Not an archive, or one with something in it that cannot be a record."""


def number(field: bytes) -> int:
    """A number in octal, or in base 256 where the first byte says so; -1 if it is none."""
    if field[0] >= 0x80:  # noqa: PLR2004 - the mark
        return int.from_bytes(field[1:], "big") if field[0] == 0x80 else -1  # noqa: PLR2004
    found = _OCTAL.fullmatch(field)
    return int(found[1] or b"0", 8) if found else -1


def holds(header: bytes) -> bool:
    """Whether the checksum is that of the bytes, taken with or without a sign."""
    field = header[148:156]
    stored = number(field[:7] if field[6:] == b"\0 " else field)
    others = header[:148] + header[156:]
    return stored in {sum(others) + 256, sum(byte - 256 * (byte > 127) for byte in others) + 256}  # noqa: PLR2004


def with_sums(data: bytes) -> bytes:
    """The same archive, with every header that a walk through it meets made to hold."""
    mended = bytearray(data)
    at = 0
    while at + BLOCK <= len(mended) and any(mended[at : at + BLOCK]):
        mended[at + 148 : at + 156] = b" " * 8
        mended[at + 148 : at + 156] = b"%06o\0 " % sum(mended[at : at + BLOCK])
        size = max(number(bytes(mended[at + 124 : at + 136])), 0) if mended[at + 156] != ord("5") else 0
        at += BLOCK + -(-size // BLOCK) * BLOCK
    return bytes(mended)


class Archive:
    """The files of an archive, and how plain its headers are."""

    def __init__(self, data: bytes) -> None:
        self.files: list[File] = []
        self.is_plain = True
        self._data = data
        self._at = 0
        self._read()

    def _take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        self._at += -(-size // BLOCK) * BLOCK
        if self._at > len(self._data):
            raise NoTarError("cut off")
        return taken

    def _read(self) -> None:
        extended: dict[bytes, bytes] = {}
        extensions = 0
        while any(header := self._take(BLOCK)):
            if not holds(header):
                raise NoTarError("checksum")
            self.is_plain &= _is_plain(header)
            kind, size = header[156:157], number(header[124:136])
            if kind in b"LKxXg":
                extended |= self._extension(kind, size)
                extensions += 1
                continue
            self.is_plain &= extensions <= 1
            name = extended.get(b"path", _name_in(header))
            if kind not in b"0\x0075":
                raise NoTarError("kind")
            if kind == b"5" or (name.endswith(b"/") and size == 0):
                self.is_plain &= kind not in {b"0", b"7"}
            else:
                self._file(name, size, extended)
            extended, extensions = {}, 0
        padding = self._data[self._at :]
        if any(padding) or len(padding) > _MOST_PADDING or extended:
            raise NoTarError("end")

    def _file(self, name: bytes, size: int, extended: dict[bytes, bytes]) -> None:
        if b"size" in extended:
            size = int(extended[b"size"]) if re.fullmatch(rb"[0-9]{1,19}", extended[b"size"]) else -1
        is_sparse = any(key.startswith(b"GNU.sparse.") for key in extended)
        if is_sparse or not 0 <= size <= _MOST_CONTENT or not name or b"\0" in name or name.endswith(b"/"):
            raise NoTarError("member")
        self.files.append((name.decode("utf-8", "surrogateescape"), self._take(size)))

    def _extension(self, kind: bytes, size: int) -> dict[bytes, bytes]:
        if not 0 <= size <= _MOST_EXTENSION:
            raise NoTarError("extension")
        content = self._take(size)
        if kind in b"LK":
            self.is_plain &= b"\0" not in content.rstrip(b"\0")
            return {b"path": content.rstrip(b"\0")} if kind == b"L" else {}
        found: dict[bytes, bytes] = {}
        while content:
            record = re.match(rb"([1-9][0-9]{0,8}) ", content)
            line = content[: int(record[1])] if record else b""
            whole = re.fullmatch(rb"([1-9][0-9]{0,8}) ([^=\n]+)=(.*)\n", line, re.DOTALL)
            if whole is None or len(line) != int(whole[1]):
                raise NoTarError("pax")
            found[whole[2]] = whole[3]
            content = content[len(line) :]
        self.is_plain &= not found.keys() - {b"path", b"size", b"mtime", b"comment"}
        if kind == b"g" and not found.keys().isdisjoint({b"path", b"size"}):
            raise NoTarError("pax of all")
        return {} if kind == b"g" else found


def _is_plain(header: bytes) -> bool:
    numbers = all(_PLAIN_NUMBER.fullmatch(header[at : at + size]) for at, size in _NUMBERS)
    is_ustar = header[257:263] == b"ustar\0" or not header[345]
    name = header[:100].rstrip(b"\0")
    is_old_folder = name.endswith(b"/") and header[156:157] != b"5"  # to tarfile, even if it has another name as well
    return numbers and is_ustar and b"\0" not in name and not is_old_folder


def _name_in(header: bytes) -> bytes:
    name, prefix = header[:100].split(b"\0")[0], header[345:500].split(b"\0")[0]
    return b"%b/%b" % (prefix, name) if prefix and header[257:263] == b"ustar\0" else name


def files_by_tarfile(data: bytes) -> list[File] | None:
    """What the standard library finds; None if it refuses."""
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:", encoding="utf-8", errors="surrogateescape") as archive:
            found = []
            for member in archive.getmembers():
                file = archive.extractfile(member) if member.isreg() else None
                if file is not None:
                    found.append((member.name, file.read()))
            return found
    except (tarfile.TarError, ValueError, OverflowError, EOFError):
        return None

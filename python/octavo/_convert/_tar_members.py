"""The members of a tar file, one header after the other: ustar, GNU and PAX.

Strict, because what is left out here is missing from a data set without a word: a header that does not hold its
checksum, an archive without its end, and members that are neither files nor folders are errors. Nothing that an archive
says is ever done to the file system; links are not followed, they are refused.
"""

from __future__ import annotations

import re
import zlib
from typing import NoReturn

from octavo._convert._input import MOST_RECORD_BYTES, Opened, check_size
from octavo.errors import DamagedFileError, FormatError, TruncatedError, UnknownFormatError, UnsupportedError

BLOCK = 512
_ZEROS = bytes(BLOCK)
_MOST_PADDING = 1 << 20  # behind the end; archives are padded to whole records of a tape, the longest in use
_MOST_EXTENSION = 1 << 20  # bytes of a PAX header or a long name
_SHOWN = 100  # characters of a name in messages

_PAX_RECORD = re.compile(rb"([1-9][0-9]{0,8}) ([^=\n]+)=")
_DECIMAL = re.compile(rb"[0-9]{1,19}")
_OCTAL = re.compile(rb"[ \0]*([0-7]*)[ \0]*")

# What is the same in all headers that are written, and the sum of its bytes.
_MODE_AND_OWNER = b"0000644\0" + 2 * b"0000000\0"
_TIME = b"\0" + b"00000000000\0"
_REST = bytes(100) + b"ustar\x0000" + bytes(247)
_FIXED_SUM = sum(_MODE_AND_OWNER + _TIME + b" " * 8 + _REST)

_FILES = {b"0", b"\0", b"7"}
_FOLDER = b"5"
_LONG_NAME, _LONG_LINK = b"L", b"K"
_PAX, _PAX_SOLARIS, _PAX_GLOBAL = b"x", b"X", b"g"
_EXTENSIONS = {_LONG_NAME, _LONG_LINK, _PAX, _PAX_SOLARIS, _PAX_GLOBAL}
_KINDS = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a pipe",
    b"S": "a sparse file",
    b"M": "the rest of a file of another volume",
    b"V": "the name of a volume",
    b"D": "a list of a folder's files",
}


class Members:
    """Files of an archive that is open. After `next`, `content` or `skip` has to be called for the file it told."""

    def __init__(self, opened: Opened, offset: int = 0) -> None:
        self.offset = offset
        """Where the next header begins."""
        self._opened = opened
        self._path = opened.name
        self._size = 0

    def next(self) -> str | None:
        """The name of the next file; None at the end of the archive."""
        extended: dict[bytes, bytes] = {}  # what headers before the file's say about it
        while (header := self._header()) is not None:
            kind = header[156:157]
            if kind in _EXTENSIONS:
                self._extend(kind, header, extended)
                continue
            name = extended[b"path"] if b"path" in extended else _name_in(header)
            if kind not in _FILES and kind != _FOLDER:
                self._refuse(name, _KINDS.get(kind, f"of the unknown type {kind!r}"))
            if kind == _FOLDER or (name.endswith(b"/") and _number(header[124:136]) == 0):  # before ustar, by the slash
                extended = {}
                continue
            self._size = self._size_of(name, header, extended)
            return name.decode("utf-8", "surrogateescape")
        if extended:
            self._damaged("ends behind a header that says more about a file, without the file")
        return None

    def content(self) -> bytes:
        """The file's bytes."""
        size, padding = self._size, -self._size % BLOCK
        self.offset += size + padding
        if size <= BLOCK:  # one read is quicker than two
            return self._opened.exactly(size + padding)[:size] if size else b""
        content = self._opened.exactly(size)
        if padding:
            self._opened.exactly(padding)
        return content

    def skip(self) -> None:
        """Leave the file's bytes behind."""
        size = self._size + -self._size % BLOCK
        self.offset += size
        self._opened.skip(size)

    def _header(self) -> bytes | None:
        header = self._opened.file.read(BLOCK)
        if len(header) < BLOCK:
            raise TruncatedError(
                f"{self._path}: the archive ends at byte {self.offset + len(header)} without its end mark; "
                "something is missing",
                path=self._path,
                offset=self.offset,
            )
        if header == _ZEROS:
            self._check_end()
            return None
        if not _is_sound(header):
            if self.offset == 0:
                raise UnknownFormatError(f"{self._path}: not a tar file", path=self._path, offset=0)
            self._damaged("has a wrong checksum", self.offset)
        self.offset += BLOCK
        return header

    def _check_end(self) -> None:
        """Behind the end there may be padding. All of it is read: a compressed file has its checksum at its end."""
        padding = self._opened.file.read(_MOST_PADDING)
        if padding.count(0) != len(padding):
            raise DamagedFileError(
                f"{self._path}: something follows the end of the archive at byte {self.offset}; "
                "if archives were joined, give them one by one",
                path=self._path,
                offset=self.offset,
            )
        if len(padding) == _MOST_PADDING and self._opened.file.read(1):
            raise DamagedFileError(
                f"{self._path}: more than {_MOST_PADDING} zeros follow the end of the archive at byte {self.offset}; "
                "what should be there was never written",
                path=self._path,
                offset=self.offset,
            )

    def _size_of(self, name: bytes, header: bytes, extended: dict[bytes, bytes]) -> int:
        size = _number(header[124:136])
        if extended:
            if any(key.startswith(b"GNU.sparse.") for key in extended):
                self._refuse(name, _KINDS[b"S"])
            if b"size" in extended:
                size = int(extended[b"size"]) if _DECIMAL.fullmatch(extended[b"size"]) else -1
        if size < 0:
            self._damaged(f"gives no possible size for {_shown(name)}")
        if not name or b"\0" in name or name.endswith(b"/"):
            self._damaged(f"gives no possible name for a file: {_shown(name)}")
        if size > MOST_RECORD_BYTES:
            check_size(size, f"member {_shown(name)}", self._path)
        return size

    def _extend(self, kind: bytes, header: bytes, extended: dict[bytes, bytes]) -> None:
        """Read what says more about the next file."""
        size = _number(header[124:136])
        if not 0 <= size <= _MOST_EXTENSION:
            self._damaged(f"says more about a file in {size} bytes; at most {_MOST_EXTENSION} can be")
        at = self.offset - BLOCK
        self._size = size
        content = self.content()
        if kind == _LONG_NAME:
            extended[b"path"] = content.rstrip(b"\0")
        if kind in {_LONG_NAME, _LONG_LINK}:
            return
        found = self._pax_records(content, at)
        if kind != _PAX_GLOBAL:
            extended.update(found)
        elif not found.keys().isdisjoint({b"path", b"size"}):
            self._damaged("gives one name or size to all files", at)

    def _pax_records(self, content: bytes, header_at: int) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        at = 0
        while at < len(content):
            record = _PAX_RECORD.match(content, at)
            end = at + int(record[1]) if record else 0
            if record is None or end <= record.end() or end > len(content) or content[end - 1] != ord("\n"):
                self._damaged("is a PAX header that cannot be read", header_at)
            found[record[2]] = content[record.end() : end - 1]
            at = end
        return found

    def _refuse(self, name: bytes, kind: str) -> NoReturn:
        raise UnsupportedError(
            f"{self._path}: member {_shown(name)} is {kind}, which cannot be a record; "
            "unpack the archive, and convert the folder",
            path=self._path,
            offset=self.offset - BLOCK,
        )

    def _damaged(self, what: str, at: int | None = None) -> NoReturn:
        at = self.offset - BLOCK if at is None else at
        raise DamagedFileError(f"{self._path}: the header at byte {max(at, 0)} {what}", path=self._path, offset=at)


def shown_name(name: str) -> str:
    """A member's name for a message: in quotes, control characters as escapes, and not too long."""
    return repr(name) if len(name) <= _SHOWN else f"{name[:_SHOWN]!r}..."


def _shown(name: bytes) -> str:
    return shown_name(name[: 4 * _SHOWN].decode("utf-8", "surrogateescape"))


def _is_sound(header: bytes) -> bool:
    """Whether the sum of a header's bytes, with spaces in the place of the sum, is what it says."""
    field = header[148:156]
    stored = _number(field[:7] if field[6:] == b"\0 " else field)
    # Adler's checksum has the sum of bytes, and 1, in its lower half as long as that is less than 65521. Half a header
    # never reaches that; and it takes a tenth of the time that adding them up takes.
    total = sum((zlib.adler32(half) & 0xFFFF) - 1 for half in (header[:256], header[256:]))
    if stored == total - sum(field) + 8 * 32:
        return True
    # Some old programs have added up signed bytes.
    return stored == 8 * 32 + sum(byte - (byte >> 7 << 8) for byte in header[:148] + header[156:])


def _number(field: bytes) -> int:
    """A number of a header, in octal or in base 256; -1 if it is neither, or is negative."""
    if field[:-1].isdigit() and field[-1] == 0:  # as nearly everybody writes it
        try:
            return int(field[:-1], 8)
        except ValueError:  # an 8 or a 9
            return -1
    if field[0] & 0x80:
        return int.from_bytes(field[1:], "big") if field[0] == 0x80 else -1  # noqa: PLR2004 - the mark of base 256
    digits = _OCTAL.fullmatch(field)
    return int(digits[1] or b"0", 8) if digits else -1


def _name_in(header: bytes) -> bytes:
    name = header[:100].partition(b"\0")[0]
    if header[345] and header[257:263] == b"ustar\0":
        return header[345:500].partition(b"\0")[0] + b"/" + name
    return name


def encode_header(name: bytes, size: int, kind: bytes = b"0") -> bytes:
    """A ustar header that is the same everywhere and always: of nobody, of no time."""
    digits = b"%011o" % size
    checksum = b"%06o\0 " % (_FIXED_SUM + sum(name) + sum(digits) + kind[0])
    return b"".join((name.ljust(100, b"\0"), _MODE_AND_OWNER, digits, _TIME, checksum, kind, _REST))


def encode_member(name: str, content: bytes, path: str) -> list[bytes]:
    """A file as it stands in an archive."""
    try:
        stored = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        stored = b""
    if not stored or b"\0" in stored or stored.endswith(b"/") or len(stored) > _MOST_EXTENSION // 2:
        raise FormatError(f"{path}: a tar file cannot hold a file with the name {shown_name(name)}", path=path)
    if len(content) > MOST_RECORD_BYTES:
        check_size(len(content), f"record {shown_name(name)}", path)
    return [_headers(stored, len(content)), content, bytes(-len(content) % BLOCK)]


def _headers(name: bytes, size: int) -> bytes:
    if len(name) <= 100:  # noqa: PLR2004 - bytes of the field
        return encode_header(name, size)
    try:
        name.decode()
        records = b""
    except UnicodeDecodeError:
        records = b"21 hdrcharset=BINARY\n"
    records += _pax_record(b"path", name)
    return b"".join([
        encode_header(b"././@PaxHeader", len(records), _PAX),
        records,
        bytes(-len(records) % BLOCK),
        encode_header(name[:100].rstrip(b"/"), size),
    ])  # fmt: skip


def _pax_record(key: bytes, value: bytes) -> bytes:
    """Its length, which counts its own digits as well, then key and value."""
    body = len(key) + len(value) + 3
    length = body + len(str(body))
    length = body + len(str(length))
    return b"%d %b=%b\n" % (length, key, value)

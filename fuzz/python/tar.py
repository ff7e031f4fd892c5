"""Tar files: members, records of files, records of samples, and what is written.

The first byte says what the rest is: an archive, one whose checksums are made to hold first, or a list of members from
which one is made.
"""

from __future__ import annotations

import io
import itertools
import re
import tarfile
from collections.abc import Callable
from unittest import mock

from fuzz.python import tar_twin as twin
from fuzz.python.comparing import REFUSED, Refused, agree, answer_of
from octavo._convert import _input
from octavo._convert._tar import Layout, TarSource
from octavo._convert._tar_members import encode_member
from octavo.errors import OctavoError

_GZIP = b"\x1f\x8b"
_AS_IT_IS, _MENDED, _DRAFT = 0, 1, 2
_KINDS = b"0000\x00557xxLKgX12S"
_PAX_KEYS = (b"path", b"size", b"mtime", b"GNU.sparse.major", b"hdrcharset", b"comment")
_MOST_MEMBERS = 12
_END = bytes(2 * twin.BLOCK)


def check(data: bytes) -> None:
    """Read the archive in every layout; write again what was read."""
    with mock.patch.object(_input, "_PIECE_BYTES", 4096):  # small, so that there are edges between pieces
        _check(data)


def _check(data: bytes) -> None:
    archive = _archive_of(data)
    if archive.startswith(_GZIP):
        return  # it would be unzipped
    expected = answer_of(lambda: twin.Archive(archive), twin.NoTarError)
    files = expected if isinstance(expected, Refused) else expected.files
    agree("files", answer_of(lambda: _records_of(archive, "files"), OctavoError), files)
    samples = files if isinstance(files, Refused) else answer_of(lambda: _samples(files), twin.NoTarError)
    agree("samples", answer_of(lambda: _records_of(archive, "samples"), OctavoError), samples)
    agree("either", answer_of(lambda: _records_of(archive, "auto"), OctavoError), _either(files, samples))
    if isinstance(expected, Refused) or isinstance(files, Refused):
        return
    if expected.is_plain and (found := twin.files_by_tarfile(archive)) is not None:
        agree("files, by tarfile", files, found)
    _check_parts(archive, files)
    _check_writing(files)


def _archive_of(data: bytes) -> bytes:
    how, rest = data[0] % 3 if data else 0, data[1:]
    if how == _AS_IT_IS:
        return rest
    return twin.with_sums(rest) if how == _MENDED else _drawn_up(rest)


def _records_of(archive: bytes, layout: Layout) -> list[twin.File] | list[bytes]:
    source = TarSource(io.BytesIO(archive), layout=layout)
    blocks = list(source.blocks())
    records = list(itertools.chain.from_iterable(block.records for block in blocks))
    names = [list(block.names) for block in blocks if block.names is not None]
    if layout == "files":
        agree("count", source.count(), len(records))
    return list(zip(itertools.chain.from_iterable(names), records, strict=True)) if names else records


def _samples(files: list[twin.File]) -> list[bytes]:
    """Files that share a key are one record."""
    split = [re.fullmatch(r"((?:.*/)?[^./]+)\.([^/]*)", name, re.DOTALL) for name, _ in files]
    keys = [found[1] if found else f"no key {number}\0" for number, found in enumerate(split)]
    numbered = itertools.groupby(range(len(files)), key=lambda at: keys[at])
    records = []
    for key, group in numbered:
        features: dict[bytes, bytes] = {b"__key__": key.encode("utf-8", "surrogateescape")}
        for at in group:
            extension = _utf8(split[at])
            if extension in features:
                raise twin.NoTarError("extension")
            features[extension] = files[at][1]
        entries = [_field(_field(name) + _field(_field(_field(features[name])), 2)) for name in sorted(features)]
        records.append(_field(b"".join(entries)))
    return records


def _utf8(found: re.Match[str] | None) -> bytes:
    try:
        return found[2].encode() if found else b"__key__"
    except UnicodeEncodeError:
        return b"__key__"  # as little an extension as that


def _field(content: bytes, number: int = 1) -> bytes:
    size, left = b"", len(content)
    while left > 0x7F:  # noqa: PLR2004 - what fits into a byte
        size, left = size + bytes([left & 0x7F | 0x80]), left >> 7
    return bytes([number << 3 | 2]) + size + bytes([left]) + content


def _either(
    files: list[twin.File] | Refused, samples: list[bytes] | Refused
) -> list[twin.File] | list[bytes] | Refused:
    """Samples if the first two files share a key; files if none does that share it with the one before."""
    if isinstance(files, Refused):
        return files
    found = [re.fullmatch(r"((?:.*/)?[^./]+)\.([^/]*)", name, re.DOTALL) for name, _ in files]
    keys = [one[1] if one else None for one in found]
    shared = [one is not None and one == other for one, other in itertools.pairwise(keys)]
    if shared and shared[0]:
        return samples
    return REFUSED if any(shared) else files


def _check_parts(archive: bytes, files: list[twin.File]) -> None:
    """Records from one number to another, before counting and after it."""
    source = TarSource(io.BytesIO(archive), layout="files")
    for start, stop in ((1, 3), (len(files) // 2, None)):
        found = [record for block in source.blocks(start, stop) for record in block.records]
        agree(f"records {start} to {stop}", found, [content for _, content in files[start:stop]])
        agree("count", source.count(), len(files))


def _check_writing(files: list[twin.File]) -> None:
    written = b"".join(piece for file in files for piece in encode_member(*file, "out.tar")) + _END
    agree("what was written", twin.Archive(written).files, files)
    agree("what was written, by tarfile", twin.files_by_tarfile(written), files)
    agree("what was written, by octavo", _records_of(written, "files"), files)


def _drawn_up(plan: bytes) -> bytes:
    """An archive of members that a few bytes each describe."""
    take = io.BytesIO(plan).read
    members: list[bytes] = []
    while len(members) < _MOST_MEMBERS and len(head := take(4)) == 4:  # noqa: PLR2004 - kind, how, and two lengths
        kind, how, name, content = head[0] % len(_KINDS), head[1], take(head[2] % 32), take(head[3] % 64)
        members.append(_member(_KINDS[kind : kind + 1], how, name, content))
    return b"".join(members) + _END[: 512 * (1 + len(plan) % 2)]


_SPELLINGS: tuple[Callable[[int], bytes], ...] = (
    lambda size: b"%011o\0" % size,
    lambda size: b"\x80" + size.to_bytes(11, "big"),
    lambda size: b"%11o " % size,
    lambda size: b"%-11o\0" % (size + 512),
)


def _member(kind: bytes, how: int, name: bytes, content: bytes) -> bytes:
    if kind in b"xXg" and how & 1:
        body = b" %b=%b\n" % (_PAX_KEYS[how // 2 % len(_PAX_KEYS)], content)
        length = len(body) + len(str(len(body)))
        content = b"%d%b" % (len(body) + len(str(length)), body)
    size = _SPELLINGS[how >> 2 & 3](len(content))
    magic = (b"ustar\x0000", b"ustar  \0", bytes(8))[how >> 4 & 1 or how >> 6 & 2]
    prefix = b"above/here" if how & 32 else b""
    name = name.ljust(100, b"n") if how & 64 else name.ljust(100, b"\0")
    rest = kind + bytes(100) + magic + bytes(80) + prefix.ljust(155, b"\0") + bytes(12)
    header = name + b"0000644\0" + 2 * b"0000000\0" + size + b"00000000000\0" + b" " * 8 + rest
    total = sum(header)
    return header[:148] + b"%06o\0 " % total + header[156:] + content + bytes(-len(content) % twin.BLOCK)


def _by_tarfile(form: int, *names: str) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        for number, name in enumerate(names):
            member = tarfile.TarInfo(name)
            member.size = number
            archive.addfile(member, io.BytesIO(b"x" * number))
    return file.getvalue().rstrip(b"\0").ljust(-(-len(file.getvalue().rstrip(b"\0")) // 512) * 512, b"\0") + _END


SEEDS = (
    *(
        bytes([how]) + _by_tarfile(tarfile.USTAR_FORMAT, "a/1.cls", "a/1.txt", "a/2.txt")
        for how in (_AS_IT_IS, _MENDED)
    ),
    *(bytes([how]) + _by_tarfile(tarfile.PAX_FORMAT, "é" * 60 + ".x", "b") for how in (_AS_IT_IS, _MENDED)),
    bytes([_MENDED]) + _by_tarfile(tarfile.GNU_FORMAT, "long/" * 30 + "name", "a.b.c", ".hidden"),
    bytes([_AS_IT_IS]) + _END,
    bytes([_DRAFT]) + b"\x00\x00\x05\x03a.txtabc\x00\x00\x05\x01a.cls1\x00\x00\x05\x00b.txt",
    bytes([_DRAFT])
    + b"\x08\x01\x01\x06xlonger\x00\x00\x01\x02ncc\x05\x00\x02\x00d/\x0a\x00\x01\x04lname\x00\x04\x01\x01zy",
    bytes([_DRAFT]) + b"\x08\x03\x01\x015\x00\x00\x01\x05nabcde\x0c\x05\x01\x010\x00\x20\x03\x01f.e!\x0e\x00\x01\x00l",
    b"",
)
WORDS = (
    *(
        b"ustar\x0000",
        b"ustar  \0",
        b"\x80",
        b"\0" * 8,
        b"0000000\0",
        b"00000000001\0",
        b"         1\0 ",
        b"././@LongLink",
    ),
    *(b"path=", b"size=", b"GNU.sparse.major=1", b"10 path=a\n", b"11 size=05\n", b".txt", b".__key__", b"/", b"\xff"),
    *(b"\x08\x01\x01\x01", b"\x0a\x00\x01\x03", b"\x05\x00\x01\x00", b"\x02", b"\x01", b"a.b"),
)

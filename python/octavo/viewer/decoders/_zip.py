"""Names and first bytes of what a zip archive holds, with a bound on everything: members, and bytes unpacked.

Python's own `zipfile` makes an object of every member that a directory lists, and a record has room for a million.
Archives within records are small, so those with 64-bit sizes are not read, and only stored and deflated members are.
"""

from __future__ import annotations

import dataclasses
import struct
import zlib
from typing import Final

LOCAL_MAGIC: Final = b"PK\x03\x04"
_CENTRAL_MAGIC: Final = b"PK\x01\x02"
_END_MAGIC: Final = b"PK\x05\x06"
_LOCAL: Final = struct.Struct("<4s5H3I2H")
_CENTRAL: Final = struct.Struct("<4s6H3I5H2I")
_END: Final = struct.Struct("<4s4H2IH")
_LONGEST_COMMENT = 0xFFFF
_STORED, _DEFLATED = 0, 8


@dataclasses.dataclass(frozen=True, slots=True)
class Member:
    """One file of an archive."""

    name: str
    method: int
    is_encrypted: bool
    packed_bytes: int
    bytes: int
    at: int


@dataclasses.dataclass(frozen=True, slots=True)
class Directory:
    """The members that were read of the directory, and how many it has."""

    members: tuple[Member, ...]
    total: int


def first_name(record: bytes) -> str:
    """The name of the member that an archive begins with; empty if it is none."""
    if not record.startswith(LOCAL_MAGIC) or len(record) < _LOCAL.size:
        return ""
    length = _LOCAL.unpack_from(record)[9]
    return record[_LOCAL.size : _LOCAL.size + length].decode("utf-8", "replace")


def directory(record: bytes, most_members: int) -> Directory:
    """The members of an archive.

    Raises:
        ValueError: The archive has no directory.
    """
    end = record.rfind(_END_MAGIC, max(0, len(record) - _END.size - _LONGEST_COMMENT))
    if end < 0 or end + _END.size > len(record):
        raise ValueError("it has no directory at its end: it is not a whole zip archive")
    _, _, _, _, total, _, at, _ = _END.unpack_from(record, end)
    members: list[Member] = []
    while len(members) < most_members and record.startswith(_CENTRAL_MAGIC, at) and at + _CENTRAL.size <= end:
        member, at = _member(record, at)
        members.append(member)
    return Directory(tuple(members), max(total, len(members)))


def _member(record: bytes, at: int) -> tuple[Member, int]:
    """A member, and where the next is listed."""
    fields = _CENTRAL.unpack_from(record, at)
    flags, method, packed, size, name_length, extra_length, comment_length = *fields[3:5], *fields[8:13]
    name_at = at + _CENTRAL.size
    name = record[name_at : name_at + name_length].decode("utf-8", "replace")
    member = Member(name, method, bool(flags & 1), packed, size, fields[16])
    return member, name_at + name_length + extra_length + comment_length


def beginning(record: bytes, member: Member, most_bytes: int) -> bytes:
    """The first bytes of a member, unpacked: no more than asked for, and no more than it has.

    Raises:
        ValueError: They cannot be unpacked.
    """
    if member.is_encrypted:
        raise ValueError("it is encrypted")
    if member.at + _LOCAL.size > len(record) or not record.startswith(LOCAL_MAGIC, member.at):
        raise ValueError("it is not where the directory says")
    fields = _LOCAL.unpack_from(record, member.at)
    start = member.at + _LOCAL.size + fields[9] + fields[10]
    packed = memoryview(record)[start : start + member.packed_bytes]
    if member.method == _STORED:
        return bytes(packed[:most_bytes])
    if member.method != _DEFLATED:
        raise ValueError(f"it is compressed by method {member.method}, which is not read")
    try:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, most_bytes)
    except zlib.error as error:
        raise ValueError(f"it does not unpack: {error}") from error

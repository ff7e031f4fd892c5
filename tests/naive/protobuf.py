"""As much of the protobuf wire format as ArrayRecord needs: varints, flat messages, and what looks like a message."""

from __future__ import annotations

import dataclasses


class Damaged(Exception):  # noqa: N818 - a verdict, not an error of the twin
    """These bytes must not be believed."""


def varint(value: int) -> bytes:
    """The shortest varint of `value`."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def varints(*values: int) -> bytes:
    return b"".join(map(varint, values))


class Cursor:
    """A place in bytes that are read from start to end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise Damaged(f"{count} bytes expected, {self.left} left")
        self.at += count
        return self.data[self.at - count : self.at]

    def rest(self) -> bytes:
        return self.take(self.left)

    def byte(self) -> int:
        return self.take(1)[0]

    def varint(self, bits: int = 64) -> int:
        """A varint of that many bits, the shortest or not."""
        value = 0
        for shift in range(0, bits, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if value >= 1 << bits:
                    break
                return value
        raise Damaged(f"a varint does not fit {bits} bits")

    def minimal_varint(self, bits: int = 64) -> int:
        start = self.at
        value = self.varint(bits)
        if self.data[start : self.at] != varint(value):
            raise Damaged("a varint is longer than it needs to be")
        return value

    def end(self) -> None:
        if self.left:
            raise Damaged(f"{self.left} bytes too many")


def message(*fields: tuple[int, int | bytes]) -> bytes:
    """A message of these fields: numbers as varints, bytes as strings."""
    encoded = b""
    for number, value in fields:
        if isinstance(value, int):
            encoded += varints(number << 3, value)
        else:
            encoded += varints(number << 3 | 2, len(value)) + value
    return encoded


def fields_of(data: bytes) -> dict[int, int | bytes]:
    """The fields of a flat message by their numbers; the last of equal ones counts."""
    cursor, found = Cursor(data), dict[int, int | bytes]()
    while cursor.left:
        tag = cursor.varint(32)
        match tag & 7:
            case 0:
                found[tag >> 3] = cursor.varint()
            case 1:
                found[tag >> 3] = cursor.take(8)
            case 2:
                found[tag >> 3] = cursor.take(cursor.varint(32))
            case 5:
                found[tag >> 3] = cursor.take(4)
            case _:
                raise Damaged(f"wire type {tag & 7} is not for this message")
    return found


@dataclasses.dataclass(frozen=True)
class Field:
    """One field of a canonical message: its tag and the bytes behind it, of strings without the length."""

    tag: int
    value: bytes


def canonical_fields(data: bytes) -> list[Field] | None:
    """The fields, if these bytes are a message that its fields encode to again; None if they are anything else."""
    try:
        return _canonical_fields(Cursor(data))
    except Damaged:
        return None


def _canonical_fields(cursor: Cursor) -> list[Field]:
    found: list[Field] = []
    groups: list[int] = []
    while cursor.left:
        tag = cursor.minimal_varint(32)
        if tag < 8:
            raise Damaged("there is no field 0")
        if tag & 7 == 3:
            groups.append(tag >> 3)
        if tag & 7 == 4 and (not groups or groups.pop() != tag >> 3):
            raise Damaged("a group ends that did not begin")
        found.append(Field(tag, _canonical_value(cursor, tag & 7)))
    if groups:
        raise Damaged("a group does not end")
    return found


def _canonical_value(cursor: Cursor, wire_type: int) -> bytes:
    match wire_type:
        case 0:
            return varint(cursor.minimal_varint())
        case 1:
            return cursor.take(8)
        case 2:
            return cursor.take(cursor.minimal_varint(32))
        case 3 | 4:
            return b""
        case 5:
            return cursor.take(4)
    raise Damaged(f"there is no wire type {wire_type}")

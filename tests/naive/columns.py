"""Records as tokens and columns: what is split and what is not (`docs/spec/array_record.md`, sections 6.5 and 6.6)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from tests.naive import transposed
from tests.naive.protobuf import Field, canonical_fields, varint

NON_PROTO_PARENT, RECORD_PARENT, ROOT, FIRST_NODE = 1, 3, 4, 5
# Subtypes of submessages, which have no subtype byte in the file.
START, END = 200, 201
GROUP_OF_WIRE_TYPE = {transposed.VARINT: 0, transposed.FIXED32: 1, transposed.FIXED64: 2, transposed.STRING: 3}
NON_PROTO_GROUP = 4


@dataclasses.dataclass(frozen=True)
class Token:
    """One step of a record: a field, or the beginning or end of something."""

    node: int
    tag: int
    subtype: int = 0


@dataclasses.dataclass
class Column:
    """The values of one field path, in the order in which they were met."""

    parent: int
    tag: int
    group: int
    values: list[bytes] = dataclasses.field(default_factory=list)

    @property
    def content(self) -> bytes:
        return b"".join(reversed(self.values))


class Columns:
    """Records, taken apart. What counts as small enough for a subtype, or as too deep to look into, can be chosen."""

    def __init__(self, records: Sequence[bytes], *, inline_up_to: int = 3, depth: int = 100) -> None:
        self.inline_up_to = inline_up_to
        self.depth = depth
        self.num_records = len(records)
        self.decoded_size = sum(map(len, records))
        self.tokens: list[Token] = []
        self.columns: dict[int, Column] = {}
        self.lengths: list[bytes] = []
        self._nodes: dict[tuple[int, int], int] = {}
        for record in records:
            self._add(record)

    def _node(self, parent: int, tag: int) -> int:
        return self._nodes.setdefault((parent, tag), FIRST_NODE + len(self._nodes))

    def _store(self, node: int, parent: int, tag: int, group: int, value: bytes) -> None:
        self.columns.setdefault(node, Column(parent, tag, group)).values.append(value)

    def _add(self, record: bytes) -> None:
        fields = canonical_fields(record)
        if fields is not None:
            self.tokens.append(Token(self._node(RECORD_PARENT, 0), transposed.START_OF_RECORD))
            self._add_fields(fields, ROOT, 0)
            return
        node = self._node(NON_PROTO_PARENT, 0)
        self.tokens.append(Token(node, transposed.NON_PROTO))
        self._store(node, NON_PROTO_PARENT, 0, NON_PROTO_GROUP, record)
        self.lengths.append(varint(len(record)))

    def _add_fields(self, fields: Sequence[Field], parent: int, depth: int) -> None:
        groups: list[int] = []
        for field in fields:
            node = self._node(parent, field.tag)
            wire_type = field.tag & 7
            if wire_type == transposed.STRING and self._add_submessage(field, node, depth):
                continue
            token, stored = self._token(node, field)
            self.tokens.append(token)
            if stored is not None:
                self._store(node, parent, field.tag, GROUP_OF_WIRE_TYPE[wire_type], stored)
            if wire_type == transposed.START_GROUP:
                groups.append(parent)
                parent, depth = node, depth + 1
            elif wire_type == transposed.END_GROUP:
                parent, depth = groups.pop(), depth - 1

    def _add_submessage(self, field: Field, node: int, depth: int) -> bool:
        """Whether that string is a message that may be looked into."""
        inside = canonical_fields(field.value) if field.value and depth < self.depth else None
        if inside is None:
            return False
        self.tokens.append(Token(node, transposed.START_OF_SUBMESSAGE, START))
        self._add_fields(inside, node, depth + 1)
        end = field.tag - transposed.STRING + transposed.END_OF_SUBMESSAGE
        self.tokens.append(Token(node, end, END))
        return True

    def _token(self, node: int, field: Field) -> tuple[Token, bytes | None]:
        """The token of a field, and what goes to its column."""
        value = field.value
        match field.tag & 7:
            case transposed.VARINT if len(value) == 1 and value[0] <= self.inline_up_to:
                return Token(node, field.tag, transposed.FIRST_INLINE + value[0]), None
            case transposed.VARINT:
                return Token(node, field.tag, len(value) - 1), bytes(byte & 0x7F for byte in value)
            case transposed.STRING:
                return Token(node, field.tag), varint(len(value)) + value
            case transposed.START_GROUP | transposed.END_GROUP:
                return Token(node, field.tag), None
        return Token(node, field.tag), value

    def in_file_order(self) -> list[list[tuple[int, Column]]]:
        """The columns by group as the original orders them, each with its node."""
        groups: list[list[tuple[int, Column]]] = [[] for _ in range(NON_PROTO_GROUP + 1)]
        for node, column in self.columns.items():
            groups[column.group].append((node, column))
        for group in groups:
            group.sort(key=lambda pair: (len(pair[1].content), pair[1].parent, pair[1].tag))
        return groups

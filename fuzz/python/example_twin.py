"""`tf.train.Example` and `SequenceExample` as a tree of fields, then as values: a naive walk, and protobuf's own.

The naive walk splits every message into (field, wire type, content) before it looks at what the fields are for.
"""

from __future__ import annotations

import functools
import struct
from typing import Any, TypeAlias

Field: TypeAlias = tuple[int, int, Any]
Values: TypeAlias = tuple[str, list[Any]]

_VARINT, _LENGTH, _FIXED32 = 0, 2, 5
_KINDS = {1: "bytes", 2: "float", 3: "int64"}


class NoExampleError(ValueError):
    """The bytes are no such message."""


def varint(data: bytes, at: int, longest: int) -> tuple[int, int]:
    """A number of at most so many bytes and 64 bits, and where it ends."""
    for length in range(1, longest + 1):
        piece = data[at : at + length]
        if len(piece) == length and piece[-1] < 0x80:  # noqa: PLR2004 - the bit that says that more follow
            value = sum((byte & 0x7F) << 7 * place for place, byte in enumerate(piece))
            if value < 1 << 64:
                return value, at + length
            break
    raise NoExampleError("varint", at)


def fields(data: bytes) -> list[Field]:
    """What a message consists of, if it has only the wire types that examples have."""
    found: list[Field] = []
    at = 0
    while at < len(data):
        tag, at = varint(data, at, 5)
        if tag & 7 == _VARINT:
            value, at = varint(data, at, 10)
            found.append((tag >> 3, _VARINT, value))
            continue
        size, at = varint(data, at, 5) if tag & 7 == _LENGTH else (4, at)
        if tag & 7 not in {_LENGTH, _FIXED32} or at + size > len(data):
            raise NoExampleError("field", at)
        found.append((tag >> 3, tag & 7, data[at : at + size]))
        at += size
    return found


def messages(data: bytes, allowed: set[int]) -> list[tuple[int, bytes]]:
    """Fields that all have lengths, and numbers that are allowed."""
    found = fields(data)
    if any(number not in allowed or kind != _LENGTH for number, kind, _ in found):
        raise NoExampleError("a field that has no place")
    return [(number, content) for number, _, content in found]


def example(data: bytes) -> dict[str, Values]:
    """Features by name."""
    found: dict[str, Values] = {}
    for _, content in messages(data, {1}):
        found |= _map_of_features(content)
    return found


def sequence_example(data: bytes) -> tuple[dict[str, Values], dict[str, list[Values]]]:
    """Features by name, and lists of features by name."""
    context: dict[str, Values] = {}
    lists: dict[str, list[Values]] = {}
    for number, content in messages(data, {1, 2}):
        if number == 1:
            context |= _map_of_features(content)
        else:
            for name, value in _entries(content):
                lists[name] = [feature(one) for _, one in messages(value, {1})]
    return context, lists


def _map_of_features(data: bytes) -> dict[str, Values]:
    return {name: feature(value) for name, value in _entries(data)}


def _entries(data: bytes) -> list[tuple[str, bytes]]:
    """Keys and values. A value in several parts is the value of the parts put together."""
    found = []
    for _, entry in messages(data, {1}):
        parts = messages(entry, {1, 2})
        keys = [content for number, content in parts if number == 1]
        try:
            names = [key.decode() for key in keys]
        except UnicodeDecodeError as error:
            raise NoExampleError("key") from error
        found.append(((names or [""])[-1], b"".join(content for number, content in parts if number == 2)))  # noqa: PLR2004
    return found


def feature(data: bytes) -> Values:
    """Kind and values; of several kinds the last one, as far as nothing of another kind comes after it."""
    parts = [(_KINDS[number], content) for number, content in messages(data, set(_KINDS))]
    values = [(kind, _values(kind, content)) for kind, content in parts]  # all of them are judged
    last = parts[-1][0] if parts else ""
    same: list[Any] = []
    for kind, some in values:
        same = [*same, *some] if kind == last else []
    return (last, same) if same else ("", [])


def _values(kind: str, data: bytes) -> list[Any]:
    found: list[Any] = []
    for number, wire_type, content in fields(data):
        if number != 1:
            raise NoExampleError("value")
        if kind == "bytes" and wire_type == _LENGTH:
            found.append(content)
        elif kind == "float" and wire_type in {_LENGTH, _FIXED32} and len(content) % 4 == 0:
            found += [struct.unpack("<f", content[at : at + 4])[0] for at in range(0, len(content), 4)]
        elif kind == "int64" and wire_type == _VARINT:
            found.append(_signed(content))
        elif kind == "int64" and wire_type == _LENGTH:
            at = 0
            while at < len(content):
                value, at = varint(content, at, 10)
                found.append(_signed(value))
        else:
            raise NoExampleError("value")
    return found


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


@functools.cache
def protobuf_messages() -> tuple[Any, Any] | None:
    """The classes that protobuf makes of the two messages, if it is installed."""
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: PLC0415 - optional
    except ImportError:
        return None
    file = descriptor_pb2.FileDescriptorProto(name="octavo_fuzz_example.proto", package="octavo_fuzz", syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto

    def add(name: str, *of: tuple[str, int, int, int, str]) -> Any:
        message = file.message_type.add(name=name)
        for field, number, label, kind, type_name in of:
            message.field.add(name=field, number=number, label=label, type=kind, type_name=type_name or None)
        return message

    one, many = kinds.LABEL_OPTIONAL, kinds.LABEL_REPEATED
    add("BytesList", ("value", 1, many, kinds.TYPE_BYTES, ""))
    add("FloatList", ("value", 1, many, kinds.TYPE_FLOAT, ""))
    add("Int64List", ("value", 1, many, kinds.TYPE_INT64, ""))
    lists = [("bytes_list", 1, "BytesList"), ("float_list", 2, "FloatList"), ("int64_list", 3, "Int64List")]
    inner = add("Feature", *((name, at, one, kinds.TYPE_MESSAGE, f".octavo_fuzz.{of}") for name, at, of in lists))
    inner.oneof_decl.add(name="kind")
    for field in inner.field:
        field.oneof_index = 0
    add("FeatureList", ("feature", 1, many, kinds.TYPE_MESSAGE, ".octavo_fuzz.Feature"))
    for outer, field, of in (("Features", "feature", "Feature"), ("FeatureLists", "feature_list", "FeatureList")):
        entry = f"{''.join(word.capitalize() for word in field.split('_'))}Entry"
        message = add(outer, (field, 1, many, kinds.TYPE_MESSAGE, f".octavo_fuzz.{outer}.{entry}"))
        nested = message.nested_type.add(name=entry)
        nested.options.map_entry = True
        nested.field.add(name="key", number=1, label=one, type=kinds.TYPE_STRING)
        nested.field.add(name="value", number=2, label=one, type=kinds.TYPE_MESSAGE, type_name=f".octavo_fuzz.{of}")
    add("Example", ("features", 1, one, kinds.TYPE_MESSAGE, ".octavo_fuzz.Features"))
    add(
        "SequenceExample",
        ("context", 1, one, kinds.TYPE_MESSAGE, ".octavo_fuzz.Features"),
        ("feature_lists", 2, one, kinds.TYPE_MESSAGE, ".octavo_fuzz.FeatureLists"),
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    classes = [
        message_factory.GetMessageClass(pool.FindMessageTypeByName(f"octavo_fuzz.{name}"))
        for name in ("Example", "SequenceExample")
    ]
    return classes[0], classes[1]


def values_in_protobuf(feature_message: Any) -> list[Any]:
    """The values of protobuf's Feature."""
    kind = feature_message.WhichOneof("kind")
    return [] if kind is None else list(getattr(feature_message, kind).value)

"""What a serialized `tf.train.Example` holds, without all of its values: names, kinds, numbers, and the first of each.

`octavo._tf_example` makes a list of all values, which for a record of 64 MiB can take a gigabyte. This is the same
walk over the same messages, which counts what is packed instead of unpacking it, and stops when it has seen enough.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable, Iterator
from typing import Final

from octavo._tf_example import Message, Patience, entries, runs_of_floats
from octavo.errors import FormatError

FIRST_VALUES = 64
_FIRST_STEPS = 8
_PIECE_BYTES = 1 << 20
_VARINT, _LENGTH = 0, 2  # wire types
_GOING_ON: Final = bytes(range(0x80, 0x100))  # bytes of a number that more bytes follow
_SIGN, _RANGE = 1 << 63, 1 << 64


@dataclasses.dataclass(slots=True)
class Feature:
    """A feature: how many values of which kind, and the first of them."""

    name: str
    kind: str = ""
    count: int = 0
    first: list[bytes | float] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class FeatureList:
    """A list of features: how many steps, and the first of them."""

    name: str
    count: int = 0
    first: list[Feature] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class Outline:
    """Features in the order in which they are stored; `is_whole` unless there was more than was to be read."""

    features: dict[str, Feature] = dataclasses.field(default_factory=dict)
    lists: dict[str, FeatureList] = dataclasses.field(default_factory=dict)
    is_whole: bool = True

    @property
    def is_empty(self) -> bool:
        """Whether it has nothing that tells it from other bytes."""
        return not any(self.features) and not any(self.lists)


def outline(record: bytes, most_fields: int) -> Outline:
    """The outline of an Example or a SequenceExample.

    Raises:
        FormatError: The bytes are not such a message, as far as they were read.
    """
    patience = Patience(most_fields)
    found = Outline()
    try:
        _read(Message(record, 0, len(record), patience), found)
    except FormatError:
        if patience.left >= 0:
            raise
        found.is_whole = False
    return found


def _read(message: Message, found: Outline) -> None:
    for field, wire_type in message.tags():
        if (field, wire_type) == (1, _LENGTH):
            for name, parts in entries(message.message()):
                found.features[name] = Feature(name)
                _fill(found.features[name], parts)
        elif (field, wire_type) == (2, _LENGTH):
            for name, parts in entries(message.message()):
                found.lists[name] = FeatureList(name)
                for step in _steps(parts):
                    _add_step(found.lists[name], step)
        else:
            raise message.unknown(field, wire_type)


def _steps(parts: list[Message]) -> Iterator[Message]:
    for part in parts:
        for field, wire_type in part.tags():
            if (field, wire_type) != (1, _LENGTH):
                raise part.unknown(field, wire_type)
            yield part.message()


def _add_step(feature_list: FeatureList, step: Message) -> None:
    feature = Feature("")
    feature_list.count += 1
    if len(feature_list.first) < _FIRST_STEPS:
        feature_list.first.append(feature)
    _fill(feature, [step])


def _fill(feature: Feature, parts: list[Message]) -> None:
    for part in parts:
        for field, wire_type in part.tags():
            if field not in _KINDS or wire_type != _LENGTH:
                raise part.unknown(field, wire_type)
            kind, read = _KINDS[field]
            if kind != feature.kind:  # only one of them can be: the last
                feature.kind, feature.count, feature.first = kind, 0, []
            read(part.message(), feature)


def _byte_strings(message: Message, feature: Feature) -> None:
    for field, wire_type in message.tags():
        if (field, wire_type) != (1, _LENGTH):
            raise message.unknown(field, wire_type)
        start, end = message.stretch()
        feature.count += 1
        if len(feature.first) < FIRST_VALUES:
            feature.first.append(message.data[start:end])


def _floats(message: Message, feature: Feature) -> None:
    for start, count in runs_of_floats(message):
        feature.count += count
        shown = min(count, FIRST_VALUES - len(feature.first))
        feature.first.extend(struct.unpack_from(f"<{shown}f", message.data, start))


def _int64s(message: Message, feature: Feature) -> None:
    for field, wire_type in message.tags():
        if (field, wire_type) == (1, _LENGTH):
            _packed_int64s(message.message(), feature)
        elif (field, wire_type) == (1, _VARINT):
            _add_int64(feature, message.varint())
        else:
            raise message.unknown(field, wire_type)


def _packed_int64s(message: Message, feature: Feature) -> None:
    if message.at < message.end and message.data[message.end - 1] in _GOING_ON:
        raise message.refusal("a number that does not end")
    while message.at < message.end and len(feature.first) < FIRST_VALUES:
        _add_int64(feature, message.varint())
    for at in range(message.at, message.end, _PIECE_BYTES):
        piece = message.data[at : min(at + _PIECE_BYTES, message.end)]
        feature.count += len(piece.translate(None, _GOING_ON))  # one byte of each number is the last


def _add_int64(feature: Feature, value: int) -> None:
    feature.count += 1
    if len(feature.first) < FIRST_VALUES:
        feature.first.append(value - _RANGE if value >= _SIGN else value)


_KINDS: Final[dict[int, tuple[str, Callable[[Message, Feature], None]]]] = {
    1: ("bytes", _byte_strings),
    2: ("float", _floats),
    3: ("int64", _int64s),
}

"""`tf.train.Example` and `tf.train.SequenceExample` as bytes, without TensorFlow and without protobuf.

The two messages, in protobuf's own words (all field numbers there are):

    Example          features = 1 (Features)
    SequenceExample  context = 1 (Features), feature_lists = 2 (FeatureLists)
    Features         feature = 1 (map of string to Feature)
    FeatureLists     feature_list = 1 (map of string to FeatureList)
    FeatureList      feature = 1 (Feature, repeated)
    Feature          one of bytes_list = 1, float_list = 2, int64_list = 3, each with value = 1 (repeated)

Parsing is strict: other fields, other wire types and lengths that do not fit are refused, so that bytes which merely
look like protobuf are not mistaken for an example. What these messages may be is read as protobuf reads it: lists
packed or not, messages in several parts, the last of several kinds and keys. Time and memory follow the length of the
bytes, and `most_values` bounds them for who only wants to know whether it is an example.
"""

from __future__ import annotations

import dataclasses
import operator
import struct
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from octavo.errors import FormatError, RecordTypeError

Values: TypeAlias = list[bytes] | list[float] | list[int]
"""The values of a feature."""
Features: TypeAlias = dict[str, Values]
"""Values by the names of features."""

_VARINT, _LENGTH, _FIXED32 = 0, 2, 5  # wire types
_BYTES, _FLOATS, _INT64S = 1, 2, 3  # the kinds of a feature, by their fields
_LONGEST_VARINT = 10  # bytes that 64 bits take, seven a byte
_LONGEST_TAG = 5  # and 32 bits, as protobuf has them for tags and lengths
_SIGN = 1 << 63
_RANGE = 1 << 64


@dataclasses.dataclass(frozen=True)
class SequenceExample:
    """Features of the whole, and lists of features of its steps."""

    context: Features
    feature_lists: dict[str, list[Values]]


@dataclasses.dataclass(slots=True)
class Patience:
    """How many fields and numbers may still come."""

    left: int


class Message:
    """A stretch of bytes that is one message, read field by field."""

    __slots__ = ("at", "data", "end", "patience")

    def __init__(self, data: bytes, at: int, end: int, patience: Patience) -> None:
        self.data = data
        self.at = at
        self.end = end
        self.patience = patience

    def tags(self) -> Iterator[tuple[int, int]]:
        """Field number and wire type of each field. Whoever gets them reads the value before the next."""
        while self.at < self.end:
            self.spend(1)
            tag = self.varint(_LONGEST_TAG)
            yield tag >> 3, tag & 7

    def spend(self, count: int) -> None:
        self.patience.left -= count
        if self.patience.left < 0:
            raise self.refusal("more values than were to be read")

    def varint(self, longest: int = _LONGEST_VARINT) -> int:
        data, at, end = self.data, self.at, min(self.end, self.at + longest)
        value = shift = 0
        while at < end:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:  # noqa: PLR2004 - the bit that says that more follow
                break
            shift += 7
        else:
            raise self.refusal("a number that does not end")
        if value >= _RANGE:
            raise self.refusal("a number of more than 64 bits")
        self.at = at
        return value

    def stretch(self) -> tuple[int, int]:
        """From where to where the bytes go whose length comes next; they are left behind."""
        length = self.varint(_LONGEST_TAG)
        start = self.at
        if length > self.end - start:
            raise self.refusal(f"a length of {length} where {self.end - start} bytes are left")
        self.at = start + length
        return start, self.at

    def message(self) -> Message:
        return Message(self.data, *self.stretch(), self.patience)

    def bytes(self) -> bytes:
        start, end = self.stretch()
        return self.data[start:end]

    def text(self) -> str:
        start, end = self.stretch()
        try:
            return self.data[start:end].decode()
        except UnicodeDecodeError as error:
            raise self.refusal("a name that is not UTF-8") from error

    def refusal(self, what: str) -> FormatError:
        return FormatError(f"not an example of tensorflow: {what} at byte {self.at}", offset=self.at)

    def unknown(self, field: int, wire_type: int) -> FormatError:
        return self.refusal(f"field {field} of wire type {wire_type}, which has no place there and whose tag ends")


def parse(data: bytes, *, most_values: int = sys.maxsize) -> Features:
    """The features of a serialized `tf.train.Example`, in the order in which they are stored.

    Raises:
        FormatError: The bytes are not exactly such a message, or have more fields and numbers than `most_values`.
        RecordTypeError: These are no bytes.
    """
    _check_bytes(data)
    features: Features = {}
    example = Message(data, 0, len(data), Patience(most_values))
    for field, wire_type in example.tags():
        if (field, wire_type) != (1, _LENGTH):
            raise example.unknown(field, wire_type)
        features.update((name, _feature(parts)) for name, parts in entries(example.message()))
    return features


def parse_sequence(data: bytes, *, most_values: int = sys.maxsize) -> SequenceExample:
    """The features of a serialized `tf.train.SequenceExample`. An `Example` is one, too, without lists.

    Raises:
        FormatError: The bytes are not exactly such a message, or have more fields and numbers than `most_values`.
    """
    _check_bytes(data)
    context: Features = {}
    feature_lists: dict[str, list[Values]] = {}
    example = Message(data, 0, len(data), Patience(most_values))
    for field, wire_type in example.tags():
        if (field, wire_type) == (1, _LENGTH):
            context.update((name, _feature(parts)) for name, parts in entries(example.message()))
        elif (field, wire_type) == (2, _LENGTH):
            _read_feature_lists(example.message(), feature_lists)
        else:
            raise example.unknown(field, wire_type)
    return SequenceExample(context, feature_lists)


def _check_bytes(data: object) -> None:
    if not isinstance(data, bytes | bytearray | memoryview):
        message = f"a serialized example is bytes, such as a record of a reader, not {type(data).__name__}"
        raise RecordTypeError(message)


def _read_feature_lists(message: Message, feature_lists: dict[str, list[Values]]) -> None:
    for name, parts in entries(message):
        steps: list[Values] = []
        for part in parts:
            for field, wire_type in part.tags():
                if (field, wire_type) != (1, _LENGTH):
                    raise part.unknown(field, wire_type)
                steps.append(_feature([part.message()]))
        feature_lists[name] = steps


def entries(message: Message) -> Iterator[tuple[str, list[Message]]]:
    """Keys of a map, and the parts of each value."""
    for field, wire_type in message.tags():
        if (field, wire_type) != (1, _LENGTH):
            raise message.unknown(field, wire_type)
        entry = message.message()
        name, parts = "", []
        for entry_field, entry_type in entry.tags():
            if (entry_field, entry_type) == (1, _LENGTH):
                name = entry.text()
            elif (entry_field, entry_type) == (2, _LENGTH):
                parts.append(entry.message())
            else:
                raise entry.unknown(entry_field, entry_type)
        yield name, parts


def _feature(parts: list[Message]) -> Values:
    """The values of a feature; none if it is of no kind."""
    kind = 0
    values: list[Any] = []
    for part in parts:
        for field, wire_type in part.tags():
            if field not in _VALUES_OF_KIND or wire_type != _LENGTH:
                raise part.unknown(field, wire_type)
            if field != kind:  # only one of them can be: the last
                kind, values = field, []
            values.extend(_VALUES_OF_KIND[kind](part.message()))
    return values


def _byte_strings(message: Message) -> Iterator[bytes]:
    for field, wire_type in message.tags():
        if (field, wire_type) != (1, _LENGTH):
            raise message.unknown(field, wire_type)
        yield message.bytes()


def _floats(message: Message) -> Iterator[float]:
    for start, count in runs_of_floats(message):
        yield from struct.unpack_from(f"<{count}f", message.data, start)


def runs_of_floats(message: Message) -> Iterator[tuple[int, int]]:
    """Where numbers of four bytes follow one another, and how many."""
    for field, wire_type in message.tags():
        if (field, wire_type) == (1, _LENGTH):
            start, end = message.stretch()
        elif (field, wire_type) == (1, _FIXED32):
            start, end = message.at, message.at + 4
            message.at = end
        else:
            raise message.unknown(field, wire_type)
        if (end - start) % 4 or end > message.end:
            raise message.refusal("a number that does not end")
        yield start, (end - start) // 4


def _int64s(message: Message) -> Iterator[int]:
    for field, wire_type in message.tags():
        if (field, wire_type) == (1, _LENGTH):
            yield from _packed_int64s(message.message())
        elif (field, wire_type) == (1, _VARINT):
            yield _signed(message.varint())
        else:
            raise message.unknown(field, wire_type)


def _packed_int64s(message: Message) -> Iterator[int]:
    packed = message.data[message.at : message.end]
    if packed.isascii():  # each is a byte: token ids of small vocabularies, labels, masks
        yield from packed
        return
    message.spend(len(packed) // _LONGEST_VARINT)
    while message.at < message.end:
        yield _signed(message.varint())


def _signed(value: int) -> int:
    return value - _RANGE if value >= _SIGN else value


_VALUES_OF_KIND: dict[int, Callable[[Message], Iterator[Any]]] = {
    _BYTES: _byte_strings,
    _FLOATS: _floats,
    _INT64S: _int64s,
}


def encode(features: Mapping[str, Sequence[bytes | str] | Sequence[float]]) -> bytes:
    """A serialized `tf.train.Example`; equal features give equal bytes, because names are sorted.

    Args:
        features: Lists of values by name, all of one kind: bytes (or text, as UTF-8), floats, or integers. Where
            integers are among floats, all are floats. NumPy arrays of one dimension are lists, too.

    Raises:
        RecordTypeError: A value is of none of these kinds, or does not fit.
    """
    encoded = {name.encode(): _encode_feature(name, values) for name, values in features.items()}
    entries = (_field(1, name) + _field(2, encoded[name]) for name in sorted(encoded))
    return _field(1, b"".join(_field(1, entry) for entry in entries))


def _encode_feature(name: str, values: Sequence[Any]) -> bytes:
    values = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(values, bytes | str) or not isinstance(values, Sequence):  # text is one, too, but of characters
        raise RecordTypeError(f"feature {name!r} is a list of values, not {type(values).__name__}")
    if not values:
        return b""
    try:
        if all(isinstance(value, bytes | str) for value in values):
            texts = (value.encode() if isinstance(value, str) else value for value in values)
            return _field(_BYTES, b"".join(_field(1, text) for text in texts))
        if all(hasattr(value, "__index__") for value in values):
            integers = (operator.index(value) for value in values)
            return _field(_INT64S, _field(1, b"".join(_varint(_unsigned(integer)) for integer in integers)))
        return _field(_FLOATS, _field(1, struct.pack(f"<{len(values)}f", *values)))
    except (struct.error, OverflowError, ValueError) as error:
        kinds = "all bytes, all floats of 32 bits, or all integers of 64 bits"
        raise RecordTypeError(f"feature {name!r} has a value that does not fit: allowed are {kinds}") from error


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | _LENGTH) + _varint(len(content)) + content


def _unsigned(value: int) -> int:
    if not -_SIGN <= value < _SIGN:
        raise OverflowError
    return value % _RANGE


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:  # noqa: PLR2004 - what fits into a byte
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)

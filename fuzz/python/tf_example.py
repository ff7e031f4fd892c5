"""`tf.train.Example`: the reader and the writer, and the outline that the viewer makes."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from fuzz.python import example_twin as twin
from fuzz.python.comparing import DisagreementError, Refused, agree, answer_of
from octavo import _tf_example
from octavo.errors import FormatError, RecordTypeError
from octavo.viewer.decoders import _example, _example_outline

_ENOUGH = 1 << 40
_FEW = (0, 1, 7, 30)

_IMAGE = b"\x0a\x0c\x0a\x05image\x12\x03\x0a\x01\x0a"
SEEDS = (
    b"",
    b"\x0a\x00",
    _tf_example.encode({"image": [b"\xff\xd8", b""], "label": [1, -1, 300], "weights": [0.5, -1.0]}),
    _tf_example.encode({"a": [], "": [b"x"], "text": ["é"]}),
    _tf_example.encode({"ids": list(range(100)), "big": [2**63 - 1, -(2**63)]}),
    b"\x0a\x10\x0a\x0e\x0a\x01f\x12\x09\x12\x07\x0d\x00\x00\x80\x3f\x0a\x00",  # one number by itself, and none packed
    b"\x0a\x0d\x0a\x0b\x0a\x01i\x12\x06\x1a\x04\x08\x01\x08\x02",
    b"\x0a\x12\x0a\x10\x0a\x01k\x12\x04\x0a\x02\x0a\x00\x12\x05\x1a\x03\x08\x96\x01",  # two kinds in two parts
    b"\x12\x10\x0a\x0e\x0a\x01s\x12\x09\x0a\x07\x1a\x05\x0a\x03\x01\x02\x03",
    b"\x0a\x00\x12\x1a\x0a\x18\x0a\x01s\x12\x13\x0a\x07\x12\x05\x0a\x03\x00\x00\x00\x0a\x08\x12\x06\x0a\x04\x00\x00\xc0\x7f",
)
WORDS = (
    *(b"\x0a", b"\x12", b"\x1a", b"\x08", b"\x0d", b"\x00", b"\x0a\x00", b"\x12\x02\x0a\x00", b"\x0a\x03\x0a\x01k"),
    *(
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        b"\x80\x80\x80\x80\x10",
        b"\x8a\x00",
        b"\x00\x00\x80\x3f",
        b"\xc3\xa9",
    ),
    *(b"\x1a\x04\x0a\x02\x08\x01", b"\x12\x06\x0a\x04\x00\x00\xc0\x7f", b"\xff", b"\x80"),
)


def check(data: bytes) -> None:
    """Read the bytes as each of the two messages, in all ways; write again what was read."""
    found = answer_of(lambda: _tf_example.parse(data), FormatError)
    expected = answer_of(lambda: twin.example(data), twin.NoExampleError)
    agree("features", _features(found), _features(expected))
    sequence = answer_of(lambda: _tf_example.parse_sequence(data), FormatError)
    expected_sequence = answer_of(lambda: twin.sequence_example(data), twin.NoExampleError)
    _check_sequence(sequence, expected_sequence)
    _check_bounds(data, found)
    if not isinstance(found, Refused):
        _check_writing(found)
    if not isinstance(sequence, Refused):
        _check_protobuf(data, found, sequence)
    _check_outline(data, expected_sequence)


def _features(found: Mapping[str, Any] | Refused) -> Any:
    """Names in their order, and values as bits: no NaN is equal to itself."""
    return found if isinstance(found, Refused) else [(name, _bits(values)) for name, values in found.items()]


def _bits(values: Sequence[Any]) -> list[Any]:
    if isinstance(values, tuple):  # as the twin has them, beside their kind
        values = values[1]
    return [struct.pack("<d", value) if isinstance(value, float) else value for value in values]


def _check_sequence(found: _tf_example.SequenceExample | Refused, expected: Any) -> None:
    if isinstance(found, Refused) or isinstance(expected, Refused):
        agree("sequence example", found, expected)
        return
    agree("context", _features(found.context), _features(expected[0]))
    lists = {name: [_bits(step) for step in steps] for name, steps in found.feature_lists.items()}
    agree("lists", lists, {name: [_bits(step) for step in steps] for name, steps in expected[1].items()})
    agree("order of lists", list(found.feature_lists), list(expected[1]))


def _check_bounds(data: bytes, whole: Any) -> None:
    """Who reads less gets all of it, or a refusal."""
    for most in _FEW:
        some = answer_of(lambda most=most: _tf_example.parse(data, most_values=most), FormatError)  # type: ignore[misc]
        if not isinstance(some, Refused):
            agree(f"features within {most} values", _features(some), _features(whole))


def _check_writing(features: _tf_example.Features) -> None:
    try:
        encoded = _tf_example.encode(features)
    except RecordTypeError as error:
        raise DisagreementError("what was read cannot be written") from error
    again = _tf_example.parse(encoded)
    agree("features written", {k: _bits(v) for k, v in again.items()}, {k: _bits(v) for k, v in features.items()})
    agree("names in order", list(again), sorted(again, key=str.encode))
    agree("what was written, by the twin", _features(twin.example(encoded)), _features(again))
    agree("bytes written twice", _tf_example.encode(again), encoded)


def _check_protobuf(data: bytes, found: Any, sequence: _tf_example.SequenceExample) -> None:
    """What octavo takes, protobuf takes, and for the same."""
    classes = twin.protobuf_messages()
    if classes is None:
        return
    if not isinstance(found, Refused):
        example = classes[0].FromString(data)
        meant = {name: _bits(twin.values_in_protobuf(one)) for name, one in example.features.feature.items()}
        agree("features, by protobuf", {name: _bits(values) for name, values in found.items()}, meant)
    whole = classes[1].FromString(data)
    meant = {name: _bits(twin.values_in_protobuf(one)) for name, one in whole.context.feature.items()}
    agree("context, by protobuf", {name: _bits(values) for name, values in sequence.context.items()}, meant)
    steps = {
        name: [_bits(twin.values_in_protobuf(one)) for one in some.feature]
        for name, some in whole.feature_lists.feature_list.items()
    }
    lists = {name: [_bits(step) for step in some] for name, some in sequence.feature_lists.items()}
    agree("lists, by protobuf", lists, steps)


def _check_outline(data: bytes, expected: Any) -> None:
    """The viewer counts what it does not unpack; what it does unpack is what the reader gives."""
    outline = answer_of(lambda: _example_outline.outline(data, _ENOUGH), FormatError)
    if isinstance(outline, Refused):
        agree("outline", outline, expected)
    elif isinstance(expected, Refused):
        return  # a number of more than 64 bits, among those that are only counted
    else:
        for name, (kind, values) in expected[0].items():
            _check_feature(outline.features[name], kind, values)
        for name, steps in expected[1].items():
            agree(f"steps of {name}", outline.lists[name].count, len(steps))
            for step, (kind, values) in zip(outline.lists[name].first, steps, strict=False):
                _check_feature(step, kind, values)
    if _example.recognises(data):
        agree("blocks", bool(_example.decode(data)), True)  # noqa: FBT003 - the answer
        _example.summarise(data)


def _check_feature(feature: _example_outline.Feature, kind: str, values: list[Any]) -> None:
    agree("count", feature.count, len(values))
    if values:
        agree("kind", feature.kind, kind)
    agree("first values", _bits(feature.first), _bits(values[: _example_outline.FIRST_VALUES]))

"""Examples of TensorFlow, read and written without it."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import _tf_example
from octavo.errors import FormatError, RecordTypeError

# Written by TensorFlow 2.21, with deterministic=True.
EXAMPLE = (
    b'\ng\n-\n\x05label\x12$\x1a"\n \x07\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\xac\x02\xff\xff\xff\xff\xff\xff\xff'
    b"\xff\x7f\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\n\x15\n\x04name\x12\r\n\x0b\n\x05caf\xc3\xa9\n\x02\xff\x00\n\x08"
    b"\n\x04none\x12\x00\n\x15\n\x01w\x12\x10\x12\x0e\n\x0c\x00\x00\x00?\x00\x00\x00\xc0\x00\x00\x80\x7f"
)
FEATURES: _tf_example.Features = {
    "label": [7, -1, 300, 2**63 - 1, -(2**63)],
    "name": [b"caf\xc3\xa9", b"\xff\x00"],
    "none": [],
    "w": [0.5, -2.0, math.inf],
}
SEQUENCE = (
    b"\n\r\n\x0b\n\x02id\x12\x05\x1a\x03\n\x01\x01\x12\x18\n\x16\n\x01t\x12\x11\n\x06\x1a\x04\n\x02\x01\x02\n\x05\n\x03"
    b"\n\x01x\n\x00"
)


def field(number: int, content: bytes, wire_type: int = 2) -> bytes:
    """A field of a message; contents of tests are short."""
    assert len(content) < 128
    return bytes([number << 3 | wire_type, len(content)]) + content


def example_of(feature: bytes, name: bytes = b"a") -> bytes:
    return field(1, field(1, field(1, name) + field(2, feature)))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.arange(3.0), [0.0, 1.0, 2.0]),
        (np.arange(3), [0, 1, 2]),
        ([np.int64(-7), np.uint8(3)], [-7, 3]),
        (np.array([b"ab"]), [b"ab"]),
        (np.array([], np.float32), []),
    ],
)
def test_values_of_numpy_are_what_they_look_like(values, expected):
    assert _tf_example.parse(_tf_example.encode({"a": values})) == {"a": expected}


@pytest.mark.parametrize("values", [3, 0.5, None, np.float32(3), np.zeros((2, 2)), {1, 2}])
def test_what_is_no_list_of_values_is_refused(values):
    with pytest.raises(RecordTypeError, match="feature 'a'"):
        _tf_example.encode({"a": values})


def test_what_tensorflow_wrote_is_read():
    assert _tf_example.parse(EXAMPLE) == FEATURES


def test_what_tensorflow_wrote_is_written_alike():
    assert _tf_example.encode(FEATURES) == EXAMPLE


def test_the_order_of_names_does_not_matter_when_writing():
    assert _tf_example.encode(dict(reversed(list(FEATURES.items())))) == EXAMPLE


def test_a_sequence_example_has_a_context_and_lists():
    example = _tf_example.parse_sequence(SEQUENCE)
    assert example == _tf_example.SequenceExample({"id": [1]}, {"t": [[1, 2], [b"x"], []]})


def test_an_example_is_a_sequence_example_without_lists():
    assert _tf_example.parse_sequence(EXAMPLE) == _tf_example.SequenceExample(FEATURES, {})


def test_a_sequence_example_is_no_example():
    with pytest.raises(FormatError, match="field 2 of wire type 2"):
        _tf_example.parse(SEQUENCE)


@pytest.mark.parametrize("nothing", [b"", b"\n\x00", b"\n\x00\n\x00"])
def test_an_example_may_have_no_features(nothing):
    assert _tf_example.parse(nothing) == {}


def test_numbers_may_be_packed_or_not():
    packed = field(3, field(1, b"\x01\x02\xac\x02"))
    apart = field(3, b"\x08\x01\x08\x02\x08\xac\x02")
    assert _tf_example.parse(example_of(packed)) == _tf_example.parse(example_of(apart)) == {"a": [1, 2, 300]}
    packed = field(2, field(1, struct.pack("<2f", 1.5, -1)))
    apart = field(2, b"\x0d" + struct.pack("<f", 1.5) + b"\x0d" + struct.pack("<f", -1))
    assert _tf_example.parse(example_of(packed)) == _tf_example.parse(example_of(apart)) == {"a": [1.5, -1.0]}


def test_the_last_of_several_kinds_counts_and_parts_of_one_are_joined():
    both = field(1, field(1, b"text")) + field(3, field(1, b"\x07"))
    assert _tf_example.parse(example_of(both)) == {"a": [7]}
    parts = field(3, field(1, b"\x07")) + field(3, field(1, b"\x08"))
    assert _tf_example.parse(example_of(parts)) == {"a": [7, 8]}


def test_the_last_of_equal_names_counts():
    twice = example_of(field(3, field(1, b"\x07"))) + example_of(field(1, field(1, b"x")))
    assert _tf_example.parse(twice) == {"a": [b"x"]}


def test_a_name_or_a_value_may_be_missing():
    assert _tf_example.parse(field(1, field(1, field(1, b"a")))) == {"a": []}
    assert _tf_example.parse(field(1, field(1, field(2, field(3, field(1, b"\x07")))))) == {"": [7]}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"hello", "field 13 of wire type 0"),
        (EXAMPLE + b"\n", "a number that does not end at byte 106"),
        (EXAMPLE + b"\x00", "field 0 of wire type 0"),
        (EXAMPLE[:-1], "a length of 103 where 102 bytes are left"),
        (b"\n\x80", "a number that does not end"),
        (b"\x8a\x80\x80\x80\x80\x00\x00", "a number that does not end"),  # a tag of more than five bytes
        (b"\x08\x01", "field 1 of wire type 0"),
        (b"\x0b\x0c", "field 1 of wire type 3"),
        (b"\x1a\x00", "field 3 of wire type 2"),
        (example_of(b"", b"\xff"), "a name that is not UTF-8"),
        (example_of(field(4, b"")), "field 4 of wire type 2"),
        (example_of(b"\x08\x01"), "field 1 of wire type 0"),
        (example_of(field(1, b"\x08\x01")), "field 1 of wire type 0"),
        (example_of(field(2, b"\x0d\x00\x00\x80")), "a number that does not end"),
        (example_of(field(2, field(1, b"\x00\x00\x80"))), "a number that does not end"),
        (example_of(field(2, b"\x08\x01")), "field 1 of wire type 0"),
        (example_of(field(3, b"\x0d\x00\x00\x80\x3f")), "field 1 of wire type 5"),
        (example_of(field(3, field(1, b"\x80"))), "a number that does not end"),
        (example_of(field(3, field(1, b"\xff" * 9 + b"\x02"))), "a number of more than 64 bits"),
        (field(1, field(1, field(3, b""))), "field 3 of wire type 2"),
    ],
)
def test_anything_else_is_refused(data, reason):
    with pytest.raises(FormatError, match=reason) as caught:
        _tf_example.parse(data)
    assert caught.value.offset is not None
    with pytest.raises(FormatError):
        _tf_example.parse_sequence(data)


@pytest.mark.parametrize("wrong", ["text", None, [1, 2], 7])
def test_what_is_no_bytes_is_told(wrong):
    for parse in (_tf_example.parse, _tf_example.parse_sequence):
        with pytest.raises(RecordTypeError, match="a serialized example is bytes, such as a record of a reader, not "):
            parse(wrong)


def test_lists_of_a_sequence_example_are_as_strict():
    for data in (field(2, b"\x08\x01"), field(2, field(1, field(2, b"\x08\x01"))), field(2, field(1, field(3, b"")))):
        with pytest.raises(FormatError, match="which has no place there and whose tag ends at byte"):
            _tf_example.parse_sequence(data)


def test_who_only_looks_need_not_read_everything():
    many = _tf_example.encode({"a": [300] * 100_000})
    assert len(_tf_example.parse(many)["a"]) == 100_000
    with pytest.raises(FormatError, match="more values than were to be read"):
        _tf_example.parse(many, most_values=1000)
    entries = b"\n\x80\x80\x04" + b"\n\x02\x12\x00" * (1 << 14)
    with pytest.raises(FormatError, match="more values than were to be read"):
        _tf_example.parse_sequence(entries, most_values=1000)


def test_a_large_value_is_one_value():
    image = b"\xff\xd8" + bytes(1_000_000)
    assert _tf_example.parse(_tf_example.encode({"image": [image]}), most_values=20) == {"image": [image]}


@pytest.mark.parametrize(
    "values", [b"text", "text", [b"x", 1], [None], [2**63], [-(2**63) - 1], [1e39], ["\ud800"], [1, "x"]]
)
def test_what_is_no_list_of_one_kind_cannot_be_written(values):
    with pytest.raises(RecordTypeError, match="feature 'a'"):
        _tf_example.encode({"a": values})


def test_integers_among_floats_are_floats():
    assert _tf_example.parse(_tf_example.encode({"a": [1, 0.5]})) == {"a": [1.0, 0.5]}


def test_text_is_written_as_utf_8():
    assert _tf_example.parse(_tf_example.encode({"a": ["café", "x"]})) == {"a": ["café".encode(), b"x"]}


def test_not_a_number_stays_that():
    (value,) = _tf_example.parse(_tf_example.encode({"a": [math.nan]}))["a"]
    assert isinstance(value, float)
    assert math.isnan(value)


values_of_a_feature = st.one_of(
    st.lists(st.binary(max_size=200), max_size=5),
    st.lists(st.floats(width=32, allow_nan=False), max_size=20),
    st.lists(st.one_of(st.integers(-5, 200), st.integers(-(2**63), 2**63 - 1)), max_size=20),
)
features_of_an_example = st.dictionaries(st.text(max_size=8), values_of_a_feature, max_size=5)


@settings(deadline=None)
@given(features_of_an_example)
def test_what_is_written_is_read(features):
    assert _tf_example.parse(_tf_example.encode(features)) == features


@settings(deadline=None)
@given(features_of_an_example)
def test_tensorflow_reads_and_writes_the_same(features):
    train = pytest.importorskip("tensorflow").train
    encoded = _tf_example.encode(features)
    theirs = train.Example.FromString(encoded)
    assert values_by_name(theirs.features) == features
    written = theirs.SerializeToString()
    assert len(written) == len(encoded)  # names come in another order
    assert _tf_example.parse(written) == features


@settings(deadline=None, max_examples=500)
@given(st.data())
def test_what_is_read_from_any_bytes_is_what_tensorflow_reads(data):
    train = pytest.importorskip("tensorflow").train
    content = bytearray(data.draw(st.sampled_from([EXAMPLE, SEQUENCE])))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    try:
        ours = _tf_example.parse_sequence(bytes(content))
    except FormatError:
        return
    theirs = train.SequenceExample.FromString(bytes(content))
    assert repr(dict(sorted(ours.context.items()))) == repr(values_by_name(theirs.context))
    lists = {
        name: [values_of(feature) for feature in one.feature]
        for name, one in sorted(theirs.feature_lists.feature_list.items())
    }
    assert repr(dict(sorted(ours.feature_lists.items()))) == repr(lists)


def values_by_name(features) -> dict[str, list[object]]:
    return {name: values_of(feature) for name, feature in sorted(features.feature.items())}


def values_of(feature) -> list[object]:
    kind = feature.WhichOneof("kind")
    return list(getattr(feature, kind).value) if kind else []

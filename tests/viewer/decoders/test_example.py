"""Examples of TensorFlow: their features, and what is in them."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import _tf_example
from octavo._tf_example import _field
from octavo.errors import FormatError
from octavo.viewer.blocks import Audio, Image, Note, Section, Table, Text
from octavo.viewer.decoders._example_outline import FIRST_VALUES, outline
from tests.viewer.decoders import contents

FEATURES = st.dictionaries(
    st.text(min_size=1, max_size=5),
    st.lists(st.binary(max_size=9), max_size=90)
    | st.lists(st.integers(-(1 << 63), (1 << 63) - 1), max_size=90)
    | st.lists(st.floats(width=32, allow_nan=False), max_size=90),
    max_size=5,
)


def a_feature(name, content):
    return _field(1, _field(1, _field(1, name) + _field(2, content)))


@settings(max_examples=100, deadline=None)
@given(FEATURES)
def test_the_outline_agrees_with_the_whole(features):
    record = _tf_example.encode(features)
    found = outline(record, 100_000)
    whole = _tf_example.parse(record)
    assert found.is_whole
    assert {name: (feature.count, feature.first) for name, feature in found.features.items()} == {
        name: (len(values), values[:FIRST_VALUES]) for name, values in whole.items()
    }


@settings(max_examples=100, deadline=None)
@given(FEATURES, st.lists(st.lists(st.integers(0, 1 << 40), max_size=5), max_size=20))
def test_the_outline_of_a_sequence_agrees_with_the_whole(features, steps):
    record = contents.sequence_example(features, {"steps": steps})
    found = outline(record, 100_000)
    whole = _tf_example.parse_sequence(record)
    assert found.features.keys() == whole.context.keys()
    assert found.lists["steps"].count == len(whole.feature_lists["steps"])
    assert [step.first for step in found.lists["steps"].first] == whole.feature_lists["steps"][:8]


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_what_the_whole_refuses_the_outline_refuses(data):
    record = bytearray(contents.example(a=[1, 300], b=[b"xy"], c=[0.5]))
    at = data.draw(st.integers(0, len(record) - 1))
    record[at] ^= data.draw(st.integers(1, 255))
    try:
        _tf_example.parse_sequence(bytes(record))
    except FormatError:
        with pytest.raises(FormatError):
            outline(bytes(record), 100_000)
    else:
        assert outline(bytes(record), 100_000).is_whole


def test_features_are_in_a_table_and_media_in_sections(decoders):
    picture, sound = contents.png(), contents.wav(1)
    record = contents.example(
        image=[picture, b"no image"], sound=[sound], label=[7], score=[0.1, 2.5], raw=[b"\xff\x00"]
    )
    table, *sections = decoders.decode(record).blocks
    assert isinstance(table, Table)
    assert {row[0]: row[1:] for row in table.rows} == {
        "image": ("bytes", "2", f'<PNG image, 3 × 2, {len(picture)} bytes>, "no image"'),  # noqa: RUF001
        "label": ("int64", "1", "7"),
        "raw": ("bytes", "1", "<ff 00>"),
        "score": ("float", "2", "0.1, 2.5"),
        "sound": ("bytes", "1", f"<WAV audio, {len(sound):,} bytes>"),
    }
    assert sections == [
        Section("image", (Image(picture, "image/png", 3, 2, "image"),)),
        Section("sound", (Audio(sound, "audio/wav", "sound", "16-bit PCM, 8,000 Hz, mono, 1 s"),)),
    ]


def test_long_texts_and_json_within_are_shown(decoders):
    record = contents.example(caption=["word " * 50], info=['{"a": [' + ", ".join(["1"] * 50) + "]}"])
    _, caption, info = decoders.decode(record).blocks
    assert caption == Section("caption", (Text("word " * 50),))
    assert info.blocks[0].language == "json"


def test_an_image_that_unfolds_too_far_is_not_shown(decoders):
    record = contents.example(image=[contents.png(100_000, 100_000, pixels=b"\x00")])
    section = decoders.decode(record).blocks[-1]
    assert isinstance(section.blocks[0], Note)
    assert decoders.summarise(record)[1].image is None


def test_a_sequence_shows_context_and_lists(decoders):
    record = contents.sequence_example({"label": [3]}, {"frames": [[contents.png()]] * 20, "ids": [[1, 2], []]})
    context, lists, frames = decoders.decode(record).blocks
    assert (context.title, context.rows) == ("context", (("label", "int64", "1", "3"),))
    assert [row[:3] for row in lists.rows] == [("frames", "bytes", "20"), ("ids", "int64, empty", "2")]
    assert lists.rows[1][3] == "[1, 2], []"
    assert "… 12 more" in lists.rows[0][3]
    assert [type(block) for block in frames.blocks] == [Image] * 8


def test_a_card_shows_names_values_and_the_first_image(decoders):
    summary = decoders.summarise(contents.example(image=[contents.png()], label=[7], more=list(range(9))))[1]
    assert summary.text == "3 features: image, label, more"
    assert "label: 7\nmore: 0, 1, 2, 3, … 5 more" in summary.snippet
    assert summary.image == Image(contents.png(), "image/png", 3, 2)


@pytest.mark.parametrize(
    "record", [b"", b"\x0a", b"\x0a\x00", b"\x0a\x04\x0a\x02\x0a\x00", b"\x0a\x05hello", b"\x12\x00", b"\x0a" * 100]
)
def test_what_has_no_feature_is_none(decoders, record):
    assert decoders.guess(record).name != "example"


MANY = {
    "packed, of one byte": _field(3, _field(1, b"\x01" * (8 << 20))),
    "packed, of two bytes": _field(3, _field(1, b"\x81\x01" * (4 << 20))),
    "packed floats": _field(2, _field(1, bytes(8 << 20))),
    "one by one": _field(3, b"\x08\x01" * (4 << 20)),
    "floats one by one": _field(2, b"\x0d\x00\x00\x80\x3f" * (1 << 20)),
    "empty texts": _field(1, b"\x0a\x00" * (4 << 20)),
}


@pytest.mark.parametrize("name", MANY)
def test_millions_of_values_take_little_memory(decoders, name):
    record = a_feature(b"many", MANY[name])
    tracemalloc.start()
    try:
        decoder, summary = decoders.summarise(record)
        blocks = decoders.decode(record).blocks
        most_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert decoder.name == "example"
    assert "many" in summary.text
    assert next(block for block in blocks if isinstance(block, Table)).rows[0][0] == "many"
    assert most_bytes < 8 << 20


def test_features_beyond_what_is_read_are_told(decoders):
    note, table = decoders.decode(a_feature(b"many", MANY["one by one"])).blocks
    assert note == Note("only the first 100,000 fields were read", "warning")
    assert table.rows[0][:2] == ("many", "int64")


def test_many_features_are_listed_in_part(decoders):
    record = _tf_example.encode({f"feature {at}": [at] for at in range(3000)})
    (table,) = decoders.decode(record).blocks
    assert (table.title, len(table.rows), table.left_out) == ("3,000 features", 1000, 2000)


def test_examples_of_the_original_are_read(decoders):
    tensorflow = pytest.importorskip("tensorflow", reason="needs TensorFlow")
    train = tensorflow.train
    features = {
        "label": train.Feature(int64_list=train.Int64List(value=[-1, 5])),
        "text": train.Feature(bytes_list=train.BytesList(value=[b"caption"])),
        "floats": train.Feature(float_list=train.FloatList(value=[0.1])),
        "none": train.Feature(),
    }
    record = train.Example(features=train.Features(feature=features)).SerializeToString()
    (table,) = decoders.decode(record).blocks
    assert {row[0]: row[1:] for row in table.rows} == {
        "label": ("int64", "2", "-1, 5"),
        "text": ("bytes", "1", '"caption"'),
        "floats": ("float", "1", "0.1"),
        "none": ("empty", "0", ""),
    }

"""safetensors: what the header says, and first values."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from octavo.viewer.blocks import Facts, Note, Table, Text
from tests.viewer.decoders import contents


def tensor(dtype, shape, start, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


def test_tensors_and_metadata_are_listed(decoders):
    header = {"__metadata__": {"format": "pt"}, "b": tensor("F32", [2], 8, 16), "a": tensor("I16", [2, 2], 0, 8)}
    record = contents.safetensors(header, struct.pack("<4h2f", 1, 2, 3, -4, 0.1, 5))
    metadata, table, first, second = decoders.decode(record).blocks
    assert metadata == Facts((("format", "pt"),), "metadata")
    assert table.rows == (("a", "I16", "2 × 2", "8 B"), ("b", "F32", "2", "8 B"))  # noqa: RUF001
    assert isinstance(first.blocks[0], Table)
    assert first.blocks[0].rows == (("0", "1", "2"), ("1", "3", "-4"))
    assert second.blocks == (Text("0.1, 5.0"),)
    assert decoders.summarise(record)[1].text == "2 tensors, 6 values"


@pytest.mark.parametrize(
    ("dtype", "data", "text"),
    [
        ("F64", struct.pack("<d", 0.1), "0.1"),
        ("F16", struct.pack("<e", 0.5), "0.5"),
        ("BF16", struct.pack("<f", -1.5)[2:], "-1.5"),
        ("BF16", b"\x80\x7f", "inf"),
        ("I64", struct.pack("<q", -(1 << 63)), str(-(1 << 63))),
        ("I32", struct.pack("<i", -7), "-7"),
        ("I8", b"\xff", "-1"),
        ("U8", b"\xff", "255"),
        ("U16", b"\xff\xff", "65535"),
        ("U64", b"\xff" * 8, str((1 << 64) - 1)),
        ("BOOL", b"\x01", "True"),
    ],
)
def test_types_read_as_they_are(decoders, dtype, data, text):
    record = contents.safetensors({"x": tensor(dtype, [1], 0, len(data))}, data)
    assert decoders.decode(record).blocks[-1].blocks == (Text(text),)


def test_files_of_the_original_are_read(decoders):
    original = pytest.importorskip("safetensors.numpy", reason="needs safetensors")
    record = original.save({"w": np.ones((3, 3), "<f2"), "n": np.arange(5)}, metadata={"key": "value"})
    decoded = decoders.decode(record)
    assert decoded.decoder.name == "safetensors"
    assert {row[:3] for row in decoded.blocks[1].rows} == {("w", "F16", "3 × 3"), ("n", "I64", "5")}  # noqa: RUF001


@pytest.mark.parametrize(
    "tensors",
    [{"x": tensor("F32", [2], 0, 4)}, {"x": tensor("F32", [2], 0, 8)}, {"x": tensor("F32", [1 << 62, 1 << 62], 0, 4)}],
)
def test_what_does_not_fit_is_told(decoders, tensors):
    section = decoders.decode(contents.safetensors(tensors, bytes(4))).blocks[-1]
    assert isinstance(section.blocks[0], Note)
    assert "do not fit what is stored" in section.blocks[0].text


def test_an_unknown_type_is_named(decoders):
    section = decoders.decode(contents.safetensors({"x": tensor("F4", [2], 0, 1)}, bytes(1))).blocks[-1]
    assert section.blocks == (Note("values of type F4 are not shown"),)


def test_many_tensors_are_listed_in_part(decoders):
    record = contents.safetensors({f"layer {at}": tensor("U8", [1], at, at + 1) for at in range(2000)}, bytes(2000))
    table, note, *sections = decoders.decode(record).blocks
    assert (len(table.rows), table.left_out) == (1000, 1000)
    assert "first 16" in note.text
    assert len(sections) == 16


EVIL = [
    b'{"data_offsets"' + b"[" * 100_000 + b"}",
    b'{"a": "data_offsets", "data_offsets": 1}',
    b'{"a": {"dtype": "F32", "shape": 3, "data_offsets": [0, 4]}}',
    b'{"a": {"dtype": "F32", "shape": [-3], "data_offsets": [0, 4]}}',
    b'{"a": {"dtype": "F32", "shape": [true], "data_offsets": [0, 4]}}',
    b'{"a": {"dtype": "F32", "shape": [3], "data_offsets": [8, 4]}}',
    b'{"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 4, 8]}}',
    b'{"a": {"dtype": "F32", "shape": [1e5], "data_offsets": [0, 4]}}',
    b'{"a": {"dtype": "F32", "shape": [%s], "data_offsets": [0, 4]}}' % (b"1" * 5000),
    b'{"a": {"dtype": "F32", "shape": [NaN], "data_offsets": [0, 4]}}',
    b'{"a": {"dtype": "F32", "shape": [%s1], "data_offsets": [0, 4]}}' % (b"1," * 70),
    b'{"a": ["data_offsets"]}',
    b'{"data_offsets": "\xff"}',
]


@pytest.mark.parametrize("header", EVIL, ids=lambda header: header[:70].decode("latin-1"))
def test_an_evil_header_is_refused(decoders, header):
    record = contents.safetensors(header, bytes(16))
    assert decoders.decode(record, "safetensors").problem is not None
    decoders.summarise(record, "safetensors")[1].text.encode()


def test_names_that_are_no_text_are_escaped(decoders):
    record = contents.safetensors(b'{"\\ud800": {"dtype": "\\udfff", "shape": [], "data_offsets": [0, 0]}}')
    table = decoders.decode(record).blocks[0]
    assert table.rows == (("\\ud800", "\\udfff", "scalar", "0 B"),)


@pytest.mark.parametrize("length", [1 << 63, (1 << 64) - 1, 1 << 32, 1000])
def test_a_header_that_does_not_fit_is_refused(decoders, length):
    record = struct.pack("<Q", length) + b'{"data_offsets": 1}'
    assert decoders.guess(record).name == "hex"
    assert f"a header of {length:,} bytes does not fit" in decoders.decode(record, "safetensors").problem


def test_a_header_that_is_too_long_is_refused(decoders):
    record = contents.safetensors(b'{"data_offsets": 1}' + b" " * (3 << 20))
    assert "too long to be shown" in decoders.decode(record, "safetensors").problem


@pytest.mark.parametrize("record", [b"", b"1234567", struct.pack("<Q", 2) + b"{}", struct.pack("<Q", 0)])
def test_what_speaks_of_no_tensors_is_none(decoders, record):
    assert decoders.guess(record).name != "safetensors"

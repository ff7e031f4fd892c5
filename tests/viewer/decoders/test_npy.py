"""NumPy arrays: types, shapes and corners of their values, whatever the header says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.viewer.blocks import Facts, Note, Table, Text
from octavo.viewer.decoders import Decoders
from octavo.viewer.decoders._npy_header import read_header
from tests.viewer.decoders import contents

TYPES = [
    "b1",
    "i1",
    "<i2",
    ">i4",
    "<i8",
    "u1",
    ">u2",
    "<u4",
    "<u8",
    "<f2",
    ">f4",
    "<f8",
    "<c8",
    ">c16",
    "S3",
    "<U2",
    ">U2",
]


def facts_of(decoded):
    return dict(decoded.blocks[0].rows)


def values_of(decoded):
    """The values that are shown, as text."""
    shown = decoded.blocks[-1]
    return [list(row[1:]) for row in shown.rows] if isinstance(shown, Table) else shown.text.split(", ")


def test_a_matrix_is_shown_by_its_corner(decoders):
    decoded = decoders.decode(contents.npy(np.arange(200, dtype="<f4").reshape(10, 20) / 10))
    assert facts_of(decoded)["type"] == "float32"
    assert facts_of(decoded)["shape"] == "10 × 20"  # noqa: RUF001 - the sign that people see
    assert values_of(decoded) == [[str(float(f"{(20 * y + x) / 10:.6g}")) for x in range(8)] for y in range(8)]


@pytest.mark.parametrize("code", TYPES)
def test_every_type_reads_as_numpy_reads_it(decoders, code):
    array = np.array([0, 1, 2]).astype(code)
    decoded = decoders.decode(contents.npy(array))
    assert not [block for block in decoded.blocks if isinstance(block, Note)]
    expected = [repr(value.item()) for value in array]
    assert [value.strip("'b\"") for value in values_of(decoded)] == [value.strip("'b\"") for value in expected] or [
        float(value) for value in values_of(decoded)
    ] == array.tolist()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4), (2, 2, 9, 10), (1, 1), (20, 1)])
def test_the_corner_is_that_of_the_last_two_axes_in_either_order(decoders, order, shape):
    array = np.arange(np.prod(shape), dtype="<i8").reshape(shape)
    corner = array[(0,) * (len(shape) - 2)][:8, :8]
    record = contents.npy(np.asfortranarray(array) if order == "F" else array)
    assert values_of(decoders.decode(record)) == [[str(value) for value in row] for row in corner]


def test_a_row_is_shown_by_its_first_values(decoders):
    decoded = decoders.decode(contents.npy(np.arange(100, dtype="<u2")))
    assert decoded.blocks[-1] == Text(", ".join(map(str, range(64))) + ", …", left_out=72)


def test_a_scalar_is_shown(decoders):
    assert decoders.decode(contents.npy(np.float64(0.1))).blocks[-1] == Text("0.1")


def test_an_array_without_values_says_so(decoders):
    assert decoders.decode(contents.npy(np.zeros((0, 5)))).blocks[-1] == Note("it has no values")


def test_objects_are_never_loaded(decoders):
    decoded = decoders.decode(contents.npy(np.array([{"a": 1}, None], dtype=object)))
    assert facts_of(decoded)["type"] == "object"
    assert "never loaded" in decoded.blocks[-1].text
    fields = decoders.decode(contents.npy(np.zeros(2, dtype=[("a", "<f4"), ("b", "O")])))
    assert "never loaded" in fields.blocks[-1].text


def test_fields_are_listed(decoders):
    decoded = decoders.decode(contents.npy(np.zeros(3, dtype=[("a", "<f4"), ("b", "<i8", (2,))])))
    assert facts_of(decoded)["type"] == "record of 2 fields"
    assert decoded.blocks[-1].rows == (("a", "('<f4',)"), ("b", "('<i8', (2,))"))


def test_values_that_are_missing_are_told(decoders):
    decoded = decoders.decode(contents.npy(np.arange(12, dtype="<i4").reshape(3, 4))[:-8])
    assert "fewer than the 48 that the header announces" in decoded.blocks[1].text
    assert values_of(decoded)[-1] == ["8", "9", "", ""]


def test_more_bytes_than_values_are_told(decoders):
    decoded = decoders.decode(contents.npy(np.arange(2, dtype="<i4")) + b"more")
    assert "more than the 8 that the header announces" in decoded.blocks[1].text


@pytest.mark.parametrize("version", [1, 2, 3])
def test_all_versions_of_the_format_are_read(version):
    record = contents.npy_with("{'descr': '<f4', 'fortran_order': False, 'shape': (3L, 4), }\n", bytes(48), version)
    header = read_header(record)
    assert (header.shape, header.is_fortran, header.descr) == ((3, 4), False, "<f4")
    assert len(record) - header.data_at == 48


EVIL = [
    b"",
    b"{}",
    b"[1]",
    b"(" * 60_000,
    b"-" * 60_000 + b"1",
    b"{'a':" * 20_000,
    b"1" * 60_000,
    b"(1)" * 20_000,
    b"[1]" + b"[1]" * 20_000,
    b"'a' " * 15_000,
    b"{'descr': '\\d'}",
    b"{'descr': '\\N{DIGIT ONE}'}",
    b"{'descr': __import__('os').system('true'), 'fortran_order': False, 'shape': ()}",
    b"{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
    b"{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
    b"{'descr': '<f4', 'fortran_order': False, 'shape': ('3',)}",
    b"{'descr': '<f4', 'fortran_order': False, 'shape': (True,)}",
    b"{'descr': '<f4', 'fortran_order': False, 'shape': (%s)}" % (b"1," * 65),
    b"{'descr': '<f4', 'fortran_order': False, 'shape': (%s,)}" % (b"9" * 21),
    b"{[]: 1}",
    b"{'descr': '<f4'\xff}",
    b"0x10",
    b"1if 1else 2",
    b"f'{1}'",
]


@pytest.mark.parametrize("header", EVIL, ids=lambda header: header[:20].decode("latin-1"))
@pytest.mark.parametrize("version", [2, 3])
def test_an_evil_header_is_refused(decoders, header, version):
    record = contents.npy_with(header, bytes(16), version)
    assert decoders.decode(record).decoder.name == "npy"
    assert "header" in decoders.decode(record).problem or "shape" in decoders.decode(record).problem
    assert decoders.summarise(record)[1].text.startswith("not decoded as NumPy array")


@pytest.mark.parametrize("length", [70_000, 0xFFFFFFFF])
def test_a_header_that_does_not_fit_is_refused(decoders, length):
    record = b"\x93NUMPY\x02\x00" + length.to_bytes(4, "little") + b" " * 69_000
    assert f"{length:,} bytes does not fit" in decoders.decode(record).problem


@pytest.mark.parametrize(
    "descr", ["'<f16'", "'|V8'", "'<q9'", "''", "'<U999999999'", "3", "None", "('<f4', (2,))", "[('a',)]"]
)
def test_types_that_cannot_be_shown_do_no_harm(decoders, descr):
    record = contents.npy_with("{'descr': " + descr + ", 'fortran_order': False, 'shape': (2,)}", bytes(64))
    decoded = decoders.decode(record)
    assert decoded.problem is None
    assert isinstance(decoded.blocks[0], Facts)


def test_a_shape_of_astronomic_size_is_only_told(decoders):
    sizes = ", ".join(["18446744073709551615"] * 60)
    record = contents.npy_with("{'descr': '<f8', 'fortran_order': True, 'shape': (" + sizes + ")}", bytes(64))
    decoded = decoders.decode(record)
    assert decoded.problem is None
    assert values_of(decoded)[0][0] == "0.0"


@settings(max_examples=200, deadline=None)
@given(st.text("{}()[],:'\" \\\n0123456789abLTrueFalsxdescrfortran_orderhpO<>|-+.*", max_size=80), st.integers(1, 3))
def test_no_header_makes_it_fail(header, version):
    Decoders().decode(contents.npy_with(header, bytes(32), version))

"""Text for people."""

from __future__ import annotations

import io
import sys

import pytest

from octavo import _wording
from octavo.cli import _render


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (999, "999 B"),
        (999.4, "999 B"),
        (999.6, "1.00 kB"),
        (1000, "1.00 kB"),
        (1234, "1.23 kB"),
        (9_999, "10.0 kB"),
        (12_345, "12.3 kB"),
        (99_999, "100 kB"),
        (123_456, "123 kB"),
        (999_499, "999 kB"),
        (999_500, "1.00 MB"),
        (999_999, "1.00 MB"),
        (1_200_000_000, "1.20 GB"),
        (5_000_000_000_000, "5.00 TB"),
        (2**60, "1.15 EB"),
        (2**70, "1181 EB"),
    ],
)
def test_a_size_has_three_digits_and_a_unit_of_a_thousand(count, text):
    assert _wording.size(count) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1500, "1.5 kB"), (20_000, "20 kB"), (10**12, "1 TB")],
)
def test_a_round_size_has_no_more_digits_than_it_needs(count, text):
    assert _wording.round_size(count) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1.0, "1"), (6.625, "6.62"), (62.5, "62.5"), (99.94, "99.9"), (99.96, "100"), (39_473.7, "39,474")],
)
def test_an_average_has_three_digits(value, text):
    assert _wording.mean(value) == text


def test_a_size_on_average_may_be_a_part_of_a_byte():
    assert _wording.mean_size(6.63) == "6.63 B"
    assert _wording.mean_size(999.7) == "1.00 kB"


def test_sizes_that_are_compared_are_told_exactly():
    assert _wording.size_and_bytes(999) == "999 B"
    assert _wording.size_and_bytes(1_234_567) == "1.23 MB (1,234,567 bytes)"


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 records"), (1, "1 record"), (2, "2 records"), (1000, "1,000 records")]
)
def test_one_is_singular(count, text):
    assert _wording.plural(count, "record") == text


def test_a_plural_may_be_irregular():
    assert _wording.plural(2, "entry", "entries") == "2 entries"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0123, "12.3 ms"),
        (0.9994, "999 ms"),
        (0.9999, "1 s"),
        (4.561, "4.56 s"),
        (59.96, "1 min 0 s"),
        (3725, "1 h 2 min"),
    ],
)
def test_a_duration_has_a_unit_that_fits(seconds, text):
    assert _wording.duration(seconds) == text


def test_columns_of_a_table_are_aligned():
    rows = [("1", "short", "x"), ("1000", "longer one", "")]
    assert _render.table(rows, ("number", "name", "rest"), align=">") == [
        "number  name        rest",
        "     1  short       x",
        "  1000  longer one",
    ]


def test_a_table_without_rows_is_nothing_or_its_header():
    assert _render.table([]) == []
    assert _render.table([], ("a", "b")) == ["a  b"]


def test_cells_are_measured_as_they_are_shown():
    lines = _render.table([("a\x1bb", "x"), ("中文", "x"), ("e\u0301", "x"), ("plain", "x")])
    assert lines == ["a\\x1bb  x", "中文    x", "e\u0301       x", "plain   x"]


def test_bars_are_as_long_as_they_are_high():
    lines = _render.histogram([("none", 0), ("few", 1), ("half", 500), ("most", 1000)])
    assert lines == ["none      0", " few      1  ▏", "half    500  " + "█" * 20, "most  1,000  " + "█" * 40]


def test_no_bars_are_no_lines():
    assert _render.histogram([]) == []
    assert _render.histogram([("none", 0)]) == ["none  0"]


def test_bars_are_ascii_where_nothing_else_can_be_shown(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert _render.histogram([("a", 1), ("b", 2)]) == ["a  1  " + "#" * 20, "b  2  " + "#" * 40]

"""`octavo get`: records by number."""

from __future__ import annotations

import pytest

from octavo.errors import OptionError
from tests.unit.layouts import LAYOUTS

RECORDS = [b"%d" % number for number in range(100)]


@pytest.fixture(params=LAYOUTS.values(), ids=list(LAYOUTS))
def path(request, tmp_path):
    return request.param.write(tmp_path / "some", RECORDS).name


@pytest.fixture
def ffrecord(tmp_path):
    return LAYOUTS["ffrecord"].write(tmp_path / "some", RECORDS).name


def test_numbers_are_answered_in_the_order_of_the_question(octavo, path):
    assert octavo("get", path, 7, -1, 7, 0, "96:99", -100).lines == ["7", "99", "7", "0", "96", "97", "98", "0"]


def test_ranges_are_those_of_python(octavo, ffrecord):
    ranges = ["10:13", ":2", "97:", "-2:", "::40", "2::-1", "90:1000:5", "5:5", ":", "-1000:1"]
    expected = [str(number) for text in ranges for number in range(100)[slice_of(text)]]
    assert octavo("get", ffrecord, *ranges).lines == expected


def slice_of(text):
    return slice(*(int(edge) if edge else None for edge in text.split(":")))


@pytest.mark.parametrize("number", [100, -101])
def test_a_record_that_is_not_there_is_told_before_anything_is_shown(octavo, ffrecord, number):
    done = octavo("get", ffrecord, 1, number, check=1)
    assert done.stdout == b""
    assert done.stderr.startswith(f"octavo: record {number} does not exist: there are 100")


@pytest.mark.parametrize("nonsense", ["x", "1.5", "1:2:0", "1:2:3:4", "", "9" * 5000, "1-2", "٣:٤", " 1", "1:x"])
def test_what_is_no_number_is_an_option_error(nonsense):
    from octavo.cli.get import _number_or_range

    with pytest.raises(OptionError, match="neither a number"):
        _number_or_range(nonsense)


@pytest.mark.parametrize("nonsense", ["x", "--bogus", "-x"])
def test_what_is_no_number_is_wrong_usage(octavo, ffrecord, nonsense):
    done = octavo("get", ffrecord, nonsense, check=2)
    assert done.stdout == b""
    assert done.stderr.startswith("octavo: ")


def test_no_number_is_wrong_usage(octavo, ffrecord):
    assert octavo("get", ffrecord, check=2).stdout == b""


def test_options_may_stand_anywhere(octavo, ffrecord):
    assert octavo("get", "--as", "raw", ffrecord, -1, 5).stdout == b"995"
    assert octavo("get", ffrecord, -1, "--as", "raw", 5).stdout == b"995"


def test_raw_bytes_are_those_of_the_record(octavo, tmp_path):
    image = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 100
    LAYOUTS["array_record"].write(tmp_path / "images", [b"", image, b""])
    assert octavo("get", "images.array_record", 1, "--as", "raw").stdout == image
    assert octavo("get", "images.array_record", 0, "--as", "raw").stdout == b""


def test_a_longer_record_is_shown_than_by_head(octavo, tmp_path):
    LAYOUTS["ffrecord"].write(tmp_path / "long", [b"x" * 3000, b"x" * 5000])
    assert octavo("get", "long.ffr", 0).lines == ["x" * 3000]
    assert octavo("get", "long.ffr", 1).lines == ["x" * 4096, "  ... 904 bytes more (--bytes shows more)"]
    assert octavo("get", "long.ffr", 1, "--full").lines == ["x" * 5000]


def test_json_is_an_array_in_the_order_of_the_question(octavo, ffrecord):
    assert octavo("get", ffrecord, 5, "1:3", -1, "--json").json == [
        {"record": 5, "bytes": 1, "text": "5"},
        {"record": 1, "bytes": 1, "text": "1"},
        {"record": 2, "bytes": 1, "text": "2"},
        {"record": 99, "bytes": 2, "text": "99"},
    ]


def test_standard_input_will_do(octavo, tmp_path, ffrecord):
    assert octavo("get", "-", 3, stdin=(tmp_path / ffrecord).read_bytes()).lines == ["3"]

"""`octavo head`: the first records, each as what it is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from octavo import _tf_example, create
from octavo.errors import OptionError
from tests.unit.layouts import LAYOUTS

EXAMPLE = _tf_example.encode({"label": [7], "name": ["café"]})
RECORDS = [b"a line", b"", "two\tcolumns, é\nand lines\n".encode(), EXAMPLE, bytes(range(0, 160, 5))]
SHOWN = """\
a line
record 1: empty
record 2: text, 26 bytes
  two\tcolumns, é
  and lines
record 3: tf.train.Example, 37 bytes
  label  int64 [1]  7
  name   bytes [1]  "café"
record 4: hex, 32 bytes
  0000  00 05 0a 0f 14 19 1e 23  28 2d 32 37 3c 41 46 4b  .......#(-27<AFK
  0010  50 55 5a 5f 64 69 6e 73  78 7d 82 87 8c 91 96 9b  PUZ_dinsx}......
"""


@pytest.fixture
def mixed(tmp_path):
    return LAYOUTS["ffrecord"].write(tmp_path / "mixed", RECORDS).name


def test_each_record_is_shown_as_what_it_is(octavo, mixed):
    assert octavo("head", mixed).text == SHOWN


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=list(LAYOUTS))
def test_ten_records_are_shown_unless_told_otherwise(octavo, layout, tmp_path):
    path = layout.write(tmp_path / "some", (b"%d" % number for number in range(1000)))
    assert octavo("head", path.name).lines == [str(number) for number in range(10)]
    assert octavo("head", "-n", 700, path.name).lines == [str(number) for number in range(700)]


def test_there_may_be_fewer(octavo, tmp_path):
    LAYOUTS["ffrecord"].write(tmp_path / "some", [b"1", b"2"])
    assert octavo("head", "some.ffr").lines == ["1", "2"]
    assert octavo("head", "-n", 0, "some.ffr").stdout == b""
    assert octavo("head", "-n", -1, "some.ffr", check=2).stdout == b""


def test_several_files_are_one_data_set(octavo, tmp_path):
    for at in range(3):
        LAYOUTS["ffrecord"].write(tmp_path / f"{at}", [b"%d" % at] * 4)
    assert octavo("head", "0.ffr", "1.ffr", "2.ffr").lines == list("0000111122")


def test_long_records_are_cut_with_a_note(octavo, tmp_path):
    LAYOUTS["ffrecord"].write(tmp_path / "long", [b"x" * 2000, b"\0" * 2000, "é".encode() * 300])
    lines = octavo("head", "long.ffr").lines
    assert lines[0] == "x" * 512
    assert lines[1] == "  ... 1,488 bytes more (--bytes shows more)"
    assert lines[2] == "record 1: hex, 2,000 bytes"
    assert lines[35] == "  ... 1,488 bytes more (--bytes shows more)"
    assert lines[36] == "é" * 256
    assert octavo("head", "long.ffr", "-n", 1, "--full").lines == ["x" * 2000]
    assert octavo("head", "long.ffr", "-n", 1, "--bytes", 5).lines[0] == "xxxxx"
    assert octavo("head", "long.ffr", "--bytes", 33, "--as", "hex").lines[3].startswith("  0020  78  ")
    assert octavo("head", "long.ffr", "--bytes", 2, "--as", "base64").lines[0] == "eHg="
    assert octavo("head", "long.ffr", "--bytes", 3, "--as", "raw").stdout[:6] == b"xxx\0\0\0"


def test_so_many_bytes_are_shown_of_each_value_of_an_example(octavo, tmp_path):
    features: Mapping[str, Sequence[bytes | str] | Sequence[float]] = {
        "image": [b"\xff" * 40],
        "label": [7],
        "name": ["é" * 20],
    }
    sequence = b"\x0a" + _tf_example.encode(features)[1:] + b"\x12\x00"
    with create(tmp_path / "examples.ffr") as writer:
        writer.write_many([_tf_example.encode(features), sequence])
    for usual, few, more, full in zip(
        *(
            octavo("head", "examples.ffr", *options).lines
            for options in ([], ["--bytes", 3], ["--bytes", 39, "--as", "example"], ["--full"])
        ),
        strict=True,
    ):
        match usual.split()[0]:
            case "image":
                assert usual.endswith(f"<{'ff ' * 15}ff>... 40 bytes")
                assert few.endswith("  <ff ff ff>... 40 bytes")
                assert more.endswith(f"<{'ff ' * 38}ff>... 40 bytes")
                assert full.endswith(f"<{'ff ' * 39}ff>")
            case "name":
                assert usual.endswith(f'"{"é" * 16}"... 40 bytes')
                assert few.endswith('"é"... 40 bytes')
                assert more.endswith(f'"{"é" * 19}"... 40 bytes')
                assert full.endswith(f'"{"é" * 20}"')
            case _:
                assert usual == few == more == full


@pytest.mark.parametrize(
    "wrong",
    [
        {"most_bytes": 5, "full": True},
        {"most_bytes": 5, "json": True},
        {"most_bytes": 5, "form": "json"},
        {"delimiter": ","},
        {"form": "raw", "delimiter": ",", "json": True},
        {"form": "raw", "delimiter": "\\q"},
        {"form": "raw", "delimiter": "\\x1"},
        {"form": "raw", "delimiter": "\\"},
    ],
)
def test_options_that_contradict_each_other_are_an_option_error(wrong):
    from octavo.cli._records import look

    with pytest.raises(OptionError, match=r"--bytes|--delimiter"):
        look(**{"form": "auto", "json": False, "most_bytes": None, "delimiter": None} | wrong)


@pytest.mark.parametrize("wrong", [["--bytes", 5, "--full"], ["--bytes", 0], ["--as", "nonsense"]])
def test_they_are_wrong_usage(octavo, mixed, wrong):
    assert octavo("head", mixed, *wrong, check=2).stdout == b""


def test_json_is_one_array_of_records(octavo, mixed):
    told = octavo("head", mixed, "--json").json
    assert told[:2] == [{"record": 0, "bytes": 6, "text": "a line"}, {"record": 1, "bytes": 0, "text": ""}]
    assert told[3] == {"record": 3, "bytes": 37, "example": {"label": [7], "name": ["café"]}}
    assert octavo("head", mixed, "--json", "-n", 0).json == []


def test_as_json_is_a_line_a_record(octavo, mixed):
    lines = octavo("head", mixed, "--as", "json").lines
    assert [json.loads(line) for line in lines] == octavo("head", mixed, "--json").json


def test_only_examples_are_shown_as_examples(octavo, mixed):
    done = octavo("head", mixed, "--as", "example", check=1)
    assert done.stdout == b""
    assert done.stderr == "octavo: record 0 is no tf.train.Example with features; '--as auto' shows what it is\n"


def test_a_hostile_record_is_shown_soon_and_harmlessly(octavo, tmp_path):
    entries = b"\n\x80\x80\x80\x04" + b"\n\x02\x12\x00" * (1 << 21)  # an example of two million features of one name
    with create(tmp_path / "hostile.ffr") as writer:
        writer.write_many([entries, b"\x1b]0;title\x07", b"\xff" * 1_000_000])
    lines = octavo("head", "hostile.ffr", "--bytes", 16).lines
    assert lines[0] == "record 0: hex, 8,388,613 bytes"
    assert lines[4].endswith(".]0;title.")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_every_encoding_of_the_output_will_do(octavo, mixed, encoding):
    done = octavo("head", mixed, environment={"PYTHONIOENCODING": encoding})
    column = {"ascii": b"\\xe9", "latin-1": b"\xe9", "utf-8": b"\xc3\xa9"}[encoding]
    assert b"  two\tcolumns, " + column + b"\n" in done.stdout

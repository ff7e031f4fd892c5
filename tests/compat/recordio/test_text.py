"""What the API of 2018 returns is text where text is expected, and bytes everywhere else."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from octavo.compat.recordio import Text

RECORD: Any = Text(b"abc")
NOT_TEXT: Any = Text(b"\xff\xfe")
UMLAUT: Any = Text("äb".encode())


def test_it_is_bytes():
    assert isinstance(RECORD, bytes)
    assert (len(RECORD), RECORD[0], RECORD[1:], list(RECORD)) == (3, 97, b"bc", [97, 98, 99])
    assert bytes(RECORD) == b"abc"
    assert type(bytes(RECORD)) is bytes
    assert RECORD.decode() == "abc"
    assert repr(RECORD) == "b'abc'"


def test_it_equals_text_and_bytes():
    assert RECORD == "abc"
    assert RECORD == b"abc"
    assert Text(b"abc") == RECORD
    assert "abc" == RECORD  # noqa: SIM300 - the other way round
    assert not RECORD != "abc"  # noqa: SIM202 - the other operator
    assert RECORD != "abd"
    assert RECORD != b"abd"
    assert RECORD != 5
    assert UMLAUT == "äb"
    assert RECORD in ["x", "abc"]
    assert NOT_TEXT != "\xff\xfe"
    assert RECORD != "\ud800"


def test_its_hash_is_that_of_bytes():
    assert hash(RECORD) == hash(b"abc")
    assert {b"abc": 1}[RECORD] == 1
    assert {RECORD, b"abc"} == {b"abc"}


def test_it_is_sorted_among_texts_and_bytes():
    assert RECORD < "abd"
    assert RECORD <= "abc"
    assert RECORD > b"abb"
    assert RECORD >= "abb"
    assert sorted([Text(b"b"), Text(b"a")]) == ["a", "b"]


def test_it_is_added_to_text_and_to_bytes():
    assert "x: " + RECORD == "x: abc"
    assert type("x: " + RECORD) is str
    assert RECORD + "x" == "abcx"
    assert type(RECORD + "x") is str
    assert RECORD + b"x" == b"abcx"
    assert b"x" + RECORD == b"xabc"
    assert "x" + (RECORD + RECORD) == "xabcabc"
    line = ""
    line += RECORD
    assert line == "abc"
    with pytest.raises(TypeError):
        RECORD + 5


def test_it_prints_as_text(capsys):
    print(RECORD, UMLAUT)  # noqa: T201 - the subject
    assert capsys.readouterr().out == "abc äb\n"
    assert str(RECORD) == "abc"
    assert type(str(RECORD)) is str
    assert f"{RECORD}|{RECORD:>5}" == "abc|  abc"
    assert "{}".format(RECORD) == "abc"  # noqa: UP032 - the other way of formatting
    assert "%s" % RECORD == "abc"  # noqa: UP031 - the same


def test_it_contains_text_bytes_and_numbers():
    assert "b" in RECORD
    assert b"bc" in RECORD
    assert 97 in RECORD
    assert "d" not in RECORD
    assert "ä" in UMLAUT


def test_it_is_encoded_as_text_is():
    assert RECORD.encode() == b"abc"
    assert UMLAUT.encode("latin-1") == b"\xe4b"


def test_methods_take_text_and_bytes():
    fields: Any = Text(b"1, 2,3")
    assert fields.split(",") == ["1", " 2", "3"]
    assert fields.split(b",") == [b"1", b" 2", b"3"]
    assert ["n" + field.strip() for field in fields.split(b",")] == ["n1", "n2", "n3"]
    assert RECORD.startswith("ab")
    assert RECORD.startswith(("x", "a"))
    assert RECORD.endswith(b"c")
    assert RECORD.find("c") == RECORD.find(b"c") == 2
    assert RECORD.replace("b", "x") == "axc"
    assert RECORD.partition("b") == ("a", "b", "c")
    assert "x" + RECORD.upper() == "xABC"
    assert fields.split(sep=",", maxsplit=1) == ["1", " 2,3"]


def test_methods_give_text_again():
    for found, expected in {
        "title": (RECORD.title(), "Abc"),
        "capitalize": (RECORD.capitalize(), "Abc"),
        "swapcase": (RECORD.swapcase(), "ABC"),
        "zfill": (RECORD.zfill(5), "00abc"),
        "ljust": (RECORD.ljust(5), "abc  "),
        "times": (RECORD * 2, "abcabc"),
        "times it": (2 * RECORD, "abcabc"),
        "join": (RECORD.join(iter([RECORD, b"-"])), "abcabc-"),
        "%": (Text(b"%s!") % RECORD, "abc!"),
    }.values():
        assert found == expected
        assert type(found) is Text


def test_methods_take_text_beside_other_records():
    assert RECORD.replace("a", Text(b"x")) == "xbc"
    assert RECORD.startswith(("z", Text(b"ab")))
    assert Text(b"-").join(part for part in ("a", Text(b"b"))) == "a-b"
    template: Any = Text(b"%s-%s")
    assert template % ("a", RECORD) == "a-abc"
    template = Text(b"%(key)s!")
    assert template % {"key": RECORD} == "abc!"


def test_it_has_the_methods_of_text():
    assert [RECORD.center(7, "*"), RECORD.ljust(5, "-")] == ["**abc**", "abc--"]
    assert RECORD.translate({97: "z"}) == "zbc"
    assert RECORD.translate(bytes(range(255, -1, -1))) == b"\x9e\x9d\x9c"
    template: Any = Text(b"{}-{key}")
    assert template.format(RECORD, key=5) == "abc-5"
    assert [UMLAUT.casefold(), UMLAUT.isprintable(), UMLAUT.isdecimal()] == ["äb", True, False]
    with pytest.raises(UnicodeDecodeError, match=r"bytes\(record\)"):
        NOT_TEXT.casefold()


def test_numbers_and_json_are_read_from_it():
    assert int(Text(b"12")) == 12
    assert float(Text(b"1.5")) == 1.5
    assert json.loads(Text(b'{"a": 1}')) == {"a": 1}


@pytest.mark.parametrize(
    "use",
    [str, "{}".format, lambda record: "x" + record, lambda record: record + "x", lambda record: record.split(",")],
    ids=["str", "format", "behind text", "before text", "split"],
)
def test_what_is_not_text_is_an_error_with_a_hint_where_text_is_expected(use):
    with pytest.raises(UnicodeDecodeError, match=r"bytes\(record\)"):
        use(NOT_TEXT)


def test_what_is_not_text_is_still_bytes():
    assert NOT_TEXT == b"\xff\xfe"
    assert NOT_TEXT + b"!" == b"\xff\xfe!"
    assert b"\xff" in NOT_TEXT


def test_it_survives_pickling():
    again = pickle.loads(pickle.dumps(RECORD))
    assert type(again) is Text
    assert again == "abc"

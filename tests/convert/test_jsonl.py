"""JSON lines: every record comes back as it was, whatever it looks like, and every line of others is read or refused."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from octavo._convert import _json_text as json_text
from octavo._convert import _jsonl
from octavo.errors import FormatError, NotFoundError, OptionError, RecordSizeError, UnsupportedError
from tests.convert import shelf

thorough = settings(max_examples=100, deadline=None, derandomize=True)

keys = st.sampled_from([
    '"octavo.text"', '"octavo.base64"', r'"octavo\u002etext"', r'"\u006fctavo.base64"', '"octavo.texT"', '"a"', '""',
])  # fmt: skip
values = st.sampled_from([
    '"x"', '""', '"/w=="', '"QQ=="', '"QR=="', '"QQ"', r'"\/w=="', r'"\ud800"', r'"\ud83d\ude00"', '"a\\nb"', "1", "null",
    '{"octavo.text":"x"}', "[]", '"é"', "[[]]",
])  # fmt: skip
spaces = st.sampled_from(["", "", "", " ", "\t", "\n", "\r", "  "])


@st.composite
def envelopes(draw: st.DrawFn) -> bytes:
    """Objects that are envelopes, or nearly."""
    pairs = draw(st.lists(st.tuples(keys, values), max_size=2))
    space = lambda: draw(spaces)  # noqa: E731 - short
    inner = ",".join(f"{space()}{key}{space()}:{space()}{value}{space()}" for key, value in pairs)
    return f"{space()}{{{inner}}}{space()}".encode()


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
documents = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=4), inner))
texts = st.one_of(
    st.builds(lambda value, ascii_only, indent: json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode(
        "utf-8", "surrogatepass"), documents, st.booleans(), st.sampled_from([None, 1])),
    st.text('{}[]",:0123456789.eE+-tfn\\u/ \t\nabrulsNI', max_size=12).map(str.encode),
    envelopes(),
)  # fmt: skip
records = st.lists(st.one_of(st.binary(max_size=12), texts, st.sampled_from(shelf.HARD_RECORDS)), max_size=8)


@thorough
@given(records)
@example(shelf.HARD_RECORDS)
@example([b'{"octavo.text":"a","octavo.text":"b"}', b'{"octavo.text":"x"}\r', b'{"octavo.text":"\\ud800"}'])
def test_every_record_comes_back(given: list[bytes]) -> None:
    lines = shelf.written("jsonl", given)
    assert shelf.read("jsonl", lines) == given
    assert lines.count(b"\n") == len(given)
    for line in lines.splitlines():
        json.loads(line)


@thorough
@given(records, st.integers(0, 9), st.none() | st.integers(0, 9))
def test_a_part_is_that_part_of_all(given: list[bytes], start: int, stop: int | None) -> None:
    lines = shelf.written("jsonl", given)
    assert shelf.read("jsonl", lines, start, stop) == given[start:stop]


def naive_meaning(line: bytes) -> bytes | None:
    """What a line means, the simple way; None if it is not JSON."""
    pairs: list[Any] = []

    def keep(found: list[tuple[str, Any]]) -> dict[str, Any]:
        pairs[:] = found  # of the outermost object, which ends last
        return dict(found)

    try:
        value = json.loads(line.decode(), object_pairs_hook=keep)
    except ValueError:
        return None
    if not isinstance(value, dict) or len(pairs) != 1 or not isinstance(pairs[0][1], str):
        return line
    try:
        if pairs[0][0] == "octavo.text":
            return pairs[0][1].encode()
        if pairs[0][0] == "octavo.base64":
            return _jsonl.binascii.a2b_base64(pairs[0][1], strict_mode=True)
    except ValueError:
        pass
    return line


def looked_through(line: bytes) -> bytes | None:
    try:
        return _jsonl._meaning_of_long(line)
    except ValueError:
        return None


@thorough
@given(st.one_of(texts, st.binary(max_size=10), st.builds(bytes.__add__, texts, texts)))
@example(b"-")
@example(b"[1,]")
@example(b'{"a":1,}')
@example(b"01")
@example(b'"\x1f"')
@example(b'"\xc3"')
@example(b'{"a" 1}')
@example(b"[" * 300 + b"]" * 300)
@example(b"[" * 300 + b"]" * 299)
@example(b"[[1,2,[3]],{}, [ ], {\"a\": {\"b\": [1, {}]}}]")
def test_short_and_long_lines_are_judged_alike(line: bytes) -> None:
    expected = naive_meaning(line)
    assert looked_through(line) == expected
    if expected is None:
        with pytest.raises(ValueError):  # noqa: PT011 - two kinds of it
            _jsonl.meaning(line)
    else:
        assert _jsonl.meaning(line) == expected


@pytest.mark.parametrize(
    "record",
    [
        b"[" * 200_000 + b"]" * 200_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b"9" * 100_000,
        b"[" + b"9" * 100_000 + b".5e7]",
        b"NaN",
        b'{"x": [NaN, -Infinity, 1e999]}',
    ],
    ids=["arrays", "objects", "integer", "float", "nan", "infinity"],
)
def test_json_that_python_cannot_parse_is_a_line(record: bytes) -> None:
    assert shelf.written("jsonl", [record]) == record + b"\n"
    assert shelf.read("jsonl", record) == [record]


def test_deep_text_that_is_not_json_is_put_into_an_envelope() -> None:
    assert shelf.written("jsonl", [b"[" * 100_000]).startswith(b'{"octavo.text":"[[[')


@pytest.mark.parametrize("size", [1 << 20, (9 << 20) + 1])
@pytest.mark.parametrize("piece", ["é\n", '"\\', "\U0001f600", "[1],", '{"a":"b\\n"},'])
def test_long_text_comes_back(size: int, piece: str) -> None:
    encoded = piece.encode()
    for record in (encoded * (size // len(encoded)), b"[" + encoded * (size // len(encoded)) + b"0]"):
        assert shelf.read("jsonl", shelf.written("jsonl", [record, b"1", record])) == [record, b"1", record]


def test_long_bytes_come_back() -> None:
    record = bytes(range(256)) * 40_000
    assert shelf.read("jsonl", shelf.written("jsonl", [record, record[1:], record[2:]])) == [record, record[1:], record[2:]]


def test_json_is_written_as_it_is_and_all_else_in_an_envelope() -> None:
    records = [b'{"a": 1}', b"two\nlines", b"\xff", b"", b' "x"', b"word"]
    assert shelf.written("jsonl", records).decode().splitlines() == [
        '{"a": 1}',
        '{"octavo.text":"two\\nlines"}',
        '{"octavo.base64":"/w=="}',
        '{"octavo.text":""}',
        '{"octavo.text":" \\"x\\""}',
        '{"octavo.text":"word"}',
    ]


def test_other_spellings_of_an_envelope_mean_the_same() -> None:
    lines = b'{ "octavo.text" : "a\\u0062" }\n {"octavo\\u002ebase64":"\\/w=="}\r\n'
    assert shelf.read("jsonl", lines) == [b"ab", b"\xff"]


def test_what_only_resembles_an_envelope_is_a_record() -> None:
    lines = [b'{"octavo.base64":"?"}', b'{"octavo.text":1}', b'{"octavo.text":"a","b":1}', b'["octavo.text","a"]']
    assert shelf.read("jsonl", b"\n".join(lines)) == lines


def test_line_ends_blank_lines_and_a_byte_order_mark_are_no_records() -> None:
    assert shelf.read("jsonl", b'\xef\xbb\xbf{"a":1}\r\n\r\n  \t\n\n [2] \n3') == [b'{"a":1}', b" [2] ", b"3"]
    assert shelf.read("jsonl", b"") == shelf.read("jsonl", b"\xef\xbb\xbf") == shelf.read("jsonl", b"\n\n") == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{bad", "not JSON"),
        (b'{"a":1}{"b":2}', "not JSON"),
        (b"\xff", "not UTF-8"),
        (b"'a'", "not JSON"),
        (b"[" * 100_000, "at byte"),
        (b'["' + b"x" * (9 << 20), "at byte"),
    ],
    ids=["braces", "two", "bytes", "quotes", "deep", "long"],
)
def test_a_line_that_is_not_json_is_named(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"1\n\n2\n" + line + b"\n3\n")
    with pytest.raises(FormatError, match=rf"lines\.jsonl: line 4: .*{reason}") as caught:
        shelf.read("jsonl", path)
    assert caught.value.path == str(path)
    assert shelf.read("jsonl", path, 0, 2) == [b"1", b"2"]


def test_a_field_is_a_strings_text_or_the_json_of_anything_else() -> None:
    lines = (
        b'{"t": "a\\u00e4\\n"}\n{"t": 1.50}\n{"x": {"t": 0}, "t": [1,  {"y": null}]}\n{"t": true}\n{"t": null}\n'
        b'{"t": "\\/"}\n{"t": "first", "\\u0074": "last"}\n{"t": 123456789012345678901234567890}\n{"t": NaN}\n'
    )
    expected = ["aä\n", "1.50", '[1,  {"y": null}]', "true", "null", "/", "last", "123456789012345678901234567890", "NaN"]
    assert shelf.read("jsonl", lines, column="t") == [text.encode() for text in expected]


def test_a_field_of_a_long_or_deep_line_is_found() -> None:
    deep = b'{"a": %b, "t": "found", "b": %b}' % (b"[" * 5000 + b"]" * 5000, b"[" * 5000 + b"]" * 5000)
    long = b'{"a": "%b", "t": "f\\u006fund"}' % (b"x" * (9 << 20))
    assert shelf.read("jsonl", deep + b"\n" + long, column="t") == [b"found", b"found"]
    assert shelf.read("jsonl", b'{"t": %b}' % (b"[" * 5000 + b"]" * 5000), column="t") == [b"[" * 5000 + b"]" * 5000]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"T": 1}', "there is no field 't'"),
        (b"{}", "there is no field 't'"),
        (b"[1]", "not an object"),
        (b'{"t": "\\ud800"}', "half a surrogate pair"),
        (b'{"t": 1', "missing"),
        (b'{"t": 1} 2', "something follows"),
    ],
)
def test_a_missing_field_is_named_with_its_line(line: bytes, reason: str) -> None:
    with pytest.raises(FormatError, match=f"line 2: .*{reason}"):
        shelf.read("jsonl", b'{"t": 0}\n' + line, column="t")


@thorough
@given(st.dictionaries(st.sampled_from(["t", "u", 'q"', "ü"]), documents), st.booleans())
def test_fields_are_found_alike_in_short_and_long_lines(value: dict[str, Any], ascii_only: bool) -> None:
    line = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    for column in ("t", 'q"', "ü"):
        outcomes = []
        for take in (_jsonl._field, _jsonl._field_as_written):
            try:
                outcomes.append(take(line, column))
            except ValueError:
                outcomes.append(b"refused")
        assert outcomes[0] == outcomes[1]


def test_files_are_read_one_after_the_other(tmp_path: Path) -> None:
    plain, zipped, empty = tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz", tmp_path / "c.jsonl"
    plain.write_bytes(b"1\n2")
    zipped.write_bytes(gzip.compress(b"3\n\n4\n"))
    empty.write_bytes(b"")
    source = shelf.source("jsonl", [plain, empty, zipped])
    assert source.record_count is None
    assert source.total_bytes == plain.stat().st_size + zipped.stat().st_size
    for _ in range(2):  # before and after counting
        for start in range(6):
            found = [record for block in source.blocks(start, start + 2) for record in block.records]
            assert found == [b"1", b"2", b"3", b"4"][start : start + 2]
        assert source.count() == source.record_count == 4
    assert list(source.blocks())[-1].position == source.total_bytes


def test_counting_remembers_where_lines_are(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    records = [b'{"number": %d, "text": "%b"}' % (number, b"x" * (number % 97)) for number in range(60_000)]
    path.write_bytes(b"\xef\xbb\xbf" + b"\n\n".join(records))
    source = shelf.source("jsonl", path)
    assert source.count() == len(records)
    assert len(source._marks) > 2  # type: ignore[attr-defined]
    for start in (0, 1, 9_000, 30_000, 59_999, 60_000):
        found = [record for block in source.blocks(start, start + 3) for record in block.records]
        assert found == records[start : start + 3]
    path.write_bytes(path.read_bytes() + b"\nbad")
    with pytest.raises(FormatError, match="line 120000:"):
        list(source.blocks(59_990))


def test_blocks_are_bounded() -> None:
    small = list(shelf.source("jsonl", b"1\n" * 10_000).blocks())
    assert [len(block.records) for block in small] == [4096, 4096, 1808]
    large = list(shelf.source("jsonl", (b'"' + b"x" * (3 << 20) + b'"\n') * 5).blocks())
    assert [len(block.records) for block in large] == [2, 2, 1]


@pytest.mark.parametrize("most", [1, 3, 1 << 20])
def test_a_pipe_is_read_once(most: int) -> None:
    content = gzip.compress(b"1\n2\n") if most == 1 else b"1\n2\n"
    source = shelf.source("jsonl", shelf.Once(content, most))
    assert source.total_bytes is None
    assert [block.records for block in source.blocks(1)] == [[b"2"]]
    with pytest.raises(UnsupportedError, match="<pipe>: a stream can be read only once"):
        source.count()


def test_a_cut_or_damaged_gzip_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl.gz"
    whole = gzip.compress(b'{"a": 1}\n' * 10_000)
    for content, reason in ((whole[:-9], "cut off"), (whole[:-8] + b"wrong" + whole[-3:], "damaged")):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=rf"lines\.jsonl\.gz: .*{reason}"):
            shelf.read("jsonl", path)


def test_a_line_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo._convert._input.MOST_RECORD_BYTES", 3 << 20)
    with pytest.raises(RecordSizeError, match="line 2 has .* bytes"):
        shelf.read("jsonl", b'1\n"' + b"x" * (4 << 20))


def test_a_compressed_file_is_the_same_every_time(tmp_path: Path) -> None:
    contents = [shelf.write("jsonl", tmp_path / name, [b"1"] * 99).read_bytes() for name in ("a.jsonl.gz", "b.ndjson.gz")]
    assert contents[0] == contents[1]
    assert gzip.decompress(contents[0]) == b"1\n" * 99


def test_missing_files_and_wrong_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"none\.jsonl"):
        shelf.source("jsonl", tmp_path / "none.jsonl")
    with pytest.raises(OptionError, match="jsonl has no such options: layout"):
        shelf.source("jsonl", b"", layout="files")
    with pytest.raises(OptionError, match="jsonl has no such options: column"):
        shelf.write("jsonl", tmp_path / "x.jsonl", [], column="text")


def test_looking_through_text_takes_no_frame_for_a_level() -> None:
    depth = sys.getrecursionlimit() * 3
    assert json_text.end_of_value(b'[{"a":' * depth + b"1" + b"}]" * depth) == 9 * depth - depth + 1

"""JSON lines of others: each line is read, or refused by its number; files, pipes, parts and fields of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from octavo.errors import FormatError, NotFoundError, OptionError, RecordSizeError, UnsupportedError
from tests.convert import shelf


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
    expected = [
        "aä\n",
        "1.50",
        '[1,  {"y": null}]',
        "true",
        "null",
        "/",
        "last",
        "123456789012345678901234567890",
        "NaN",
    ]
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
    with pytest.raises(RecordSizeError, match=r"line 2 has .* bytes"):
        shelf.read("jsonl", b'1\n"' + b"x" * (4 << 20))


@pytest.mark.parametrize(
    "record", [b"\xff" * 100, b"\1" * 100, b'"%b"' % (b"x" * 200)], ids=["bytes", "escapes", "json"]
)
def test_a_line_that_could_not_be_read_again_is_not_written(record: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo._convert._input.MOST_RECORD_BYTES", 150)
    monkeypatch.setattr("octavo._convert._jsonl._SURELY_FITS", 20)
    assert shelf.read("jsonl", shelf.written("jsonl", [b"x" * 100])) == [b"x" * 100]
    with pytest.raises(RecordSizeError, match=r"a line has \d+ bytes"):
        shelf.written("jsonl", [b"1", record])


def test_a_compressed_file_is_the_same_every_time(tmp_path: Path) -> None:
    contents = [
        shelf.write("jsonl", tmp_path / name, [b"1"] * 99).read_bytes() for name in ("a.jsonl.gz", "b.ndjson.gz")
    ]
    assert contents[0] == contents[1]
    assert gzip.decompress(contents[0]) == b"1\n" * 99


def test_missing_files_and_wrong_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"none\.jsonl"):
        shelf.source("jsonl", tmp_path / "none.jsonl")
    with pytest.raises(OptionError, match="jsonl has no such options: layout"):
        shelf.source("jsonl", b"", layout="files")
    with pytest.raises(OptionError, match="jsonl has no such options: column"):
        shelf.write("jsonl", tmp_path / "x.jsonl", [], column="text")

"""The bytes that the pages about formats show are those that octavo writes, down to the last one."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

import octavo
from octavo import _core
from tests.test_docs import ROOT
from tests.test_docs_blocks import FENCE

SPEC = ROOT / "docs" / "spec"
THREE = [b"abc", b"", b"edf"]
STREAM = bytes.fromhex("03000000 616263 00000000 03000000 656466")
IN_COLUMNS = [
    bytes.fromhex("08ac0210021a026869220408051001"),
    bytes.fromhex("08ad0210021a02796f220408061001"),
    bytes.fromhex("ff01"),
]
WITH_BYTES = {"ffrecord.md": 2, "tfrecord.md": 1, "recordio.md": 6, "riegeli.md": 2, "octx.md": 1, "array_record.md": 2}


def bytes_of_line(line: str) -> bytes:
    """What a line shows in front of its remark: columns of pairs of digits, the first of which may end with it."""
    first, *others = re.split(r" {3,}", line.strip())
    words = first.split()
    is_hex = [bool(re.fullmatch(r"(?:[0-9a-f]{2})+", word)) for word in words]
    shown = words[: is_hex.index(False)] if False in is_hex else words
    for column in others:
        if False in is_hex or not re.fullmatch(r"(?:(?:[0-9a-f]{2})+ *)+", column):
            break
        shown.append(column)
    return bytes.fromhex(" ".join(shown))


def shown_bytes(page: str) -> list[list[bytes]]:
    """The blocks of bytes of a page, line by line."""
    text = (SPEC / page).read_text(encoding="utf-8")
    blocks = [textwrap.dedent(match["code"]) for match in FENCE.finditer(text) if match["language"] in {"", "text"}]
    found = [[bytes_of_line(line) for line in block.splitlines()] for block in blocks]
    return [block for block in found if all(block)]


def written(path: Path, records: list[bytes], **options: object) -> bytes:
    with octavo.create(path, **options) as writer:  # type: ignore[arg-type]
        writer.write_many(records)
    return path.read_bytes()


def test_every_block_of_bytes_has_a_test_here():
    found = {page.name: len(shown_bytes(page.name)) for page in SPEC.glob("*.md")}
    assert {page: count for page, count in found.items() if count} == WITH_BYTES


def test_the_files_of_ffrecord(tmp_path: Path):
    tiny, packed = (b"".join(block) for block in shown_bytes("ffrecord.md"))
    assert written(tmp_path / "tiny.ffr", THREE) == tiny
    for name, content in (("a.txt", b"one"), ("d/b.txt", b"two")):
        file = tmp_path / "tree" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    (tmp_path / "tree" / "e").mkdir()
    octavo.pack(tmp_path / "tree", tmp_path / "tree.ffr")
    assert (tmp_path / "tree.ffr").read_bytes() == packed


def test_the_file_of_tfrecord(tmp_path: Path):
    (tiny,) = (b"".join(block) for block in shown_bytes("tfrecord.md"))
    assert written(tmp_path / "tiny.tfrecord", THREE) == tiny


def test_the_files_of_recordio(tmp_path: Path):
    stream, headers, snappy, go, cpp, frame_by_frame = shown_bytes("recordio.md")
    path = tmp_path / "tiny.recordio"
    assert b"".join(stream) == STREAM
    for dialect, header in zip(("paddle-python", "paddle-python-ieee", "go", "paddle-cpp"), headers, strict=True):
        assert written(path, THREE, codec="none", dialect=dialect) == header + STREAM
    assert written(path, THREE) == b"".join(snappy) + STREAM
    assert written(path, THREE, dialect="go") == b"".join(go) + STREAM
    assert written(path, THREE, dialect="paddle-cpp") == b"".join(cpp) + STREAM
    assert octavo.open(b"".join(frame_by_frame)).read_all() == THREE


def test_the_beginning_and_the_columns_of_riegeli(tmp_path: Path):
    beginning, columns = (b"".join(block) for block in shown_bytes("riegeli.md"))
    content = written(tmp_path / "columns.riegeli", IN_COLUMNS, codec="none", transpose=True)
    assert content[:64] == beginning
    assert content[104:] == columns


def test_the_files_of_array_record(tmp_path: Path):
    text = (SPEC / "array_record.md").read_text(encoding="utf-8")
    abc, none = (re.findall(r"^([0-9a-f]{6})  (\S.*)$", block, re.MULTILINE) for block in dumps(text))
    content = bytearray(0x20000)
    for place, line in abc:
        shown = line.strip('"').encode() if line.startswith('"') else bytes_of_line(line)
        times = 3 if "three times" in line else 1
        content[int(place, 16) : int(place, 16) + times * len(shown)] = times * shown
    assert len(abc) == 21
    assert written(tmp_path / "abc.array_record", [b"abc"], options="group_size:1,uncompressed") == content
    empty = written(tmp_path / "none.array_record", [], options="uncompressed")
    assert len(none) == 5
    for place, line in none:
        shown = bytes_of_line(line)
        assert empty[int(place, 16) :][: len(shown)] == shown


def dumps(text: str) -> list[str]:
    """Blocks whose lines begin with a position."""
    return [match["code"] for match in FENCE.finditer(text) if re.match(r"[0-9a-f]{6}  ", match["code"])]


def test_the_sidecar_has_its_hash():
    (content,) = (b"".join(block) for block in shown_bytes("octx.md"))
    assert _core.highway_hash(content[:-8]) == int.from_bytes(content[-8:], "little")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("12      18 bytes decoded", "12"),
        ("00 00  29 03            d8 ea      length 0", "0000 2903 d8ea"),
        ("  0c              12 states", "0c"),
        ("61 01 00  end, 353", "610100"),
        ("a drawing", ""),
    ],
)
def test_remarks_are_no_bytes(line: str, expected: str):
    assert bytes_of_line(line) == bytes.fromhex(expected)

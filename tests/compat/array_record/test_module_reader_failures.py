"""`ArrayRecordReader` on files that are missing, short or damaged: the original's outcomes, and no silent emptiness."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from octavo.compat.array_record.python import _status
from octavo.compat.array_record.python.array_record_data_source import ArrayRecordDataSource
from octavo.compat.array_record.python.array_record_module import ArrayRecordReader
from octavo.errors import FormatError
from tests.compat.array_record.samples import flip, numbered, write

FIRST_DATA_BYTE = 64 + 40


def _whole(folder: Path) -> Path:
    return write(folder / "file", numbered(10), "group_size:1,uncompressed")


def _missing(folder: Path) -> Path:
    return folder / "missing"


def _short(folder: Path) -> Path:
    (folder / "short").write_bytes(bytes(65535))
    return folder / "short"


def _empty(folder: Path) -> Path:
    (folder / "empty").touch()
    return folder / "empty"


def _cut_to_its_first_block(folder: Path) -> Path:
    path = _whole(folder)
    path.write_bytes(path.read_bytes()[:65536])
    return path


def _postscript_header_damaged(folder: Path) -> Path:
    return flip(_whole(folder), 65536 + 2)


def _postscript_damaged(folder: Path) -> Path:
    return flip(_whole(folder), 65536 + 24 + 40 + 5)


def _footer_damaged(folder: Path) -> Path:
    data = _whole(folder).read_bytes()
    return flip(_whole(folder), data.index(b"transpose:false"))


def _zeros(folder: Path) -> Path:
    (folder / "zeros").write_bytes(bytes(131072))
    return folder / "zeros"


def _one_byte_too_long(folder: Path) -> Path:
    path = _whole(folder)
    path.write_bytes(path.read_bytes()[:65537])
    return path


def _cut_behind_a_chunk(folder: Path) -> Path:
    path = write(folder / "file", numbered(3), "group_size:1,pad_to_block_boundary:true")
    path.write_bytes(path.read_bytes()[: 2 * 65536])
    return path


def _cut_within_a_chunk(folder: Path) -> Path:
    path = write(folder / "file", [bytes(300_000)], "group_size:1,uncompressed")
    path.write_bytes(path.read_bytes()[: 2 * 65536])
    return path


def _text(folder: Path) -> Path:
    (folder / "text").write_bytes(b"this is no record file " * 10_000)
    return folder / "text"


def _folder(folder: Path) -> Path:
    _whole(folder)
    return folder


CORRUPTED = "Corrupted Riegeli/records file"
POSTSCRIPT = "; Failed to read RiegeliPostscript"
CANNOT_BE_OPENED = [
    pytest.param(_missing, "open() failed: No such file or directory; opening {path}", "", id="missing"),
    pytest.param(_short, "ArrayRecord file should be at least 64KB big", "", id="short"),
    pytest.param(_empty, "ArrayRecord file should be at least 64KB big", "", id="empty"),
    pytest.param(_cut_to_its_first_block, CORRUPTED, POSTSCRIPT, id="cut"),
    pytest.param(
        _postscript_header_damaged,
        f"{CORRUPTED}: block header hash mismatch (computed 0x",
        POSTSCRIPT,
        id="postscript's header",
    ),
    pytest.param(
        _zeros,
        f"{CORRUPTED}: block header hash mismatch (computed 0x6700dec24d16c530, stored 0x0000000000000000), block",
        POSTSCRIPT,
        id="zeros",
    ),
    pytest.param(_one_byte_too_long, "Invalid chunk boundary: 1; at byte 1", POSTSCRIPT, id="not at a boundary"),
    pytest.param(_cut_behind_a_chunk, "Invalid postscript", "", id="records in place of the postscript"),
    pytest.param(
        _cut_within_a_chunk,
        "Invalid Riegeli/records file: chunk boundary is 65536 but block header at 65536 implies a different previous",
        POSTSCRIPT,
        id="cut within a chunk",
    ),
    pytest.param(
        _postscript_damaged, f"{CORRUPTED}: chunk data hash mismatch (computed 0x", POSTSCRIPT, id="postscript"
    ),
    pytest.param(
        _footer_damaged,
        f"{CORRUPTED}: chunk data hash mismatch (computed 0x",
        "; Failed to read RiegeliFooterMetadata",
        id="footer",
    ),
    pytest.param(_text, f"{CORRUPTED}: chunk header hash mismatch (computed 0x", POSTSCRIPT, id="text"),
    pytest.param(_folder, "read() failed: Is a directory; reading {path}", "", id="folder"),
]


@pytest.mark.parametrize(("make", "begins", "ends"), CANNOT_BE_OPENED)
def test_problems_of_a_file_show_when_it_is_used(tmp_path: Path, make: Callable[[Path], Path], begins: str, ends: str):
    path = make(tmp_path)
    reader = ArrayRecordReader(str(path))
    assert (reader.ok(), reader.is_open()) == (False, True)
    assert (reader.num_records(), reader.record_index(), reader.writer_options_string()) == (0, 0, None)
    uses: list[Callable[[], Any]] = [
        reader.read,
        reader.read_all,
        lambda: reader.read([]),
        lambda: reader.read([0]),
        lambda: reader.seek(0),
        lambda: reader[0],
        lambda: list(reader),
        reader.close,
        reader.close,
    ]
    for use in uses:
        with pytest.raises(RuntimeError) as caught:
            use()
        first_line, *rest = str(caught.value).split("\n")
        assert first_line.startswith(begins.format(path=path))
        assert first_line.endswith(ends)
        assert all(str(path) in line for line in rest), "octavo's own words name the file"
        assert "pass format=" not in str(caught.value), "which nobody can do here"
    with pytest.raises(IndexError, match=r"^\[0, 1\) is of range of \[0, 0\)$"):
        reader.read(0, 1)
    assert (reader.ok(), reader.is_open()) == (False, False)


@pytest.mark.parametrize(
    ("detail", "text"),
    [
        ("it does not say its version", "Unrecognized version number"),
        ("it has version 2, and only 1 is known", "Unrecognized version number"),
        ("chunk 0 has no records", "record_group_size cannot be zero"),
    ],
)
def test_a_footer_that_makes_no_sense_is_told_in_the_originals_words(detail: str, text: str):
    error = FormatError(f"file: the footer at byte 199 is not to be believed: {detail}")
    assert _status.of_reading(error, "file").split("\n") == [text, str(error)]


HASH_MISMATCH = (
    r"^Corrupted Riegeli/records file: chunk data hash mismatch \(computed 0x[0-9a-f]{16}, stored 0x[0-9a-f]{16}\)"
)


@pytest.mark.parametrize("options", ["group_size:1,uncompressed", "group_size:5", "group_size:1,brotli:2"])
def test_a_damaged_record_leaves_the_others_readable(tmp_path: Path, options: str):
    records = numbered(10)
    reader = ArrayRecordReader(str(flip(write(tmp_path / "file", records, options), FIRST_DATA_BYTE + 4)))
    assert (reader.ok(), reader.num_records()) == (True, 10)
    for use in (lambda: reader.read([0]), lambda: reader.read([7, 0]), lambda: reader.read(0, 2), reader.read_all):
        with pytest.raises(RuntimeError, match=HASH_MISMATCH):
            use()
    assert reader.ok()
    assert reader.read([7, 9]) == [records[7], records[9]]
    reader.seek(6)
    assert [reader.read() for _ in range(4)] == records[6:]
    reader.close()


@pytest.mark.parametrize("damaged", [0, 1, 5])
def test_a_sequential_reader_that_fails_has_failed_for_good(tmp_path: Path, damaged: int):
    records = [bytes([number]) * 1000 for number in range(10)]
    path = write(tmp_path / "file", records, "group_size:1,uncompressed")
    flip(path, path.read_bytes().index(records[damaged]) + 500)
    reader = ArrayRecordReader(str(path))
    assert [reader.read() for _ in range(damaged)] == records[:damaged]
    texts = set()
    for use in (reader.read, reader.read, lambda: reader.read([9]), reader.read_all, lambda: reader.seek(9)):
        with pytest.raises(RuntimeError, match=HASH_MISMATCH) as caught:
            use()
        texts.add(str(caught.value))
    with pytest.raises(IndexError, match=r"^\[0, 1\) is of range of \[0, 0\)$"):
        reader.read(0, 1)
    assert (reader.ok(), reader.is_open(), reader.num_records(), reader.record_index()) == (False, True, 0, 0)
    for _ in range(2):
        with pytest.raises(RuntimeError, match=HASH_MISMATCH) as caught:
            reader.close()
        texts.add(str(caught.value))
    assert len(texts) == 1
    assert not reader.is_open()


def test_bytes_behind_the_end_are_left_out_without_a_warning(tmp_path: Path):
    path = _whole(tmp_path)
    path.write_bytes(path.read_bytes() + b"interrupted")  # the original cannot read such a file at all
    assert ArrayRecordReader(str(path)).read_all() == numbered(10)
    assert list(ArrayRecordDataSource(path)) == numbered(10)


def test_a_relative_path_is_named_as_it_was_given(working_folder: Path):
    del working_folder
    with pytest.raises(RuntimeError) as caught:
        ArrayRecordReader("not/here").read_all()
    assert str(caught.value) == "open() failed: No such file or directory; opening not/here"


KEYS = "max_parallelism, readahead_buffer_size, index_storage_option, footer_prefetch_bytes"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("foo", f"Unknown option foo, valid options: {KEYS}"),
        (
            "index_storage_option:offloaded",
            "footer_prefetch_bytes > 0 is only supported with index_storage_option:in_memory.",
        ),
        ("max_parallelism:1,max_parallelism:1", "Option max_parallelism is present more than once"),
    ],
)
def test_wrong_options_are_value_errors_before_the_file_is_looked_at(tmp_path: Path, options: str, text: str):
    with pytest.raises(ValueError, match=r".") as caught:
        ArrayRecordReader(str(tmp_path / "missing"), options)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    "options",
    ["", "readahead_buffer_size:0,max_parallelism:0", "readahead_buffer_size:16M,max_parallelism:auto",
     "index_storage_option:offloaded,footer_prefetch_bytes:0"],
)  # fmt: skip
def test_options_do_not_change_what_is_read(tmp_path: Path, options: str):
    reader = ArrayRecordReader(str(_whole(tmp_path)), options)
    assert reader.read_all() == numbered(10)
    assert [reader.read() for _ in range(10)] == numbered(10)


@pytest.mark.parametrize("size", ["x", 1.5, None])
def test_a_buffer_size_is_an_integer(tmp_path: Path, size: Any):
    with pytest.raises(RuntimeError, match="file_reader_buffer_size"):
        ArrayRecordReader(str(_whole(tmp_path)), file_reader_buffer_size=size)

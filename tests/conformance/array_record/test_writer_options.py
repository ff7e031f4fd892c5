"""The options of a writer: the original's texts mean what they mean to it, and leave the same text in the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo import errors
from tests.conformance.array_record import wheel
from tests.naive.array_record import NaiveFile, Options
from tests.naive.riegeli import read_chunk

DEFAULT_TEXT = "group_size:1,transpose:false,pad_to_block_boundary:false,zstd:3,window_log:20,max_parallelism:1"
DEFAULT = Options()
BROTLI = Options(codec="brotli")
UNCOMPRESSED = Options(codec="none")
SNAPPY = Options(codec="snappy")
TRANSPOSED = Options(transpose=True)


def of_bucket_size(size: int) -> Options:
    return Options(transpose=True, transpose_bucket_size=size)


TEXTS = {
    "": DEFAULT,
    ",,,": DEFAULT,
    "default": DEFAULT,
    "default:x": DEFAULT,
    "default,brotli": BROTLI,
    "group_size:2": Options(group_size=2),
    "group_size: 7 ": Options(group_size=7),
    "group_size:+8": Options(group_size=8),
    "group_size:3,": Options(group_size=3),
    "group_size:2147483647": Options(group_size=2147483647),
    "uncompressed": UNCOMPRESSED,
    "uncompressed:": UNCOMPRESSED,
    "brotli": BROTLI,
    "brotli:": BROTLI,
    "brotli:0": Options(codec="brotli", level=0),
    "brotli:11": Options(codec="brotli", level=11),
    "zstd": DEFAULT,
    "zstd:0": Options(level=0),
    "zstd: 4 ": Options(level=4),
    "zstd:-5": Options(level=-5),
    "zstd:-131072": Options(level=-131072),
    "zstd:22": Options(level=22),
    "snappy": SNAPPY,
    "snappy:1": SNAPPY,
    "snappy:2": SNAPPY,
    "transpose": TRANSPOSED,
    "transpose:": TRANSPOSED,
    "transpose:true": TRANSPOSED,
    "transpose:false": DEFAULT,
    "transpose,uncompressed": Options(codec="none", transpose=True),
    "transpose,brotli:9": Options(codec="brotli", level=9, transpose=True),
    "transpose_bucket_size:1k": DEFAULT,
    "transpose,transpose_bucket_size:auto": TRANSPOSED,
    "transpose,transpose_bucket_size:1k": of_bucket_size(1024),
    "transpose,transpose_bucket_size:1.5K": of_bucket_size(1536),
    "transpose,transpose_bucket_size:1.5 K": of_bucket_size(1536),
    "transpose,transpose_bucket_size:.5k": of_bucket_size(512),
    "transpose,transpose_bucket_size:0.5": of_bucket_size(1),
    "transpose,transpose_bucket_size:2.5": of_bucket_size(3),
    "transpose,transpose_bucket_size: 3": of_bucket_size(3),
    "transpose,transpose_bucket_size:2B": of_bucket_size(2),
    "transpose,transpose_bucket_size:1e3": of_bucket_size(1000),
    "transpose,transpose_bucket_size:0x10": of_bucket_size(16),
    "transpose,transpose_bucket_size:inf": of_bucket_size(2**64 - 1),
    "transpose,transpose_bucket_size:16E": of_bucket_size(2**64 - 1),
    "window_log:auto": DEFAULT,
    "window_log:10": Options(window_log=10),
    "window_log:20": DEFAULT,
    "window_log:31": Options(window_log=31),
    "zstd,window_log:auto": DEFAULT,
    "zstd:7,window_log:24": Options(level=7, window_log=24),
    "brotli,window_log:auto": BROTLI,
    "brotli,window_log:10": Options(codec="brotli", window_log=10),
    "brotli,window_log:30": Options(codec="brotli", window_log=30),
    "window_log:22,brotli:2": Options(codec="brotli", level=2, window_log=22),
    "pad_to_block_boundary": DEFAULT,
    "pad_to_block_boundary:": DEFAULT,
    "pad_to_block_boundary:false": DEFAULT,
    "pad_to_block_boundary:true": Options(pad_to_block_boundary=True),
    "max_parallelism:auto": DEFAULT,
    "max_parallelism:8": DEFAULT,
    "saturation_delay_ms:10": DEFAULT,
    "saturation_delay_ms:1,max_parallelism:3": DEFAULT,
    "group_size:65536,transpose:true,brotli:3,pad_to_block_boundary:true": Options(
        group_size=65536, transpose=True, codec="brotli", level=3, pad_to_block_boundary=True
    ),
    "pad_to_block_boundary:true,snappy:2,group_size:16": Options(
        group_size=16, codec="snappy", pad_to_block_boundary=True
    ),
}
REFUSED_TEXTS = [
    "nonsense",
    "Group_size:1",
    " group_size:1",
    "zstd;group_size:1",
    "brotli_encoder:rbrotli_or_cbrotli",
    "group_size",
    "group_size:",
    "group_size:0",
    "group_size:-1",
    "group_size:2147483648",
    "group_size:1.5",
    "group_size:0x10",
    "group_size:1,group_size:1",
    "group_size:1,default",
    "uncompressed:1",
    "uncompressed:true",
    "uncompressed,uncompressed",
    "uncompressed,snappy",
    "brotli,uncompressed",
    "zstd,brotli",
    "zstd:23",
    "zstd:-131073",
    "zstd:a",
    "brotli:12",
    "brotli:-1",
    "snappy:0",
    "snappy:3",
    "transpose:yes",
    "transpose:True",
    "transpose,transpose_bucket_size:",
    "transpose,transpose_bucket_size:0",
    "transpose,transpose_bucket_size:-1",
    "transpose,transpose_bucket_size:nan",
    "transpose,transpose_bucket_size:K",
    "window_log:",
    "window_log:9",
    "window_log:32",
    "brotli,window_log:31",
    "uncompressed,window_log:20",
    "window_log:20,snappy",
    "pad_to_block_boundary:yes",
    "pad_to_block_boundary:1",
    "max_parallelism:",
    "max_parallelism:0",
    "max_parallelism:-1",
    "saturation_delay_ms:0",
    "saturation_delay_ms:auto",
]
# Sizes as people write them: only octavo takes these.
CASUAL_TEXTS = {
    "transpose,transpose_bucket_size:16MB": of_bucket_size(16 << 20),
    "transpose,transpose_bucket_size:1m": of_bucket_size(1 << 20),
    "transpose,transpose_bucket_size: 3M ": of_bucket_size(3 << 20),
}
KEYWORDS: list[tuple[dict[str, Any], Options]] = [
    ({}, DEFAULT),
    ({"codec": "zstd"}, DEFAULT),
    ({"codec": "zstd:7"}, Options(level=7)),
    ({"codec": "zstd:-5", "window_log": 24}, Options(level=-5, window_log=24)),
    ({"codec": "brotli"}, BROTLI),
    ({"codec": "brotli:11", "window_log": 16}, Options(codec="brotli", level=11, window_log=16)),
    ({"codec": "snappy"}, SNAPPY),
    ({"codec": "none"}, UNCOMPRESSED),
    ({"codec": "uncompressed"}, UNCOMPRESSED),
    ({"group_size": 256}, Options(group_size=256)),
    ({"transpose": True}, TRANSPOSED),
    ({"transpose": True, "transpose_bucket_size": 4096}, of_bucket_size(4096)),
    ({"transpose": False}, DEFAULT),
    ({"pad_to_block_boundary": True}, Options(pad_to_block_boundary=True)),
    ({"pad_to_block_boundary": False}, DEFAULT),
    ({"max_parallelism": 4, "saturation_delay_ms": 3}, DEFAULT),
    (
        {"codec": "brotli:3", "group_size": 9, "transpose": True, "pad_to_block_boundary": True},
        Options(codec="brotli", level=3, group_size=9, transpose=True, pad_to_block_boundary=True),
    ),
]
REFUSED_KEYWORDS: list[dict[str, Any]] = [
    {"codec": "nonsense"},
    {"codec": "zstd:23"},
    {"codec": "brotli:12"},
    {"codec": "none:1"},
    {"group_size": 0},
    {"group_size": -1},
    {"group_size": 2**31},
    {"window_log": 9},
    {"codec": "brotli", "window_log": 31},
    {"codec": "none", "window_log": 20},
    {"codec": "snappy", "window_log": 20},
    {"transpose": True, "transpose_bucket_size": 0},
    {"max_parallelism": 0},
    {"options": "group_size:1", "group_size": 1},
    {"options": "group_size:1", "codec": "zstd"},
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "options.array_record"


def written_text(path: Path, **options: Any) -> str | None:
    """What a file of two records says of its options, which octavo was to write."""
    with octavo.create(path, **options) as writer:
        writer.write_many([b"one", b"two"])
    reader = octavo.open(path)
    assert reader.read_all() == [b"one", b"two"]
    return reader.info.writer_options


def test_the_default_options_give_the_originals_text(path):
    assert written_text(path) == DEFAULT_TEXT == DEFAULT.text


@pytest.mark.parametrize(("text", "meaning"), TEXTS.items())
def test_a_text_leaves_the_originals_text(path, text, meaning):
    assert written_text(path, options=text) == meaning.text


@pytest.mark.parametrize(("text", "meaning"), TEXTS.items())
def test_the_original_leaves_the_same_text(path, text, meaning):
    wheel.write(path, [b"one", b"two"], text)
    assert wheel.options_text_of(path) == meaning.text


@pytest.mark.parametrize(("keywords", "meaning"), KEYWORDS, ids=str)
def test_keywords_leave_the_originals_text(path, keywords, meaning):
    assert written_text(path, **keywords) == meaning.text


@pytest.mark.parametrize("text", REFUSED_TEXTS)
def test_a_text_that_the_original_refuses_is_an_option_error(path, text):
    with pytest.raises(errors.OptionError):
        octavo.create(path, options=text)
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize(("text", "meaning"), CASUAL_TEXTS.items())
def test_a_size_as_people_write_it_leaves_a_text_that_the_original_takes(path, text, meaning):
    assert written_text(path, options=text) == meaning.text


@pytest.mark.parametrize("text", [*REFUSED_TEXTS, *CASUAL_TEXTS])
def test_the_original_refuses_the_same_text(path, text):
    with pytest.raises(ValueError, match=r"option|Option"):
        wheel.write(path, [], text)


@pytest.mark.parametrize("keywords", REFUSED_KEYWORDS, ids=str)
def test_keywords_that_cannot_be_are_an_option_error(path, keywords):
    with pytest.raises(errors.OptionError):
        octavo.create(path, **keywords)
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("text", ["uncompressed", "group_size:2,zstd:5", "group_size:3,snappy,transpose", "brotli:2"])
def test_appending_keeps_the_options_of_the_file(path, text):
    before = written_text(path, options=text)
    with octavo.append(path) as writer:
        writer.write_many([b"three", b"four", b"five"])
    reader = octavo.open(path)
    assert reader.read_all() == [b"one", b"two", b"three", b"four", b"five"]
    assert reader.info.writer_options == before


@pytest.mark.parametrize(
    ("text", "kind"), [("uncompressed", b"r"), ("uncompressed,transpose", b"t"), ("group_size:4,uncompressed", b"r")]
)
def test_chunks_are_of_the_kind_that_was_asked_for(path, text, kind):
    written_text(path, options=text)
    file = NaiveFile(path.read_bytes())
    assert {read_chunk(file.content, offset)[0].kind for offset in file.offsets} == {kind}
    assert file.counts == ([2] if "group_size" in text else [1, 1])


@pytest.mark.parametrize("option", [{"codec": "zstd"}, {"group_size": 2}, {"transpose": True}, {"options": "snappy"}])
def test_ffrecord_takes_none_of_these(tmp_path, option):
    with pytest.raises(errors.OptionError):
        octavo.create(tmp_path / "records.ffr", **option)

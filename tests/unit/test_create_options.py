"""How `octavo.create` is told to store records: keywords, the original's texts, and what is refused."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import octavo
from octavo import errors
from tests.naive.compression import CODEC_BYTES
from tests.naive.riegeli import Chunk, chunks_in

RECORDS = [f"record {number}".encode() for number in range(20)]
KEYWORDS: dict[str, Any] = {
    "codec": "zstd",
    "group_size": 1,
    "transpose": False,
    "pad_to_block_boundary": False,
    "window_log": 20,
    "transpose_bucket_size": 256,
    "max_parallelism": 1,
    "saturation_delay_ms": 10,
    "options": "",
}


@pytest.fixture(params=[".array_record", ".riegeli"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / f"records{request.param}"


@pytest.fixture
def array_record(tmp_path: Path) -> Path:
    return tmp_path / "records.array_record"


@pytest.fixture
def riegeli(tmp_path: Path) -> Path:
    return tmp_path / "records.riegeli"


def written(path: Path, **options: Any) -> bytes:
    """The file of the records."""
    with octavo.create(path, **options) as writer:
        writer.write_many(RECORDS)
    return path.read_bytes()


def chunks_of(path: Path, **options: Any) -> list[Chunk]:
    """The chunks of records in a file, seen without octavo."""
    chunks = [chunk for _, chunk in chunks_in(written(path, **options)) if chunk.num_records]
    return chunks[:-2] if path.suffix == ".array_record" else chunks  # footer and postscript


class TestKeywords:
    @pytest.mark.parametrize(
        ("codec", "byte"),
        [
            ("zstd", "zstd"),
            ("zstd:22", "zstd"),
            ("zstd:-7", "zstd"),
            ("brotli", "brotli"),
            ("brotli:11", "brotli"),
            ("snappy", "snappy"),
            ("snappy:2", "snappy"),
            ("none", "none"),
            ("uncompressed", "none"),
        ],
    )
    def test_a_codec_compresses_every_chunk(self, path, codec, byte):
        assert {chunk.data[:1] for chunk in chunks_of(path, codec=codec)} == {CODEC_BYTES[byte]}
        assert octavo.open(path).read_all() == RECORDS

    def test_zstd_is_the_default(self, path):
        assert {chunk.data[:1] for chunk in chunks_of(path)} == {CODEC_BYTES["zstd"]}

    @pytest.mark.parametrize("group_size", [1, 7, 20, 1000, np.int8(7)])
    def test_a_group_size_is_the_number_of_records_in_a_chunk(self, path, group_size):
        counts = [chunk.num_records for chunk in chunks_of(path, group_size=group_size)]
        assert counts[:-1] == [group_size] * (len(counts) - 1)
        assert sum(counts) == len(RECORDS)
        assert len(counts) == -(-len(RECORDS) // int(group_size))

    def test_every_record_of_an_array_record_file_is_a_chunk_of_its_own_unless_it_is_told_otherwise(self, array_record):
        assert [chunk.num_records for chunk in chunks_of(array_record)] == [1] * len(RECORDS)

    def test_chunks_of_a_riegeli_file_are_cut_by_size_unless_it_is_told_otherwise(self, riegeli):
        assert [chunk.num_records for chunk in chunks_of(riegeli)] == [len(RECORDS)]
        large = random.Random(1).randbytes(1 << 20)
        with octavo.create(riegeli) as writer:
            writer.write_many(large[number:] for number in range(5))
        assert octavo.open(riegeli).info.chunk_count > 1

    @pytest.mark.parametrize(("transpose", "kind"), [(True, b"t"), (False, b"r"), (None, b"r")])
    def test_columns_are_made_on_demand(self, path, transpose, kind):
        assert {chunk.kind for chunk in chunks_of(path, transpose=transpose, group_size=7)} == {kind}
        assert octavo.open(path).read_all() == RECORDS

    @pytest.mark.parametrize("size", [1, "64", "64KB", np.uint16(300)])
    def test_buckets_of_columns_may_have_any_size(self, path, size):
        written(path, transpose=True, transpose_bucket_size=size)
        assert octavo.open(path).read_all() == RECORDS

    def test_chunks_begin_at_blocks_on_demand(self, array_record):
        content = written(array_record, pad_to_block_boundary=True, group_size=10)
        places = [place for place, chunk in chunks_in(content) if chunk.num_records]
        assert places[1:3] == [65536, 131072]  # the second chunk and the footer

    @pytest.mark.parametrize("codec", ["zstd", "brotli"])
    @pytest.mark.parametrize("window_log", [10, 22, np.int64(16)])
    def test_windows_may_have_any_size(self, path, codec, window_log):
        written(path, codec=codec, window_log=window_log)
        assert octavo.open(path).read_all() == RECORDS

    @pytest.mark.parametrize("options", [{"max_parallelism": 3}, {"saturation_delay_ms": 50}], ids=str)
    def test_what_only_the_original_needs_changes_nothing(self, path, options):
        assert written(path, **options) == written(path)

    @pytest.mark.parametrize("name", KEYWORDS)
    def test_none_is_the_default_of_every_keyword(self, path, name):
        assert written(path, **{name: None}) == written(path)


# The same file, by keywords and by a text.
SPELLINGS: list[tuple[dict[str, Any], str]] = [
    ({}, ""),
    ({}, "default"),
    ({"group_size": 1, "codec": "none"}, "group_size:1,uncompressed"),
    ({"group_size": 7, "codec": "brotli:9"}, "brotli:9,group_size:7"),
    ({"group_size": 7, "codec": "snappy"}, "group_size:7,snappy,"),
    ({"group_size": 4, "transpose": True}, "group_size:4,transpose"),
    ({"transpose": True, "transpose_bucket_size": 1024}, "transpose,transpose_bucket_size:1K"),
    ({"group_size": 2, "codec": "zstd:5", "window_log": 12}, "window_log:12,zstd:5,group_size:2"),
]


class TestTexts:
    @pytest.mark.parametrize(("keywords", "text"), SPELLINGS, ids=str)
    def test_a_text_says_what_keywords_say(self, path, keywords, text):
        assert written(path, options=text) == written(path, **keywords)

    def test_a_text_may_pad(self, array_record):
        padded = written(array_record, options="pad_to_block_boundary:true")
        assert padded == written(array_record, pad_to_block_boundary=True)

    def test_a_text_may_name_the_group_size_of_a_riegeli_file(self, riegeli):
        assert {chunk.num_records for chunk in chunks_of(riegeli, options="group_size:5")} == {5}

    @pytest.mark.parametrize("name", [name for name in KEYWORDS if name != "options"])
    def test_a_text_is_the_whole_text(self, array_record, name):
        with pytest.raises(errors.OptionError, match=f"options is the whole text; {name} can be said in it"):
            octavo.create(array_record, options="", **{name: KEYWORDS[name]})

    def test_every_keyword_beside_a_text_is_named(self, path):
        with pytest.raises(errors.OptionError, match="codec, group_size"):
            octavo.create(path, options="default", codec="zstd", group_size=2)


# What cannot be, and what the error must name.
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"codec": "lz4"}, "'lz4'"),
    ({"codec": ""}, "codec"),
    ({"codec": "ZSTD"}, "'ZSTD'"),
    ({"codec": "zstd:23"}, "zstd"),
    ({"codec": "zstd:x"}, "zstd"),
    ({"codec": "brotli:12"}, "brotli"),
    ({"codec": "snappy:3"}, "snappy"),
    ({"codec": "none:1"}, "none has no levels"),
    ({"codec": 3}, "codec is 3"),
    ({"codec": b"zstd"}, "codec"),
    ({"group_size": 0}, "group_size"),
    ({"group_size": -1}, "group_size"),
    ({"group_size": 2**31}, "group_size"),
    ({"group_size": "7"}, "group_size is '7'"),
    ({"group_size": 7.0}, "group_size is 7.0"),
    ({"group_size": True}, "group_size is True"),
    ({"transpose": 1}, "transpose is 1"),
    ({"transpose": "true"}, "transpose"),
    ({"window_log": 9}, "window_log"),
    ({"window_log": 32}, "window_log"),
    ({"window_log": 31, "codec": "brotli"}, "window_log"),
    ({"window_log": 20, "codec": "snappy"}, "snappy"),
    ({"window_log": 20, "codec": "none"}, "uncompressed"),
    ({"transpose_bucket_size": 0}, "transpose_bucket_size"),
    ({"transpose_bucket_size": "much"}, "'much'"),
    ({"transpose_bucket_size": 1.5}, "transpose_bucket_size"),
    ({"max_parallelism": 0}, "max_parallelism"),
    ({"max_parallelism": "auto"}, "max_parallelism"),
    ({"saturation_delay_ms": 0}, "saturation_delay_ms"),
    ({"options": "nonsense:1"}, "nonsense"),
    ({"options": "group_size:0"}, "group_size"),
    ({"options": "zstd,brotli"}, "brotli conflicts with option zstd"),
    ({"options": "group_size:1,group_size:2"}, "more than once"),
    ({"options": 3}, "options is 3"),
    ({"options": b"group_size:1"}, "options"),
]


class TestRefusals:
    @pytest.mark.parametrize(("options", "named"), REFUSED, ids=str)
    def test_a_value_that_cannot_be_is_an_option_error_and_leaves_nothing(self, path, options, named):
        with pytest.raises(errors.OptionError, match=named):
            octavo.create(path, **options)
        assert os.listdir(path.parent) == []

    def test_a_file_that_exists_survives_a_refusal(self, path):
        before = written(path)
        with pytest.raises(errors.OptionError):
            octavo.create(path, codec="lz4")
        assert path.read_bytes() == before

    @pytest.mark.parametrize("name", KEYWORDS)
    def test_ffrecord_takes_none_of_them(self, tmp_path, name):
        with pytest.raises(errors.OptionError, match=f"ffrecord has no such options: {name}"):
            octavo.create(tmp_path / "records.ffr", **{name: KEYWORDS[name]})
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize("options", [{"pad_to_block_boundary": True}, {"options": "pad_to_block_boundary:true"}])
    def test_riegeli_cannot_pad_however_it_is_told(self, riegeli, options):
        with pytest.raises(errors.OptionError, match="pad_to_block_boundary"):
            octavo.create(riegeli, **options)

    def test_padding_is_a_switch(self, array_record):
        with pytest.raises(errors.OptionError, match="pad_to_block_boundary is 1"):
            octavo.create(array_record, pad_to_block_boundary=1)  # type: ignore[arg-type]

    @pytest.mark.parametrize("options", [{"level": 3}, {"compression": "zstd"}, {"cache_bytes": 0}])
    def test_an_option_that_does_not_exist_is_a_type_error(self, path, options):
        with pytest.raises(TypeError):
            octavo.create(path, **options)

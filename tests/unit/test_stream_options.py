"""How `octavo.create` is told to write RecordIO and TFRecord files: dialects, codecs, chunks, and what is refused."""

from __future__ import annotations

import os
import random
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import octavo
from octavo import errors
from tests.naive import recordio, tfrecord

RECORDS = [f"record {number}".encode() for number in range(20)]
WAYS = [pytest.param(dialect, codec, id=f"{dialect}-{codec}") for dialect, codec in recordio.WAYS]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "records.recordio"


def written(path: Path, records: list[bytes] = RECORDS, **options: Any) -> bytes:
    """The file of the records."""
    with octavo.create(path, **options) as writer:
        writer.write_many(records)
    return path.read_bytes()


def counts(content: bytes) -> list[int]:
    """The number of records in each chunk, seen without octavo."""
    return [header.count for header in recordio.NaiveFile(content).headers]


class TestDialectsAndCodecs:
    @pytest.mark.parametrize(("dialect", "codec"), WAYS)
    def test_every_chunk_is_of_the_dialect_and_the_codec_asked_for(self, path, dialect, codec):
        headers = recordio.NaiveFile(written(path, dialect=dialect, codec=codec, group_size=7)).headers
        assert [(header.dialect, header.codec, header.count) for header in headers] == [
            (dialect, codec, count) for count in (7, 7, 6)
        ]

    @pytest.mark.parametrize(("dialect", "codec"), WAYS)
    def test_every_dialect_and_codec_comes_back(self, path, dialect, codec):
        content = written(path, dialect=dialect, codec=codec, group_size=7)
        assert recordio.decode(content) == octavo.open(content).read_all() == octavo.open(path).read_all() == RECORDS

    def test_paddle_python_and_snappy_are_the_defaults(self, path):
        content = written(path)
        assert content == written(path, dialect="paddle-python", codec="snappy", max_chunk_bytes="256KB")
        (header,) = recordio.NaiveFile(content).headers
        assert (header.dialect, header.codec) == ("paddle-python", "snappy")

    @pytest.mark.parametrize("dialect", recordio.DIALECTS)
    def test_snappy_is_the_default_of_every_dialect(self, path, dialect):
        assert {header.codec for header in recordio.NaiveFile(written(path, dialect=dialect)).headers} == {"snappy"}

    @pytest.mark.parametrize("level", range(10))
    def test_gzip_has_levels(self, path, level):
        written(path, codec=f"gzip:{level}")
        assert octavo.open(path).read_all() == RECORDS

    def test_a_level_is_heeded(self, path):
        sizes = [len(written(path, RECORDS * 100, codec=f"gzip:{level}")) for level in (0, 1, 9)]
        assert sizes[0] > sizes[1] > sizes[2]
        assert len(written(path, RECORDS * 100, codec="gzip")) == len(written(path, RECORDS * 100, codec="gzip:6"))

    def test_uncompressed_is_another_name_for_none(self, path):
        assert written(path, codec="uncompressed") == written(path, codec="none")

    @pytest.mark.parametrize("dialect", recordio.DIALECTS)
    def test_empty_records_and_none_are_as_good_as_others(self, path, dialect):
        for records in ([], [b""], [b""] * 3, [b"", b"x", b""]):
            content = written(path, records, dialect=dialect, codec="none")
            assert content == recordio.encode(records, dialect)
            assert octavo.open(path).read_all() == records

    @pytest.mark.parametrize("codec", ["snappy", "gzip", "none"])
    def test_records_larger_than_a_frame_of_snappy_come_back(self, path, codec):
        records = [bytes(range(256)) * 400, b"x" * 65_536, b"", random.Random(1).randbytes(70_000)]
        for dialect in recordio.DIALECTS:
            if codec in recordio.DIALECTS[dialect].codecs:
                written(path, records, dialect=dialect, codec=codec)
                assert octavo.open(path).read_all() == records


class TestChunks:
    @pytest.mark.parametrize(
        ("lengths", "options", "expected"),
        [
            ([5, 4, 2, 0, 25, 1], {"max_chunk_bytes": 10}, [2, 2, 1, 1]),
            ([5, 5, 1], {"max_chunk_bytes": 10}, [2, 1]),
            ([11, 11, 11], {"max_chunk_bytes": 10}, [1, 1, 1]),
            ([0] * 50, {"max_chunk_bytes": 1}, [50]),
            ([1] * 7, {"max_chunk_bytes": 1}, [1] * 7),
            ([1] * 7, {"group_size": 3}, [3, 3, 1]),
            ([1] * 7, {"group_size": 1}, [1] * 7),
            ([1] * 7, {"group_size": 3, "max_chunk_bytes": 2}, [2, 2, 2, 1]),
            ([1, 9, 1, 1, 1, 1], {"group_size": 3, "max_chunk_bytes": 10}, [2, 3, 1]),
            ([400_000] * 3, {"group_size": 2}, [2, 1]),
            ([100_000] * 3, {}, [2, 1]),
            ([1 << 18, 1], {}, [1, 1]),
            ([1 << 17, 1 << 17, 1], {}, [2, 1]),
            ([1 << 20] * 2, {}, [1, 1]),
            ([1] * 3, {"max_chunk_bytes": 2**32 - 1}, [3]),
            ([1] * 3, {"group_size": 2**31 - 1}, [3]),
        ],
    )
    @pytest.mark.parametrize("dialect", ["paddle-python", "go"])
    def test_a_chunk_ends_before_it_would_be_too_large(self, path, lengths, options, expected, dialect):
        records = [bytes([number]) * length for number, length in enumerate(lengths)]
        assert counts(written(path, records, dialect=dialect, **options)) == expected
        reader = octavo.open(path)
        assert (reader.info.chunk_count, reader.read_all()) == (len(expected), records)

    @pytest.mark.parametrize("text", ["1KB", "1k", "1 KiB", "1024", "1024B", 1024, np.int16(1024)])
    def test_a_size_may_be_a_number_or_a_text(self, path, text):
        records = [bytes(512)] * 4
        assert counts(written(path, records, max_chunk_bytes=text)) == [2, 2]

    @pytest.mark.parametrize(
        "options", [{"max_chunk_bytes": 100_000}, {"group_size": 66_000}, {"max_chunk_bytes": 1_500_000}], ids=str
    )
    def test_chunks_do_not_depend_on_the_blocks_that_the_writer_works_in(self, path, options):
        records = [bytes(number % 50) for number in range(70_000)]  # a block has 64 Ki records or 1 MiB
        expected = [len(group) for group in recordio.cut_into_groups(records, **options)]
        assert counts(written(path, records, codec="none", **options)) == expected

    def test_flushing_ends_a_chunk(self, path):
        with octavo.create(path, group_size=4) as writer:
            for count in (1, 4, 5, 0, 2):
                writer.write_many(RECORDS[:count])
                writer.flush()
        assert counts(path.read_bytes()) == [1, 4, 4, 1, 2]

    def test_records_are_written_one_by_one_as_they_are_many_at_a_time(self, path):
        together = written(path, max_chunk_bytes=30)
        with octavo.create(path, max_chunk_bytes=30) as writer:
            for record in RECORDS:
                writer.write(record)
        assert path.read_bytes() == together


# What cannot be, and what the error must name.
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"dialect": "nonsense"}, r"dialect is 'nonsense'; allowed are paddle-python, paddle-python-ieee, go, paddle-cpp"),
    ({"dialect": "GO"}, "dialect is 'GO'"),
    ({"dialect": ""}, "dialect is ''"),
    ({"dialect": 3}, "dialect is 3"),
    ({"dialect": ["go"]}, r"dialect is \['go'\]"),
    ({"dialect": b"go"}, "dialect is b'go'"),
    ({"codec": "zstd"}, "codec is 'zstd'; allowed in recordio in its dialect paddle-python are snappy, gzip, none"),
    ({"codec": "zlib"}, "codec is 'zlib'"),
    ({"codec": "GZIP"}, "codec is 'GZIP'"),
    ({"codec": ""}, "codec is ''"),
    ({"codec": 3}, "codec is 3"),
    ({"codec": b"gzip"}, "codec is b'gzip'"),
    ({"codec": "snappy:1"}, "codec is 'snappy:1'"),
    ({"codec": "none:1"}, "codec is 'none:1'"),
    ({"codec": "gzip:10"}, r"codec is 'gzip:10'; gzip has the levels 0 to 9"),
    ({"codec": "gzip:-1"}, "level"),
    ({"codec": "gzip:"}, "level"),
    ({"codec": "gzip:high"}, "level"),
    ({"codec": "gzip", "dialect": "paddle-cpp"}, "dialect paddle-cpp are snappy, none"),
    ({"max_chunk_bytes": 0}, r"max_chunk_bytes is 0; .*\[1..4294967295\]"),
    ({"max_chunk_bytes": -1}, "max_chunk_bytes is -1"),
    ({"max_chunk_bytes": 2**32}, "max_chunk_bytes is 4294967296"),
    ({"max_chunk_bytes": "5GB"}, "max_chunk_bytes is '5GB'"),
    ({"max_chunk_bytes": "much"}, "max_chunk_bytes is 'much'"),
    ({"max_chunk_bytes": ""}, "max_chunk_bytes"),
    ({"max_chunk_bytes": 1.5}, "max_chunk_bytes is 1.5"),
    ({"max_chunk_bytes": True}, "max_chunk_bytes is True"),
    ({"group_size": 0}, "group_size is 0"),
    ({"group_size": -1}, "group_size is -1"),
    ({"group_size": 2**31}, r"group_size is 2147483648; .*\[1..2147483647\]"),
    ({"group_size": 2**64}, "group_size is 18446744073709551616"),
    ({"group_size": "7"}, "group_size is '7'"),
    ({"group_size": 7.0}, "group_size is 7.0"),
    ({"group_size": True}, "group_size is True"),
    ({"transpose": True}, "recordio has no such options: transpose"),
    ({"window_log": 20, "options": "default"}, "recordio has no such options: window_log, options"),
]


class TestRefusals:
    @pytest.mark.parametrize(("options", "named"), REFUSED, ids=str)
    def test_a_value_that_cannot_be_is_an_option_error_and_leaves_nothing(self, path, options, named):
        with pytest.raises(errors.OptionError, match=named):
            octavo.create(path, **options)
        assert os.listdir(path.parent) == []

    def test_levels_are_not_offered_where_there_is_no_gzip(self, path):
        with pytest.raises(errors.OptionError) as caught:
            octavo.create(path, dialect="paddle-cpp", codec="zstd")
        assert "gzip" not in str(caught.value)

    @pytest.mark.parametrize("name", ["codec", "dialect", "max_chunk_bytes", "group_size"])
    def test_none_is_the_default_of_every_keyword(self, path, name):
        options: dict[str, Any] = {name: None}
        assert written(path, **options) == written(path)

    @pytest.mark.parametrize("suffix", [".ffr", ".array_record", ".riegeli", ".tfrecord"])
    @pytest.mark.parametrize("options", [{"dialect": "go"}, {"max_chunk_bytes": "1MB"}], ids=str)
    def test_other_formats_have_neither_dialects_nor_chunks_of_a_size(self, tmp_path, suffix, options):
        with pytest.raises(errors.OptionError, match=f"has no such options: {next(iter(options))}"):
            octavo.create(tmp_path / f"records{suffix}", **options)
        assert os.listdir(tmp_path) == []


class TestTfRecord:
    def test_no_compression_is_the_default(self, tmp_path):
        content = written(tmp_path / "records.tfrecord")
        assert content == written(tmp_path / "records.tfrecord", codec="none") == tfrecord.encode(RECORDS)

    @pytest.mark.parametrize("records", [[], [b""], [b"", b"x", b""], [bytes(1_100_000), b"x"]], ids=len)
    def test_records_of_any_size_are_frames(self, tmp_path, records):
        assert written(tmp_path / "records.tfrecord", records) == tfrecord.encode(records)
        assert octavo.open(tmp_path / "records.tfrecord").read_all() == records

    @pytest.mark.parametrize("codec", ["gzip", "zlib", *(f"gzip:{level}" for level in range(10)), "zlib:0", "zlib:9"])
    def test_the_file_as_a_whole_may_be_compressed(self, tmp_path, codec):
        content = written(tmp_path / "records.tfrecord", codec=codec)
        name = codec.split(":")[0]
        assert tfrecord.codec_of(content) == octavo.open(content).info.codec == name
        assert tfrecord.decode(content) == octavo.open(content).read_all() == RECORDS

    def test_a_level_is_heeded(self, tmp_path):
        path = tmp_path / "records.tfrecord"
        sizes = [len(written(path, RECORDS * 100, codec=f"zlib:{level}")) for level in (0, 1, 9)]
        assert sizes[0] > sizes[1] > sizes[2]
        assert len(written(path, RECORDS * 100, codec="zlib")) == len(written(path, RECORDS * 100, codec="zlib:6"))

    @pytest.mark.parametrize("codec", ["gzip", "zlib"])
    @pytest.mark.parametrize("records", [[], [b""], [b"", b"x", b""], [bytes(1_100_000), b"x"]], ids=len)
    def test_records_of_any_size_are_compressed(self, tmp_path, codec, records):
        content = written(tmp_path / "records.tfrecord", records, codec=codec)
        assert zlib.decompress(content, tfrecord.WINDOW_BITS[codec]) == tfrecord.encode(records)
        assert octavo.open(tmp_path / "records.tfrecord").read_all() == records

    @pytest.mark.parametrize("suffix", [".tfrecord.gz", ".tfrecords.gz", ".tfrec.gz", ".tfrecord-00000-of-00001.gz"])
    def test_a_name_that_ends_in_gz_asks_for_gzip(self, tmp_path, suffix):
        content = written(tmp_path / f"records{suffix}")
        assert tfrecord.codec_of(content) == "gzip"
        assert octavo.open(tmp_path / f"records{suffix}").read_all() == RECORDS

    @pytest.mark.parametrize("codec", ["none", "zlib"])
    def test_a_codec_is_believed_more_than_the_name(self, tmp_path, codec):
        content = written(tmp_path / "records.tfrecord.gz", codec=codec)
        assert tfrecord.codec_of(content) == octavo.open(tmp_path / "records.tfrecord.gz").info.codec == codec

    @pytest.mark.parametrize("suffix", [".ffr.gz", ".array_record.gz", ".riegeli.gz", ".recordio.gz", ".gz"])
    def test_no_other_format_is_compressed_as_a_whole(self, tmp_path, suffix):
        with pytest.raises(errors.OptionError, match="the suffix does not say which format to write"):
            octavo.create(tmp_path / f"records{suffix}")

    def test_flushing_does_not_change_what_is_read(self, tmp_path):
        path = tmp_path / "records.tfrecord.gz"
        with octavo.create(path) as writer:
            for count in (1, 0, 4, 15):
                writer.write_many(RECORDS[:count])
                writer.flush()
        expected = RECORDS[:1] + RECORDS[:4] + RECORDS[:15]
        assert tfrecord.decode(path.read_bytes()) == octavo.open(path).read_all() == expected

    @pytest.mark.parametrize(
        ("options", "named"),
        [
            ({"codec": "snappy"}, "codec is 'snappy'; allowed in tfrecord are none, gzip, zlib"),
            ({"codec": "zstd:3"}, "codec is 'zstd:3'"),
            ({"codec": "gzip:10"}, r"codec is 'gzip:10'; gzip has the levels 0 to 9"),
            ({"codec": "zlib:-1"}, "level"),
            ({"codec": "none:1"}, "codec is 'none:1'"),
            ({"codec": 3}, "codec is 3"),
            ({"group_size": 1}, "tfrecord has no such options: group_size"),
            ({"options": ""}, "tfrecord has no such options: options"),
        ],
        ids=str,
    )
    def test_a_value_that_cannot_be_is_an_option_error_and_leaves_nothing(self, tmp_path, options, named):
        with pytest.raises(errors.OptionError, match=named):
            octavo.create(tmp_path / "records.tfrecord", **options)
        assert os.listdir(tmp_path) == []

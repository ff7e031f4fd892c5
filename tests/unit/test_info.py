"""`reader.info` and `reader.paths`: what is read, from where."""

from __future__ import annotations

import dataclasses
import io
import os
from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo import errors
from tests.conformance.backends import IO_MODES, Spans
from tests.naive import array_record, recordio
from tests.naive import ffrecord as naive
from tests.naive.riegeli import chunks_in, simple_chunk

RECORDS = [b"abc", b"", b"edf"]
MANY = [f"record {number}".encode() for number in range(103)]
DECODED_BYTES = sum(map(len, MANY))


def test_info_of_one_file(write_file):
    path = write_file(RECORDS)
    assert octavo.open(path).info == octavo.Info(
        format="ffrecord",
        dialect=None,
        dialect_confirmed=False,
        codec="none",
        level=None,
        group_size=None,
        transposed=None,
        chunk_count=0,
        encoded_bytes=54,
        decoded_bytes=None,
        writer_options=None,
        torn_bytes=0,
        sidecar=False,
        record_count=3,
        file_count=1,
        total_bytes=54,
        check_data=True,
        io="auto",
        paths=(str(path),),
    )


def test_info_of_several_files_sums_them_up(write_file):
    paths = [write_file(RECORDS, "a.ffr"), write_file([], "b.ffr"), write_file(RECORDS, "c.ffr")]
    info = octavo.open(paths).info
    assert (info.record_count, info.file_count, info.total_bytes) == (6, 3, 54 + 12 + 54)
    assert info.paths == tuple(map(str, paths))


def test_info_of_a_slice_counts_its_records_and_is_about_the_whole_otherwise(layout):
    reader = layout.open(MANY)
    assert reader[1:3].info == dataclasses.replace(reader.info, record_count=2)


@pytest.mark.parametrize("mode", IO_MODES)
def test_info_says_how_files_are_read(layout, tmp_path, mode):
    assert octavo.open(layout.write(tmp_path / "records", RECORDS), io=mode).info.io == mode


@pytest.mark.parametrize("check_data", [True, False])
def test_info_says_whether_checksums_are_verified(layout, check_data):
    assert layout.open(RECORDS, check_data=check_data).info.check_data is check_data


def test_info_cannot_be_changed(layout):
    info = layout.open(RECORDS).info
    with pytest.raises(dataclasses.FrozenInstanceError):
        info.record_count = 4


def test_info_of_a_closed_reader_is_an_error(layout):
    reader = layout.open(RECORDS)
    reader.close()
    with pytest.raises(errors.ClosedError):
        reader.info  # noqa: B018 - asking is the subject


@pytest.mark.usefixtures("working_folder")
def test_paths_are_absolute_however_they_were_typed(write_file):
    write_file(RECORDS, "folder/a.ffr")
    expected = [os.path.abspath(os.path.join("folder", "a.ffr"))]
    assert octavo.open("folder/a.ffr").paths == expected
    assert octavo.open("folder").paths == expected
    assert octavo.open("./folder/*.ffr").paths == expected


def test_paths_of_what_has_no_path_are_names():
    content = naive.encode(RECORDS)
    assert octavo.open([content, io.BytesIO(content), Spans(content, "mine")]).paths == [
        f"<{len(content)} bytes in memory>",
        "<BytesIO>",
        "mine",
    ]


def test_paths_of_a_file_object_are_its_name(write_file):
    path = write_file(RECORDS)
    with path.open("rb") as file:
        assert octavo.open(file).paths == [str(path)]


def test_paths_of_a_closed_reader_are_still_known(write_file):
    path = write_file(RECORDS)
    reader = octavo.open(path)
    reader.close()
    assert reader.paths == [str(path)]


def write(path: Path, records: list[bytes] = MANY, **options: Any) -> Path:
    with octavo.create(path, **options) as writer:
        writer.write_many(records)
    return path


class TestChunkedFiles:
    """What files with chunks say of themselves, seen without octavo as well."""

    def test_info_of_an_array_record_file(self, tmp_path):
        path = write(tmp_path / "records.array_record", group_size=7)
        *_, footer, _ = (place for place, chunk in chunks_in(path.read_bytes()) if chunk.num_records)
        assert octavo.open(path).info == octavo.Info(
            format="array_record",
            dialect=None,
            dialect_confirmed=False,
            codec="zstd",
            level=3,
            group_size=7,
            transposed=False,
            chunk_count=15,
            encoded_bytes=footer - 64,
            decoded_bytes=DECODED_BYTES,
            writer_options=(
                "group_size:7,transpose:false,pad_to_block_boundary:false,zstd:3,window_log:20,max_parallelism:1"
            ),
            torn_bytes=0,
            sidecar=False,
            record_count=103,
            file_count=1,
            total_bytes=131072,
            check_data=True,
            io="auto",
            paths=(str(path),),
        )

    def test_info_of_a_riegeli_file(self, tmp_path):
        path = write(tmp_path / "records.riegeli", group_size=7, codec="snappy")
        total_bytes = path.stat().st_size
        assert octavo.open(path).info == octavo.Info(
            format="riegeli",
            dialect=None,
            dialect_confirmed=False,
            codec="snappy",
            level=None,
            group_size=7,
            transposed=False,
            chunk_count=15,
            encoded_bytes=total_bytes - 64,
            decoded_bytes=DECODED_BYTES,
            writer_options=None,
            torn_bytes=0,
            sidecar=False,
            record_count=103,
            file_count=1,
            total_bytes=total_bytes,
            check_data=True,
            io="auto",
            paths=(str(path),),
        )

    @pytest.mark.parametrize(
        ("codec", "name", "level"),
        [
            ("zstd", "zstd", 3),
            ("zstd:-5", "zstd", -5),
            ("brotli", "brotli", 6),
            ("brotli:0", "brotli", 0),
            ("snappy", "snappy", None),
            ("none", "none", None),
        ],
    )
    @pytest.mark.parametrize("records", [MANY, MANY[:1], [b""]], ids=["many", "one", "empty"])
    def test_codec_and_level_are_told(self, tmp_path, codec, name, level, records):
        info = octavo.open(write(tmp_path / "records.array_record", records, codec=codec)).info
        assert (info.codec, info.level) == (name, level)

    @pytest.mark.parametrize("codec", ["zstd", "brotli", "snappy", "none"])
    @pytest.mark.parametrize("transpose", [True, False])
    def test_columns_are_told(self, tmp_path, codec, transpose):
        path = write(tmp_path / "records.array_record", group_size=7, codec=codec, transpose=transpose)
        assert octavo.open(path).info.transposed is transpose

    @pytest.mark.parametrize("codec", ["zstd", "brotli", "snappy", "none"])
    @pytest.mark.parametrize("transpose", [True, False])
    def test_codec_and_columns_of_a_riegeli_file_are_told(self, tmp_path, codec, transpose):
        info = octavo.open(write(tmp_path / "records.riegeli", codec=codec, transpose=transpose)).info
        assert (info.codec, info.level, info.transposed) == (codec, None, transpose)

    @pytest.mark.parametrize(("group_size", "told", "chunk_count"), [(1, 1, 103), (7, 7, 15), (256, 103, 1)])
    def test_a_group_is_as_large_as_it_is_and_not_as_it_was_meant(self, tmp_path, group_size, told, chunk_count):
        info = octavo.open(write(tmp_path / "records.array_record", group_size=group_size)).info
        assert (info.group_size, info.chunk_count) == (told, chunk_count)

    def test_a_file_without_records_still_tells_how_it_was_written(self, tmp_path):
        info = octavo.open(write(tmp_path / "records.array_record", [], codec="brotli:9", group_size=7)).info
        assert (info.codec, info.level, info.transposed, info.group_size) == ("brotli", 9, None, None)
        assert (info.record_count, info.chunk_count, info.encoded_bytes, info.decoded_bytes) == (0, 0, 0, 0)
        assert info.total_bytes == 131072

    def test_a_riegeli_file_without_records_tells_nothing(self, tmp_path):
        info = octavo.open(write(tmp_path / "records.riegeli", [], codec="brotli:9")).info
        assert (info.codec, info.level, info.transposed, info.group_size) == (None, None, None, None)
        assert (info.record_count, info.chunk_count, info.encoded_bytes, info.decoded_bytes) == (0, 0, 0, 0)

    def test_files_together_are_summed_up_and_the_first_speaks_for_all(self, tmp_path):
        paths = [
            write(tmp_path / "a.array_record", codec="none", group_size=7),
            write(tmp_path / "b.array_record", MANY[:10], codec="brotli", transpose=True),
            write(tmp_path / "c.array_record", []),
        ]
        alone = [octavo.open(path).info for path in paths]
        assert octavo.open(paths).info == dataclasses.replace(
            alone[0],
            chunk_count=25,
            encoded_bytes=sum(info.encoded_bytes for info in alone),
            decoded_bytes=DECODED_BYTES + sum(map(len, MANY[:10])),
            record_count=113,
            file_count=3,
            total_bytes=3 * 131072,
            paths=tuple(map(str, paths)),
        )

    def test_level_and_options_are_those_of_the_file_that_the_codec_is_of(self, tmp_path):
        paths = [write(tmp_path / "a.array_record", []), write(tmp_path / "b.array_record", codec="brotli:9")]
        info = octavo.open(paths).info
        assert (info.codec, info.level) in {("zstd", 3), ("brotli", 9)}

    def test_a_file_that_another_writer_wrote_may_not_tell_its_options(self):
        reader = octavo.open(array_record.encode_chunks([simple_chunk(MANY[:5]), simple_chunk(MANY[5:7])]))
        info = reader.info
        assert (info.writer_options, info.level, info.codec, info.group_size) == (None, None, "none", 5)

    def test_options_of_another_writer_are_told_as_they_are(self):
        content = array_record.encode_chunks([simple_chunk(MANY[:5])], text="group_size:5,new_option:1,zstd:x")
        info = octavo.open(content).info
        assert (info.writer_options, info.codec) == ("group_size:5,new_option:1,zstd:x", "none")


class TestRecordIo:
    """Files that say little of themselves, in several dialects."""

    def test_info_of_a_recordio_file(self, tmp_path):
        path = write(tmp_path / "records.recordio", group_size=7)
        total_bytes = path.stat().st_size
        assert octavo.open(path).info == octavo.Info(
            format="recordio",
            dialect="paddle-python",
            dialect_confirmed=True,
            codec="snappy",
            level=None,
            group_size=7,
            transposed=None,
            chunk_count=15,
            encoded_bytes=total_bytes,
            decoded_bytes=None,
            writer_options=None,
            torn_bytes=0,
            sidecar=False,
            record_count=103,
            file_count=1,
            total_bytes=total_bytes,
            check_data=True,
            io="auto",
            paths=(str(path),),
        )

    @pytest.mark.parametrize(("dialect", "codec"), recordio.WAYS)
    def test_dialect_and_codec_are_told(self, tmp_path, dialect, codec):
        info = octavo.open(write(tmp_path / "records.recordio", dialect=dialect, codec=codec)).info
        assert (info.dialect, info.dialect_confirmed, info.codec, info.level) == (dialect, True, codec, None)

    def test_the_codec_is_that_of_the_first_chunk(self):
        content = recordio.encode(MANY[:5], codec="gzip") + recordio.encode(MANY[5:], codec="none")
        assert octavo.open(content).info.codec == "gzip"

    @pytest.mark.parametrize(
        ("counts", "group_size"), [([7], 7), ([7, 7], 7), ([7, 7, 3], 7), ([7, 3, 7], None), ([3, 7], None), ([1], 1)]
    )
    def test_a_group_size_is_told_where_all_chunks_but_the_last_have_it(self, counts, group_size):
        content = recordio.encode_groups([MANY[:count] for count in counts])
        info = octavo.open(content).info
        assert (info.group_size, info.chunk_count, info.record_count) == (group_size, len(counts), sum(counts))

    def test_a_file_without_records_tells_nothing(self, tmp_path):
        info = octavo.open(write(tmp_path / "records.recordio", [], dialect="go")).info
        assert (info.dialect, info.dialect_confirmed, info.codec, info.group_size) == (None, False, None, None)
        assert (info.record_count, info.chunk_count, info.encoded_bytes, info.total_bytes) == (0, 0, 0, 0)

    def test_files_together_are_summed_up_and_the_first_speaks_for_all(self, tmp_path):
        paths = [
            write(tmp_path / "a.recordio", dialect="go", codec="none", group_size=7),
            write(tmp_path / "b.recordio", MANY[:10], dialect="paddle-cpp", group_size=1),
            write(tmp_path / "c.recordio", []),
        ]
        alone = [octavo.open(path).info for path in paths]
        assert octavo.open(paths).info == dataclasses.replace(
            alone[0],
            chunk_count=25,
            encoded_bytes=sum(info.encoded_bytes for info in alone),
            record_count=113,
            file_count=3,
            total_bytes=sum(info.total_bytes for info in alone),
            paths=tuple(map(str, paths)),
        )


class TestTfRecord:
    def test_info_of_a_tfrecord_file(self, tmp_path):
        path = write(tmp_path / "records.tfrecord")
        total_bytes = path.stat().st_size
        assert octavo.open(path).info == octavo.Info(
            format="tfrecord",
            dialect=None,
            dialect_confirmed=False,
            codec="none",
            level=None,
            group_size=None,
            transposed=None,
            chunk_count=0,
            encoded_bytes=total_bytes,
            decoded_bytes=DECODED_BYTES,
            writer_options=None,
            torn_bytes=0,
            sidecar=False,
            record_count=103,
            file_count=1,
            total_bytes=total_bytes,
            check_data=True,
            io="auto",
            paths=(str(path),),
        )

    def test_files_together_are_summed_up(self, tmp_path):
        paths = [write(tmp_path / "a.tfrecord"), write(tmp_path / "b.tfrecord", [b"x"])]
        info = octavo.open(paths).info
        assert (info.record_count, info.decoded_bytes, info.codec) == (104, DECODED_BYTES + 1, "none")

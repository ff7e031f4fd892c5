"""`octavo.append`: records behind those of a file that exists, which stays whole all the while."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import octavo
from octavo import errors
from tests.naive import array_record as naive
from tests.naive import recordio, tfrecord
from tests.naive.riegeli import chunks_in, simple_chunk
from tests.unit.places import PathOnly, without_privileges

RECORDS = [f"record {number}".encode() for number in range(20)]
MORE = [b"more", b"", b"and more"]


@pytest.fixture(params=[".array_record", ".riegeli", ".recordio", ".tfrecord"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of groups of seven, of which the last is not full, where the format has groups."""
    options: dict[str, Any] = {} if request.param == ".tfrecord" else {"group_size": 7}
    return write(tmp_path / f"records{request.param}", **options)


def write(path: Path, records: list[bytes] = RECORDS, **options: Any) -> Path:
    with octavo.create(path, **options) as writer:
        writer.write_many(records)
    return path


def append(path: Path, records: list[bytes] = MORE) -> None:
    with octavo.append(path) as writer:
        writer.write_many(records)


def read_back(path: Path) -> list[bytes]:
    """What somebody sees who opens the file now; a warning would be an error."""
    return octavo.open(path).read_all()


def append_and_raise(path: Path, kind: type[BaseException]) -> None:
    with octavo.append(path) as writer:
        writer.write_many(RECORDS * 100)
        raise kind


class TestAdding:
    @pytest.mark.parametrize("kind", [str, Path, PathOnly])
    def test_new_records_follow_the_old_ones(self, path, kind):
        with octavo.append(kind(path)) as writer:
            assert writer.write_many(MORE) == 3
        assert read_back(path) == RECORDS + MORE
        assert os.listdir(path.parent) == [path.name]

    @pytest.mark.usefixtures("working_folder")
    def test_a_relative_path_is_relative_to_the_working_directory(self, path):
        append(Path(path.name))
        assert read_back(path) == RECORDS + MORE

    def test_a_file_may_grow_many_times(self, path):
        for number in range(30):
            append(path, [bytes([number])] * (number % 4))
        assert read_back(path) == RECORDS + [bytes([number]) for number in range(30) for _ in range(number % 4)]
        assert octavo.verify(path).ok

    @pytest.mark.parametrize("suffix", [".array_record", ".riegeli", ".recordio", ".tfrecord"])
    def test_a_file_without_records_may_grow(self, tmp_path, suffix):
        path = write(tmp_path / f"empty{suffix}", [])
        append(path)
        assert read_back(path) == MORE

    def test_more_than_fits_into_memory_at_a_time_is_added(self, path):
        large = [bytes([number]) * (1 << 20) for number in range(20)]
        append(path, large)
        assert read_back(path) == RECORDS + large

    def test_a_file_can_be_appended_to_itself(self, path):
        reader = octavo.open(path)
        with octavo.append(path) as writer:
            writer.write_many(reader)
        assert read_back(path) == RECORDS * 2

    def test_buffers_are_records_here_too(self, path):
        append(path, [bytearray(b"abc"), np.arange(3, dtype=np.uint8), memoryview(b"xyz")])  # type: ignore[list-item]
        assert read_back(path)[-3:] == [b"abc", b"\0\1\2", b"xyz"]

    def test_the_writer_counts_what_it_adds(self, path):
        with octavo.append(path) as writer:
            assert (writer.record_count, writer.path, writer.closed) == (0, str(path), False)
            writer.write_many(MORE)
            assert writer.record_count == 3
        assert (writer.record_count, writer.closed) == (3, True)

    def test_threads_may_share_the_writer(self, path):
        with octavo.append(path) as writer:
            threads = [threading.Thread(target=writer.write_many, args=([bytes([n])] * 500,)) for n in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert sorted(read_back(path)[20:]) == [bytes([number]) for number in range(4) for _ in range(500)]

    @pytest.mark.parametrize("format", ["riegeli", "recordio", "tfrecord"])
    @pytest.mark.parametrize("records", [RECORDS, []], ids=["many", "none"])
    def test_a_format_that_nothing_tells_can_be_named(self, tmp_path, format, records):
        path = write(tmp_path / "no suffix", records, format=format)
        with octavo.append(path, format=format) as writer:
            writer.write_many(MORE)
        assert octavo.open(path, format=format).read_all() == records + MORE


class TestFlushing:
    def test_what_was_flushed_is_there_for_everybody(self, path):
        with octavo.append(path) as writer:
            for number in range(1, 4):
                writer.write_many(MORE)
                assert read_back(path) == RECORDS + MORE * (number - 1)
                writer.flush()
                assert read_back(path) == RECORDS + MORE * number
        assert read_back(path) == RECORDS + MORE * 3

    @pytest.mark.parametrize("counts", [(1,), (1, 1, 1), (3, 0, 2), (7, 7), (1, 13, 2), (50,)])
    def test_flushing_at_any_time_does_not_change_the_records(self, path, counts):
        expected = list(RECORDS)
        with octavo.append(path) as writer:
            for count in counts:
                writer.write_many(RECORDS[:count])
                writer.flush()
                expected += RECORDS[:count]
            writer.write(b"last")
        assert read_back(path) == [*expected, b"last"]

    def test_flushing_twice_writes_once(self, path):
        with octavo.append(path) as writer:
            writer.write_many(RECORDS[:8])  # up to the end of a group
            writer.flush()
            size = path.stat().st_size
            writer.flush()
            assert path.stat().st_size == size

    def test_what_was_flushed_survives_giving_up(self, path):
        writer = octavo.append(path)
        writer.write_many(MORE)
        writer.flush()
        writer.write_many(RECORDS * 100)
        writer.abort()
        assert read_back(path) == RECORDS + MORE
        assert octavo.open(path).info.torn_bytes == 0

    def test_a_reader_keeps_what_it_had(self, path):
        reader = octavo.open(path)
        with octavo.append(path) as writer:
            writer.write_many(MORE)
            writer.flush()
            assert reader.read_all() == RECORDS
        assert (len(reader), reader.read_all(), reader[19]) == (20, RECORDS, RECORDS[19])


class TestGivingUp:
    def test_abort_leaves_every_byte_as_it_was(self, path):
        before = path.read_bytes()
        writer = octavo.append(path)
        writer.write_many(RECORDS * 1000)
        writer.abort()
        assert path.read_bytes() == before
        assert writer.closed

    @pytest.mark.parametrize("kind", [LookupError, KeyboardInterrupt, SystemExit])
    def test_an_exception_inside_with_leaves_every_byte_as_it_was_and_comes_through(self, path, kind):
        before = path.read_bytes()
        with pytest.raises(kind):
            append_and_raise(path, kind)
        assert path.read_bytes() == before

    def test_a_record_that_is_none_leaves_every_byte_as_it_was(self, path):
        before = path.read_bytes()
        with pytest.raises(errors.RecordTypeError):
            append(path, [b"fine", "not bytes"])  # type: ignore[list-item]
        assert path.read_bytes() == before

    def test_a_forgotten_writer_warns_and_leaves_every_byte_as_it_was(self, path):
        before = path.read_bytes()
        writer = octavo.append(path)
        writer.write_many(MORE)
        with pytest.warns(errors.UnclosedWriterWarning, match="written since the last flush\\(\\) is not in the file"):
            del writer
        assert path.read_bytes() == before

    @pytest.mark.parametrize("finish", ["close", "abort"])
    @pytest.mark.parametrize("flush", [False, True])
    def test_nothing_written_changes_nothing(self, path, finish, flush):
        before = path.read_bytes()
        writer = octavo.append(path)
        if flush:
            writer.flush()
        getattr(writer, finish)()
        assert path.read_bytes() == before

    def test_a_finished_writer_takes_nothing_more(self, path):
        writer = octavo.append(path)
        writer.close()
        with pytest.raises(errors.ClosedError):
            writer.write(b"late")


class TestLocking:
    def test_a_second_writer_is_refused_while_the_first_is_at_work(self, path):
        with octavo.append(path) as writer:
            with pytest.raises(errors.StorageError, match="another writer") as caught:
                octavo.append(path)
            assert caught.value.path == str(path)
            writer.write_many(MORE)
        assert read_back(path) == RECORDS + MORE

    @pytest.mark.parametrize("finish", ["close", "abort"])
    def test_a_second_writer_comes_after_the_first_is_done(self, path, finish):
        writer = octavo.append(path)
        getattr(writer, finish)()
        append(path)
        assert read_back(path) == RECORDS + MORE

    def test_files_can_be_appended_to_side_by_side(self, path):
        other = path.with_stem("other")
        other.write_bytes(path.read_bytes())
        with octavo.append(path) as one, octavo.append(other) as another:
            one.write(b"one")
            another.write(b"another")
        assert (read_back(path)[-1], read_back(other)[-1]) == (b"one", b"another")


class TestOptions:
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"group_size": 7},
            {"group_size": 7, "codec": "brotli:9"},
            {"group_size": 3, "codec": "snappy", "transpose": True},
            {"group_size": 3, "codec": "none"},
            {"group_size": 3, "codec": "zstd:-5", "window_log": 12, "pad_to_block_boundary": True},
        ],
        ids=str,
    )
    @pytest.mark.parametrize("count", [0, 1, 6, 20])
    def test_options_and_groups_are_kept(self, tmp_path, options, count):
        path = write(tmp_path / "records.array_record", RECORDS[:count], **options)
        before = octavo.open(path).info
        for start in (count, count + 5):
            append(path, (RECORDS * 3)[start : start + 5])
        after = octavo.open(path).info
        assert read_back(path) == (RECORDS * 3)[: count + 10]
        assert (after.writer_options, after.level) == (before.writer_options, before.level)
        group_size = options.get("group_size", 1)
        assert (after.group_size, after.chunk_count) == (group_size, -(-(count + 10) // group_size))
        assert {chunk.data[:1] for _, chunk in chunks_in(path.read_bytes()) if chunk.num_records} <= {
            b"\0",  # postscripts
            {"zstd": b"z", "brotli": b"b", "snappy": b"s", "none": b"\0"}[after.codec or ""],
        }

    @pytest.mark.parametrize("codec", ["zstd", "brotli", "snappy", "none"])
    @pytest.mark.parametrize("transpose", [True, False])
    def test_a_riegeli_file_keeps_codec_and_columns(self, tmp_path, codec, transpose):
        path = write(tmp_path / "records.riegeli", codec=codec, transpose=transpose)
        append(path)
        chunks = [chunk for _, chunk in chunks_in(path.read_bytes()) if chunk.num_records]
        assert len(chunks) == 2
        assert len({(chunk.kind, chunk.data[:1]) for chunk in chunks}) == 1


class TestFilesOfOtherWriters:
    @pytest.mark.parametrize("sizes", [[5, 2, 4], [1, 2, 3], [3, 3, 1], [2], [7, 7, 5, 1], []], ids=str)
    @pytest.mark.parametrize("text", [None, "group_size:4,zstd:3", "nonsense"])
    def test_chunks_of_any_sizes_may_be_there_already(self, tmp_path, sizes, text):
        edges = [sum(sizes[:number]) for number in range(len(sizes) + 1)]
        chunks = [simple_chunk(RECORDS[start : start + size]) for start, size in zip(edges, sizes, strict=False)]
        path = tmp_path / "records.array_record"
        path.write_bytes(naive.encode_chunks(chunks, text))
        append(path)
        append(path, RECORDS)
        assert read_back(path) == RECORDS[: edges[-1]] + MORE + RECORDS

    @pytest.mark.parametrize(
        "options", ["group_size:1", "group_size:7,brotli:5", "group_size:7,uncompressed,transpose"]
    )
    def test_a_file_of_the_original_may_grow_and_stays_one_of_its_own(self, tmp_path, options):
        module = pytest.importorskip("array_record.python.array_record_module")
        path = tmp_path / "records.array_record"
        writer = module.ArrayRecordWriter(str(path), options)
        for record in RECORDS:
            writer.write(record)
        writer.close()
        text = octavo.open(path).info.writer_options
        append(path)
        assert read_back(path) == RECORDS + MORE
        assert octavo.open(path).info.writer_options == text
        reader = module.ArrayRecordReader(str(path))
        assert reader.read_all() == RECORDS + MORE
        reader.close()


class TestStreams:
    """Files without an index grow by writing on; what is there is not touched."""

    @pytest.mark.parametrize(("dialect", "codec"), recordio.WAYS)
    def test_dialect_and_codec_are_kept(self, tmp_path, dialect, codec):
        path = write(tmp_path / "records.recordio", dialect=dialect, codec=codec)
        for _ in range(3):
            append(path)
        assert read_back(path) == RECORDS + MORE * 3
        headers = recordio.NaiveFile(path.read_bytes()).headers
        assert [(header.dialect, header.codec, header.count) for header in headers] == [
            (dialect, codec, count) for count in (20, 3, 3, 3)
        ]

    @pytest.mark.parametrize("suffix", [".recordio", ".tfrecord"])
    def test_what_is_there_stays_as_it_is_byte_for_byte(self, tmp_path, suffix):
        path = write(tmp_path / f"records{suffix}")
        before = path.read_bytes()
        append(path)
        assert path.read_bytes().startswith(before)
        inode = path.stat().st_ino
        append(path)
        assert path.stat().st_ino == inode

    def test_several_codecs_stay_and_the_first_one_goes_on(self, tmp_path):
        path = tmp_path / "records.recordio"
        path.write_bytes(recordio.encode(RECORDS[:5], codec="gzip") + recordio.encode(RECORDS[5:], codec="none"))
        append(path)
        assert read_back(path) == RECORDS + MORE
        assert [header.codec for header in recordio.NaiveFile(path.read_bytes()).headers] == ["gzip", "none", "gzip"]

    def test_many_records_are_cut_into_chunks_of_the_default_size(self, tmp_path):
        path = write(tmp_path / "records.recordio", dialect="go", group_size=3, codec="none")
        more = [bytes(1000)] * 1000
        append(path, more)
        groups = [RECORDS[start : start + 3] for start in range(0, 20, 3)] + recordio.cut_into_groups(more, 256 << 10)
        assert path.read_bytes() == recordio.encode_groups(groups, "go")

    @pytest.mark.parametrize("dialect", recordio.DIALECTS)
    def test_a_file_without_records_tells_no_dialect_and_gets_the_default(self, tmp_path, dialect):
        path = write(tmp_path / "records.recordio", [], dialect=dialect)
        append(path)
        info = octavo.open(path).info
        assert (info.dialect, info.codec, read_back(path)) == ("paddle-python", "snappy", MORE)

    def test_every_flush_is_a_chunk(self, tmp_path):
        path = write(tmp_path / "records.recordio")
        with octavo.append(path) as writer:
            for record in MORE:
                writer.write(record)
                writer.flush()
        assert octavo.open(path).info.chunk_count == 4

    def test_the_file_of_a_twin_may_grow(self, tmp_path):
        (tmp_path / "a.recordio").write_bytes(recordio.encode_unbuffered(RECORDS))
        (tmp_path / "a.tfrecord").write_bytes(tfrecord.encode(RECORDS))
        for path in tmp_path.iterdir():
            append(path)
            assert read_back(path) == RECORDS + MORE

    def test_a_damaged_chunk_whose_header_leads_on_is_no_obstacle(self, tmp_path):
        path = tmp_path / "records.recordio"
        content = recordio.encode_groups([RECORDS[:5], RECORDS[5:]])
        path.write_bytes(content[:30] + bytes([content[30] ^ 1]) + content[31:])
        append(path)
        assert octavo.open(path).read_range(5, 23) == RECORDS[5:] + MORE


class TestRefusals:
    def test_ffrecord_is_refused_with_the_way_out(self, write_file):
        path = write_file(RECORDS)
        with pytest.raises(errors.UnsupportedError, match=r"octavo\.create.*octavo\.open\(\[") as caught:
            octavo.append(path)
        assert caught.value.path == str(path)

    def test_the_way_out_leads_there(self, write_file, tmp_path):
        path = write_file(RECORDS)
        with octavo.create(tmp_path / "more.ffr") as writer:
            writer.write(b"more")
        assert octavo.open([path, tmp_path / "more.ffr"]).read_all() == [*RECORDS, b"more"]

    def test_ffrecord_is_left_as_it_was(self, write_file):
        path = write_file(RECORDS)
        before = path.read_bytes()
        with pytest.raises(errors.UnsupportedError):
            octavo.append(path)
        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]

    @pytest.mark.parametrize("codec", ["gzip", "zlib"])
    def test_a_compressed_tfrecord_file_is_refused_with_the_way_out(self, tmp_path, codec):
        path = write(tmp_path / "records.tfrecord", codec=codec)
        before = path.read_bytes()
        with pytest.raises(errors.UnsupportedError, match=rf"{codec}.*octavo\.create.*octavo\.open\(\[") as caught:
            octavo.append(path)
        assert (caught.value.path, path.read_bytes()) == (str(path), before)
        more = write(tmp_path / "more.tfrecord", MORE)
        assert octavo.open([path, more]).read_all() == RECORDS + MORE

    @pytest.mark.parametrize("suffix", [".ffr", ".array_record", ".riegeli", ".recordio", ".tfrecord", ""])
    def test_appending_to_nothing_is_not_found_and_creates_nothing(self, tmp_path, suffix):
        with pytest.raises(errors.NotFoundError) as caught:
            octavo.append(tmp_path / f"missing{suffix}")
        assert caught.value.path == str(tmp_path / f"missing{suffix}")
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize("name", ["folder", "folder.array_record"])
    def test_a_folder_is_refused(self, tmp_path, name):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "records.array_record")
        with pytest.raises(errors.StorageError):
            octavo.append(tmp_path / name)

    def test_an_empty_folder_is_refused(self, tmp_path):
        with pytest.raises(errors.StorageError):
            octavo.append(tmp_path)

    def test_a_pattern_is_no_path(self, path):
        with pytest.raises(errors.NotFoundError):
            octavo.append(path.with_stem("rec*"))

    @pytest.mark.parametrize(
        ("name", "content", "kind"),
        [
            ("short.ffr", b"short", errors.TruncatedError),
            ("text.array_record", b"Once upon a time", errors.FormatError),
            ("empty.array_record", b"", errors.FormatError),
            ("empty.riegeli", b"", errors.FormatError),
            ("text.recordio", b"Once upon a time, there was a file.", errors.FormatError),
            ("text.tfrecord", b"Once upon a time, there was a file.", errors.FormatError),
        ],
    )
    def test_a_damaged_file_is_its_damage_and_left_as_it_was(self, tmp_path, name, content, kind):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(kind):
            octavo.append(tmp_path / name)
        assert (tmp_path / name).read_bytes() == content

    def test_a_file_that_may_not_be_written_to_is_denied(self, path):
        path.chmod(0o444)
        path.parent.chmod(0o755)
        with without_privileges(), pytest.raises(errors.PermissionDeniedError) as caught:
            octavo.append(path)
        assert caught.value.path == str(path)

    @pytest.mark.parametrize("location", [None, 3, b"records.ffr", [Path("records.ffr")]])
    def test_what_is_no_path_is_a_type_error(self, location):
        with pytest.raises(errors.RecordTypeError):
            octavo.append(location)

    def test_an_unknown_format_is_an_option_error(self, path):
        with pytest.raises(errors.OptionError):
            octavo.append(path, format="nonsense")  # type: ignore[arg-type]

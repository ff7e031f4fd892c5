"""What a user can type for "where the records are"."""

from __future__ import annotations

import errno
import io
import os
import random
import re
import sys
import tempfile
from pathlib import Path

import pytest

import octavo
from octavo import errors
from octavo.storage import _urls
from tests.conformance.backends import ShortReads, Spans
from tests.naive import ffrecord as naive
from tests.unit.layouts import RECORDIO, Layout
from tests.unit.places import PathOnly, without_privileges

RECORDS = [b"abc", b"", b"edf"]
CONTENT = naive.encode(RECORDS)


class TestPaths:
    @pytest.mark.parametrize("kind", [str, Path, PathOnly])
    def test_a_path_of_every_kind_opens_its_file(self, write_file, kind):
        assert octavo.open(kind(write_file(RECORDS))).read_all() == RECORDS

    @pytest.mark.parametrize(
        "name", ["with space.ffr", "ünï-中文-😀.ffr", "no-suffix", "other.bin", ".ffr", "a@b.ffr", "quo'te\".ffr"]
    )
    def test_a_file_of_any_name_opens(self, write_file, name):
        assert octavo.open(write_file(RECORDS, name)).read_all() == RECORDS

    def test_what_is_above_a_link_is_above_where_it_leads(self, tmp_path, monkeypatch):
        (tmp_path / "other" / "deep").mkdir(parents=True)
        (tmp_path / "link").symlink_to(tmp_path / "other" / "deep")
        monkeypatch.chdir(tmp_path)
        with octavo.create("link/../new.ffr") as writer:
            writer.write_many(RECORDS)
        assert (tmp_path / "other" / "new.ffr").exists()
        reader = octavo.open("link/../new.ffr")
        monkeypatch.chdir("/")
        assert reader.read_all() == RECORDS

    @pytest.mark.skipif(os.name != "posix", reason="only there names are bytes")
    def test_a_name_that_is_not_utf8_opens(self, tmp_path):
        path = os.path.join(os.fsencode(tmp_path), b"\xff\xfe.ffr")
        with open(path, "wb") as file:
            file.write(CONTENT)
        assert octavo.open(os.fsdecode(path)).read_all() == RECORDS

    @pytest.mark.parametrize("name", ["train@2.ffr", "train[1].ffr", "tr*in.ffr", "what?.ffr"])
    def test_a_file_that_exists_is_taken_by_its_name_however_odd(self, write_file, name):
        assert octavo.open(str(write_file(RECORDS, name))).read_all() == RECORDS

    @pytest.mark.usefixtures("working_folder")
    def test_a_relative_path_is_relative_to_the_working_directory(self, write_file):
        write_file(RECORDS)
        assert octavo.open("records.ffr").read_all() == RECORDS

    @pytest.mark.usefixtures("working_folder")
    def test_a_reader_of_a_relative_path_survives_a_change_of_directory(self, write_file, monkeypatch):
        write_file(RECORDS)
        reader = octavo.open("records.ffr")
        monkeypatch.chdir("/")
        assert reader.read_all() == RECORDS

    def test_a_link_opens_what_it_points_to(self, write_file, tmp_path):
        (tmp_path / "link.ffr").symlink_to(write_file(RECORDS))
        assert octavo.open(tmp_path / "link.ffr").read_all() == RECORDS

    @pytest.mark.usefixtures("working_folder")
    @pytest.mark.parametrize("name", ["missing.ffr", "missing/missing.ffr", "", "missing@x.ffr"])
    def test_a_path_to_nothing_is_not_found(self, name):
        with pytest.raises(errors.NotFoundError) as caught:
            octavo.open(name)
        assert caught.value.path == (os.path.abspath(name) if name else "")

    def test_a_link_to_nothing_is_not_found(self, tmp_path):
        (tmp_path / "link.ffr").symlink_to(tmp_path / "missing.ffr")
        with pytest.raises(errors.NotFoundError):
            octavo.open(tmp_path / "link.ffr")

    @pytest.mark.usefixtures("working_folder")
    @pytest.mark.parametrize("name", ["records.ffr/inside.ffr", "n\0l.ffr", "x" * 5000 + ".ffr"])
    def test_a_path_the_system_does_not_take_is_a_storage_error(self, write_file, name):
        write_file(RECORDS)
        with pytest.raises(errors.StorageError):
            octavo.open(name)

    def test_a_file_that_may_not_be_read_is_denied(self, write_file):
        path = write_file(RECORDS)
        path.chmod(0)
        with without_privileges(), pytest.raises(errors.PermissionDeniedError) as caught:
            octavo.open(str(path))
        assert caught.value.path == str(path)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
    def test_a_pipe_is_refused_and_not_waited_for(self, tmp_path):
        os.mkfifo(tmp_path / "pipe.ffr")
        with pytest.raises(errors.StorageError, match="not a regular file"):
            octavo.open(tmp_path / "pipe.ffr")

    @pytest.mark.parametrize("url", ["ftp://host/train.ffr", "hdfs://host/train.ffr", "x3://bucket/a"])
    def test_a_url_of_an_unknown_kind_says_which_are_known(self, url):
        with pytest.raises(errors.NotFoundError, match="it knows s3://, gs://") as caught:
            octavo.open(url)
        assert caught.value.path == url

    @pytest.mark.parametrize("url", ["s3://bucket/train.ffr", "memory://train.ffr", "https://host/train.ffr"])
    def test_without_obstore_a_url_says_what_to_install(self, url, monkeypatch):
        monkeypatch.setitem(sys.modules, "obstore", None)
        monkeypatch.setitem(sys.modules, "obstore.store", None)
        for name in ("_store", "_memory"):
            monkeypatch.setattr(_urls, name, getattr(_urls, name).__wrapped__)  # nothing that was found before
        with pytest.raises(ImportError, match=r"octavo\[cloud\]"):
            octavo.open(url)

    def test_a_url_of_a_file_is_its_path(self, write_file, tmp_path):
        write_file([b"one"], "a b.ffr")
        assert octavo.open(f"file://{tmp_path}/a%20b.ffr").read_all() == [b"one"]
        assert octavo.open(f"file://localhost{tmp_path}/a b.ffr").read_all() == [b"one"]
        with pytest.raises(errors.OptionError, match="other machines"):
            octavo.open("file://elsewhere/a.ffr")


class TestDirectories:
    def test_a_directory_is_its_files_sorted_by_code_point(self, write_file, tmp_path):
        for name in ["a.ffr", "10.ffr", "B.ffr", "9.ffr", "ä.ffr"]:
            write_file([name.encode()], f"folder/{name}")
        expected = [name.encode() for name in ["10.ffr", "9.ffr", "B.ffr", "a.ffr", "ä.ffr"]]
        assert octavo.open(tmp_path / "folder").read_all() == expected

    def test_other_files_of_a_directory_are_passed_over(self, write_file, tmp_path):
        write_file(RECORDS, "folder/a.ffr")
        for name in ["readme.txt", "a.ffr.partial", "a.ffr.gz", "ffr", "b.FFR.bak"]:
            (tmp_path / "folder" / name).write_bytes(b"not records")
        assert octavo.open(tmp_path / "folder").read_all() == RECORDS

    def test_a_directory_inside_a_directory_is_not_looked_into(self, write_file, tmp_path):
        write_file(RECORDS, "folder/a.ffr")
        write_file(RECORDS, "folder/deeper/b.ffr")
        assert octavo.open(tmp_path / "folder").read_all() == RECORDS

    def test_the_name_of_a_directory_may_end_like_a_file(self, write_file, tmp_path):
        write_file(RECORDS, "train.ffr/PART_00000.ffr")
        assert octavo.open(tmp_path / "train.ffr").read_all() == RECORDS

    def test_a_slash_at_the_end_changes_nothing(self, write_file, tmp_path):
        write_file(RECORDS, "folder/a.ffr")
        assert octavo.open(f"{tmp_path}/folder/").read_all() == RECORDS

    def test_a_directory_named_like_a_file_inside_one_is_refused(self, write_file, tmp_path):
        write_file(RECORDS, "folder/a.ffr")
        (tmp_path / "folder" / "b.ffr").mkdir()
        with pytest.raises(errors.StorageError) as caught:
            octavo.open(tmp_path / "folder")
        assert caught.value.path == str(tmp_path / "folder" / "b.ffr")

    def test_a_directory_without_records_says_what_it_looked_for(self, tmp_path):
        with pytest.raises(
            errors.NotFoundError,
            match=r"no record files \(\*\.ffr, \*\.array_record, \*\.arrayrecord, \*\.riegeli, \*\.recordio, \*\.tf",
        ) as caught:
            octavo.open(tmp_path)
        assert caught.value.path == str(tmp_path)

    def test_a_directory_of_directories_says_how_to_look_into_them(self, write_file, tmp_path):
        write_file(RECORDS, "deep/below/a.ffr")
        (tmp_path / "deep" / "below" / "readme.txt").write_bytes(b"not records")
        with pytest.raises(errors.NotFoundError, match="a pattern does: ") as caught:
            octavo.open(tmp_path / "deep")
        assert octavo.open(str(caught.value).rpartition(": ")[2]).read_all() == RECORDS

    def test_a_directory_that_may_not_be_listed_is_a_storage_error(self, tmp_path, monkeypatch):
        def refuse(folder: str) -> list[str]:
            raise PermissionError(errno.EACCES, "Permission denied", folder)

        monkeypatch.setattr(os, "listdir", refuse)
        with pytest.raises(errors.StorageError, match="Permission denied") as caught:
            octavo.open(tmp_path)
        assert (caught.value.path, caught.value.errno) == (str(tmp_path), errno.EACCES)


class TestCompanions:
    """What stands beside a file is not a part of the data set: indexes, and what is being written."""

    @pytest.fixture(autouse=True)
    def files(self, working_folder):
        for number in range(3):
            path = RECORDIO.write(working_folder / f"part-{number}", [b"%d" % number])
            Path(f"{path}.octx").write_bytes(b"an index")
        (working_folder / "part-3.recordio.partial").write_bytes(b"being written")

    @pytest.mark.parametrize("location", [".", "*", "part-*", "./part-?.*", "**/*"])
    def test_they_are_left_out_of_folders_and_patterns(self, location):
        assert octavo.open(location).read_all() == [b"0", b"1", b"2"]

    def test_a_pattern_that_matches_nothing_else_is_not_found(self):
        with pytest.raises(errors.NotFoundError, match="no file matches the pattern"):
            octavo.open("*.octx")

    def test_one_that_is_named_is_a_stranger(self):
        with pytest.raises(errors.FormatError):
            octavo.open("part-0.recordio.octx")


class TestNumberedNames:
    """TensorFlow and its kin number shards behind the suffix, which still says what they are."""

    @pytest.fixture(autouse=True)
    def files(self, working_folder):
        for number in range(3):
            with octavo.create(working_folder / f"train.tfrecord-0000{number}-of-00003") as writer:
                writer.write(b"%d" % number)

    @pytest.mark.parametrize("location", [".", "train.tfrecord-*", "train.tfrecord@3"])
    def test_they_are_found_and_sorted(self, location):
        reader = octavo.open(location)
        assert (reader.read_all(), reader.info.format) == ([b"0", b"1", b"2"], "tfrecord")

    @pytest.mark.parametrize(
        ("name", "format"),
        [
            ("x.recordio-00000-of-00001", "recordio"),
            ("x.riegeli-00007-of-00010", "riegeli"),
            ("x.tfrecord-000000-of-123456", "tfrecord"),
            ("x.tfrecords-00000-of-00001", "tfrecord"),
            ("x.tfrec-00000-of-00001", "tfrecord"),
            ("x-00000-of-00001.tfrecord", "tfrecord"),
            ("x-00000-of-00001.tfrecord.gz", "tfrecord"),
            ("x.tfrecord.gz-00000-of-00001", "tfrecord"),
        ],
    )
    def test_the_suffix_before_the_number_tells_the_format(self, name, format):
        with octavo.create(name):
            pass
        info = octavo.open(name).info  # the file of a stream without records says nothing itself
        assert (info.format, info.record_count) == (format, 0)

    @pytest.mark.parametrize(
        "name", ["x.tfrecord-0-of-1", "x.tfrecord-00000-of-", "x.tfrecord-of-00001", "x-00000-of-00001", "x.tfrecord-1"]
    )
    def test_what_only_looks_like_a_number_tells_nothing(self, name):
        with pytest.raises(errors.OptionError, match="the suffix does not say which format to write"):
            octavo.create(name)


@pytest.mark.usefixtures("working_folder")
class TestPatterns:
    @pytest.fixture(autouse=True)
    def shards(self, write_file):
        for number in range(3):
            write_file([f"a{number}".encode()], f"train-0000{number}-of-00003.ffr")
        write_file([b"b"], "test-0.ffr")

    @pytest.mark.parametrize("pattern", ["train-*.ffr", "train-0000[0-2]-*", "train-0000?-of-00003.ffr", "./tr*"])
    def test_a_pattern_is_the_files_it_matches_sorted(self, pattern):
        assert octavo.open(pattern).read_all() == [b"a0", b"a1", b"a2"]

    def test_a_pattern_may_go_through_folders(self, write_file):
        write_file([b"c"], "deep/er/c.ffr")
        assert octavo.open("**/c.ffr").read_all() == [b"c"]

    def test_a_pattern_may_be_a_pathlike(self):
        assert len(octavo.open(Path("train-*.ffr"))) == 3

    def test_a_pattern_does_not_match_what_is_still_written(self):
        with octavo.create("train-x.ffr") as writer:
            writer.write(b"x")
            writer.flush()
            assert len(octavo.open("train-*")) == 3

    @pytest.mark.parametrize("pattern", ["nothing-*.ffr", "no/such/folder/*.ffr"])
    def test_a_pattern_without_a_match_is_not_found(self, pattern):
        with pytest.raises(errors.NotFoundError, match="no file matches the pattern") as caught:
            octavo.open(pattern)
        assert caught.value.path == pattern

    @pytest.mark.parametrize("name", ["train@3.ffr", "./train@3.ffr", "train@00003.ffr"])
    def test_a_sharded_name_is_its_shards_in_order(self, name):
        assert octavo.open(name).read_all() == [b"a0", b"a1", b"a2"]

    def test_a_sharded_name_may_have_its_suffix_first(self, write_file):
        for number in range(2):
            write_file([f"s{number}".encode()], f"train.ffr-0000{number}-of-00002")
        assert octavo.open("train.ffr@2").read_all() == [b"s0", b"s1"]

    def test_a_sharded_name_says_which_shard_is_missing(self):
        os.remove("train-00001-of-00003.ffr")
        with pytest.raises(errors.NotFoundError, match="1 of 3 shards are missing") as caught:
            octavo.open("train@3.ffr")
        assert caught.value.path == "train-00001-of-00003.ffr"

    @pytest.mark.parametrize(
        ("name", "instead"),
        [("train@6.ffr", "train@3.ffr"), ("./train.ffr@3", "./train@3.ffr"), ("late@2.ffr", "late.ffr@2")],
    )
    def test_shards_of_another_number_or_with_it_elsewhere_are_named(self, write_file, name, instead):
        write_file([b"x"], "late.ffr-00001-of-00002")
        with pytest.raises(errors.NotFoundError, match=f"this one first; there are shards of {re.escape(instead)}$"):
            octavo.open(name)

    @pytest.mark.parametrize("name", ["train@3.ffr", "trai@3.ffr", "nowhere/train@3.ffr"])
    def test_shards_of_another_data_set_are_not_named(self, name):
        os.remove("train-00001-of-00003.ffr")
        with pytest.raises(errors.NotFoundError, match=r"this one first$"):
            octavo.open(name)

    @pytest.mark.parametrize("name", ["train@0.ffr", "train@100000.ffr", "train@99999999999999999999.ffr"])
    def test_a_sharded_name_of_too_few_or_too_many_is_not_found(self, name):
        with pytest.raises(errors.NotFoundError, match="counts from 1 to 99999"):
            octavo.open(name)


class TestLists:
    @pytest.mark.parametrize("kind", [list, tuple, iter, lambda paths: (path for path in paths)])
    def test_files_of_a_list_are_read_in_its_order(self, write_file, kind):
        paths = [write_file([b"1"], "b.ffr"), write_file([b"2"], "a.ffr")]
        assert octavo.open(kind(paths)).read_all() == [b"1", b"2"]

    def test_a_file_may_be_in_the_list_more_than_once(self, write_file):
        path = write_file(RECORDS)
        assert octavo.open([path, path]).read_all() == RECORDS * 2

    def test_a_list_of_one_is_that_one(self, write_file):
        assert octavo.open([write_file(RECORDS)]).read_all() == RECORDS

    @pytest.mark.usefixtures("working_folder")
    def test_a_list_mixes_every_kind_of_place(self, write_file):
        path = write_file([b"path"])
        write_file([b"shard"], "x-00000-of-00001.ffr")
        write_file([b"folder"], "folder/a.ffr")
        places = [path, "x@1.ffr", "folder", "rec*.ffr", naive.encode([b"bytes"]), io.BytesIO(naive.encode([b"file"]))]
        assert octavo.open(places).read_all() == [b"path", b"shard", b"folder", b"path", b"bytes", b"file"]

    def test_files_without_records_do_not_disturb_the_numbers(self, write_file):
        empty, full = write_file([], "a.ffr"), write_file(RECORDS, "b.ffr")
        reader = octavo.open([empty, full, empty, empty, full, empty])
        assert reader.read_all() == RECORDS * 2
        assert [reader[number] for number in range(6)] == RECORDS * 2

    def test_only_files_without_records_are_an_empty_reader(self, write_file):
        assert octavo.open([write_file([], "a.ffr"), write_file([], "b.ffr")]).read_all() == []

    def test_legacy_and_newer_files_stand_side_by_side(self, write_file):
        paths = [write_file(RECORDS, "a.ffr", legacy=True), write_file(RECORDS, "b.ffr")]
        assert octavo.open(paths).read_all() == RECORDS * 2

    def test_a_list_of_nothing_is_not_found(self):
        with pytest.raises(errors.NotFoundError, match="empty"):
            octavo.open([])

    def test_lists_inside_lists_are_type_errors(self, write_file):
        with pytest.raises(errors.RecordTypeError):
            octavo.open([[write_file(RECORDS)]])

    def test_one_missing_file_of_a_list_is_named(self, write_file, tmp_path):
        with pytest.raises(errors.NotFoundError) as caught:
            octavo.open([write_file(RECORDS), tmp_path / "missing.ffr"])
        assert caught.value.path == str(tmp_path / "missing.ffr")

    def test_a_broken_header_in_one_of_several_files_is_found_at_once(self, write_file, tmp_path):
        (tmp_path / "short.ffr").write_bytes(b"short")
        with pytest.raises(errors.TruncatedError) as caught:
            octavo.open([write_file(RECORDS), tmp_path / "short.ffr"])
        assert caught.value.path == str(tmp_path / "short.ffr")

    def test_a_broken_index_in_one_of_several_files_is_found_on_first_touch(self, write_file, tmp_path):
        (tmp_path / "flipped.ffr").write_bytes(bytes([CONTENT[0] ^ 1]) + CONTENT[1:])
        reader = octavo.open([write_file(RECORDS), tmp_path / "flipped.ffr"])
        assert reader[0] == RECORDS[0]
        with pytest.raises(errors.ChecksumError) as caught:
            reader[3]
        assert caught.value.path == str(tmp_path / "flipped.ffr")

    def test_a_file_replaced_before_its_first_touch_is_an_error(self, write_file):
        paths = [write_file(RECORDS, "a.ffr"), write_file(RECORDS, "b.ffr")]
        reader = octavo.open(paths)
        write_file([*RECORDS, b"one more"], "b.ffr")
        with pytest.raises(errors.SourceChangedError) as caught:
            reader[3]
        assert caught.value.path == str(paths[1])


class TestBytesAndObjects:
    @pytest.fixture
    def content(self, layout: Layout) -> bytes:
        return layout.encode(RECORDS)

    @pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
    def test_bytes_are_the_content_of_a_file(self, layout, content, kind):
        assert octavo.open(kind(content), **layout.hint).read_all() == RECORDS

    def test_a_part_of_larger_bytes_is_the_content_of_a_file(self, layout, content):
        assert octavo.open(memoryview(b"before" + content + b"after")[6:-5], **layout.hint).read_all() == RECORDS

    @pytest.mark.parametrize("kind", [io.BytesIO, ShortReads, lambda content: io.BufferedReader(io.BytesIO(content))])
    def test_file_objects_in_memory_are_read(self, layout, content, kind):
        assert octavo.open(kind(content), **layout.hint).read_all() == RECORDS

    @pytest.mark.parametrize("buffering", [-1, 0])
    def test_open_files_are_read(self, layout, tmp_path, buffering):
        with layout.write(tmp_path / "records", RECORDS).open("rb", buffering=buffering) as file:
            assert octavo.open(file).read_all() == RECORDS

    def test_temporary_files_are_read(self, layout, content):
        with tempfile.TemporaryFile() as file:
            file.write(content)
            assert octavo.open(file, **layout.hint).read_all() == RECORDS

    def test_a_file_object_is_read_from_its_start_wherever_it_stands(self, layout, content):
        file = io.BytesIO(content)
        file.seek(20)
        assert octavo.open(file, **layout.hint).read_all() == RECORDS

    def test_anything_with_read_spans_is_read(self, layout, content):
        assert octavo.open(Spans(content), **layout.hint).read_all() == RECORDS

    def test_a_batch_is_one_call_of_read_spans(self, layout):
        source = Spans(layout.encode(random.Random(number).randbytes(100_000) for number in range(50)))
        reader = octavo.open(source, **layout.hint)
        before = source.calls
        reader.read([40, 1, 20])
        assert source.calls == before + 1

    def test_an_error_of_a_source_comes_through(self, layout, content):
        class Failing(Spans):
            fails = False

            def read_spans(self, spans):
                if self.fails:
                    raise LookupError("raised by the caller's own code")
                return super().read_spans(spans)

        source = Failing(content)
        reader = octavo.open(source, **layout.hint)
        source.fails = True
        with pytest.raises(LookupError, match="own code"):
            reader.read_all()

    @pytest.mark.parametrize("answer", [[], [b"short"] * 3, None])
    def test_a_source_that_answers_wrongly_is_an_error(self, layout, content, answer):
        source = Spans(content)
        reader = octavo.open(source, **layout.hint)
        vars(source)["read_spans"] = lambda _spans: answer
        with pytest.raises((errors.OctavoError, ValueError, TypeError)):
            reader.read_all()

    def test_a_source_that_became_shorter_has_changed(self, layout, content):
        file = io.BytesIO(content)
        reader = octavo.open(file, **layout.hint)
        file.truncate(min(50, len(content) - 1))  # before the last record ends, wherever that is
        with pytest.raises(errors.SourceChangedError, match="<BytesIO>"):
            reader.read_all()

    def test_an_error_names_the_source(self):
        with pytest.raises(errors.UnknownFormatError) as caught:
            octavo.open(Spans(b"not records", "mine"))
        assert caught.value.path == "mine"

    @pytest.mark.parametrize("location", [None, 3, 3.0, object(), [None], [3], len])
    def test_what_is_no_place_is_a_type_error(self, location):
        with pytest.raises(errors.RecordTypeError, match="a location is a path"):
            octavo.open(location)


class TestOptions:
    @pytest.mark.parametrize("name", ["", "nonsense", "FFRecord", "tfrecords"])
    def test_an_unknown_format_is_an_option_error(self, write_file, name):
        with pytest.raises(errors.OptionError, match="ffrecord"):
            octavo.open(write_file(RECORDS), format=name)

    @pytest.mark.parametrize("mode", ["", "nonsense", "AUTO", "async"])
    def test_an_unknown_way_of_reading_is_an_option_error(self, write_file, mode):
        with pytest.raises(errors.OptionError, match="auto, mmap, pread, uring, direct"):
            octavo.open(write_file(RECORDS), io=mode)

    def test_options_are_given_by_name(self, write_file):
        with pytest.raises(TypeError):
            octavo.open(write_file(RECORDS), "ffrecord")  # type: ignore[call-arg]

    def test_a_format_given_by_name_is_believed(self):
        damaged = bytes([CONTENT[0] ^ 1]) + CONTENT[1:]
        with pytest.raises(errors.ChecksumError):
            octavo.open(damaged, format="ffrecord")


STRANGERS = {
    "empty": (b"", "the file is empty"),
    "text": (b"Once upon a time, there was a file.\n" * 10, "text"),
    "json": (b'{"records": []}', "JSON"),
    "gzip": (b"\x1f\x8b\x08" + bytes(100), "gzip"),
    "zip": (b"PK\x03\x04" + bytes(100), "zip"),
    "zstd": (b"\x28\xb5\x2f\xfd" + bytes(100), "zstd"),
    "parquet": (b"PAR1" + bytes(100), "Parquet"),
    "arrow": (b"ARROW1" + bytes(100), "Arrow"),
    "tar": (b"name".ljust(257, b"\0") + b"ustar\x0000" + bytes(248), "tar"),
    "png": (b"\x89PNG\r\n\x1a\n" + bytes(100), "PNG"),
    "riegeli": (b"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f" + bytes(100), "Riegeli"),
    "numpy": (b"\x93NUMPY\x01\x00" + bytes(100), "NumPy"),
    "mxnet": (
        bytes.fromhex("0a23d7ce 03000000 61626300"),
        "not a PaddlePaddle RecordIO file: it looks like an MXNet RecordIO file",
    ),
    "broken recordio": (bytes.fromhex("04030201") + bytes(100), "no checksum in it holds"),
    "noise": (bytes(range(255, 0, -1)), "ff fe fd fc"),
}


class TestStrangers:
    @pytest.mark.parametrize(("content", "looks_like"), STRANGERS.values(), ids=STRANGERS)
    def test_a_stranger_is_told_what_it_looks_like(self, content, looks_like):
        with pytest.raises(errors.UnknownFormatError, match=looks_like):
            octavo.open(content)

    @pytest.mark.parametrize(("content", "_looks_like"), STRANGERS.values(), ids=STRANGERS)
    @pytest.mark.parametrize("suffix", [".ffr", ".recordio", ".tfrecord"])
    def test_a_stranger_with_the_suffix_of_records_is_refused(self, tmp_path, suffix, content, _looks_like):
        if not content and suffix != ".ffr":
            pytest.skip("a file without a byte is one without records there")
        path = tmp_path / f"stranger{suffix}"
        path.write_bytes(content)
        with pytest.raises(errors.FormatError):
            octavo.open(path)

    @pytest.mark.parametrize("format", ["recordio", "tfrecord"])
    def test_a_stranger_is_none_the_less_if_a_format_is_named(self, format):
        with pytest.raises(errors.UnknownFormatError, match="looks like text") as caught:
            octavo.open(b"Once upon a time, there was a file.", format=format)
        assert "pass format=" not in str(caught.value)

    @pytest.mark.parametrize("options", [{}, {"format": "recordio"}], ids=str)
    def test_a_file_of_mxnet_is_never_taken_for_another(self, tmp_path, options):
        path = tmp_path / "mxnet.recordio"
        path.write_bytes(STRANGERS["mxnet"][0])
        for use in (octavo.open, octavo.append, octavo.trim):
            with pytest.raises(errors.UnknownFormatError, match="MXNet") as caught:
                use(path, **options)
            assert caught.value.path == str(path)

    def test_the_header_of_a_crashed_writer_is_not_an_empty_data_set(self, tmp_path):
        path = tmp_path / "crashed.ffr"
        path.write_bytes(bytes(12 + 12 * 8) + b"records")
        with pytest.raises(errors.UnfinishedFileError, match="the writer ended before it could close the file"):
            octavo.open(path)

    @pytest.mark.parametrize("count", [2**28, 2**40, 2**60, 2**62, 2**63 - 1, -1, -5, -(2**63)])
    def test_a_header_that_claims_too_much_is_refused_at_once(self, tmp_path, count):
        path = tmp_path / "claims.ffr"
        path.write_bytes(b"\x01\x02\x03\x04" + count.to_bytes(8, "little", signed=True))
        for check_data in (True, False):
            with pytest.raises(errors.DamagedFileError, match=str(count)):
                octavo.open(path, check_data=check_data)


def test_a_count_of_thousands_of_digits_is_no_count():
    with pytest.raises(octavo.errors.StorageError):
        octavo.open(f"x@{'9' * 5000}.ffr")

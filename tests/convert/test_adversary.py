"""Conversions that somebody tries to spoil: other sources in the middle, and what is in the way."""

from __future__ import annotations

import io
import os
import stat

import pytest

import octavo
from octavo._convert import _journal
from octavo.errors import AlreadyExistsError, OctavoError, OptionError, SourceChangedError, StorageError
from tests.convert.adversary import OTHERS, RECORDS, Ended, in_memory, lines, names, read, write

pytestmark = pytest.mark.usefixtures("working_folder")


class TestAnotherSourceInTheMiddle:
    """What an interrupted conversion has finished is kept for the same records only."""

    def test_bytes_are_recognised_by_what_is_in_them(self, interrupted):
        first, second = in_memory(RECORDS), in_memory(OTHERS)
        interrupted(first, "out@5.ffr")
        with pytest.raises(AlreadyExistsError, match="interrupted conversion"):
            octavo.convert(second, "out@5.ffr")
        assert octavo.convert(first, "out@5.ffr").kept_count > 0
        assert read("out@5.ffr") == RECORDS

    def test_other_bytes_take_the_place_of_the_first_if_that_is_said(self, interrupted):
        first, second = in_memory(RECORDS), in_memory(OTHERS)
        interrupted(first, "out@5.ffr")
        octavo.convert(second, "out@5.ffr", overwrite=True)
        assert read("out@5.ffr") == OTHERS

    def test_a_stream_is_recognised_by_what_is_in_it(self, interrupted):
        first, second = (b"".join(b'"%b"\n' % record for record in records) for records in (RECORDS, OTHERS))
        interrupted(io.BytesIO(first), "out@5.ffr", source_format="jsonl")
        with pytest.raises(AlreadyExistsError, match="interrupted conversion"):
            octavo.convert(io.BytesIO(second), "out@5.ffr", source_format="jsonl")
        assert octavo.convert(io.BytesIO(first), "out@5.ffr", source_format="jsonl").kept_count == 2

    def test_another_column_is_another_conversion(self, interrupted):
        lines("source.jsonl", [{"a": f"a{number}", "b": f"b{number}"} for number in range(100)])
        interrupted("source.jsonl", "out@5.ffr", column="a")
        with pytest.raises(AlreadyExistsError, match="interrupted conversion"):
            octavo.convert("source.jsonl", "out@5.ffr", column="b")
        assert octavo.convert("source.jsonl", "out@5.ffr", column="a").kept_count == 2

    def test_a_folder_with_another_file_deep_inside_is_another_one(self, interrupted):
        os.makedirs("source/deep/down")
        for number in range(10):
            with open(f"source/deep/down/{number}", "w") as file:
                file.write("old")
        interrupted("source", "out@5.ffr", source_format="folder")
        with open("source/deep/down/1", "w") as file:
            file.write("newer")
        with pytest.raises(AlreadyExistsError, match="interrupted conversion"):
            octavo.convert("source", "out@5.ffr", source_format="folder")

    @pytest.mark.parametrize("change", ["append", "cut"])
    def test_lines_that_change_while_they_are_converted_are_an_error(self, change):
        lines("source.jsonl", range(100))

        def spoil(_done, _total):
            if change == "append":
                with open("source.jsonl", "a") as file:
                    file.write("1\n")
            else:
                os.truncate("source.jsonl", 50)

        with pytest.raises(SourceChangedError, match="changed while it was converted"):
            octavo.convert("source.jsonl", "out@2.ffr", progress=spoil)

    def test_fewer_records_than_were_counted_are_an_error(self, monkeypatch):
        lines("source.jsonl", range(100))
        monkeypatch.setattr("octavo._convert._jsonl.JsonlSource.count", lambda _self: 120)
        with pytest.raises(SourceChangedError, match="60 records were found for it at first, and now 40"):
            octavo.convert("source.jsonl", "out@2.ffr")


class TestFilesInTheWay:
    """Nothing is overwritten without a word, and least of all what somebody else has made."""

    @pytest.mark.parametrize("junk", [b"", b'{"octavo": "conv'])
    def test_a_journal_without_its_first_line_gives_no_right_to_a_file(self, source, junk):
        write("out.ffr", [b"precious"])
        with open("out.ffr.converting", "wb") as file:
            file.write(junk)
        with pytest.raises(AlreadyExistsError):
            octavo.convert(source, "out.ffr")
        assert read("out.ffr") == [b"precious"]

    def test_a_file_that_came_after_an_interrupted_conversion_is_kept(self, source, interrupted):
        interrupted(source, "out@5.ffr")
        write("out-00004-of-00005.ffr", [b"precious"])
        with pytest.raises(AlreadyExistsError, match="out-00004"):
            octavo.convert(source, "out@5.ffr")
        assert read("out-00004-of-00005.ffr") == [b"precious"]
        octavo.convert(source, "out@5.ffr", overwrite=True)
        assert read("out@5.ffr") == RECORDS

    def test_a_file_that_was_finished_just_before_the_end_is_kept_as_it_is(self, source, monkeypatch):
        def killed(*_arguments, **_options):
            raise Ended

        with monkeypatch.context() as patched:
            patched.setattr(_journal.Journal, "finish", killed)
            with pytest.raises(Ended):
                octavo.convert(source, "out.ffr")
        assert names() == ["out.ffr", "out.ffr.converting"]
        before = os.stat("out.ffr").st_mtime_ns
        assert octavo.convert(source, "out.ffr").kept_count == 1
        assert os.stat("out.ffr").st_mtime_ns == before
        assert names() == ["out.ffr"]

    @pytest.mark.parametrize("target", ["out.ffr", "out.jsonl"])
    def test_a_file_that_comes_while_it_is_written_is_not_replaced(self, source, target):
        def another_comes(_done, _total):
            with open(target, "wb") as file:
                file.write(b"precious")

        with pytest.raises(AlreadyExistsError):
            octavo.convert(source, target, progress=another_comes)
        with open(target, "rb") as file:
            assert file.read() == b"precious"
        assert names() == [target]

    def test_what_another_writer_has_left_is_not_thrown_away(self, source):
        with open("out.recordio.partial", "wb") as file:
            file.write(b"hours of work")
        with pytest.raises(AlreadyExistsError, match="recover"):
            octavo.convert(source, "out.recordio")
        assert names() == ["out.recordio.partial"]
        octavo.convert(source, "out.recordio", overwrite=True)
        assert names() == ["out.recordio"]

    @pytest.mark.parametrize(
        ("given", "target", "format"),
        [
            ("out.jsonl.partial", "out.jsonl", "jsonl"),
            ("out.ffr.partial", "out.ffr", "tfrecord"),
            ("out.ffr.assembling", "out.ffr", "tfrecord"),
            ("out.ffr.converting", "out.ffr", "tfrecord"),
        ],
    )
    def test_a_source_that_has_the_name_of_a_side_file_is_not_written_to(self, source, given, target, format):
        octavo.convert(source, given, format=format)
        before = os.stat(given).st_size
        for overwrite in (False, True):
            with pytest.raises(OptionError, match="one of the sources"):
                octavo.convert(given, target, source_format=format, overwrite=overwrite)
        assert os.stat(given).st_size == before

    @pytest.mark.parametrize("target", ["source/out.tar", "source/out@3.ffr", "source/deep/out", "source/out/"])
    def test_a_target_inside_of_the_folder_is_refused(self, target):
        os.makedirs("source/deep")
        with open("source/deep/a", "w") as file:
            file.write("x")
        format = "tfrecord" if target.endswith("/") else "folder" if target.endswith("deep/out") else None
        with pytest.raises(OptionError, match="in the folder that is converted"):
            octavo.convert("source", target, source_format="folder", format=format)  # type: ignore[arg-type]  # one of the names
        assert names("source") == ["deep"]
        assert names("source/deep") == ["a"]

    def test_notes_of_the_journals_name_stay(self, source):
        with open("out.ffr.converting", "w") as file:
            file.write("what I have to convert\n")
        with pytest.raises(AlreadyExistsError, match="not ours"):
            octavo.convert(source, "out.ffr")
        with open("out.ffr.converting") as file:
            assert file.read() == "what I have to convert\n"

    def test_a_link_of_the_journals_name_is_not_followed(self, source):
        os.symlink("precious", "out.ffr.converting")
        octavo.convert(source, "out.ffr")
        assert names() == ["out.ffr"]

    def test_a_folder_of_the_shuffles_name_stays(self, source):
        os.mkdir("out.ffr.shuffling")
        with open("out.ffr.shuffling/precious", "w") as file:
            file.write("mine")
        for overwrite in (False, True):
            with pytest.raises(StorageError, match="move what is there away"):
                octavo.convert(source, "out.ffr", shuffle=1, overwrite=overwrite)
        assert os.listdir("out.ffr.shuffling") == ["precious"]
        assert names() == ["out.ffr.shuffling"]

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
    @pytest.mark.parametrize("target", ["out.ffr", "link.ffr"])
    def test_pipes_and_devices_never_become_files(self, source, target):
        os.mkfifo("out.ffr")
        os.symlink("out.ffr", "link.ffr")
        for overwrite in (False, True):
            with pytest.raises(OptionError, match="no file"):
                octavo.convert(source, target, overwrite=overwrite)
        assert stat.S_ISFIFO(os.stat("out.ffr").st_mode)
        assert os.path.islink("link.ffr")

    def test_a_link_to_nothing_is_something(self, source):
        os.symlink("nowhere", "out.ffr")
        with pytest.raises(AlreadyExistsError):
            octavo.convert(source, "out.ffr")
        assert os.readlink("out.ffr") == "nowhere"

    def test_a_folder_of_a_shards_name_is_not_taken_for_the_shard(self, source):
        os.mkdir("out-00000-of-00001.ffr")
        octavo.convert(source, "out-00000-of-00001.ffr/inside.ffr")
        with pytest.raises(AlreadyExistsError):
            octavo.convert(source, "out@1.ffr")

    def test_a_failed_overwriting_leaves_no_journal(self, source):
        write("out.ffr", [b"old"])

        def ends(_done, _total):
            raise Ended

        with pytest.raises(Ended):
            octavo.convert(source, "out.ffr", overwrite=True, progress=ends)
        assert names() == ["out.ffr"]
        assert read("out.ffr") == [b"old"]

    def test_folders_that_were_made_for_nothing_go_away(self, source):
        with open(source, "rb+") as file:
            file.seek(-5, os.SEEK_END)
            file.write(b"?????")
        with pytest.raises(OctavoError):
            octavo.convert(source, "new/deeper/out.ffr")
        assert names() == []


class TestReadingBack:
    """Said to be verified is what was verified."""

    def test_what_was_not_read_back_before_is_not_said_to_be(self, source, interrupted):
        interrupted(source, "out@5.ffr", verify=False)
        finished = next(name for name in names() if name.endswith(".ffr"))
        with open(finished, "rb+") as file:  # damaged without a trace
            status = os.stat(finished)
            file.seek(-1, os.SEEK_END)
            file.write(b"?")
        os.utime(finished, ns=(status.st_atime_ns, status.st_mtime_ns))
        report = octavo.convert(source, "out@5.ffr")
        assert report.verified
        assert read("out@5.ffr") == RECORDS

    def test_without_reading_back_the_same_files_are_kept(self, source, interrupted):
        interrupted(source, "out@5.ffr", verify=False)
        assert octavo.convert(source, "out@5.ffr", verify=False).kept_count > 0

    def test_an_index_that_is_wanted_and_missing_makes_another_file(self, source):
        octavo.convert(source, "out.riegeli")
        with pytest.raises(AlreadyExistsError):
            octavo.convert(source, "out.riegeli", sidecar=True)
        octavo.convert(source, "out.riegeli", sidecar=True, overwrite=True)
        assert octavo.convert(source, "out.riegeli", sidecar=True).kept_count == 1

"""Conversions that somebody tries to spoil: folders, names, options that cannot be, full disks."""

from __future__ import annotations

import io
import json
import os
import subprocess
import threading

import pytest

import octavo
from octavo._convert import _files, _journal, _publish
from octavo._convert._plan import Name
from octavo.errors import AlreadyExistsError, OptionError, RecordTypeError, StorageError
from tests.convert.adversary import OTHERS, RECORDS, Ended, lines, names, read, write

pytestmark = pytest.mark.usefixtures("working_folder")


class TestFolders:
    def test_several_folders_go_on_where_they_were_interrupted(self, source, interrupted):
        interrupted(source, "out@4", format="folder")
        assert names() == ["out-00000-of-00004", "out-00001-of-00004", "out@4.converting"]
        report = octavo.convert(source, "out@4", format="folder")
        assert (report.kept_count, report.record_count) == (2, 1000)
        assert names() == [f"out-{number:05d}-of-00004" for number in range(4)]

    def test_a_finished_folder_with_another_file_in_it_is_refused_and_stays(self, source, interrupted):
        interrupted(source, "out@4", format="folder")
        with open("out-00000-of-00004/000000/more", "w") as file:
            file.write("mine")
        for overwrite in (False, True):
            with pytest.raises(AlreadyExistsError):
                octavo.convert(source, "out@4", format="folder", overwrite=overwrite)
        assert os.path.exists("out-00000-of-00004/000000/more")

    def test_what_a_writer_has_left_that_was_killed_at_the_very_end_goes_away(self, source, monkeypatch):
        def killed(self):
            os.close(self._lock)
            raise Ended

        with monkeypatch.context() as patched:
            patched.setattr(_files._SideFolder, "remove", killed)
            with pytest.raises(Ended):
                octavo.convert(source, "out", format="folder")
        assert "out.partial" in names()
        octavo.convert(source, "out", format="folder")
        assert names() == ["out"]

    def test_a_link_to_an_empty_folder_is_filled_at_once_or_not_at_all(self, source, monkeypatch):
        os.mkdir("real")
        os.symlink("real", "out")
        written = []
        original = _files.FolderSink.write

        def write_and_look(self, block):
            original(self, block)
            written.append(os.listdir("real"))

        monkeypatch.setattr(_files.FolderSink, "write", write_and_look)
        octavo.convert(source, "out", format="folder")
        assert written
        assert not any(written)
        assert os.path.islink("out")
        assert octavo.digest("real", format="folder").record_count == 1000

    def test_the_top_of_a_file_system_is_refused_before_the_work(self, source, monkeypatch):
        os.mkdir("out")
        monkeypatch.setattr("os.path.ismount", lambda path: os.path.basename(path) == "out")
        with pytest.raises(OptionError, match="top of a file system"):
            octavo.convert(source, "out", format="folder")
        assert names() == ["out"]


class TestFileByFile:
    def test_shuffled_files_of_other_containers_hold_each_record_once(self):
        lines("a.jsonl", range(300))
        lines("b.jsonl", range(300, 500))
        octavo.convert(["a.jsonl", "b.jsonl"], "out/", format="tfrecord", shuffle=3)
        expected = [b"%d" % number for number in octavo.shuffle.Permutation(500, seed=3)]
        assert read("out/a.tfrecord") + read("out/b.tfrecord") == expected
        assert len(read("out/a.tfrecord")) == 300

    @pytest.mark.parametrize("given", [b"1\n2\n", io.BytesIO(b"1\n2\n")], ids=["bytes", "stream"])
    def test_what_has_no_name_is_refused(self, given):
        with pytest.raises(OptionError, match="name one file"):
            octavo.convert(given, "out/", source_format="jsonl", format="ffrecord")
        assert names() == []

    def test_records_in_memory_have_no_name_either(self, source):
        with open(source, "rb") as file, pytest.raises(OptionError, match="name one file"):
            octavo.convert(file.read(), "out/", format="ffrecord")

    def test_parquet_files_that_are_there_already_are_found_so(self):
        pytest.importorskip("pyarrow")
        octavo.convert(write("source.ffr"), "a.parquet")
        octavo.convert(write("source-2.ffr", OTHERS[:10]), "b.parquet")
        octavo.convert("*.parquet", "out/", format="ffrecord")
        assert octavo.convert("*.parquet", "out/", format="ffrecord").kept_count == 2


class TestNames:
    @pytest.mark.parametrize(
        "target",
        ["out@3.ffr", "out.tfrecord@3", "out@3.v2.x.ffr", "in/@3.ffr", "out.jsonl.gz@3", "out.tar@3", "a.b@3.ffr"],
    )
    def test_what_is_written_is_read_by_the_same_name(self, source, target):
        report = octavo.convert(source, target)
        assert len(report.paths) == 3
        assert octavo.digest(target) == report.digest

    def test_a_compressed_name_is_compressed_with_a_number_behind_too(self, source):
        report = octavo.convert(source, "out.jsonl.gz@2")
        for path in report.paths:
            with open(path, "rb") as file:
                assert file.read(2) == b"\x1f\x8b"

    def test_a_count_of_thousands_of_digits_is_refused(self, source):
        with pytest.raises(OptionError, match="can be named"):
            octavo.convert(source, "out@" + "9" * 5000 + ".ffr")

    def test_names_are_taken_apart_where_the_number_goes(self):
        assert Name.of("a/b@3.tfrecord.gz") == Name("a/b", ".tfrecord.gz", 3)
        assert Name.of("a.d/b") == Name("a.d/b", "")
        assert Name.of("b.tfrecord.gz").of_shards(1) == ["b-00000-of-00001.tfrecord.gz"]


class TestRefusals:
    @pytest.mark.parametrize(
        ("target", "options", "error"),
        [
            ("", {"format": "ffrecord"}, OptionError),
            ("new/out.array_record", {"codec": "lzma"}, OptionError),
            ("new/out.ffr", {"progress": 3}, RecordTypeError),
            ("new/out.ffr", {"shuffle": 1, "max_bytes": 100}, OptionError),
            ("new/out.ffr", {"shuffle": -1}, OptionError),
            ("new/out.tar", {"target_layout": "heap"}, OptionError),
            ("source.tfrecord/out.ffr", {}, StorageError),
        ],
    )
    def test_what_cannot_be_leaves_not_even_a_folder(self, source, target, options, error):
        with pytest.raises(error):
            octavo.convert(source, target, **options)
        assert names() == []

    def test_options_are_looked_at_before_records_are(self, source, monkeypatch):
        monkeypatch.setattr("octavo._core.edges_by_bytes", lambda *_: pytest.fail("it was read"))
        with pytest.raises(OptionError, match="codec"):
            octavo.convert(source, "out.array_record", codec="lzma", max_bytes="1kB")

    def test_the_bytes_of_other_containers_are_converted(self):
        octavo.convert(b'1\n"two"\n', "out.ffr", source_format="jsonl")
        assert read("out.ffr") == [b"1", b'"two"']
        assert octavo.digest(b'1\n"two"\n', format="jsonl") == octavo.digest("out.ffr")

    def test_a_full_disk_is_told_of_the_journal_too_and_leaves_nothing(self, source, monkeypatch):
        write_bytes = os.write

        def full(descriptor, data):
            if b'"octavo"' in bytes(data):
                raise OSError(28, "No space left on device")
            return write_bytes(descriptor, data)

        monkeypatch.setattr("os.write", full)
        with pytest.raises(StorageError, match=r"out\.ffr\.converting: cannot write: No space left"):
            octavo.convert(source, "out.ffr")
        assert names() == []

    def test_a_line_that_did_not_fit_spoils_no_other(self, source, monkeypatch):
        write_bytes = os.write

        def nearly_full(descriptor, data):
            if b"00003-of-00005" in bytes(data):
                write_bytes(descriptor, bytes(data)[:10])
                raise OSError(28, "No space left on device")
            return write_bytes(descriptor, data)

        with monkeypatch.context() as patched:
            patched.setattr("os.write", nearly_full)
            patched.setattr("os.cpu_count", lambda: 1)
            with pytest.raises(StorageError, match="No space left"):
                octavo.convert(source, "out@5.ffr")
        with open("out@5.ffr.converting", "rb") as file:
            assert all(json.loads(line) for line in file)
        assert octavo.convert(source, "out@5.ffr").kept_count == 4

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
    def test_a_forked_child_keeps_no_lock(self, source, interrupted, monkeypatch):
        children: list[subprocess.Popen[bytes]] = []
        append = _journal.Journal._append

        def fork_and_append(self, entry):
            if not children:
                os.set_inheritable(self._descriptor, True)  # noqa: FBT003 - as a fork without exec has it
                children.append(subprocess.Popen(["sleep", "60"], close_fds=False))
            append(self, entry)

        try:
            with monkeypatch.context() as patched:
                patched.setattr(_journal.Journal, "_append", fork_and_append)
                interrupted(source, "out@5.ffr")
            octavo.convert(source, "out@5.ffr")
        finally:
            for child in children:
                child.kill()
                child.wait()
        assert read("out@5.ffr") == RECORDS


class TestJournal:
    def test_a_journal_that_was_removed_while_another_waited_is_not_used(self, monkeypatch):
        """The lock of a file that has no name any more keeps nobody away."""
        first = _journal.Journal("out.ffr", {}).open(overwrite=False, verify=True)
        lock = _publish.is_locked_alone
        removed = threading.Event()

        def late(descriptor, path):
            if not removed.is_set():
                removed.set()
                first.remove()
            return lock(descriptor, path)

        monkeypatch.setattr(_publish, "is_locked_alone", late)
        second = _journal.Journal("out.ffr", {}).open(overwrite=False, verify=True)
        assert os.path.exists("out.ffr.converting")
        second.remove()


class TestProgress:
    @pytest.mark.parametrize("verify", [True, False])
    @pytest.mark.parametrize("given", ["lines.jsonl", ["lines.jsonl", "source.tfrecord"], "files.tar", "folder"])
    def test_it_ends_at_the_whole_also_where_only_reading_tells_how_much_that_is(self, source, given, verify):
        octavo.convert(source, "lines.jsonl")
        octavo.convert(source, "files.tar")
        octavo.convert(source, "folder", format="folder")
        seen: list[tuple[int, int]] = []
        for _ in range(2):  # to write it, and to find it there
            octavo.convert(given, "out.jsonl", verify=verify, progress=lambda *told: seen.append(told))
            total = 2000 if isinstance(given, list) else 1000
            assert seen[-1] == (total, total)
            assert all(done <= total for done, total in seen)
            assert [done for done, _ in seen] == sorted(done for done, _ in seen)
            seen.clear()

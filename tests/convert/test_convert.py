"""`octavo.convert`: what goes into which file, what is kept, what is refused."""

from __future__ import annotations

import json
import os
import shutil
import threading

import pytest

import octavo
from octavo import _core
from octavo._convert import _run
from octavo.errors import (
    AlreadyExistsError,
    ChecksumError,
    MissingShardsWarning,
    NotFoundError,
    OctavoError,
    OptionError,
    StorageError,
    TornAppendWarning,
)

RECORDS = [f"record {number}".encode() for number in range(1000)]


pytestmark = pytest.mark.usefixtures("working_folder")


@pytest.fixture
def source(working_folder):  # noqa: ARG001 - the files are made there
    with octavo.create("source.tfrecord") as writer:
        writer.write_many(RECORDS)
    return "source.tfrecord"


def names(folder="."):
    return sorted(name for name in os.listdir(folder) if not name.startswith("source"))


def read(location):
    with octavo.open(location) as reader:
        return reader.read_all()


class Ended(Exception):  # noqa: N818 - what a progress function raises to play Ctrl-C
    pass


def ends_after(records):
    def progress(done, _total):
        if done >= records:
            raise Ended

    return progress


class TestTargets:
    def test_one_file_has_everything(self, source):
        report = octavo.convert(source, "out.array_record")
        assert read("out.array_record") == RECORDS
        assert report.paths == (os.path.abspath("out.array_record"),)
        assert (report.format, report.record_count, report.verified) == ("array_record", 1000, True)
        assert (report.ok, report.kept_count, report.torn_bytes) == (True, 0, 0)
        assert report.record_bytes == sum(map(len, RECORDS))
        assert names() == ["out.array_record"]

    def test_a_sharded_name_has_so_many_files_of_the_same_size(self, source):
        report = octavo.convert(source, "out@7.ffr")
        assert names() == [f"out-{number:05d}-of-00007.ffr" for number in range(7)]
        assert {len(octavo.open(path)) for path in report.paths} == {142, 143}
        assert read("out@7.ffr") == RECORDS

    def test_the_number_of_shards_can_be_said(self, source):
        octavo.convert(source, "out.tfrecord.gz", shards=3)
        assert names() == [f"out-{number:05d}-of-00003.tfrecord.gz" for number in range(3)]
        assert read("out-*.gz") == RECORDS

    def test_more_shards_than_records_are_empty_files(self):
        with octavo.create("source.ffr") as writer:
            writer.write(b"only")
        report = octavo.convert("source.ffr", "out@4.array_record")
        assert [len(octavo.open(path)) for path in report.paths] == [0, 0, 0, 1]

    def test_shards_have_at_most_so_many_records(self, source):
        report = octavo.convert(source, "out.recordio", max_records=300)
        assert [len(octavo.open(path)) for path in report.paths] == [300, 300, 300, 100]
        assert read("out-*") == RECORDS

    def test_shards_have_at_most_so_many_bytes(self, source):
        report = octavo.convert(source, "out.ffr", max_bytes=4000)
        sizes = [sum(map(len, read(path))) for path in report.paths]
        assert max(sizes) <= 4000
        assert all(size > 4000 - 10 for size in sizes[:-1])
        assert read(list(report.paths)) == RECORDS

    def test_a_record_larger_than_a_shard_is_a_shard_of_its_own(self):
        with octavo.create("source.ffr") as writer:
            writer.write_many([b"x" * 10, b"y" * 100, b"z" * 10, b""])
        report = octavo.convert("source.ffr", "out.ffr", max_bytes=50)
        assert [read(path) for path in report.paths] == [[b"x" * 10], [b"y" * 100], [b"z" * 10, b""]]

    @pytest.mark.parametrize("how", [{"shards": 2}, {"max_records": 5}, {"max_bytes": "1MB"}])
    def test_no_records_are_one_empty_file_or_as_many_as_were_asked_for(self, how):
        octavo.create("source.ffr").close()
        report = octavo.convert("source.ffr", "out.tfrecord", **how)
        assert [len(octavo.open(path)) for path in report.paths] == [0] * how.get("shards", 1)

    def test_a_directory_gets_a_file_for_each_source_file(self, source):
        octavo.convert(source, "parts@3.recordio")
        octavo.convert("parts@3.recordio", "out/", format="array_record")
        assert names("out") == [f"parts-{number:05d}-of-00003.array_record" for number in range(3)]
        assert [len(octavo.open(f"out/{name}")) for name in names("out")] == [333, 333, 334]
        assert read("out") == RECORDS

    def test_a_shard_number_behind_the_suffix_stays_there(self, source):
        os.rename(source, "train.tfrecord-00003-of-00064")
        report = octavo.convert("train.tfrecord-00003-of-00064", "out/", format="ffrecord")
        assert report.paths == (os.path.abspath("out/train.ffr-00003-of-00064"),)

    def test_two_files_of_one_name_are_refused(self, source):
        os.mkdir("a")
        os.mkdir("b")
        octavo.convert(source, "a/x.ffr")
        octavo.convert(source, "b/x.tfrecord")
        with pytest.raises(OptionError, match="two source files would get this name"):
            octavo.convert(["a/x.ffr", "b/../a/x.ffr"], "out/", format="recordio")

    def test_folders_of_the_target_are_made(self, source):
        octavo.convert(source, "a/b/c.ffr")
        assert read("a/b/c.ffr") == RECORDS


class TestOptions:
    def test_options_are_those_of_create(self, source):
        octavo.convert(source, "out.array_record", codec="brotli:3", group_size=10)
        info = octavo.open("out.array_record").info
        assert (info.codec, info.level, info.group_size) == ("brotli", 3, 10)

    def test_a_source_that_was_cut_off_is_not_ok(self, source):
        os.truncate(source, os.path.getsize(source) - 5)
        with pytest.warns(TornAppendWarning, match="copy it again if it is a copy"):
            report = octavo.convert(source, "out.ffr")
        assert (report.ok, report.verified, report.record_count) == (False, True, 999)
        assert report.torn_bytes == len(RECORDS[-1]) + 16 - 5

    def test_a_dialect_is_written(self, source):
        octavo.convert(source, "out.recordio", dialect="go", codec="gzip", max_chunk_bytes="1kB")
        info = octavo.open("out.recordio").info
        assert (info.dialect, info.codec) == ("go", "gzip")
        assert info.chunk_count > 5

    def test_an_index_is_written_beside(self, source):
        octavo.convert(source, "out.riegeli", sidecar=True)
        assert names() == ["out.riegeli", "out.riegeli.octx"]

    @pytest.mark.parametrize(
        ("target", "options", "message"),
        [
            ("out.ffr", {"codec": "zstd"}, "ffrecord has no such options: codec"),
            ("out.ffr", {"target_column": "x"}, "no such options: target_column"),
            ("out.jsonl", {"group_size": 1}, "no such options: group_size"),
            ("out.tfrecord", {"shards": 0}, "shards is 0"),
            ("out.tfrecord", {"max_records": -1}, "max_records is -1"),
            ("out.tfrecord", {"max_bytes": 0}, "max_bytes"),
            ("out.tfrecord", {"shards": 2, "max_records": 5}, "choose one of"),
            ("out@3.tfrecord", {"shards": 2}, "the name says 3 shards"),
            ("out@0.tfrecord", {}, "from 1 to 99999"),
            ("out", {}, "does not say what to write"),
            ("out/", {}, "/out/ is a folder: say which format its files get, format='array_record', for example"),
            ("out.ffr", {"format": "zip"}, "is none of"),
            ("out.ffr", {"source_format": "zip"}, "is none of"),
            ("out.ffr", {"column": "x"}, "records have neither"),
            ("out.tfrecord", {"shuffle": -1}, "seed"),
        ],
    )
    def test_what_cannot_be_is_refused_before_anything_is_written(self, source, target, options, message):
        with pytest.raises(OptionError, match=message):
            octavo.convert(source, target, **options)
        assert names() == []

    def test_the_source_is_not_overwritten(self, source):
        with pytest.raises(OptionError, match="one of the sources"):
            octavo.convert(source, source, overwrite=True)
        os.symlink(source, "link.tfrecord")
        with pytest.raises(OptionError, match="one of the sources"):
            octavo.convert(source, "link.tfrecord", overwrite=True)
        assert read(source) == RECORDS

    def test_progress_ends_at_the_whole(self, source):
        seen: list[tuple[int, int]] = []
        octavo.convert(source, "out@5.ffr", progress=lambda done, total: seen.append((done, total)))
        assert seen[-1] == (1000, 1000)
        assert [done for done, _ in seen] == sorted(done for done, _ in seen)

    def test_nothing_is_read_back_if_that_is_not_wanted(self, source, monkeypatch):
        monkeypatch.setattr(_run.Runner, "_read_back", lambda *_: pytest.fail("it was read back"))
        assert not octavo.convert(source, "out.ffr", verify=False).verified

    def test_bytes_and_file_objects_are_converted(self, source):
        with open(source, "rb") as file:
            content = file.read()
            file.seek(0)
            octavo.convert(file, "of-file.ffr")
        octavo.convert(content, "of-bytes.ffr")
        assert read("of-file.ffr") == read("of-bytes.ffr") == RECORDS

    def test_sources_of_different_formats_are_put_together(self, source):
        octavo.convert(source, "source.ffr")
        octavo.convert(source, "source.jsonl")
        sources = [source, "source.ffr", "source.jsonl", source]
        report = octavo.convert(sources, "out@7.array_record")
        assert read("out@7.array_record") == RECORDS * 4
        assert octavo.digest(sources) == report.digest
        octavo.convert(sources, "out.tfrecord", max_bytes="7kB")
        assert read("out-*.tfrecord") == RECORDS * 4
        with pytest.raises(OptionError, match="file by file"):
            octavo.convert(sources, "folder/", format="ffrecord")

    def test_an_unreadable_file_among_several_is_named(self, source):
        with open("junk.ffr", "wb") as file:
            file.write(b"junk" * 100)
        with pytest.raises(octavo.errors.FormatError, match=r"junk\.ffr"):
            octavo.convert([source, "junk.ffr"], "out.array_record")

    def test_what_is_not_there_says_so(self):
        with pytest.raises(NotFoundError):
            octavo.convert("none.tfrecord", "out.ffr")
        assert names() == []


class TestShuffling:
    @pytest.mark.parametrize("group_size", [1, 16])
    def test_the_order_is_that_of_the_permutation(self, source, group_size):
        octavo.convert(source, "grouped.array_record", group_size=group_size)
        report = octavo.convert("grouped.array_record", "out@3.ffr", shuffle=9)
        order = octavo.shuffle.Permutation(1000, seed=9)
        assert read("out@3.ffr") == [RECORDS[number] for number in order]
        assert report.digest.unordered == octavo.digest(source).unordered
        assert names() == ["grouped.array_record", *(f"out-{number:05d}-of-00003.ffr" for number in range(3))]

    def test_large_chunked_sources_are_spread_over_files_first(self, source, monkeypatch):
        monkeypatch.setattr("octavo._convert._shuffled._PART_BYTES", 1000)
        octavo.convert(source, "grouped.riegeli")
        octavo.convert("grouped.riegeli", "out.array_record", shuffle=4)
        assert read("out.array_record") == [RECORDS[number] for number in octavo.shuffle.Permutation(1000, seed=4)]
        assert names() == ["grouped.riegeli", "out.array_record"]

    def test_other_containers_are_shuffled_too(self, source):
        octavo.convert(source, "lines.jsonl")
        octavo.convert("lines.jsonl", "out.ffr", shuffle=4)
        assert read("out.ffr") == [RECORDS[number] for number in octavo.shuffle.Permutation(1000, seed=4)]

    def test_no_records_have_no_order(self):
        octavo.create("source.ffr").close()
        assert octavo.convert("source.ffr", "out.ffr", shuffle=1).record_count == 0

    def test_failing_it_leaves_nothing(self, source, monkeypatch):
        monkeypatch.setattr("octavo._convert._shuffled._PART_BYTES", 1000)
        octavo.convert(source, "grouped.riegeli")
        with pytest.raises(Ended):
            octavo.convert("grouped.riegeli", "out.array_record", shuffle=4, progress=ends_after(10))
        assert names() == ["grouped.riegeli"]


class TestExistingFiles:
    def test_a_file_with_other_records_stays(self, source):
        with octavo.create("out.ffr") as writer:
            writer.write_many([*RECORDS[:-1], b"other"])
        before = (os.stat("out.ffr").st_ino, os.stat("out.ffr").st_mtime_ns)
        with pytest.raises(AlreadyExistsError, match="already"):
            octavo.convert(source, "out.ffr")
        assert (os.stat("out.ffr").st_ino, os.stat("out.ffr").st_mtime_ns) == before
        assert names() == ["out.ffr"]

    def test_one_of_several_that_is_there_is_refused(self, source):
        octavo.convert(source, "out-00001-of-00003.ffr")
        with pytest.raises(AlreadyExistsError):
            octavo.convert(source, "out@3.ffr")
        assert names() == ["out-00001-of-00003.ffr"]

    @pytest.mark.parametrize(
        ("target", "options"),
        [
            ("out@3.array_record", {}),
            ("out@3.ffr", {"verify": False}),
            ("out.tfrecord", {"max_records": 400}),
            ("out.recordio", {"max_bytes": "4kB"}),
            ("out@3.array_record", {"shuffle": 5}),
            ("out@3.jsonl", {}),
            ("out@3", {"format": "folder"}),
        ],
    )
    @pytest.mark.parametrize("lost", [0, 1, 2])
    def test_a_lost_file_is_restored_and_the_others_are_kept(self, source, target, options, lost):
        first = octavo.convert(source, target, **options)
        there = [path for number, path in enumerate(first.paths) if number != lost]
        stamps = [os.stat(path).st_mtime_ns for path in there]
        path = first.paths[lost]
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        before = names()
        again = octavo.convert(source, target, **options)
        assert (again.digest, again.kept_count, again.paths) == (first.digest, len(there), first.paths)
        assert [os.stat(path).st_mtime_ns for path in there] == stamps
        assert names() == sorted([*before, os.path.basename(path)])

    def test_a_lost_file_of_a_folder_is_restored(self, source):
        octavo.convert(source, "parts@3.tfrecord")
        octavo.convert("parts@3.tfrecord", "out/", format="array_record")
        os.remove("out/parts-00001-of-00003.array_record")
        assert octavo.convert("parts@3.tfrecord", "out/", format="array_record").kept_count == 2
        assert read("out") == RECORDS
        assert len(names("out")) == 3

    def test_lost_files_of_streamed_sources_are_restored(self, source):
        octavo.convert(source, "lines@4.jsonl")
        octavo.convert("lines@4.jsonl", "out@5.ffr")
        octavo.convert("lines@4.jsonl", "out/", format="ffrecord")
        for path in ("out-00000-of-00005.ffr", "out-00003-of-00005.ffr", "out/lines-00002-of-00004.ffr"):
            os.remove(path)
        assert octavo.convert("lines@4.jsonl", "out@5.ffr").kept_count == 3
        assert octavo.convert("lines@4.jsonl", "out/", format="ffrecord").kept_count == 3
        assert read("out@5.ffr") == read("out") == RECORDS

    @pytest.mark.parametrize("options", [{}, {"shuffle": 2}])
    def test_nothing_is_restored_beside_a_file_with_other_records(self, source, options):
        octavo.convert(source, "out@4.ffr", **options)
        os.remove("out-00000-of-00004.ffr")
        with octavo.create("out-00003-of-00004.ffr", overwrite=True) as writer:
            writer.write_many(b"other" for _ in range(250))
        with pytest.raises(AlreadyExistsError, match=r"out-00003-of-00004\.ffr: .*not what would be written"):
            octavo.convert(source, "out@4.ffr", **options)
        assert names() == [f"out-{number:05d}-of-00004.ffr" for number in (1, 2, 3)]
        assert read("out-00003-of-00004.ffr") == [b"other"] * 250

    def test_nothing_is_restored_beside_a_file_with_other_options(self, source):
        octavo.convert(source, "out@3.array_record")
        os.remove("out-00001-of-00003.array_record")
        with pytest.raises(AlreadyExistsError, match=r"not what would be written; overwrite=True replaces it$"):
            octavo.convert(source, "out@3.array_record", codec="none")
        assert len(names()) == 2

    def test_an_interrupted_write_of_the_lost_file_is_not_thrown_away(self, source):
        octavo.convert(source, "out@3.ffr")
        os.remove("out-00001-of-00003.ffr")
        with open("out-00001-of-00003.ffr.partial", "wb") as file:
            file.write(b"precious")
        with pytest.raises(AlreadyExistsError, match=r"octavo\.recover"):
            octavo.convert(source, "out@3.ffr")
        assert "out-00001-of-00003.ffr" not in names()

    def test_restoring_goes_on_where_it_was_interrupted(self, source):
        octavo.convert(source, "out@10.ffr")
        for number in range(1, 10):
            os.remove(f"out-{number:05d}-of-00010.ffr")
        with pytest.raises(Ended):
            octavo.convert(source, "out@10.ffr", progress=ends_after(800))
        assert 0 < octavo.convert(source, "out@10.ffr").kept_count < 10
        assert read("out@10.ffr") == RECORDS
        assert len(names()) == 10

    def test_a_file_that_comes_meanwhile_is_not_said_to_hold_something_else(self, source):
        def progress(_done, _total):
            if not os.path.exists("out.ffr"):
                octavo.convert(source, "other.ffr", overwrite=True)
                os.replace("other.ffr", "out.ffr")

        with pytest.raises(AlreadyExistsError, match="came while it was written") as raised:
            octavo.convert(source, "out.ffr", progress=progress)
        assert "not what" not in str(raised.value)

    def test_it_is_replaced_if_that_is_wanted(self, source):
        octavo.create("out.ffr").close()
        octavo.convert(source, "out.ffr", overwrite=True)
        assert read("out.ffr") == RECORDS

    @pytest.mark.parametrize(
        ("target", "options"),
        [
            ("out@4.array_record", {"codec": "zstd:5"}),
            ("out.recordio", {"dialect": "go", "codec": "gzip"}),
            ("out.tfrecord.gz", {}),
            ("out.ffr", {"shuffle": 3}),
            ("out.riegeli", {"transpose": True}),
            ("out.jsonl", {}),
        ],
    )
    def test_the_same_conversion_again_has_nothing_to_do(self, source, target, options):
        first = octavo.convert(source, target, **options)
        stamps = [os.stat(path).st_mtime_ns for path in first.paths]
        again = octavo.convert(source, target, **options)
        assert (again.digest, again.kept_count) == (first.digest, len(first.paths))
        assert [os.stat(path).st_mtime_ns for path in first.paths] == stamps

    @pytest.mark.parametrize(
        ("target", "first", "second"),
        [
            ("out.array_record", {}, {"codec": "none"}),
            ("out.array_record", {"group_size": 10}, {"group_size": 20}),
            ("out.recordio", {}, {"dialect": "go"}),
            ("out.recordio", {}, {"codec": "none"}),
            ("out.riegeli", {}, {"transpose": True}),
            ("out.ffr", {}, {"shuffle": 1}),
        ],
    )
    def test_with_other_options_it_is_another_conversion(self, source, target, first, second):
        octavo.convert(source, target, **first)
        with pytest.raises(AlreadyExistsError):
            octavo.convert(source, target, **second)

    def test_a_folder_that_holds_something_is_never_written_over(self, source):
        os.mkdir("out")
        with open("out/precious", "wb") as file:
            file.write(b"mine")
        for overwrite in (False, True):
            with pytest.raises(AlreadyExistsError):
                octavo.convert(source, "out", format="folder", overwrite=overwrite)
        assert os.listdir("out") == ["precious"]

    def test_a_file_that_is_no_record_file_is_refused(self, source):
        with open("out.ffr", "wb") as file:
            file.write(b"something else entirely")
        with pytest.raises(AlreadyExistsError):
            octavo.convert(source, "out.ffr")


class TestInterruptions:
    def test_finished_files_are_kept(self, source):
        with pytest.raises(Ended):
            octavo.convert(source, "out@10.ffr", codec=None, progress=ends_after(700))
        left = names()
        finished = [name for name in left if name.endswith(".ffr")]
        assert 2 < len(finished) < 10
        assert [name for name in left if name not in finished] == ["out@10.ffr.converting"]
        stamps = {name: os.stat(name).st_mtime_ns for name in finished}
        report = octavo.convert(source, "out@10.ffr")
        assert report.kept_count > 0
        assert read("out@10.ffr") == RECORDS
        assert sum(os.stat(name).st_mtime_ns == stamps[name] for name in finished) == report.kept_count
        assert names() == [f"out-{number:05d}-of-00010.ffr" for number in range(10)]

    def test_of_a_single_file_nothing_is_left(self, source):
        with pytest.raises(Ended):
            octavo.convert(source, "out.array_record", progress=ends_after(1))
        assert names() == []

    def test_a_finished_file_that_has_changed_since_is_written_again(self, source):
        with pytest.raises(Ended):
            octavo.convert(source, "out@10.ffr", progress=ends_after(700))
        with octavo.create("out-00000-of-00010.ffr") as writer:
            writer.write(b"something else")
        octavo.convert(source, "out@10.ffr")
        assert read("out@10.ffr") == RECORDS

    def test_another_conversion_does_not_go_on_from_there(self, source):
        with pytest.raises(Ended):
            octavo.convert(source, "out@10.array_record", progress=ends_after(700))
        with pytest.raises(AlreadyExistsError, match="interrupted conversion"):
            octavo.convert(source, "out@10.array_record", codec="none")
        report = octavo.convert(source, "out@10.array_record", codec="none", overwrite=True)
        assert (report.kept_count, octavo.open("out@10.array_record").info.codec) == (0, "none")
        assert len(names()) == 10

    def test_a_source_that_has_changed_is_another_source(self, source):
        with pytest.raises(Ended):
            octavo.convert(source, "out@10.ffr", progress=ends_after(700))
        with octavo.append(source) as writer:
            writer.write(b"more")
        with pytest.raises(AlreadyExistsError, match="interrupted conversion"):
            octavo.convert(source, "out@10.ffr")

    def test_a_torn_line_of_the_journal_counts_for_nothing(self, source):
        with pytest.raises(Ended):
            octavo.convert(source, "out@10.ffr", progress=ends_after(700))
        with open("out@10.ffr.converting", "rb+") as file:
            lines = file.read().split(b"\n")
            file.seek(0)
            file.truncate()
            file.write(b"\n".join(lines[:-2]) + b"\n" + lines[-2][:20])
        octavo.convert(source, "out@10.ffr")
        assert read("out@10.ffr") == RECORDS
        assert len(names()) == 10

    @pytest.mark.parametrize("junk", [b"", b"junk\n", b"[]\n", b"{}\n", b"\xff\xfe\n", b'{"plan": 1}\n'])
    def test_a_journal_that_is_none_is_no_obstacle_to_overwriting(self, source, junk):
        with open("out@2.ffr.converting", "wb") as file:
            file.write(junk)
        octavo.convert(source, "out@2.ffr", overwrite=True)
        assert read("out@2.ffr") == RECORDS
        assert len(names()) == 2

    @pytest.mark.parametrize("entry", [{}, {"path": 3}, {"path": "x", "stamp": None}, {"path": "x", "digest": "no"}])
    def test_entries_of_a_journal_that_mean_nothing_are_passed_over(self, source, entry):
        with pytest.raises(Ended):
            octavo.convert(source, "out@10.ffr", progress=ends_after(700))
        with open("out@10.ffr.converting", "ab") as file:
            file.write(json.dumps(entry).encode() + b"\n")
        octavo.convert(source, "out@10.ffr")
        assert read("out@10.ffr") == RECORDS

    def test_a_journal_is_no_part_of_a_data_set(self, source):
        with pytest.raises(Ended):
            octavo.convert(source, "out@10.ffr", progress=ends_after(700))
        with pytest.warns(MissingShardsWarning):
            assert all(path.endswith(".ffr") for path in octavo.open("out*").paths)

    def test_two_at_the_same_time_do_not_meet(self, source):
        begun, go_on = threading.Event(), threading.Event()

        def wait(_done, _total):
            begun.set()
            go_on.wait(120)

        first = threading.Thread(target=octavo.convert, args=(source, "out@3.ffr"), kwargs={"progress": wait})
        first.start()
        try:
            assert begun.wait(60)
            with pytest.raises(StorageError, match="another conversion"):
                octavo.convert(source, "out@3.ffr")
        finally:
            go_on.set()
            first.join()
        assert read("out@3.ffr") == RECORDS

    def test_a_damaged_source_ends_it_and_leaves_nothing_half_written(self, source):
        octavo.convert(source, "source.ffr")
        with open("source.ffr", "rb+") as file:
            content = bytearray(file.read())
            content[-1] ^= 1
            file.seek(0)
            file.write(content)
        with pytest.raises(ChecksumError) as raised:
            octavo.convert("source.ffr", "out.array_record")
        assert raised.value.record == 999
        assert names() == []

    def test_what_is_read_back_wrongly_is_removed_and_told(self, source, monkeypatch):
        def another(self, progress=None):  # noqa: ARG001 - as the original has it
            return _core.Digest(1000, 1, "1", "1")

        monkeypatch.setattr("octavo._convert._any_input.RecordInput.digest", another)
        with pytest.raises(OctavoError, match="read back"):
            octavo.convert(source, "out.ffr")
        assert names() == []

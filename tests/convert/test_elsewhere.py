"""Files that other processes write: tasks that are done twice, not at all, or half, and what is told of them."""

from __future__ import annotations

import os
import pickle

import pytest

import octavo
from octavo._convert._order import carry_out
from octavo.errors import (
    AlreadyExistsError,
    ChecksumError,
    OptionError,
    SourceChangedError,
    StorageError,
    UnsupportedError,
)
from tests.convert.adversary import RECORDS, Ended, lines, names, read, write


def each(tasks, times=1):
    """As workers have it: every task comes through a pipe, perhaps more than once."""
    for task in tasks:
        for _ in range(times):
            pickle.loads(pickle.dumps(task)).run()


@pytest.fixture
def shards(source):
    """The source in three files."""
    octavo.convert(source, "source@3.array_record", group_size=7)
    return "source@3.array_record"


class TestOutcome:
    @pytest.mark.parametrize(
        ("target", "options"),
        [
            ("out.ffr", {}),
            ("out@7.array_record", {"codec": "brotli", "group_size": 3}),
            ("out.recordio", {"max_records": 150, "sidecar": True}),
            ("out@2000.tfrecord", {}),
            ("out@4.jsonl", {}),
            ("out@4.tar", {"verify": False}),
            ("out/", {"format": "tfrecord"}),
            ("out", {"format": "folder"}),
        ],
    )
    def test_it_is_that_of_one_process(self, shards, target, options):
        here = octavo.convert(shards, target.replace("out", "here"), **options)
        there = carry_out(shards, target, each, **options)
        assert [path.replace("here", "out") for path in here.paths] == list(there.paths)
        assert (here.digest, here.format, here.verified, here.kept_count) == (
            there.digest,
            there.format,
            there.verified,
            there.kept_count,
        )
        for one, other in zip(here.paths, there.paths, strict=True):
            assert octavo.diff(one, other).same
        assert not [name for name in names() if "converting" in name]

    def test_a_task_that_is_done_twice_is_done(self, shards):
        report = carry_out(shards, "out@4.ffr", lambda tasks: each(tasks, times=2))
        assert (read("out@4.ffr"), report.kept_count) == (RECORDS, 0)
        assert len(names()) == 4

    def test_a_late_failure_does_not_undo_what_another_attempt_has_done(self, shards):
        def twice(tasks):
            each(tasks)
            write("source-00000-of-00003.array_record", [b"others"])  # so that doing it again is an error
            each(tasks)

        report = carry_out(shards, "out@3.ffr", twice, overwrite=True)
        assert (report.record_count, read("out@3.ffr")) == (1000, RECORDS)

    def test_a_task_opens_only_the_files_that_it_needs(self, shards):
        opened: list[int] = []

        def look(tasks):
            opened.extend(len(task.files) for task in tasks)
            each(tasks)

        carry_out(shards, "out@3.ffr", look)
        assert opened == [1, 1, 1]

    @pytest.mark.usefixtures("working_folder")
    def test_other_containers_file_by_file(self):
        os.mkdir("in")
        lines("in/a.jsonl", [1, 2])
        lines("in/b.jsonl", [3])
        carry_out("in", "out/", each, format="ffrecord")
        assert (read("out/a.ffr"), read("out/b.ffr")) == ([b"1", b"2"], [b"3"])
        carry_out("in", "all.ffr", each)
        assert read("all.ffr") == [b"1", b"2", b"3"]

    def test_what_is_there_is_kept_or_refused_as_ever(self, shards):
        carry_out(shards, "out@2.ffr", each)
        assert carry_out(shards, "out@2.ffr", each).kept_count == 2
        write("out-00001-of-00002.ffr", [b"precious"])
        with pytest.raises(AlreadyExistsError, match="00001"):
            carry_out(shards, "out@2.ffr", each)
        assert read("out-00001-of-00002.ffr") == [b"precious"]
        carry_out(shards, "out@2.ffr", each, overwrite=True)
        assert read("out@2.ffr") == RECORDS

    def test_progress_ends_at_the_whole(self, shards):
        seen: list[tuple[int, int]] = []
        carry_out(shards, "out@2.ffr", each, progress=lambda *told: seen.append(told))
        assert seen[-1] == (1000, 1000)


class TestFailures:
    @pytest.fixture
    def few(self):
        """Some tasks are done, and then somebody stumbles."""

        def run(tasks):
            each(tasks[:2])
            raise Ended

        return run

    def test_what_was_done_is_kept(self, shards, few):
        with pytest.raises(Ended):
            carry_out(shards, "out@5.ffr", few)
        assert names() == ["out-00000-of-00005.ffr", "out-00001-of-00005.ffr", "out@5.ffr.converting"]
        assert octavo.convert(shards, "out@5.ffr").kept_count == 2
        assert read("out@5.ffr") == RECORDS

    def test_it_goes_on_elsewhere_as_well(self, shards, few):
        with pytest.raises(Ended):
            carry_out(shards, "out@5.ffr", few)
        done: list[str] = []

        def look(tasks):
            done.extend(task.job.path for task in tasks)
            each(tasks)

        report = carry_out(shards, "out@5.ffr", look)
        assert (report.kept_count, len(done)) == (2, 3)
        assert read("out@5.ffr") == RECORDS

    def test_a_file_of_ours_that_was_spoiled_meanwhile_is_written_again(self, shards, few):
        with pytest.raises(Ended):
            carry_out(shards, "out@5.ffr", few)
        write("out-00000-of-00005.ffr", [b"spoiled"])
        assert carry_out(shards, "out@5.ffr", each).kept_count == 1
        assert read("out@5.ffr") == RECORDS

    def test_files_of_which_nobody_has_told_are_looked_at(self, shards):
        """The process that has begun it was killed: notes and files are there, and its journal is at its beginning."""

        def killed(tasks):
            each(tasks[:2])
            for task in tasks[:2]:
                os.remove(task.note_path)
            raise Ended

        with pytest.raises(Ended):
            carry_out(shards, "out@5.ffr", killed)
        assert carry_out(shards, "out@5.ffr", each).kept_count == 2
        assert read("out@5.ffr") == RECORDS

    def test_nothing_is_left_where_nothing_was_done(self, shards):
        def stumble(_tasks):
            raise Ended

        with pytest.raises(Ended):
            carry_out(shards, "out@5.ffr", stumble)
        assert names() == []

    def test_a_file_that_nobody_sees_here_is_an_error(self, shards):
        with pytest.raises(StorageError, match=r"out-00000-of-00002\.ffr: .* share the target's place"):
            carry_out(shards, "out@2.ffr", lambda _: None)

        def lose(tasks):
            each(tasks)
            os.remove(tasks[1].job.path)

        with pytest.raises(StorageError, match=r"out-00001-of-00002\.ffr: .* share the target's place"):
            carry_out(shards, "out@2.ffr", lose)

    def test_a_damaged_record_is_told_as_it_is_here(self, source):
        octavo.convert(source, "damaged.ffr")
        with open("damaged.ffr", "r+b") as file:
            file.seek(-7, os.SEEK_END)
            file.write(b"?")
        with pytest.raises(ChecksumError, match=r"damaged\.ffr: record 999") as told:
            carry_out("damaged.ffr", "out@2.tfrecord", each)
        assert told.value.path == os.path.abspath("damaged.ffr")
        assert names() == ["damaged.ffr", "out-00000-of-00002.tfrecord", "out@2.tfrecord.converting"]

    def test_what_a_worker_refused_is_why_it_failed(self, shards):
        def fail(tasks):
            write("out-00001-of-00002.ffr", [b"precious"])  # somebody else was quicker
            each(tasks)

        with pytest.raises(AlreadyExistsError, match="00001"):
            carry_out(shards, "out@2.ffr", fail)
        assert read("out-00001-of-00002.ffr") == [b"precious"]

    def test_a_source_that_changed_on_the_way_is_noticed(self, shards):
        def change(tasks):
            write("source-00001-of-00003.array_record", [b"others"])
            each(tasks)

        with pytest.raises(SourceChangedError):
            carry_out(shards, "out@3.ffr", change)
        assert "out-00001-of-00003.ffr" not in names()


class TestRefused:
    def test_a_shuffle(self, shards):
        with pytest.raises(UnsupportedError, match="shuffled"):
            carry_out(shards, "out@2.ffr", each, shuffle=1)

    @pytest.mark.usefixtures("working_folder")
    def test_lines_that_are_cut(self):
        lines("in.jsonl", range(10))
        with pytest.raises(UnsupportedError, match="record files"):
            carry_out("in.jsonl", "out@2.ffr", each)

    def test_sources_of_several_kinds(self, source):
        lines("in.jsonl", range(10))
        with pytest.raises(UnsupportedError, match="record files"):
            carry_out([source, "in.jsonl"], "out.ffr", each)

    def test_bytes_and_streams(self, source):
        with open(source, "rb") as file:
            with pytest.raises(UnsupportedError, match="files"):
                carry_out(file.read(), "out.ffr", each)
            with pytest.raises(UnsupportedError, match="files"):
                carry_out(file, "out.ffr", each)
        with pytest.raises(UnsupportedError, match="files"):
            carry_out(b"1\n", "out.ffr", each, source_format="jsonl")
        assert names() == []

    def test_wrong_options_are_told_before_anything_is_done(self, shards):
        with pytest.raises(OptionError):
            carry_out(shards, "out@2.ffr", each, codec="zstd", shards=3)

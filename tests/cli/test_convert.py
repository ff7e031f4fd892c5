"""`octavo convert`, and its kin merge, split, shuffle and append."""

from __future__ import annotations

import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import time

import pytest

import octavo as library
from octavo import _wording
from tests.cli.conftest import clean_environment

RECORDS = [f'{{"id": {number}}}'.encode() for number in range(500)]


@pytest.fixture
def source(working_folder):
    with library.create(working_folder / "source.tfrecord") as writer:
        writer.write_many(RECORDS)
    return "source.tfrecord"


def read(location):
    with library.open(location) as reader:
        return reader.read_all()


def names():
    return sorted(name for name in os.listdir() if not name.startswith("source"))


class TestConvert:
    def test_a_folder_of_shards_without_a_suffix_is_wrong_usage(self, octavo, source):
        os.mkdir("tf")
        for number in range(2):
            os.link(source, f"tf/train-0000{number}-of-00002")
        told = octavo("convert", "tf", "out.ffr", check=2)
        assert "name the files: '" in told.stderr
        assert told.stderr.endswith("tf/train-*'; for one record a file, pass --from folder\n")
        assert b"out.ffr: 2 records" in octavo("convert", "tf", "out.ffr", "--from", "folder").stdout
        assert b"all.ffr: 1,000 records" in octavo("convert", "tf/train-*", "all.ffr").stdout
        assert b"again.ffr: 1,000 records" in octavo("convert", "tf/train@2", "again.ffr").stdout

    def test_record_files_that_a_folder_is_read_without_are_named(self, octavo, source):
        os.mkdir("tf")
        os.link(source, "tf/x.tfrecord")
        os.link(source, "tf/y.tfrecord.gzip")
        told = octavo("convert", "tf", "out.ffr")
        assert "warning: tf: left out, because their suffix says no record format: y.tfrecord.gzip;" in told.stderr

    def test_it_says_what_it_wrote(self, octavo, source):
        told = octavo("convert", source, "out.array_record")
        digest = library.digest(source).ordered
        size = _wording.size(os.path.getsize("out.array_record"))
        assert told.text == (
            f"out.array_record: 500 records (5.39 kB), {size} in 1 file\ndigest {digest} (read back and compared)\n"
        )
        assert told.stderr == ""
        assert read("out.array_record") == RECORDS

    def test_the_size_of_the_files_is_told_beside_that_of_the_records(self, octavo, source):
        told = octavo("convert", source, "out@3.array_record", "--codec", "none").lines[0]
        size = _wording.size(sum(map(os.path.getsize, names())))
        assert told == f"out-00000-of-00003.array_record and 2 more: 500 records (5.39 kB), {size} in 3 files"
        again = octavo("convert", source, "out@3.array_record", "--codec", "none").lines[0]
        assert again == f"{told}, all already there"

    def test_of_folders_only_the_size_of_the_records_is_told(self, octavo, source):
        told = octavo("convert", source, "out", "--to", "folder").lines[0]
        assert told == "out: 500 records (5.39 kB)"

    def test_a_lost_shard_is_written_again_and_the_others_are_kept(self, octavo, source):
        octavo("convert", source, "out@3.array_record")
        os.remove("out-00001-of-00003.array_record")
        told = octavo("convert", source, "out@3.array_record")
        assert told.lines[0].endswith(" in 3 files, 2 of them kept from before")
        assert read("out@3.array_record") == RECORDS

    @pytest.mark.parametrize("command", ["convert", "merge", "split", "shuffle"])
    def test_a_target_that_the_source_folder_would_be_read_with_is_wrong_usage(self, octavo, source, command):
        os.mkdir("flowers")
        os.link(source, "flowers/x.tfrecord")
        target = "flowers/all@2.ffr" if command == "split" else "flowers/all.ffr"
        for given in ("flowers", "flowers/*"):
            told = octavo(command, given, target, check=2)
            assert "and would be read as part of it from then on; write to another folder" in told.stderr
        assert os.listdir("flowers") == ["x.tfrecord"]

    def test_json_has_these_keys(self, octavo, source):
        told = octavo("convert", source, "out@3.ffr", "--json").json
        digest = library.digest(source)
        assert told.pop("seconds") >= 0
        assert told == {
            "paths": [os.path.abspath(f"out-{number:05d}-of-00003.ffr") for number in range(3)],
            "format": "ffrecord",
            "records": 500,
            "record_bytes": sum(map(len, RECORDS)),
            "ordered": digest.ordered,
            "unordered": digest.unordered,
            "verified": True,
            "kept_files": 0,
            "torn_bytes": 0,
        }

    @pytest.mark.parametrize("command", ["convert", "merge", "split", "shuffle"])
    def test_a_source_that_was_cut_off_is_data_loss(self, octavo, source, command):
        os.truncate(source, os.path.getsize(source) - 5)
        out = "out@1.ffr" if command == "split" else "out.ffr"
        told = octavo(command, source, out, check=3)
        assert b"499 records" in told.stdout
        assert "or the file was cut off; they were left out, and records may be missing" in told.stderr
        assert read(out) == (RECORDS[:-1] if command != "shuffle" else read(out))
        again = octavo(command, source, out, "--json", check=3).json
        assert (again["records"], again["verified"]) == (499, True)
        assert again["torn_bytes"] == len(RECORDS[-1]) + 16 - 5

    def test_what_is_cut_off_is_data_loss_on_the_way_through_as_well(self, octavo, source):
        os.truncate(source, os.path.getsize(source) - 5)
        told = octavo("convert", source, "-", "--to", "jsonl", check=3)
        assert told.stdout.splitlines() == RECORDS[:-1]
        told = octavo("convert", "-", "out.ffr", "--from", "tfrecord", stdin=pathlib.Path(source).read_bytes(), check=3)
        assert read("out.ffr") == RECORDS[:-1]
        library.create("log.recordio").close()
        assert octavo("append", "log.recordio", source, "--json", check=3).json["torn_bytes"] > 0
        assert read("log.recordio") == RECORDS[:-1]

    @pytest.mark.parametrize("name", ["ffr", ".ffr", "ffrecord"])
    def test_a_format_may_be_named_by_its_suffix(self, octavo, source, name):
        octavo("convert", source, "one", "--to", name, "--from", "tfrec")
        assert library.open("one").info.format == "ffrecord"
        octavo("convert", "one", "two", f"--to={name}", f"--from={name}")
        assert octavo("count", "two", "--format", name).text == "500\n"
        octavo("convert", source, "lines", "--to", ".jsonl")
        assert octavo("digest", "lines", "--format", "ndjson").text.split()[1] == "500"

    def test_a_target_that_says_no_format_is_told_what_to_say(self, octavo, source):
        told = octavo("convert", source, "ar", check=2).stderr
        assert "or say --to, which a folder needs as well: " in told
        assert told.endswith("/ar/ gets one file for each file of the source\n")

    @pytest.mark.parametrize("target", ["ar/", "there", "there/"])
    def test_a_folder_is_asked_for_the_format_of_its_files(self, octavo, source, target):
        os.mkdir("there")
        told = octavo("convert", source, target, check=2).stderr
        folder = os.path.join(os.getcwd(), target.rstrip("/"), "")
        assert told == f"octavo: {folder} is a folder: say which format its files get, --to array_record, for example\n"

    def test_options_reach_the_format(self, octavo, source):
        octavo("convert", source, "a.array_record", "--codec", "brotli:2", "--group-size", "50")
        info = library.open("a.array_record").info
        assert (info.codec, info.level, info.group_size) == ("brotli", 2, 50)
        octavo("convert", source, "b.recordio", "--dialect", "go", "--max-chunk-bytes", "1kB", "--sidecar")
        assert library.open("b.recordio").info.dialect == "go"
        assert os.path.exists("b.recordio.octx")
        octavo("convert", source, "c.array_record", "--options", "group_size:7,uncompressed")
        assert library.open("c.array_record").info.group_size == 7

    def test_existing_files_need_force(self, octavo, source):
        octavo("convert", source, "out.array_record")
        refused = octavo("convert", source, "out.array_record", "--codec", "none", check=1)
        assert refused.stdout == b""
        assert "--force" in refused.stderr
        assert refused.stderr.count("\n") == 1
        octavo("convert", source, "out.array_record", "--codec", "none", "--force")
        assert library.open("out.array_record").info.codec == "none"

    def test_the_same_again_is_fine(self, octavo, source):
        octavo("convert", source, "out.array_record", "--codec", "zstd:5")
        assert "already there" in octavo("convert", source, "out.array_record", "--codec", "zstd:5").text

    @pytest.mark.parametrize(
        "arguments",
        [
            ("out.ffr", "--codec", "zstd"),
            ("out.ffr", "--shards", "2", "--max-records", "3"),
            ("out.ffr", "--shards", "0"),
            ("out.ffr", "--to", "zip"),
            ("out.unknown",),
            ("-",),
            ("-", "--to", "folder"),
            ("out.ffr", "--max-bytes", "many"),
            ("out.ffr", "--column", "x"),
        ],
    )
    def test_wrong_usage_is_status_2_and_writes_nothing(self, octavo, source, arguments):
        told = octavo("convert", source, *arguments, check=2)
        assert told.stdout == b""
        assert names() == []

    def test_a_damaged_source_is_status_1_and_writes_nothing(self, octavo, source):
        library.convert(source, "source.ffr")
        with open("source.ffr", "rb+") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"?")
        told = octavo("convert", "source.ffr", "out.tfrecord", check=1)
        assert "record 499" in told.stderr
        assert "'octavo verify' lists the damaged ones" in told.stderr
        assert names() == []

    def test_standard_input_and_output(self, octavo, source):
        with open(source, "rb") as file:
            content = file.read()
        there = octavo("convert", "-", "-", "--from", "tfrecord", "--to", "array_record", stdin=content)
        assert there.stderr == ""
        assert library.open(there.stdout).read_all() == RECORDS
        back = octavo("convert", "-", "-", "--to", "jsonl", stdin=there.stdout)
        assert back.stdout.splitlines() == RECORDS
        octavo("convert", "-", "out.ffr", "--from", "jsonl", stdin=back.stdout)
        assert read("out.ffr") == RECORDS
        tar = octavo("convert", "out.ffr", "-", "--to", "tar").stdout
        octavo("convert", "-", "again.ffr", "--from", "tar", stdin=tar)
        assert read("again.ffr") == RECORDS

    def test_no_input_at_all_is_an_error(self, octavo, source):
        assert "octavo: " in octavo("convert", "-", "out.ffr", stdin=b"", check=1).stderr
        octavo("convert", "-", source, "out.ffr", check=2)
        assert names() == []

    def test_an_interrupted_conversion_says_how_to_go_on(self, working_folder):
        with library.create("source.tfrecord") as writer:
            writer.write_many(os.urandom(300) + b"abc" * 200 for _ in range(30_000))
        command = [
            sys.executable,
            "-m",
            "octavo",
            "convert",
            "source.tfrecord",
            "out@200.array_record",
            "--codec",
            "zstd:15",
        ]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, env=clean_environment(), cwd=working_folder)
        deadline = time.monotonic() + 60
        while not os.path.exists("out-00002-of-00200.array_record") and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        assert process.returncode == 130
        assert b"run the same command again to go on" in told
        assert b"Traceback" not in told
        ended = subprocess.run([*command, "--json"], check=True, stdout=subprocess.PIPE, env=clean_environment())
        assert b'"kept_files": 0' not in ended.stdout
        assert names() == [f"out-{number:05d}-of-00200.array_record" for number in range(200)]

    def test_a_terminal_sees_a_bar_and_nothing_of_it_is_a_result(self, working_folder):
        with library.create("source.tfrecord") as writer:
            writer.write_many(os.urandom(300) + b"abc" * 200 for _ in range(20_000))
        controller, terminal = pty.openpty()
        command = [
            sys.executable,
            "-m",
            "octavo",
            "convert",
            "source.tfrecord",
            "out.array_record",
            "--codec",
            "zstd:12",
        ]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=terminal,
            env=clean_environment() | {"TERM": "xterm"},
            cwd=working_folder,
        )
        os.close(terminal)
        seen = b""
        while select.select([controller], [], [], 60)[0]:
            try:
                piece = os.read(controller, 4096)
            except OSError:  # the last one has let go of it
                break
            seen += piece
        os.close(controller)
        out, _ = process.communicate(timeout=60)
        assert b"out.array_record" in seen
        assert b"%" in seen
        assert b"\x1b" not in out
        assert out.startswith(b"out.array_record: 20,000 records")


class TestKin:
    def test_merge_puts_files_together(self, octavo, source):
        library.convert(source, "source.ffr")
        told = octavo("merge", source, "source.ffr", source, "all.recordio")
        assert told.lines[0].startswith("all.recordio: 1,500 records (16.2 kB), ")
        assert read("all.recordio") == RECORDS * 3
        octavo("merge", source, "out@2.ffr", check=2)
        os.mkdir("folder")
        octavo("merge", source, "folder", check=2)

    def test_split_cuts_by_number_records_and_bytes(self, octavo, source):
        octavo("split", source, "a.ffr", "--shards", "3")
        assert [len(read(f"a-{number:05d}-of-00003.ffr")) for number in range(3)] == [166, 167, 167]
        octavo("split", source, "b.ffr", "--max-records", "400")
        assert [len(read(f"b-{number:05d}-of-00002.ffr")) for number in range(2)] == [400, 100]
        octavo("split", source, "c.ffr", "--max-bytes", "2kB")
        assert all(sum(map(len, read(name))) <= 2048 for name in names() if name.startswith("c"))
        octavo("split", source, "d@4.array_record")
        assert read("d@4.array_record") == RECORDS
        assert "say where to cut" in octavo("split", source, "e.ffr", check=2).stderr

    def test_shuffle_is_the_permutation_of_its_seed(self, octavo, source):
        octavo("shuffle", source, "a.ffr", "--seed", "5")
        octavo("shuffle", source, "b@2.array_record", "--seed", "5")
        wanted = [RECORDS[number] for number in library.shuffle.Permutation(500, seed=5)]
        assert read("a.ffr") == read("b@2.array_record") == wanted
        octavo("shuffle", source, "c.ffr")
        assert read("c.ffr") == [RECORDS[number] for number in library.shuffle.Permutation(500, seed=0)]
        octavo("shuffle", source, "d.ffr", "--seed", "-1", check=2)

    def test_append_adds_records_of_any_container(self, octavo, source):
        octavo("convert", source, "log.recordio")
        assert octavo("append", "log.recordio", source).text == "log.recordio: 500 records, 5.39 kB added\n"
        told = octavo("append", "log.recordio", "-", "--from", "jsonl", "--json", stdin=b"1\n22\n").json
        assert told == {"path": "log.recordio", "records": 2, "record_bytes": 3, "torn_bytes": 0}
        assert read("log.recordio") == [*RECORDS, *RECORDS, b"1", b"22"]

    def test_what_cannot_grow_stays_as_it_is(self, octavo, source):
        octavo("convert", source, "log.ffr")
        before = pathlib.Path("log.ffr").read_bytes()
        assert "cannot grow" in octavo("append", "log.ffr", source, check=1).stderr
        octavo("append", "none.recordio", source, check=1)
        octavo("append", "log.ffr", "none.ffr", check=1)
        assert pathlib.Path("log.ffr").read_bytes() == before
        assert names() == ["log.ffr"]

    def test_a_file_is_not_appended_to_itself(self, octavo, source):
        octavo("append", source, source, check=2)
        assert read(source) == RECORDS

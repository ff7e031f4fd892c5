"""Files, names and circumstances that are out to make a command fail, hang, forge lines or fill the memory."""

from __future__ import annotations

import io
import json
import os
import resource
import subprocess
import sys
from itertools import pairwise

import pytest

import octavo as library
from octavo import _tf_example
from octavo.errors import FormatError
from tests.cli.conftest import TIMEOUT_S, clean_environment
from tests.unit.layouts import GROUPED, TFRECORD

_forms = pytest.importorskip("octavo.cli._forms", reason="the command line needs typer")
_failures = pytest.importorskip("octavo.cli._failures", reason="the command line needs typer")
_records = pytest.importorskip("octavo.cli._records", reason="the command line needs typer")
_terminal = pytest.importorskip("octavo.cli._terminal", reason="the command line needs typer")

RECORDS = [b"record %d" % number for number in range(100)]
DIGEST = "7ecf8a384ad4781b2350aa7624009279"


def write(path, records):
    with library.create(path) as writer:
        writer.write_many(records)
    return path


def damaged(path, *, record=50):
    """A TFRecord file with one bit that is not as it was."""
    content = bytearray(write(path, RECORDS).read_bytes())
    content[content.index(RECORDS[record])] ^= 1
    path.write_bytes(content)
    return path


def watched(blocks, look):
    """The blocks, with a look at what there is before each."""
    for block in blocks:
        look()
        yield block


class TestLargeRecords:
    @pytest.mark.parametrize("form", ["auto", "text", "base64", "json", "hex"])
    def test_each_is_printed_before_the_next_one_is_made(self, tmp_path, monkeypatch, form):
        large = b"x" * (4 << 20)
        write(tmp_path / "large.ffr", [large] * 4)
        written = io.StringIO()
        monkeypatch.setattr(sys, "stdout", written)
        seen = []
        with library.open(tmp_path / "large.ffr") as reader:
            shown = _records.look(form, json=False, most_bytes=None, delimiter=None)
            shown.show(watched(_records.blocks_in_order(reader, slice(None)), lambda: seen.append(written.tell())))
        assert len(seen) == 4
        assert all(later - earlier > len(large) for earlier, later in pairwise(seen))

    def test_escapes_are_the_same_in_any_number(self):
        every = "".join(map(chr, range(256))) + "\u061c\u202e\udcff"
        assert _terminal.harmless(every) == "".join(map(_terminal.harmless, every))
        assert _terminal.harmless("\0\x1b[31m\udcff\u061c") == "\\x00\\x1b[31m\\xff\\u061c"

    @pytest.mark.parametrize("piece_bytes", [1, 2, 3, 7, 1000])
    def test_a_line_is_the_same_in_pieces_of_any_size(self, monkeypatch, piece_bytes):
        record = "aé中😀\t\r\n\x1b\u202e".encode() + b"\xff\xe4\xb8\xf0\x9f" + bytes(range(256)) + "é".encode()[:1]
        whole = _forms.text_line(record)
        monkeypatch.setattr(_forms, "_PIECE_BYTES", piece_bytes)
        assert _forms.text_line(record) == whole
        assert whole.startswith("aé中😀\t\\r\\n\\x1b\\u202e\\xff\\xe4\\xb8")


class TestJson:
    @pytest.mark.parametrize("arguments", [["cat"], ["head", "-n", "100"], ["get", ":"]])
    def test_an_array_is_whole_where_a_damaged_record_ends_it(self, octavo, tmp_path, arguments):
        name, *rest = arguments
        damaged(tmp_path / "some.tfrecord")
        done = octavo(name, "some.tfrecord", *rest, "--json", check=1)
        assert [one["record"] for one in done.json] == list(range(50))
        assert "record 50 at byte" in done.stderr

    def test_an_array_is_whole_where_the_first_record_is_damaged(self, octavo, tmp_path):
        damaged(tmp_path / "some.tfrecord", record=0)
        assert octavo("cat", "some.tfrecord", "--json", check=1).json == []

    @pytest.mark.parametrize("number", ["9" * 5000, "0." + "9" * 5000])
    def test_a_number_that_others_refuse_is_text(self, number):
        line = _forms.json_line(0, f"[{number}]".encode())
        assert json.loads(line)["text"] == f"[{number}]"

    def test_a_long_number_is_still_json(self):
        assert json.loads(_forms.json_line(0, b"[12345678901234567890123]"))["json"] == [12345678901234567890123]

    def test_no_control_character_goes_out(self, octavo, tmp_path):
        write(tmp_path / "del\x7f.ffr", [_tf_example.encode({"na\x7fme": [b"\x7f", b"\x7f"]})])
        for command in (["ls"], ["cat"], ["info"]):
            done = octavo(*command, "del\x7f.ffr", "--json")
            assert b"\x7f" not in done.stdout
        assert octavo("cat", "del\x7f.ffr", "--json").json[0]["example"]["na\x7fme"] == [{"base64": "fw=="}] * 2

    def test_what_could_not_be_read_is_told_alike(self, octavo, tmp_path):
        write(tmp_path / "some.ffr", RECORDS)
        for command in ("info", "verify"):
            (failed,) = octavo(command, "some.ffr", "missing.ffr", "--json", check=1).json["failed"]
            assert list(failed) == ["path", "error"]
            assert failed["path"] == "missing.ffr"
        (failed,) = octavo("digest", "some.ffr", "missing.ffr", "--json", check=1).json["failed"]
        assert failed["paths"] == ["missing.ffr"]
        assert "cannot open" in failed["error"]


class TestStandardInput:
    @pytest.mark.parametrize("command", [["digest"], ["verify"], ["diff", "some.ffr"], ["info"], ["cat"], ["ls"]])
    def test_what_is_no_record_file_is_called_standard_input(self, octavo, tmp_path, command):
        write(tmp_path / "some.ffr", RECORDS)
        done = octavo(*command, "-", stdin=b"junk", check=1)
        assert done.stderr.startswith("octavo: standard input: not a record file")

    @pytest.mark.parametrize("command", [["digest"], ["diff", "some.tfrecord"], ["info"], ["info", "--full"], ["cat"]])
    def test_damage_is_told_of_standard_input(self, octavo, tmp_path, command):
        content = damaged(tmp_path / "some.tfrecord").read_bytes()
        (tmp_path / "some.tfrecord").write_bytes(TFRECORD.encode(RECORDS))
        assert octavo(*command, "-", stdin=content, check=1).stderr.startswith("octavo: standard input: record 50 at ")

    def test_a_failure_has_the_path_that_was_typed(self, octavo):
        (failed,) = octavo("verify", "-", "--json", stdin=b"junk", check=1).json["failed"]
        assert failed["path"] == "-"

    @pytest.mark.parametrize(
        "arguments", [["digest", "-", "-"], ["digest", "--together", "-", "-"], ["bench", "-"], ["ls", "--packed", "-"]]
    )
    def test_it_is_refused_where_it_makes_no_sense(self, octavo, arguments):
        assert octavo(*arguments, stdin=GROUPED.encode(RECORDS), check=2).stdout == b""


class TestListsOfDigests:
    @pytest.mark.parametrize(
        "line",
        [f"{DIGEST}  {'9' * 5000}  some.ffr", f"{DIGEST}  \uff11\uff10\uff10  some.ffr", f"{DIGEST} 100 some.ffr"],
    )
    def test_a_line_of_another_kind_is_refused(self, octavo, tmp_path, line):
        write(tmp_path / "some.ffr", RECORDS)
        (tmp_path / "list").write_text(line + "\n", encoding="utf-8")
        assert octavo("digest", "--check", "list", check=1).stderr.startswith("octavo: list: line 1 is none that ")

    def test_an_empty_list_is_no_proof(self, octavo, tmp_path):
        (tmp_path / "list").write_bytes(b"")
        assert octavo("digest", "--check", "list", check=1).stderr == (
            "octavo: list: it is empty: there is nothing to check\n"
        )

    def test_a_list_without_end_is_not_read_to_its_end(self, tmp_path):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

        program = [sys.executable, "-m", "octavo", "digest", "--check", "/dev/zero"]
        ended = subprocess.run(
            program,
            cwd=tmp_path,
            env=clean_environment(),
            capture_output=True,
            timeout=TIMEOUT_S,
            preexec_fn=little_memory,
            check=False,
        )
        assert (ended.returncode, ended.stdout) == (1, b"")
        assert ended.stderr == b"octavo: /dev/zero: it is too long to be what 'octavo digest' prints\n"

    def test_standard_input_cannot_be_read_once_more(self, octavo):
        done = octavo("digest", "--check", "-", stdin=f"{DIGEST}  100  -\n".encode(), check=1)
        assert done.text == "-: cannot be read\n"
        assert "standard input is not there any more" in done.stderr


class TestDamage:
    def test_sizes_of_all_records_before_it_are_told(self, octavo, tmp_path):
        damaged(tmp_path / "some.tfrecord")
        told = octavo("info", "some.tfrecord", "--full", "--json", check=1).json["record_sizes"]
        assert (told["records"], told["smallest"], told["largest"]) == (50, 8, 9)

    def test_what_is_left_out_is_told_in_words_that_every_command_knows(self, octavo, tmp_path):
        write(tmp_path / "some.ffr", RECORDS)
        assert octavo("cat", "some.ffr", "--as", "hex", "--bytes", 4, "--stop", 1).lines[-1] == (
            "  ... 4 bytes more (--bytes shows more)"
        )


class TestMessages:
    def test_a_name_is_not_taken_for_advice(self, octavo):
        done = octavo("count", "octavo.convert pass format=.ffr", check=1)
        assert "/octavo.convert pass format=.ffr: cannot open" in done.stderr

    def test_advice_is_for_the_shell(self):
        error = FormatError("a: it is opened with format='riegeli'; octavo.recover may help", path="a")
        assert _failures.line_of(error) == "a: it is opened with --format riegeli; 'octavo recover' may help"


class TestPlaces:
    @pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
    @pytest.mark.parametrize(("command", "status"), [("ls", 0), ("info", 1), ("verify", 3), ("digest", 1)])
    def test_files_can_be_looked_at_from_a_folder_that_is_gone(self, tmp_path, command, status):
        path = damaged(tmp_path / "some.tfrecord")
        program = f'mkdir gone && cd gone && rmdir ../gone && exec "{sys.executable}" -m octavo {command} "{path}"'
        environment = clean_environment() | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        ended = subprocess.run(
            ["sh", "-c", program],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert b"Traceback" not in ended.stderr
        assert b"Errno" not in ended.stderr
        assert ended.returncode == status


class TestNumbers:
    @pytest.mark.parametrize("seconds", ["1e308", "inf", "nan", "0", "3601"])
    def test_bench_takes_an_hour_at_most(self, octavo, tmp_path, seconds):
        write(tmp_path / "some.ffr", RECORDS)
        octavo("bench", "some.ffr", "--seconds", seconds, check=2)


class TestDemoKeeps:
    def test_an_empty_name_is_wrong_usage(self, octavo):
        assert octavo("demo", "--keep", "", check=2).stderr == "octavo: the path of the folder is empty\n"

    @pytest.mark.skipif(sys.platform != "linux", reason="a file system without folders of ours is Linux's")
    def test_a_folder_that_cannot_be_made_is_told_in_words(self, octavo):
        assert octavo("demo", "--keep", "/proc/octavo", check=1).stderr == (
            "octavo: /proc/octavo: cannot be used: No such file or directory\n"
        )

    def test_what_somebody_else_puts_there_stays(self, tmp_path):
        demo = pytest.importorskip("octavo.cli.demo")

        def interrupted():
            with demo._folder(str(tmp_path / "kept")) as folder:
                write(os.path.join(folder, "train.ffr"), RECORDS)
                (tmp_path / "kept" / "other").write_bytes(b"precious")
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert os.listdir(tmp_path / "kept") == ["other"]

"""`octavo digest`: a line for each data set, as sha256sum has one for each file, and the way back."""

from __future__ import annotations

import os
import random

import pytest

from octavo import digest
from octavo.cli._digest_lines import Line, parse
from octavo.errors import FormatError
from tests.cli.terminals import on_a_terminal
from tests.unit.damage import flipped
from tests.unit.layouts import FFRECORD, GROUPED, LAYOUTS, RECORDIO, TFRECORD

RECORDS = [f"record {number}".encode() for number in range(100)]
DIGEST = digest(FFRECORD.encode(RECORDS))


class TestLines:
    def test_every_container_of_the_same_records_has_the_same_digest(self, octavo, tmp_path):
        names = [layout.write(tmp_path / name, RECORDS).name for name, layout in LAYOUTS.items()]
        done = octavo("digest", *names)
        assert done.lines == [f"{DIGEST.ordered}  100  {name}" for name in names]
        assert done.stderr == ""

    def test_several_files_by_one_path_are_one_data_set(self, octavo, tmp_path):
        for number in range(20):
            TFRECORD.write(tmp_path / "set" / f"part-{number:05d}-of-00020", RECORDS[number * 5 : number * 5 + 5])
        done = octavo("digest", "set", "set/*.tfrecord", "set/part@20.tfrecord")
        assert done.lines == [
            f"{DIGEST.ordered}  100  {path}" for path in ("set", "set/*.tfrecord", "set/part@20.tfrecord")
        ]

    def test_several_paths_are_one_data_set_on_demand(self, octavo, tmp_path):
        RECORDIO.write(tmp_path / "a", RECORDS[:30])
        RECORDIO.write(tmp_path / "b c", RECORDS[30:])
        done = octavo("digest", "--together", "a.recordio", "b c.recordio")
        assert done.text == f"{DIGEST.ordered}  100  a.recordio 'b c.recordio'\n"

    def test_the_order_does_not_matter_on_demand(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", RECORDS)
        GROUPED.write(tmp_path / "b", random.Random(3).sample(RECORDS, 100))
        plain = octavo("digest", "a.ffr", "b.array_record").lines
        assert plain[0][:32] != plain[1][:32]
        done = octavo("digest", "--unordered", "a.ffr", "b.array_record")
        assert done.lines == [f"{DIGEST.unordered}  100  {name}" for name in ("a.ffr", "b.array_record")]

    def test_standard_input_is_a_file(self, octavo):
        assert octavo("digest", "-", stdin=TFRECORD.encode(RECORDS)).text == f"{DIGEST.ordered}  100  -\n"

    def test_other_containers_have_records_too(self, octavo, tmp_path):
        records = [b'{"number": %d}' % number for number in range(10)]
        (tmp_path / "lines.jsonl").write_bytes(b"\n".join(records) + b"\n")
        expected = digest(FFRECORD.encode(records)).ordered
        assert octavo("digest", "lines.jsonl").text == f"{expected}  10  lines.jsonl\n"
        numbers = digest(FFRECORD.encode([str(number).encode() for number in range(10)])).ordered
        assert octavo("digest", "lines.jsonl", "--column", "number").text == f"{numbers}  10  lines.jsonl\n"

    def test_json_has_these_keys_and_no_others(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", RECORDS)
        FFRECORD.write(tmp_path / "b", [])
        assert octavo("digest", "--json", "a.ffr", "b.ffr").json == {
            "digests": [
                {
                    "paths": ["a.ffr"],
                    "ordered": DIGEST.ordered,
                    "unordered": DIGEST.unordered,
                    "records": 100,
                    "record_bytes": sum(map(len, RECORDS)),
                },
                {"paths": ["b.ffr"], "ordered": "0" * 32, "unordered": "0" * 32, "records": 0, "record_bytes": 0},
            ],
            "failed": [],
        }


class TestTrouble:
    def test_one_that_cannot_be_read_does_not_keep_the_others(self, octavo, tmp_path):
        content = FFRECORD.encode(RECORDS)
        FFRECORD.write(tmp_path / "a", RECORDS)
        (tmp_path / "b.ffr").write_bytes(flipped(content, len(content) - 1))
        done = octavo("digest", "missing.ffr", "b.ffr", "a.ffr", check=1)
        assert done.text == f"{DIGEST.ordered}  100  a.ffr\n"
        assert [line.partition(": ")[2].partition(": ")[0] for line in done.stderr.splitlines()] == [
            str(tmp_path / "missing.ffr"),
            str(tmp_path / "b.ffr"),
        ]
        told = octavo("digest", "--json", "missing.ffr", "a.ffr", check=1).json
        assert [one["paths"] for one in told["failed"]] == [["missing.ffr"]]
        assert len(told["digests"]) == 1

    @pytest.mark.parametrize(
        "arguments",
        [
            (),
            ("-", "a.ffr", "--together"),
            ("--check", "--unordered", "a.ffr"),
            ("--column", "x", "a.ffr"),
            ("--format", "zip", "a"),
        ],
    )
    def test_wrong_usage_is_told_as_that(self, octavo, tmp_path, arguments):
        FFRECORD.write(tmp_path / "a", RECORDS)
        assert octavo("digest", *arguments, check=2).stdout == b""

    def test_a_name_that_looks_like_markup_is_shown_on_a_terminal(self, tmp_path):
        (tmp_path / "[").mkdir()
        FFRECORD.write(tmp_path / "[" / "b]", RECORDS)
        with on_a_terminal(tmp_path, "digest", "[/b].ffr") as started:
            status, stdout = started.end()
        assert (status, stdout.decode()) == (0, f"{DIGEST.ordered}  100  [/b].ffr\n")

    def test_an_interrupt_ends_it_quietly(self, tmp_path):
        path = FFRECORD.write(tmp_path / "part", [os.urandom(1000)] * 4000)
        with on_a_terminal(tmp_path, "digest", "--together", *[path.name] * 8000) as started:
            started.wait_for(lambda: "digest" in started.shown)
            started.interrupt()
            status, stdout = started.end()
        assert (status, stdout) == (130, b"")
        assert "octavo: interrupted" in started.shown


class TestChecking:
    def test_what_was_printed_can_be_checked(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", RECORDS)
        TFRECORD.write(tmp_path / "two  blanks", RECORDS)
        FFRECORD.write(tmp_path / "a\nb\\x0a", RECORDS)
        names = ("a.ffr", "two  blanks.tfrecord", "a\nb\\x0a.ffr", "a*.ffr")
        for option in ((), ("--unordered",)):
            (tmp_path / "sums").write_bytes(octavo("digest", *option, *names).stdout)
            done = octavo("digest", "--check", "sums")
            assert done.lines == ["a.ffr: ok", "two  blanks.tfrecord: ok", "a\\x0ab\\x0a.ffr: ok", "a*.ffr: ok"]

    def test_a_container_may_have_changed_but_not_the_records(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", RECORDS)
        (tmp_path / "sums").write_bytes(octavo("digest", "a.ffr").stdout)
        (tmp_path / "a.ffr").write_bytes(GROUPED.encode(RECORDS))  # a file is what it is, whatever it is called
        octavo("digest", "-c", "sums")
        FFRECORD.write(tmp_path / "a", RECORDS[::-1])
        done = octavo("digest", "-c", "sums", check=1)
        assert done.text == "a.ffr: different\n"
        assert done.stderr == "octavo: 1 of 1 data set not as before\n"
        FFRECORD.write(tmp_path / "a", RECORDS[:60])
        assert octavo("digest", "-c", "sums", check=1).text == "a.ffr: different: 60 records, not 100\n"
        (tmp_path / "a.ffr").unlink()
        done = octavo("digest", "-c", "sums", check=1)
        assert done.text == "a.ffr: cannot be read\n"
        assert "a.ffr: cannot open" in done.stderr

    def test_lines_come_from_standard_input_too_and_json_has_these_keys(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", RECORDS)
        lines = f"{DIGEST.ordered}  100  a.ffr\n{DIGEST.ordered}  99  a.ffr\n".encode()
        assert octavo("digest", "--check", "-", "--json", stdin=lines, check=1).json == {
            "ok": False,
            "checked": [
                {"path": "a.ffr", "ok": True, "reason": None},
                {"path": "a.ffr", "ok": False, "reason": "different: 100 records, not 99"},
            ],
        }

    def test_what_is_no_line_of_it_is_a_failure(self, octavo, tmp_path):
        (tmp_path / "sums").write_bytes(f"{DIGEST.ordered}  100  a.ffr\nnonsense\n".encode())
        done = octavo("digest", "--check", "sums", check=1)
        assert done.stdout == b""
        assert done.stderr == "octavo: sums: line 2 is none that 'octavo digest' prints\n"
        assert "cannot open" in octavo("digest", "--check", "missing", check=1).stderr

    @pytest.mark.parametrize(
        "path",
        [
            "a.ffr",
            "a b",
            " a ",
            "\\a",
            "a\nb",
            "a\rb",
            "\x1b[31m",
            "\x9f",
            os.fsdecode(b"\xff"),
            os.fsdecode(b"\x9f"),
            "\u202e",
            "naïve",
            "-",
        ],
    )
    def test_every_path_comes_back_from_its_line(self, path):
        line = Line("0" * 32, 7, path)
        assert parse(str(line).encode() + b"\n", "lines") == [line]
        assert "\n" not in str(line)

    def test_no_lines_are_no_lines(self):
        assert parse(b"", "lines") == []
        with pytest.raises(FormatError, match="line 1"):
            parse(b"\n", "lines")

"""`octavo diff`: the same records or not, and where they begin to differ."""

from __future__ import annotations

import os
import random

import pytest

from tests.cli.terminals import on_a_terminal
from tests.unit.damage import flipped
from tests.unit.layouts import FFRECORD, GROUPED, LAYOUTS, RECORDIO, TFRECORD

RECORDS = [f"record {number}".encode() for number in range(100)]


class TestTheSame:
    @pytest.mark.parametrize("name", LAYOUTS)
    def test_the_container_does_not_matter(self, octavo, tmp_path, name):
        FFRECORD.write(tmp_path / "a", RECORDS)
        other = LAYOUTS[name].write(tmp_path / "b", RECORDS)
        done = octavo("diff", "a.ffr", other.name)
        assert (done.text, done.stderr) == ("same: 100 records\n", "")

    def test_a_thousand_shards_are_one_data_set(self, octavo, tmp_path):
        for number in range(1000):
            TFRECORD.write(tmp_path / "set" / f"part-{number:05d}-of-01000", RECORDS[:3])
        RECORDIO.write(tmp_path / "whole", RECORDS[:3] * 1000)
        assert octavo("diff", "set/part@1000.tfrecord", "whole.recordio").text == "same: 3,000 records\n"

    def test_one_of_them_may_be_standard_input(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", RECORDS)
        octavo("diff", "-", "a.ffr", stdin=GROUPED.encode(RECORDS))
        octavo("diff", "a.ffr", "-", stdin=TFRECORD.encode(RECORDS))

    def test_json_has_these_keys_and_no_others(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", RECORDS)
        assert octavo("diff", "--json", "a.ffr", "a.ffr").json == {
            "same": True,
            "paths": ["a.ffr", "a.ffr"],
            "records": [100, 100],
            "different_records": 0,
            "reordered": False,
            "differences": [],
        }


class TestDifferent:
    def test_the_first_differences_are_described_and_all_are_counted(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", RECORDS)
        changed = [b"\x1b[31m" + record if number % 2 else record for number, record in enumerate(RECORDS)]
        TFRECORD.write(tmp_path / "b", changed)
        done = octavo("diff", "a.ffr", "b.tfrecord", "--limit", 2, check=1)
        assert done.lines == [
            "different: 100 records and 100 records",
            "record 1: 8 bytes and 13 bytes, different from byte 0 on",
            "  < b'record 1'",
            "  > b'\\x1b[31mrecord 1'",
            "record 3: 8 bytes and 13 bytes, different from byte 0 on",
            "  < b'record 3'",
            "  > b'\\x1b[31mrecord 3'",
            "... and 48 more",
            "50 of 100 records differ",
        ]
        assert done.stderr == ""

    def test_excerpts_are_short_and_say_where_they_are_cut(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", [bytes(100) + b"first" + bytes(100)])
        FFRECORD.write(tmp_path / "b", [bytes(100) + b"second"])
        done = octavo("diff", "a.ffr", "b.ffr", check=1)
        assert done.lines[1:] == [
            "record 0: 205 bytes and 106 bytes, different from byte 100 on",
            f"  < ...{bytes(8) + b'first' + bytes(19)!r}...",
            f"  > ...{bytes(8) + b'second'!r}",
            "1 of 1 record differs",
        ]

    def test_records_at_the_end_of_one_are_told_apart(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", RECORDS)
        RECORDIO.write(tmp_path / "b", RECORDS[:60])
        assert octavo("diff", "b.recordio", "a.ffr", check=1).lines == [
            "different: 60 records and 100 records",
            "the first 60 records are the same",
            "a.ffr has 40 records more, from record 60 on",
        ]

    def test_nothing_is_told_of_records_that_are_not_there(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", [])
        FFRECORD.write(tmp_path / "b", [b"x"])
        assert octavo("diff", "a.ffr", "b.ffr", check=1).lines == [
            "different: 0 records and 1 record",
            "b.ffr has 1 record more, from record 0 on",
        ]

    def test_another_order_is_told_as_that(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", RECORDS)
        GROUPED.write(tmp_path / "b", random.Random(3).sample(RECORDS, 100))
        done = octavo("diff", "a.ffr", "b.array_record", check=1)
        assert done.lines[-1] == "only the order differs: both hold the same records"
        assert octavo("diff", "--json", "a.ffr", "b.array_record", check=1).json["reordered"] is True

    def test_json_tells_the_same(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", [*RECORDS, b"more"])
        FFRECORD.write(tmp_path / "b", [b"other", *RECORDS[1:]])
        assert octavo("diff", "a.ffr", "b.ffr", "--json", check=1).json == {
            "same": False,
            "paths": ["a.ffr", "b.ffr"],
            "records": [101, 100],
            "different_records": 1,
            "reordered": False,
            "differences": [
                {
                    "record": 0,
                    "bytes": [8, 5],
                    "offset": 0,
                    "excerpt_offset": 0,
                    "excerpts": [b"record 0".hex(), b"other".hex()],
                }
            ],
        }

    def test_names_are_shown_harmlessly(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", RECORDS)
        FFRECORD.write(tmp_path / "\x1b[31m", RECORDS[:1])
        done = octavo("diff", "\x1b[31m.ffr", "a.ffr", check=1)
        assert "\x1b" not in done.text + done.stderr


class TestTrouble:
    def test_a_damaged_file_is_a_failure_that_names_it(self, octavo, tmp_path):
        content = FFRECORD.encode(RECORDS)
        FFRECORD.write(tmp_path / "a", RECORDS)
        (tmp_path / "b.ffr").write_bytes(flipped(content, len(content) - 1))
        for pair in (("a.ffr", "b.ffr"), ("b.ffr", "a.ffr")):
            done = octavo("diff", *pair, check=1)
            assert done.stdout == b""
            assert done.stderr.startswith(f"octavo: {tmp_path}/b.ffr: record 99 at byte ")

    @pytest.mark.parametrize(
        "arguments", [("missing.ffr", "a.ffr"), ("a.ffr", "missing.ffr"), ("--json", "a.ffr", "x*")]
    )
    def test_a_missing_file_is_a_failure(self, octavo, tmp_path, arguments):
        FFRECORD.write(tmp_path / "a", RECORDS)
        done = octavo("diff", *arguments, check=1)
        assert done.stdout == b""
        assert done.stderr.startswith("octavo: ")

    @pytest.mark.parametrize(
        "arguments", [(), ("a.ffr",), ("-", "-"), ("a.ffr", "a.ffr", "a.ffr"), ("--limit", 0, "a", "b")]
    )
    def test_wrong_usage_is_told_as_that(self, octavo, tmp_path, arguments):
        FFRECORD.write(tmp_path / "a", RECORDS)
        octavo("diff", *arguments, check=2)

    def test_an_interrupt_ends_it_quietly(self, tmp_path):
        path = FFRECORD.write(tmp_path / "part", [os.urandom(1000)] * 4000)
        (tmp_path / "set").mkdir()
        for number in range(2000):
            os.link(path, tmp_path / "set" / f"{number:05d}.ffr")
        with on_a_terminal(tmp_path, "diff", "set", "set") as started:
            started.wait_for(lambda: "diff" in started.shown)
            started.interrupt()
            status, stdout = started.end()
        assert (status, stdout) == (130, b"")
        assert "octavo: interrupted" in started.shown

"""`octavo verify`: what is damaged, and an exit status that says so."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from octavo import append, create, write_index
from tests.cli.terminals import on_a_terminal
from tests.naive.riegeli import CHUNK_HEADER
from tests.unit.damage import damage_chunks, flipped, index_chunks, pieces
from tests.unit.layouts import CHUNKED, FFRECORD, GROUPED, LAYOUTS, LONE, RECORDIO, TFRECORD, Layout

RECORDS = [f"record {number}".encode() for number in range(100)]
HINT = "octavo: 'octavo recover' writes what is intact into a new file\n"


@pytest.fixture(params=LAYOUTS.values(), ids=list(LAYOUTS))
def layout(request: pytest.FixtureRequest) -> Layout:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(params=CHUNKED.values(), ids=list(CHUNKED))
def chunked(request: pytest.FixtureRequest) -> Layout:
    return request.param  # type: ignore[no-any-return]


def damaged_ffrecord(path: Path, *numbers: int) -> Path:
    content = FFRECORD.encode(RECORDS)
    for number in numbers:
        content = flipped(content, content.index(RECORDS[number]))
    path.write_bytes(content)
    return path


class TestSoundFiles:
    def test_a_sound_file_is_told_in_one_line(self, octavo, layout, tmp_path):
        path = layout.write(tmp_path / "sound", RECORDS)
        done = octavo("verify", path.name)
        assert done.lines[0].startswith("1 file, 100 records, ")
        assert done.lines[0].endswith(" checked: no damage")
        assert len(done.lines) == 1
        assert done.stderr == ""

    def test_json_has_these_keys_and_no_others(self, octavo, layout, tmp_path):
        path = layout.write(tmp_path / "sound", RECORDS)
        assert octavo("verify", "--json", path.name).json == {
            "ok": True,
            "files": 1,
            "records": 100,
            "bytes": path.stat().st_size,
            "damaged_records": 0,
            "damage": [],
            "failed": [],
        }

    def test_a_directory_a_glob_and_a_sharded_name_are_all_their_files(self, octavo, tmp_path):
        for number in range(4):
            TFRECORD.write(tmp_path / "set" / f"train-{number:05d}-of-00004", RECORDS)
        for location in ("set", "set/*.tfrecord", "set/train@4.tfrecord"):
            assert octavo("verify", location, "--json").json["records"] == 400

    def test_a_thousand_shards_are_one_data_set(self, octavo, tmp_path):
        content = RECORDIO.encode(RECORDS[:3])
        for number in range(1000):
            (tmp_path / f"part-{number:05d}.recordio").write_bytes(content)
        done = octavo("verify", tmp_path)
        assert done.text.startswith("1,000 files, 3,000 records, ")

    def test_files_of_different_formats_are_each_checked_as_what_they_are(self, octavo, tmp_path):
        for name, one in LAYOUTS.items():
            one.write(tmp_path / "set" / name, RECORDS)
        assert octavo("verify", "set", "--json").json["records"] == 100 * len(LAYOUTS)

    def test_a_file_without_records_is_sound(self, octavo, layout, tmp_path):
        path = layout.write(tmp_path / "empty", [])
        assert octavo("verify", path.name).text.startswith("1 file, 0 records, ")

    def test_standard_input_is_a_file(self, octavo):
        assert octavo("verify", "-", stdin=GROUPED.encode(RECORDS)).text.startswith("1 file, 100 records, ")

    def test_the_format_can_be_told(self, octavo, tmp_path):
        path = LAYOUTS["riegeli"].write(tmp_path / "sound", RECORDS).rename(tmp_path / "plain")
        octavo("verify", path.name, check=3)  # taken for an ArrayRecord file without its end
        octavo("verify", path.name, "--format", "riegeli")

    def test_indexes_beside_files_are_left_out(self, octavo, tmp_path):
        path = TFRECORD.write(tmp_path / "sound", RECORDS)
        write_index(path)
        names = sorted(os.listdir(tmp_path))
        assert names == ["sound.tfrecord", "sound.tfrecord.octx"]
        assert octavo("verify", *names).text.startswith("1 file, 100 records, ")


class TestDamage:
    def test_a_damaged_record_is_listed_with_its_place(self, octavo, tmp_path):
        damaged_ffrecord(tmp_path / "damaged.ffr", 17)
        done = octavo("verify", "damaged.ffr", check=3)
        place = FFRECORD.encode(RECORDS).index(b"record 17")
        assert done.lines[0].startswith(f"damaged.ffr: record 17, at byte {place}: checksum 0x")
        assert "intact" not in done.text
        assert done.lines[1].endswith("checked: 1 record damaged, in 1 place")
        assert done.stderr == HINT

    def test_a_damaged_chunk_is_one_place_with_all_its_records(self, octavo, chunked, tmp_path):
        content = chunked.encode(RECORDS)
        piece = pieces(chunked, content)[3]
        path = tmp_path / f"damaged{chunked.suffix}"
        path.write_bytes(damage_chunks(chunked, content, 3))
        (one,) = octavo("verify", path.name, "--json", check=3).json["damage"]
        reason = one.pop("reason")
        assert one == {
            "path": path.name,
            "record": piece.records.start,
            "record_in_file": piece.records.start,
            "records": len(piece.records),
            "to_the_end": False,
            "offset": piece.offset,
        }
        assert reason.startswith(("data hash 0x", "checksum 0x"))
        assert ";" not in reason

    def test_numbers_are_those_within_the_file_and_in_json_also_those_of_all(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", RECORDS)
        damaged_ffrecord(tmp_path / "b.ffr", 17)
        assert octavo("verify", "a.ffr", "b.ffr", check=3).text.startswith("b.ffr: record 17, at byte ")
        (one,) = octavo("verify", "a.ffr", "b.ffr", "--json", check=3).json["damage"]
        assert (one["record"], one["record_in_file"]) == (117, 17)

    def test_a_header_that_leads_nowhere_costs_everything_behind_it(self, octavo, tmp_path):
        content = TFRECORD.encode(RECORDS)
        path = tmp_path / "damaged.tfrecord"
        path.write_bytes(flipped(content, pieces(TFRECORD, content)[40].offset))
        done = octavo("verify", path.name, check=3)
        assert done.text.startswith("damaged.tfrecord: from record 40 on, at byte ")
        assert "at least 1 record damaged" in done.text
        (one,) = octavo("verify", path.name, "--json", check=3).json["damage"]
        assert (one["record"], one["to_the_end"]) == (40, True)

    @pytest.mark.parametrize("which", [0, 1], ids=["footer", "postscript"])
    def test_a_damaged_index_is_damage_of_the_file(self, octavo, tmp_path, which):
        content = GROUPED.encode(RECORDS)
        path = tmp_path / "damaged.array_record"
        path.write_bytes(flipped(content, index_chunks(content)[which] + CHUNK_HEADER + 30))
        done = octavo("verify", path.name, check=3)
        assert done.text.startswith("damaged.array_record: the ")
        assert "1 file, 0 records, " in done.text

    def test_a_file_with_a_damaged_index_costs_all_its_records(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "a", RECORDS)
        (tmp_path / "b.ffr").write_bytes(flipped(FFRECORD.encode(RECORDS), 0))
        told = octavo("verify", "a.ffr", "b.ffr", "--json", check=3).json
        assert [(one["record"], one["records"]) for one in told["damage"]] == [(None, 100)]

    def test_a_truncated_file_is_damaged(self, octavo, layout, tmp_path):
        path = tmp_path / f"cut{layout.suffix}"
        path.write_bytes(layout.encode(RECORDS)[:-3])
        told = octavo("verify", path.name, "--json", check=3).json
        assert told["damage"]
        assert told["failed"] == []

    def test_a_torn_append_is_damage_that_costs_no_record(self, octavo, tmp_path):
        path = RECORDIO.write(tmp_path / "torn", RECORDS)
        whole = path.stat().st_size
        with append(path) as writer:
            writer.write(b"one more")
        path.write_bytes(path.read_bytes()[:-3])
        done = octavo("verify", path.name, check=3)
        size = path.stat().st_size - whole
        assert done.lines == [
            f"torn.recordio: at byte {whole}: the last {size} bytes are an interrupted append, or the file was cut off",
            f"1 file, 100 records, {_size(path)} checked: damaged in 1 place",
        ]

    def test_an_unfinished_write_is_damage(self, octavo, layout, tmp_path):
        path = tmp_path / f"killed{layout.suffix}"
        writer = create(path, **dict(layout.options))
        writer.write_many(RECORDS)
        writer.flush()
        left = shutil.copy(f"{path}.partial", tmp_path / f"left{layout.suffix}.partial")
        writer.abort()
        octavo("verify", os.path.basename(left), check=3)

    @pytest.mark.parametrize("suffix", [".ffr", ".array_record", ".riegeli"])
    def test_a_file_of_no_bytes_is_damaged_where_its_format_has_a_header(self, octavo, tmp_path, suffix):
        (tmp_path / f"empty{suffix}").touch()
        octavo("verify", f"empty{suffix}", check=3)

    def test_the_list_ends_where_people_would_stop_reading(self, octavo, tmp_path):
        damaged_ffrecord(tmp_path / "damaged.ffr", *range(0, 100, 2))
        done = octavo("verify", "damaged.ffr", check=3)
        assert [line.partition(",")[0] for line in done.lines[:3]] == [
            "damaged.ffr: record 0",
            "damaged.ffr: record 2",
            "damaged.ffr: record 4",
        ]
        assert len(done.lines) == 22
        assert done.lines[20] == "... and 30 more"
        assert done.lines[21].endswith("checked: 50 records damaged, in 50 places")
        assert len(octavo("verify", "damaged.ffr", "--limit", 1000, check=3).lines) == 51
        assert octavo("verify", "damaged.ffr", "--limit", 0, check=3).lines[0] == "... and 50 more"
        assert len(octavo("verify", "damaged.ffr", "--limit", 0, "--json", check=3).json["damage"]) == 50

    def test_damage_on_standard_input_has_its_name(self, octavo):
        content = damage_chunks(LONE, LONE.encode(RECORDS), 3)
        assert octavo("verify", "-", stdin=content, check=3).text.startswith("-: record 3, at byte ")
        (one,) = octavo("verify", "-", "--json", stdin=content, check=3).json["damage"]
        assert one["path"] == "-"


class TestWhatCannotBeRead:
    def test_a_missing_file_is_a_failure(self, octavo, tmp_path):
        done = octavo("verify", "missing.ffr", check=1)
        assert done.stdout == b""
        assert done.stderr.startswith(f"octavo: {tmp_path}/missing.ffr: cannot open: ")
        assert done.stderr.count("\n") == 1

    def test_a_missing_file_among_others_does_not_keep_them_from_being_checked(self, octavo, tmp_path):
        damaged_ffrecord(tmp_path / "b.ffr", 17)
        FFRECORD.write(tmp_path / "c", RECORDS)
        done = octavo("verify", "a.ffr", "b.ffr", "c.ffr", check=1)
        assert done.lines[0].startswith("b.ffr: record 17, ")
        assert done.lines[1].startswith("2 files, 200 records, ")
        assert "a.ffr: cannot open: " in done.stderr

    def test_a_pattern_without_files_among_others_neither(self, octavo, tmp_path):
        FFRECORD.write(tmp_path / "c", RECORDS)
        done = octavo("verify", "a*.ffr", "b@3.ffr", "c.ffr", "--json", check=1)
        assert (done.json["ok"], done.json["files"]) == (False, 1)
        assert len(done.json["failed"]) == 2
        assert done.json["failed"][0] == {"path": "a*.ffr", "error": "a*.ffr: no file matches the pattern"}

    def test_a_file_that_is_no_record_file_is_a_failure_and_no_damage(self, octavo, tmp_path):
        (tmp_path / "notes.txt").write_text("nothing of the kind")
        FFRECORD.write(tmp_path / "c", RECORDS)
        done = octavo("verify", "notes.txt", "c.ffr", check=1)
        assert done.text.startswith("1 file, 100 records, ")
        assert "notes.txt: not a record file octavo knows" in done.stderr
        assert "--format" in done.stderr

    def test_a_file_that_may_not_be_read_is_a_failure(self, octavo, tmp_path):
        path = FFRECORD.write(tmp_path / "secret", RECORDS)
        path.chmod(0)
        if os.access(path, os.R_OK):
            pytest.skip("this user may read everything")
        octavo("verify", path.name, check=1)

    def test_a_directory_without_record_files_is_a_failure(self, octavo, tmp_path):
        (tmp_path / "bare").mkdir()
        assert "the directory has no record files" in octavo("verify", "bare", check=1).stderr

    @pytest.mark.parametrize(
        "arguments", [(), ("-", "a.ffr"), ("a.ffr", "--limit", "-1"), ("a.ffr", "--format", "zip")]
    )
    def test_wrong_usage_is_told_as_that(self, octavo, tmp_path, arguments):
        FFRECORD.write(tmp_path / "a", RECORDS)
        octavo("verify", *arguments, check=2)


class TestNames:
    @pytest.mark.parametrize(
        "name", ["two words", "[bold]x[0]", "-x", "naïve", "\x1b[31mred\x1b[0m", "a\nb", "ab\u202ecd"]
    )
    def test_names_of_all_kinds_are_shown_harmlessly(self, octavo, tmp_path, name):
        damaged_ffrecord(tmp_path / f"{name}.ffr", 3)
        done = octavo("verify", f"./{name}.ffr", check=3)
        assert "record 3, at byte" in done.lines[0]
        assert not set("\x1b\u202e") & set(done.text)
        assert len(done.lines) == 2
        (one,) = octavo("verify", "--json", f"./{name}.ffr", check=3).json["damage"]
        assert one["path"] == f"{name}.ffr"

    def test_a_name_that_is_no_text_is_shown_byte_by_byte(self, octavo, tmp_path):
        path = damaged_ffrecord(tmp_path / "plain.ffr", 3)
        try:
            os.rename(path, os.path.join(os.fsencode(tmp_path), b"\xff.ffr"))
        except OSError:
            pytest.skip("names have to be text here")
        assert octavo("verify", b"\xff.ffr", check=3).text.startswith("\\xff.ffr: record 3, at byte ")
        (tmp_path / os.fsdecode(b"\xff.array_record")).touch()
        assert octavo("verify", b"\xff.array_record", check=3).text.startswith("\\xff.array_record: not a record file")


class TestTerminals:
    def test_a_bar_shows_rate_and_remaining_time(self, tmp_path):
        path = FFRECORD.write(tmp_path / "sound", [bytes(1000)] * 4000)
        with on_a_terminal(tmp_path, "verify", *[path.name] * 100) as started:
            status, stdout = started.end()
        assert status == 0
        assert stdout.startswith(b"100 files, 400,000 records, ")
        assert "verify" in started.shown
        assert "100%" in started.shown
        assert "records/s" in started.shown

    @pytest.mark.parametrize(
        ("layout", "times"), [(FFRECORD, 8000), (LAYOUTS["tfrecord-gzip"], 800)], ids=["while reading", "while opening"]
    )
    def test_an_interrupt_ends_it_quietly(self, tmp_path, layout, times):
        path = layout.write(tmp_path / "sound", [os.urandom(1000)] * 4000)
        with on_a_terminal(tmp_path, "verify", *[path.name] * times) as started:
            started.wait_for(lambda: "verify" in started.shown)
            started.interrupt()
            status, stdout = started.end()
        assert status == 130
        assert stdout == b""
        assert "octavo: interrupted" in started.shown


def _size(path: Path) -> str:
    from octavo._wording import size

    return size(path.stat().st_size)

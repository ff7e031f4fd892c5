"""`octavo recover`: what is intact in a new file, what is not in a list, and an exit status that says which."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from octavo import create, open, verify
from tests.cli.terminals import on_a_terminal
from tests.naive.riegeli import CHUNK_HEADER
from tests.unit.damage import damage_chunks, flipped, index_chunks, pieces
from tests.unit.layouts import CHUNKED, FFRECORD, GROUPED, LAYOUTS, RECORDIO, TFRECORD, Layout

RECORDS = [f"record {number}".encode() for number in range(100)]


@pytest.fixture(params=LAYOUTS.values(), ids=list(LAYOUTS))
def layout(request: pytest.FixtureRequest) -> Layout:
    return request.param  # type: ignore[no-any-return]


def left_by_a_killed_writer(folder: Path, layout: Layout, name: str = "left") -> Path:
    writer = create(folder / f"killed{layout.suffix}", **dict(layout.options))
    writer.write_many(RECORDS)
    writer.flush()
    left = folder / f"{name}{layout.suffix}.partial"
    shutil.copy(folder / f"killed{layout.suffix}.partial", left)
    writer.abort()
    return left


def damaged_tfrecord(path: Path, *numbers: int) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(damage_chunks(TFRECORD, TFRECORD.encode(RECORDS), *numbers))
    return path


def read(path: Path) -> list[bytes]:
    """What was saved; the file must be sound."""
    assert verify(path).ok
    with open(path) as reader:
        return reader.read_all()


class TestOneFile:
    def test_of_a_sound_file_nothing_is_lost(self, octavo, layout, tmp_path):
        source = layout.write(tmp_path / "source", RECORDS)
        done = octavo("recover", source.name, f"target{layout.suffix}")
        assert done.text == f"100 records saved in target{layout.suffix}, 0 lost\n"
        assert done.stderr == ""
        assert read(tmp_path / f"target{layout.suffix}") == RECORDS

    @pytest.mark.parametrize("name", CHUNKED)
    def test_what_is_damaged_is_left_out_and_listed(self, octavo, tmp_path, name):
        layout = CHUNKED[name]
        content = layout.encode(RECORDS)
        piece = pieces(layout, content)[3]
        source = tmp_path / f"damaged{layout.suffix}"
        source.write_bytes(damage_chunks(layout, content, 3))
        done = octavo("recover", source.name, f"target{layout.suffix}", "--json", check=3)
        told = done.json
        (lost,) = told["results"][0]["lost"]
        assert list(told) == ["ok", "records", "lost_records", "results"]
        assert (told["ok"], told["records"], told["lost_records"]) == (
            False,
            100 - len(piece.records),
            len(piece.records),
        )
        assert list(lost) == ["offset", "end", "record", "records", "reason"]
        assert (lost["offset"], lost["record"], lost["records"]) == (
            piece.offset,
            piece.records.start,
            len(piece.records),
        )
        assert (
            read(tmp_path / f"target{layout.suffix}") == RECORDS[: piece.records.start] + RECORDS[piece.records.stop :]
        )

    def test_text_tells_the_same(self, octavo, tmp_path):
        content = RECORDIO.encode(RECORDS)
        first, *_, last = pieces(RECORDIO, content)
        (tmp_path / "damaged.recordio").write_bytes(damage_chunks(RECORDIO, content, 0, -1))
        done = octavo("recover", "damaged.recordio", "target.recordio", check=3)
        second = pieces(RECORDIO, content)[1].offset
        assert done.lines[0].startswith(f"damaged.recordio: bytes 0 to {second - 1}, records 0 to 4: checksum 0x")
        assert done.lines[1].startswith(
            f"damaged.recordio: bytes {last.offset} to {len(content) - 1}, records 95 to 99: "
        )
        assert done.lines[2] == "90 records saved in target.recordio, 10 lost"
        assert first.offset == 0

    def test_json_of_one_file_has_these_keys_and_no_others(self, octavo, tmp_path):
        source = GROUPED.write(tmp_path / "source", RECORDS)
        assert octavo("recover", "--json", source.name, "target.array_record").json == {
            "ok": True,
            "records": 100,
            "lost_records": 0,
            "results": [
                {
                    "source": source.name,
                    "target": "target.array_record",
                    "ok": True,
                    "format": "array_record",
                    "records": 100,
                    "lost_records": 0,
                    "lost": [],
                    "error": None,
                }
            ],
        }

    @pytest.mark.parametrize("which", [0, 1], ids=["footer", "postscript"])
    def test_a_damaged_index_costs_no_record(self, octavo, tmp_path, which):
        content = GROUPED.encode(RECORDS)
        path = tmp_path / "damaged.array_record"
        path.write_bytes(flipped(content, index_chunks(content)[which] + CHUNK_HEADER + 30))
        octavo("recover", path.name, "target.array_record")
        assert read(tmp_path / "target.array_record") == RECORDS

    def test_a_truncated_file_has_lost_nobody_knows_how_many(self, octavo, tmp_path):
        (tmp_path / "cut.tfrecord").write_bytes(TFRECORD.encode(RECORDS)[:-90])
        done = octavo("recover", "cut.tfrecord", "target.tfrecord", check=3)
        assert "an unknown number of records" in done.lines[0]
        assert done.lines[-1].endswith("records saved in target.tfrecord; nobody can tell how many are lost")
        assert (
            octavo("recover", "cut.tfrecord", "-f", "target.tfrecord", "--json", check=3).json["lost_records"] is None
        )

    def test_what_a_killed_writer_left_is_saved(self, octavo, layout, tmp_path):
        left = left_by_a_killed_writer(tmp_path, layout)
        done = octavo("recover", left.name, left.name.removesuffix(".partial"), check=None)
        assert done.returncode == 3  # what was not flushed is not known
        assert read(tmp_path / f"left{layout.suffix}") == RECORDS

    @pytest.mark.parametrize("place", range(0, 2400, 240))
    def test_a_wrong_bit_anywhere_costs_little_or_is_told(self, octavo, tmp_path, place):
        content = LAYOUTS["array_record-7"].encode(RECORDS)
        (tmp_path / "damaged.array_record").write_bytes(flipped(content, place % len(content)))
        octavo("recover", "damaged.array_record", "target.array_record", check=None)
        assert len(read(tmp_path / "target.array_record")) >= 93

    def test_the_list_is_bounded(self, octavo, tmp_path):
        damaged_tfrecord(tmp_path / "damaged.tfrecord", *range(0, 100, 2))
        done = octavo("recover", "damaged.tfrecord", "target.tfrecord", check=3)
        assert done.lines[20:] == ["... and 30 more", "50 records saved in target.tfrecord, 50 lost"]
        limited = octavo("recover", "damaged.tfrecord", "target.tfrecord", "--force", "--limit", 1, check=3)
        assert limited.lines[1] == "... and 49 more"


class TestWhatItIs:
    def test_a_file_that_nothing_tells_the_format_of_is_refused_with_the_remedy(self, octavo, tmp_path):
        (tmp_path / "noise").write_bytes(bytes(1000))
        done = octavo("recover", "noise", "target", check=1)
        said = "nothing tells the source's format: pass --format tfrecord, if it is TFRecord"
        assert done.stderr == f"octavo: {tmp_path}/noise: {said}\n"
        assert os.listdir(tmp_path) == ["noise"]

    def test_where_only_the_target_tells_it_is_searched_for_that_and_that_is_said(self, octavo, tmp_path):
        (tmp_path / "noise").write_bytes(bytes(1000))
        done = octavo("recover", "noise", "target.tfrecord", check=3)
        assert done.lines[-1].startswith("0 records saved in target.tfrecord")
        assert done.stderr.startswith("octavo: noise: the name does not tell its format")
        assert done.stderr.endswith("it was searched for tfrecord: --format names another\n")

    def test_the_format_can_be_told(self, octavo, tmp_path):
        content = bytearray(LAYOUTS["riegeli"].encode(RECORDS))
        content[:70] = bytes(70)
        (tmp_path / "plain").write_bytes(content)
        done = octavo("recover", "plain", "target", "--format", "riegeli", check=3)
        assert "--format" not in done.stderr
        assert len(open(tmp_path / "target", format="riegeli")) == 95

    def test_a_beginning_that_is_lost_does_not_matter_where_the_name_tells(self, octavo, tmp_path):
        content = bytearray(RECORDIO.encode(RECORDS))
        content[:10] = bytes(10)
        (tmp_path / "damaged.recordio").write_bytes(content)
        done = octavo("recover", "damaged.recordio", "target.recordio", check=3)
        assert done.stderr == ""
        assert len(read(tmp_path / "target.recordio")) == 95

    def test_nothing_intact_is_said(self, octavo, tmp_path):
        (tmp_path / "noise.tfrecord").write_bytes(bytes(1000))
        done = octavo("recover", "noise.tfrecord", "target.tfrecord", check=3)
        assert done.stderr == "octavo: noise.tfrecord: it was searched for tfrecord, and nothing is intact\n"


class TestRefusals:
    def test_a_file_that_exists_is_kept_without_force(self, octavo, tmp_path):
        RECORDIO.write(tmp_path / "source", RECORDS)
        (tmp_path / "target.recordio").write_bytes(b"older")
        done = octavo("recover", "source.recordio", "target.recordio", check=1)
        assert done.stdout == b""
        assert done.stderr == f"octavo: {tmp_path}/target.recordio: it exists already; --force replaces it\n"
        assert (tmp_path / "target.recordio").read_bytes() == b"older"
        octavo("recover", "source.recordio", "target.recordio", "--force")
        assert read(tmp_path / "target.recordio") == RECORDS

    def test_what_cannot_be_recovered_leaves_nothing(self, octavo, tmp_path):
        (tmp_path / "damaged.ffr").write_bytes(FFRECORD.encode(RECORDS)[:7])
        done = octavo("recover", "damaged.ffr", "target.ffr", check=1)
        assert done.stderr.startswith(f"octavo: {tmp_path}/damaged.ffr: ")
        assert "needs at least 12" in done.stderr
        assert os.listdir(tmp_path) == ["damaged.ffr"]

    def test_a_missing_file_is_a_failure(self, octavo):
        assert "cannot open" in octavo("recover", "missing.ffr", "target.ffr", check=1).stderr

    @pytest.mark.parametrize(
        "arguments",
        [
            ("-", "target.ffr"),
            ("a.ffr", "-"),
            ("a.ffr",),
            ("a.ffr", "a.ffr"),
            ("a.ffr", "b.tfrecord"),
            ("a.ffr", "b.ffr", "c.ffr"),
            ("a.ffr", "b.ffr", "a.ffr"),
            ("a.ffr", "."),
            ("a.ffr", "b.ffr", "--format", "zip"),
        ],
        ids=" ".join,
    )
    def test_wrong_usage_is_told_as_that_and_changes_nothing(self, octavo, tmp_path, arguments):
        FFRECORD.write(tmp_path / "a", RECORDS)
        done = octavo("recover", *arguments, check=2)
        assert done.stdout == b""
        assert os.listdir(tmp_path) == ["a.ffr"]

    def test_standard_input_is_refused_in_words(self, octavo):
        told = octavo("recover", "-", "target.ffr", check=2).stderr
        assert told == "octavo: recover goes back and forth in a file: name files, '-' is none\n"


class TestManyFiles:
    @pytest.mark.parametrize("source", ["set", "set/*.tfrecord", "set/part@3.tfrecord"])
    def test_all_of_them_go_into_a_directory(self, octavo, tmp_path, source):
        for number in range(3):
            damaged_tfrecord(tmp_path / "set" / f"part-{number:05d}-of-00003.tfrecord", *range(number))
        done = octavo("recover", source, "saved/", check=3)
        assert done.lines[-5:] == [
            "file                              saved  lost",
            "set/part-00000-of-00003.tfrecord    100     0",
            "set/part-00001-of-00003.tfrecord     99     1",
            "set/part-00002-of-00003.tfrecord     98     2",
            "297 records saved from 3 of 3 files, 3 lost",
        ]
        assert [len(read(path)) for path in sorted((tmp_path / "saved").iterdir())] == [100, 99, 98]

    def test_arguments_may_be_many_as_a_shell_makes_them(self, octavo, tmp_path):
        for name in "abc":
            RECORDIO.write(tmp_path / name, RECORDS)
        (tmp_path / "saved").mkdir()
        done = octavo("recover", "a.recordio", "b.recordio", "c.recordio", "saved")
        assert done.lines[-1] == "300 records saved from 3 of 3 files, 0 lost"
        assert sorted(os.listdir(tmp_path / "saved")) == ["a.recordio", "b.recordio", "c.recordio"]

    def test_one_file_goes_into_a_directory_too(self, octavo, tmp_path):
        RECORDIO.write(tmp_path / "a", RECORDS)
        octavo("recover", "a.recordio", "saved/")
        assert os.listdir(tmp_path / "saved") == ["a.recordio"]

    def test_what_killed_writers_left_becomes_what_it_was_to_be(self, octavo, tmp_path):
        left_by_a_killed_writer(tmp_path, RECORDIO, "a")
        TFRECORD.write(tmp_path / "b", RECORDS)
        octavo("recover", tmp_path, "saved", check=3)  # what was not flushed is not known
        assert sorted(os.listdir(tmp_path / "saved")) == ["a.recordio", "b.tfrecord"]
        octavo("recover", "*.partial", "again", check=3)
        assert os.listdir(tmp_path / "again") == ["a.recordio"]

    def test_one_that_cannot_be_recovered_does_not_keep_the_others(self, octavo, tmp_path):
        (tmp_path / "a.ffr").write_bytes(FFRECORD.encode(RECORDS)[:7])
        FFRECORD.write(tmp_path / "b", RECORDS)
        done = octavo("recover", "a.ffr", "b.ffr", "missing.ffr", "saved", check=1)
        assert done.lines == [
            "file          saved  lost",
            "a.ffr        failed",
            "b.ffr           100     0",
            "missing.ffr  failed",
            "100 records saved from 1 of 3 files, 0 lost",
        ]
        assert "a.ffr: " in done.stderr
        assert "missing.ffr: cannot open" in done.stderr
        told = octavo("recover", "a.ffr", "b.ffr", "saved", "--force", "--json", check=1).json
        assert (told["ok"], told["records"]) == (False, 100)
        failed, fine = told["results"]
        assert (failed["ok"], failed["records"], failed["lost"]) == (False, None, [])
        assert failed["error"].startswith(f"{tmp_path}/a.ffr: ")
        assert (fine["ok"], fine["error"]) == (True, None)

    def test_files_that_exist_are_kept_and_the_others_are_recovered(self, octavo, tmp_path):
        for name in "abc":
            RECORDIO.write(tmp_path / name, RECORDS)
        octavo("recover", "a.recordio", "saved/")
        before = (tmp_path / "saved" / "a.recordio").stat().st_ino
        done = octavo("recover", "*.recordio", "saved/", check=1)
        assert done.lines[1:] == [
            "a.recordio  exists",
            "b.recordio     100     0",
            "c.recordio     100     0",
            "200 records saved from 2 of 3 files, 0 lost",
        ]
        assert (tmp_path / "saved" / "a.recordio").stat().st_ino == before
        assert "--force" in done.stderr
        octavo("recover", "*.recordio", "saved/", "--force")

    def test_two_files_for_one_name_are_refused_before_anything_is_done(self, octavo, tmp_path):
        left_by_a_killed_writer(tmp_path, RECORDIO, "a")
        RECORDIO.write(tmp_path / "a", RECORDS)
        done = octavo("recover", ".", "saved", check=2)
        assert "would both become" in done.stderr
        assert not (tmp_path / "saved").exists()

    def test_a_directory_that_was_made_for_nothing_goes_again(self, octavo, tmp_path):
        (tmp_path / "a.ffr").touch()
        octavo("recover", "a.ffr", "saved/", check=1)
        assert os.listdir(tmp_path) == ["a.ffr"]

    @pytest.mark.parametrize("source", ["*.ffr", "bare", "part@3.ffr"])
    def test_nothing_to_recover_is_a_failure(self, octavo, tmp_path, source):
        (tmp_path / "bare").mkdir()
        octavo("recover", source, "saved/", check=1)
        assert not (tmp_path / "saved").exists()

    def test_names_of_all_kinds_are_kept_and_shown_harmlessly(self, octavo, tmp_path):
        names = ["two words", "[x]", "\x1b[31mred", "a\nb"]
        for name in names:
            damaged_tfrecord(tmp_path / "set" / f"{name}.tfrecord", 3)
        done = octavo("recover", "set", "saved", check=3)
        assert sorted(os.listdir(tmp_path / "saved")) == sorted(f"{name}.tfrecord" for name in names)
        assert "\x1b" not in done.text
        assert len(done.lines) == 4 + 1 + 4 + 1


class TestTerminals:
    def test_a_bar_shows_bytes(self, tmp_path):
        for number in range(20):
            TFRECORD.write(tmp_path / "set" / str(number), [bytes(1000)] * 1000)
        with on_a_terminal(tmp_path, "recover", "set", "saved") as started:
            status, stdout = started.end()
        assert status == 0
        assert stdout.endswith(b"20,000 records saved from 20 of 20 files, 0 lost\n")
        assert "recover" in started.shown
        assert "B/s" in started.shown

    def test_an_interrupt_leaves_whole_files_and_nothing_else(self, tmp_path):
        whole = TFRECORD.write(tmp_path / "whole", [os.urandom(1000)] * 4000)
        (tmp_path / "set").mkdir()
        for number in range(400):
            os.link(whole, tmp_path / "set" / f"{number:03d}.tfrecord")
        saved = tmp_path / "saved"
        with on_a_terminal(tmp_path, "recover", "set", "saved") as started:
            started.wait_for(lambda: saved.is_dir() and len(os.listdir(saved)) > 2)
            started.interrupt()
            status, stdout = started.end()
        assert status == 130
        assert stdout == b""
        done = sorted(os.listdir(saved))
        assert done == [f"{number:03d}.tfrecord" for number in range(len(done))]
        # The last file may have appeared at the moment of the interrupt.
        told = [f"octavo: interrupted: {count} of 400 files recovered" for count in (len(done), len(done) - 1)]
        assert any(one in started.shown for one in told)
        assert {(saved / name).stat().st_size for name in done} == {whole.stat().st_size}

"""`octavo bench`: its report is whole for every kind of data set, and nothing stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import octavo as library
from octavo._bench import _candidates, _device, _opening, _sample, _timing, bench
from octavo.cli import _bench_text
from octavo.errors import StorageError

SHORT = ("--seconds", "0.1")
RATES = ("decode_all_cpus", "iterate", "read", "read_batch", "single")


def write(path: Path, count: int = 20_000, size: int = 100, **options: Any) -> Path:
    with library.create(path, **options) as writer:
        writer.write_many((f"record {number} " * (size // 8 + 1))[:size].encode() for number in range(count))
    return path


@pytest.fixture
def _time_stands_still(monkeypatch) -> None:
    """Each measurement ends, but the time for all of them is never over: on a busy machine no setting is left out."""
    standing = types.SimpleNamespace(monotonic=lambda: 0.0, perf_counter=time.perf_counter)
    for module in (_timing, _candidates):
        monkeypatch.setattr(module, "time", standing)


def temporary(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "temporary").mkdir(exist_ok=True)
    return {"TMPDIR": str(tmp_path / "temporary")}


class TestReport:
    @pytest.mark.parametrize(
        ("name", "options"),
        [
            ("a.ffr", {}),
            ("a.array_record", {"group_size": 16}),
            ("a.array_record", {"codec": "none", "pad_to_block_boundary": True, "group_size": 2000}),
            ("a.array_record", {"group_size": 100, "transpose": True}),
            ("a.riegeli", {}),
            ("a.recordio", {}),
            ("a.recordio", {"dialect": "paddle-cpp", "group_size": 10}),
            ("a.tfrecord", {}),
            ("a.tfrecord.gz", {}),
        ],
        ids=lambda value: value if isinstance(value, str) else ",".join(value),
    )
    def test_every_format_is_measured_and_tried(self, monkeypatch, tmp_path: Path, name: str, options: Any) -> None:
        path = write(tmp_path / name, **options)
        monkeypatch.setattr("tempfile.tempdir", temporary(tmp_path)["TMPDIR"])
        report = bench(path, seconds=0.1)
        assert report.subject.setting.format == library.open(path).info.format
        assert report.subject.record_count == 20_000
        assert report.subject.total_bytes == path.stat().st_size
        for stage in RATES:
            rate = getattr(report.measured, stage)
            assert rate.records_per_s > 0
            assert rate.bytes_per_s > 0
            assert max(rate.rounds) == rate.records_per_s
        present, *others = report.trial.candidates
        assert present.is_present
        assert others
        assert not any(one.is_present for one in others)
        assert [one.use for one in report.bottlenecks] == ["in_order", "at_random"]
        assert {"random", "scan", "size", "threads"} <= {one.goal for one in report.advice}
        assert os.listdir(tmp_path / "temporary") == []

    def test_json_says_everything_and_explains_it(self, octavo, tmp_path: Path) -> None:
        write(tmp_path / "a.array_record", group_size=16)
        report = octavo("bench", "a.array_record", *SHORT, "--json", environment=temporary(tmp_path)).json
        assert set(report) == {
            "subject", "machine", "sample_records", "sample_bytes", "batch",
            "measured", "trial", "bottlenecks", "advice",
        }  # fmt: skip
        assert set(report["measured"]) > set(RATES)
        assert report["machine"]["cpus"] >= 1
        assert 0 < report["sample_records"] <= 20_000
        assert all("the limit" in one["explanation"] for one in report["bottlenecks"])
        assert all(one["explanation"] for one in report["advice"])
        assert all((one["command"] is None) or one["is_worth_it"] for one in report["advice"])
        assert os.listdir(tmp_path / "temporary") == []

    def test_the_present_setting_is_what_the_file_was_written_with(self, octavo, tmp_path: Path) -> None:
        write(tmp_path / "a.array_record", codec="brotli:4", group_size=50)
        present = octavo("bench", "a.array_record", *SHORT, "--json").json["trial"]["candidates"][0]
        assert (present["setting"]["codec"], present["setting"]["group_size"]) == ("brotli:4", 50)

    def test_ffrecord_has_no_options_so_that_conversion_is_tried(self, octavo, tmp_path: Path) -> None:
        write(tmp_path / "a.ffr")
        tried = octavo("bench", "a.ffr", "--seconds", "1", "--json").json["trial"]["candidates"]
        assert [one["setting"]["format"] for one in tried[:2]] == ["ffrecord", "array_record"]

    def test_text_names_the_bottlenecks_and_shows_tables(self, octavo, tmp_path: Path) -> None:
        write(tmp_path / "a.array_record", group_size=16)
        lines = octavo("bench", "a.array_record", *SHORT).lines
        assert lines[0].startswith("a.array_record: array_record, codec zstd:3, 16 records a chunk; 20,000 records, ")
        for beginning in (
            "device, in order",
            "page cache",
            "decoded, ",
            "for record in reader",
            "reader[i], at random",
        ):
            assert any(line.startswith(beginning) for line in lines)
        for use in ("in order: ", "at random: "):
            (told,) = [line for line in lines if line.startswith(use)]
            assert "the limit" in told
        assert sum(line.endswith("  now") for line in lines) == 1
        assert any(line.startswith("for random reads: ") for line in lines)

    @pytest.mark.usefixtures("_time_stands_still")
    def test_advice_comes_with_the_command_that_follows_it(self, octavo, working_folder: Path, capsys) -> None:
        from octavo.cli.bench import bench as command  # typer may be absent

        # Records that repeat shrink by far when they are compressed together.
        write(working_folder / "a b.array_record", size=1000, group_size=1)
        command(["a b.array_record"], seconds=1, json=True)
        advice = json.loads(capsys.readouterr().out)["advice"]
        (size,) = [one for one in advice if one["goal"] == "size"]
        assert size["is_worth_it"]
        assert size["gain"] > 2
        assert size["command"].startswith("octavo convert 'a b.array_record' NEW.array_record --codec ")
        before = (working_folder / "a b.array_record").stat().st_size
        octavo(*_words(size["command"])[1:])
        after = (working_folder / "NEW.array_record").stat().st_size
        assert after < before
        assert after == pytest.approx(size["predicted_bytes"], rel=0.25)

    def test_all_shards_are_one_data_set(self, octavo, tmp_path: Path) -> None:
        for number in range(3):
            write(tmp_path / f"a-{number:05d}-of-00003.recordio", count=5000)
        report = octavo("bench", "a@3.recordio", *SHORT, "--json").json
        assert report["subject"]["files"] == report["subject"]["opened_files"] == 3
        assert report["subject"]["records"] == 15_000

    def test_of_very_many_files_some_are_looked_at(self, octavo, tmp_path: Path) -> None:
        (tmp_path / "shards").mkdir()
        for number in range(70):
            write(tmp_path / "shards" / f"{number:03d}.ffr", count=200)
        result = octavo("bench", "shards", *SHORT)
        assert "in 70 files, of which 64 were looked at" in result.lines[0]
        report = octavo("bench", "shards", *SHORT, "--json").json
        assert report["subject"]["records"] is None
        assert report["subject"]["bytes"] == sum(one.stat().st_size for one in (tmp_path / "shards").iterdir())

    @pytest.mark.parametrize(("name", "options"), [("a.tfrecord", {}), ("a.recordio", {"max_chunk_bytes": 4096})])
    def test_of_a_very_large_file_without_an_index_the_beginning(
        self, monkeypatch, tmp_path: Path, name: str, options: Any
    ) -> None:
        path = write(tmp_path / name, **options)
        monkeypatch.setattr(_sample, "OPENED_BYTES", 100_000)
        monkeypatch.setattr(_opening, "PART_BYTES", 50_000)
        report = bench(path, seconds=0.1)
        assert report.subject.record_count is None
        assert 40_000 < (report.subject.opened_bytes or 0) <= 50_000
        assert report.subject.total_bytes == path.stat().st_size
        assert report.subject.record_bytes == 100
        whole = path.stat().st_size / 20_000 / 100
        assert report.subject.stored_share == pytest.approx(whole, rel=0.3)
        told = next(_bench_text.lines(report, ["a"]))
        assert ", of which the first " in told

    def test_unless_it_is_compressed_as_a_whole_or_has_its_index_beside_it(self, monkeypatch, tmp_path: Path) -> None:
        monkeypatch.setattr(_sample, "OPENED_BYTES", 10_000)
        monkeypatch.setattr(_opening, "PART_BYTES", 5_000)
        write(tmp_path / "a.tfrecord", codec="gzip")
        write(tmp_path / "b.tfrecord", sidecar=True)
        for name in ("a", "b"):
            assert bench(tmp_path / f"{name}.tfrecord", seconds=0.1).subject.record_count == 20_000

    def test_a_batch_is_no_larger_than_the_data_set(self, octavo, tmp_path: Path) -> None:
        write(tmp_path / "a.ffr", count=100, size=20_000)
        assert octavo("bench", "a.ffr", *SHORT, "--batch", "1000000000", "--json").json["batch"] == 100
        assert octavo("bench", "a.ffr", *SHORT, "--batch", "7", "--json").json["batch"] == 7


class TestOddDataSets:
    @pytest.mark.parametrize("suffix", ["ffr", "array_record", "riegeli", "recordio", "tfrecord", "tfrecord.gz"])
    def test_without_records_there_is_nothing_to_measure(self, octavo, tmp_path: Path, suffix: str) -> None:
        library.create(tmp_path / f"none.{suffix}").close()
        text = octavo("bench", f"none.{suffix}", *SHORT).lines
        assert text[1:] == ["there are no records: nothing can be measured"]
        report = bench(tmp_path / f"none.{suffix}")
        assert report.measured is None
        assert not any([report.advice, report.bottlenecks, report.trial.candidates])

    @pytest.mark.parametrize("suffix", ["ffr", "tfrecord.gz"])
    def test_one_record_is_measured_without_advice(self, octavo, tmp_path: Path, suffix: str) -> None:
        write(tmp_path / f"one.{suffix}", count=1)
        report = octavo("bench", f"one.{suffix}", *SHORT, "--json").json
        assert report["measured"]["read"]["records_per_s"] > 0
        assert report["advice"] == []
        assert "too small" in octavo("bench", f"one.{suffix}", *SHORT).lines[-1]

    @pytest.mark.parametrize("size", [0, 1])
    def test_tiny_records(self, octavo, tmp_path: Path, size: int) -> None:
        for suffix in ("ffr", "recordio"):
            write(tmp_path / f"tiny.{suffix}", count=60_000, size=size)
            report = octavo("bench", f"tiny.{suffix}", *SHORT, "--json").json
            assert report["subject"]["mean_record_bytes"] == size
            assert report["trial"]["records"] <= 50_000

    def test_of_huge_records_the_sample_has_few(self, octavo, tmp_path: Path) -> None:
        with library.create(tmp_path / "huge.array_record", codec="none") as writer:
            writer.write_many(bytes([number]) * 50_000_000 for number in range(3))
        report = octavo("bench", "huge.array_record", *SHORT, "--json").json
        assert report["batch"] == 1
        assert report["trial"]["records"] == 1
        assert {one["setting"]["group_size"] for one in report["trial"]["candidates"]} == {1}
        assert report["sample_bytes"] <= 150_000_000

    def test_records_that_are_too_large_are_not_written_again(self, monkeypatch, tmp_path: Path) -> None:
        monkeypatch.setattr(_candidates, "MOST_RECORD_BYTES", 10)
        report = bench(write(tmp_path / "a.ffr", count=10_000), seconds=0.1)
        assert report.trial.candidates == ()
        assert report.trial.left_out == "the records are too large"
        assert {one.goal for one in report.advice} >= {"threads"}


class TestFailures:
    def test_damage_is_told_in_a_line(self, octavo, tmp_path: Path) -> None:
        path = write(tmp_path / "bad.ffr")
        content = bytearray(path.read_bytes())
        content[-1_999_950] ^= 1  # the first record
        path.write_bytes(content)
        result = octavo("bench", "bad.ffr", *SHORT, check=1)
        assert result.stdout == b""
        assert "bad.ffr: record 0 at byte " in result.stderr
        assert "'octavo verify'" in result.stderr

    def test_a_file_without_its_end_is_told_in_a_line(self, octavo, tmp_path: Path) -> None:
        path = write(tmp_path / "cut.array_record")
        path.write_bytes(path.read_bytes()[:100_000])
        assert "octavo recover" in octavo("bench", "cut.array_record", *SHORT, check=1).stderr

    @pytest.mark.parametrize("path", ["none.ffr", "no/such/folder", "*.ffr", ""])
    def test_what_is_not_there_is_told_in_a_line(self, octavo, path: str) -> None:
        assert octavo("bench", path, *SHORT, check=1).stderr.startswith("octavo: ")

    @pytest.mark.parametrize(
        "options", [("--seconds", "0"), ("--seconds", "nan"), ("--seconds", "inf"), ("--batch", "0"), ("--batch", "-1")]
    )
    def test_values_that_cannot_be_are_wrong_usage(self, octavo, tmp_path: Path, options: tuple[str, str]) -> None:
        write(tmp_path / "a.ffr", count=10)
        assert octavo("bench", "a.ffr", *options, check=2).stdout == b""

    def test_bytes_have_no_device(self) -> None:
        with pytest.raises(library.errors.UnsupportedError, match="only files"):
            bench(b"bytes")

    def test_where_nothing_can_be_written_all_else_is_measured(self, monkeypatch, tmp_path: Path) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
        report = bench(write(tmp_path / "a.ffr"), seconds=0.1)
        assert report.measured is not None
        assert report.trial.candidates == ()
        assert "cannot be written" in (report.trial.left_out or "")

    def test_a_full_disk_is_no_failure_either(self, monkeypatch, tmp_path: Path) -> None:
        class Full(library.Writer):
            def write_many(self, _records: object) -> int:
                raise StorageError("no space left on device")

        monkeypatch.setattr("octavo._open.Writer", Full)
        path = tmp_path / "a.ffr"
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        with library.Writer(str(path), format="ffrecord") as writer:
            writer.write_many([bytes(100)] * 20_000)
        report = bench(path, seconds=0.1)
        assert report.trial.left_out == "a sample cannot be written: no space left on device"
        assert os.listdir(tmp_path) == ["a.ffr"]

    @pytest.mark.skipif(sys.platform == "win32", reason="signals")
    def test_interrupted_it_leaves_nothing_behind(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.array_record", size=500)
        environment = os.environ | temporary(tmp_path)
        command = [sys.executable, "-m", "octavo", "bench", str(path), "--seconds", "5"]
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            _wait_for(lambda: list((tmp_path / "temporary").glob("*/*")) or process.poll() is not None)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=60)
        assert process.returncode == 130
        assert (stdout, stderr) == (b"", b"octavo: interrupted\n")
        assert os.listdir(tmp_path / "temporary") == []


class TestDevice:
    """What cannot be told is not told; what the device is on other machines, these tests do not know."""

    @pytest.fixture
    def figures(self, monkeypatch, tmp_path: Path) -> Callable[..., Any]:
        def measured(**changed: Any) -> Any:
            for name, value in changed.items():
                monkeypatch.setattr(_device, name, value)
            report = bench(write(tmp_path / "a.array_record", count=60_000, codec="none"), seconds=0.1)
            assert report.measured is not None
            return report.measured.device

        return measured

    def test_a_few_bytes_tell_nothing(self, octavo, tmp_path: Path) -> None:
        write(tmp_path / "a.ffr", count=10)
        device = octavo("bench", "a.ffr", *SHORT, "--json").json["measured"]["device"]
        assert device["sequential_bytes_per_s"] is device["random_records_per_s"] is None
        assert device["reason"].startswith("cannot be told: ")

    def test_nor_does_memory(self, figures: Callable[..., Any]) -> None:
        device = figures(_is_in_memory=lambda _: True)
        assert (device.sequential_bytes_per_s, device.random_records_per_s) == (None, None)
        assert "in memory" in device.reason

    @pytest.mark.skipif(not hasattr(os, "O_DIRECT"), reason="Linux")
    def test_nor_a_file_system_without_direct_reads(self, figures: Callable[..., Any]) -> None:
        def refused(*_: object, **__: object) -> int:
            raise OSError(22, "Invalid argument")

        device = figures(_opened=refused, page_cache=lambda *_: None, _is_in_memory=lambda _: False)
        assert (device.sequential_bytes_per_s, device.random_records_per_s) == (None, None)
        assert "the file system has no reads past the page cache" in device.reason

    @pytest.mark.skipif(not hasattr(os, "O_DIRECT"), reason="Linux")
    def test_where_reads_do_not_come_from_storage_raw_ones_are_made(self, figures: Callable[..., Any]) -> None:
        device = figures(_bytes_from_storage=lambda: 0, _is_in_memory=lambda _: False)
        if device.reason is None:  # else this file system has no direct reads
            assert device.sequential_bytes_per_s > 0
            assert device.random_records_per_s > 0

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux")
    def test_file_systems_in_memory_are_known(self) -> None:
        assert not _device._is_in_memory("/proc/self/mountinfo")
        if os.access("/dev/shm", os.W_OK):
            assert _device._is_in_memory("/dev/shm") == _is_tmpfs("/dev/shm")


def _is_tmpfs(folder: str) -> bool:
    return any(line.split()[1:3] == [folder, "tmpfs"] for line in Path("/proc/mounts").read_text("utf-8").splitlines())


def _wait_for(condition: Callable[[], Any], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def _words(command: str) -> list[str]:
    import shlex

    return shlex.split(command)

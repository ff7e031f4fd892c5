"""What `octavo bench` looks at: bounded, spread, and always something."""

from __future__ import annotations

import dataclasses
import itertools
import types
from pathlib import Path

import pytest

import octavo
from octavo._bench import _sample, _settings, _timing
from octavo._bench._figures import Setting

MIB = 1 << 20


class TestFiles:
    def test_a_few_files_are_all_opened(self) -> None:
        assert _sample.choose_files([100 * MIB] * 8) == list(range(8))

    def test_of_very_many_some_are_spread_evenly(self) -> None:
        chosen = _sample.choose_files([MIB] * 6400)
        assert len(chosen) == _sample.MOST_FILES
        assert chosen[:3] == [0, 100, 200]

    def test_of_very_large_ones_few(self) -> None:
        assert _sample.choose_files([1 << 40] * 1000) == [0]
        assert _sample.choose_files([256 * MIB] * 1000) == [0, 250, 500, 750]

    def test_files_without_bytes_are_no_reason_to_fail(self) -> None:
        assert _sample.choose_files([0, 0]) == [0, 1]


@pytest.fixture
def reader(tmp_path: Path):
    with octavo.create(tmp_path / "records.array_record", group_size=10) as writer:
        writer.write_many(bytes([number % 256]) * 1000 for number in range(2000))
    with octavo.open(tmp_path / "records.array_record", cache_bytes=0) as opened:
        yield opened


class TestStretches:
    def test_they_are_spread_over_the_records_and_bounded(self, reader: octavo.Reader) -> None:
        sample = _sample.take(reader, most_bytes=100_000, most_records=10_000, seconds=60)
        starts = [start for start, _ in sample.stretches]
        assert starts == [0, 500, 1000, 1500]
        assert sample.record_bytes == 1000 * sample.record_count
        assert 100_000 <= sample.record_bytes <= 100_000 + 4 * 10 * 1000  # of the last chunk of each all is decoded

    def test_they_are_bounded_in_records_too(self, reader: octavo.Reader) -> None:
        assert _sample.take(reader, most_bytes=1 << 30, most_records=40, seconds=60).record_count == 40

    def test_a_small_data_set_is_taken_whole(self, reader: octavo.Reader) -> None:
        sample = _sample.take(reader, most_bytes=1 << 30, most_records=1 << 20, seconds=60)
        assert sample.record_count == 2000

    def test_without_time_something_is_looked_at_all_the_same(self, reader: octavo.Reader) -> None:
        assert _sample.take(reader, most_bytes=1 << 30, most_records=1 << 20, seconds=0).record_count > 0

    def test_without_records_there_is_nothing(self, tmp_path: Path) -> None:
        octavo.create(tmp_path / "none.ffr").close()
        with octavo.open(tmp_path / "none.ffr") as empty:
            assert _sample.take(empty, most_bytes=1, most_records=1, seconds=1) == _sample.Sample((), 0, 0)

    def test_records_to_write_again_come_from_all_stretches(self, reader: octavo.Reader) -> None:
        sample = _sample.take(reader, most_bytes=400_000, most_records=10_000, seconds=60)
        records = _sample.gather(reader, sample, most_bytes=80_000, most_records=10_000)
        assert 80 <= len(records) <= 80 + 4 * 10
        assert {record[0] for record in records} >= {0, 500 % 256, 1000 % 256, 1500 % 256}

    def test_one_record_is_gathered_however_large_it_is(self, reader: octavo.Reader) -> None:
        sample = _sample.take(reader, most_bytes=10, most_records=4, seconds=60)
        assert _sample.gather(reader, sample, most_bytes=10, most_records=4)[0] == bytes(1000)


class TestNumbers:
    def test_each_comes_once_and_so_few_that_their_chunks_fit(self) -> None:
        numbers = _sample.numbers(1 << 40, 1000, most_bytes=100_000)
        assert len(numbers) == len(set(numbers)) == 100
        assert _sample.numbers(3, 1 << 40, most_bytes=1) != []

    def test_of_distinct_chunks_there_is_one_record_each(self) -> None:
        numbers = _sample.numbers_of_distinct_chunks(95, 10)
        assert sorted(number // 10 for number in numbers) == list(range(10))
        assert max(numbers) < 95

    def test_batches_are_whole_unless_there_is_only_one(self) -> None:
        assert [len(batch) for batch in _sample.cut(range(10), 4)] == [4, 4]
        assert _sample.cut(range(3), 4) == [[0, 1, 2]]

    def test_a_batch_of_huge_records_is_small(self) -> None:
        assert _sample.fitting_batch(256, 1000) == 256
        assert _sample.fitting_batch(256, 50_000_000) == 1
        assert _sample.fitting_batch(256, 1 << 40) == 1
        assert _sample.fitting_batch(256, 0) == 256


class TestRates:
    def test_the_best_round_counts_and_the_others_are_kept(self) -> None:
        best = _timing.best_of([(50.0, 500.0), (100.0, 1000.0), (80.0, 800.0)])
        assert (best.records_per_s, best.bytes_per_s) == (100.0, 1000.0)
        assert best.rounds == (50.0, 100.0, 80.0)

    def test_work_is_done_once_even_without_time(self) -> None:
        calls: list[int] = []

        def work() -> tuple[int, int]:
            calls.append(1)
            return 5, 50

        rate = _timing.rate_of(work, seconds=0)
        assert len(calls) == 1
        assert rate.bytes_per_s == pytest.approx(10 * rate.records_per_s)

    def test_works_take_turns(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ticks = itertools.count()  # a busy machine takes any time for a round
        monkeypatch.setattr(_timing, "time", types.SimpleNamespace(perf_counter=lambda: float(next(ticks))))
        calls: list[str] = []

        def work(name: str) -> tuple[int, int]:
            calls.append(name)
            return 1, 1

        assert len(_timing.rates_of([lambda: work("a"), lambda: work("b")], seconds=20)) == 2
        assert calls[:4] == ["a", "b", "a", "b"]
        assert len(calls) % 2 == 0


def info_of(path: Path) -> octavo.Info:
    with octavo.open(path) as reader:
        return reader.info


class TestSettings:
    def test_an_array_record_file_is_tried_as_it_was_written(self, tmp_path: Path) -> None:
        with octavo.create(tmp_path / "a.array_record", codec="brotli:4", group_size=7) as writer:
            writer.write_many([b"record"] * 100)
        now = _settings.present(info_of(tmp_path / "a.array_record"), 42.0)
        assert (now.codec, now.group_size) == ("brotli:4", 7)
        assert now.options is not None
        assert "brotli:4" in now.options

    @pytest.mark.parametrize("most", [4096, 65536, 1 << 20])
    def test_the_chunk_size_of_a_recordio_file_is_found_again(self, tmp_path: Path, most: int) -> None:
        path = tmp_path / "a.recordio"
        with octavo.create(path, max_chunk_bytes=most, codec="none") as writer:
            # Sizes that vary, so that chunks do not all have the same number of records.
            writer.write_many(bytes(60 + number * number % 11) for number in range(100_000))
        info = info_of(path)
        chunk_bytes = sum(60 + number * number % 11 for number in range(100_000)) / info.chunk_count
        assert _settings.present(info, chunk_bytes).max_chunk_bytes == most

    def test_others_keep_format_and_dialect(self) -> None:
        now = Setting("recordio", "snappy", max_chunk_bytes=1 << 18, dialect="paddle-cpp")
        others = _settings.others(now, 100_000, 1000)
        assert {(one.format, one.dialect) for one in others} == {("recordio", "paddle-cpp")}
        assert "gzip:6" not in {one.codec for one in others}  # that dialect has none
        assert now not in others

    def test_chunks_that_a_sample_could_not_fill_are_not_tried(self) -> None:
        now = Setting("array_record", "zstd:3", 1)
        assert {one.group_size for one in _settings.others(now, 20, 50_000_000)} == {1}
        assert {one.group_size for one in _settings.others(now, 10_000, 100)} == {1, 16, 128}

    def test_formats_without_options_are_compared_with_array_record(self) -> None:
        assert {one.format for one in _settings.others(Setting("ffrecord", "none"), 10_000, 100)} == {"array_record"}
        others = _settings.others(Setting("tfrecord", "none"), 10_000, 100)
        assert [one.codec for one in others if one.format == "tfrecord"] == ["gzip:6"]

    def test_a_codec_without_a_level_has_the_usual_one(self) -> None:
        others = _settings.others(Setting("riegeli", "zstd"), 10_000, 100)
        assert Setting("riegeli", "zstd:3") not in others

    def test_columns_stay_columns(self) -> None:
        now = dataclasses.replace(Setting("array_record", "zstd:3", 128), transpose=True)
        assert all(one.transpose for one in _settings.others(now, 10_000, 100))

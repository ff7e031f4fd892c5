"""The verdicts of `octavo bench`, on figures that were made up: one thing changed at a time."""

from __future__ import annotations

import dataclasses

import pytest

from octavo._bench import _advice
from octavo._bench._figures import (
    Advice,
    Bottleneck,
    Candidate,
    Device,
    Machine,
    Measured,
    Rate,
    Setting,
    Subject,
    Threads,
    Trial,
)

RECORD = 1000  # bytes, so that a rate in records is one in kilobytes
GB = 10**9

ZSTD_1 = Setting("array_record", "zstd:3", 1)
ZSTD_128 = Setting("array_record", "zstd:3", 128)
NONE_1 = Setting("array_record", "none", 1)
FFRECORD = Setting("ffrecord", "none")

MACHINE = Machine(cpus=2, memory_bytes=16 * GB)
SMALL = Subject(
    setting=ZSTD_128,
    file_count=1,
    opened_files=1,
    record_count=2_000_000,
    total_bytes=1 * GB,
    record_bytes=RECORD,
    chunk_bytes=128 * RECORD,
    stored_share=0.5,
    is_cached=False,
)
LARGE = dataclasses.replace(SMALL, record_count=200_000_000, total_bytes=100 * GB)


def rate(records: float, *rounds: float) -> Rate:
    """A rate, the same in three rounds if they are not given."""
    rounds = rounds or (records, records, records)
    return Rate(max(rounds), max(rounds) * RECORD, rounds)


def measured(**changed: object) -> Measured:
    """A quick device, slow decompression, and objects that cost little."""
    base = Measured(
        open_s=0.001,
        device=Device(sequential_bytes_per_s=2 * GB, random_records_per_s=1_000_000, reason=None),
        page_cache_bytes_per_s=10 * GB,
        decode_all_cpus=rate(600_000),
        decode_one_cpu=rate(320_000),
        iterate=rate(550_000),
        read=rate(20_000),
        read_batch=rate(21_000),
        single=rate(10_000),
        threads=(Threads(2, rate(22_000)),),
    )
    return dataclasses.replace(base, **changed)  # type: ignore[arg-type]


def limits(subject: Subject = SMALL, machine: Machine = MACHINE, **changed: object) -> tuple[Bottleneck, Bottleneck]:
    return _advice.bottlenecks(subject, machine, measured(**changed))


class TestBottlenecks:
    def test_slow_decoding_is_decompression_where_there_is_a_codec(self) -> None:
        in_order, at_random = limits()
        assert (in_order.limit, in_order.records_per_s, in_order.limit_in_memory) == ("decompression", 550_000, None)
        assert (at_random.limit, at_random.records_per_s) == ("decompression", 20_000)

    def test_slow_decoding_is_checksums_where_there_is_none(self) -> None:
        in_order, at_random = limits(dataclasses.replace(SMALL, setting=NONE_1))
        assert (in_order.limit, at_random.limit) == ("checksums", "checksums")

    def test_objects_are_the_limit_where_it_is_much_quicker_without_them(self) -> None:
        in_order, at_random = limits(iterate=rate(300_000), read=rate(10_000))
        assert (in_order.limit, in_order.records_per_s) == ("objects", 300_000)
        assert (at_random.limit, at_random.records_per_s) == ("objects", 10_000)

    def test_objects_are_not_blamed_for_what_may_be_noise(self) -> None:
        # Rounds are compared with those of their turn: 600,000 each.
        assert limits(iterate=rate(0, 300_000, 300_000, 300_000))[0].limit == "objects"
        assert limits(iterate=rate(0, 300_000, 500_000, 200_000))[0].limit == "decompression"

    def test_a_loop_that_beats_native_blocks_is_not_held_back_by_objects(self) -> None:
        assert limits(iterate=rate(900_000), decode_all_cpus=rate(500_000))[0].limit == "decompression"

    def test_chunks_that_stay_decoded_cost_no_decompression_at_random(self) -> None:
        in_order, at_random = limits(dataclasses.replace(SMALL, is_cached=True))
        assert (in_order.limit, at_random.limit) == ("decompression", "cache")

    def test_a_slow_device_is_the_limit_for_the_first_pass_of_what_fits_in_memory(self) -> None:
        # 50 MB/s of the file are 100,000 records/s, for a record takes half of its size.
        slow = Device(sequential_bytes_per_s=50_000_000, random_records_per_s=5_000, reason=None)
        in_order, at_random = limits(device=slow)
        assert in_order == Bottleneck("in_order", "device", 100_000, "decompression", 550_000)
        assert at_random == Bottleneck("at_random", "device", 5_000, "decompression", 20_000)

    def test_and_for_every_pass_of_what_does_not(self) -> None:
        slow = Device(sequential_bytes_per_s=50_000_000, random_records_per_s=5_000, reason=None)
        in_order, at_random = limits(LARGE, device=slow)
        assert in_order == Bottleneck("in_order", "device", 100_000)
        assert at_random == Bottleneck("at_random", "device", 5_000)

    def test_a_device_that_is_nearly_as_quick_as_memory_is_no_limit(self) -> None:
        same = Device(sequential_bytes_per_s=2 * GB, random_records_per_s=19_000, reason=None)
        assert limits(LARGE, device=same)[1].limit == "decompression"

    def test_a_device_of_which_nothing_can_be_told_is_not_blamed(self) -> None:
        in_order, at_random = limits(LARGE, device=Device(None, None, "cannot be told"))
        assert (in_order.limit, at_random.limit) == ("decompression", "decompression")

    def test_records_without_bytes_ask_nothing_of_a_device(self) -> None:
        empty = dataclasses.replace(SMALL, record_bytes=0.0, chunk_bytes=0.0)
        assert limits(empty)[0].limit == "decompression"

    def test_the_page_cache_is_not_all_of_the_memory(self) -> None:
        assert _advice.fits_in_memory(dataclasses.replace(SMALL, total_bytes=11 * GB), MACHINE)
        assert not _advice.fits_in_memory(dataclasses.replace(SMALL, total_bytes=12 * GB), MACHINE)

    def test_unknown_memory_holds_nothing(self) -> None:
        assert not _advice.fits_in_memory(SMALL, Machine(cpus=2, memory_bytes=None))


class TestCpus:
    def test_as_many_as_decode_what_the_device_gives(self) -> None:
        # 2 GB/s are 4,000,000 records/s, of which a CPU decodes 320,000.
        assert _advice.cpus_to_keep_up(SMALL, measured()) == 13

    def test_unknown_where_a_rate_is(self) -> None:
        assert _advice.cpus_to_keep_up(SMALL, measured(decode_one_cpu=None)) is None
        assert _advice.cpus_to_keep_up(SMALL, measured(device=Device(None, None, "cannot be told"))) is None


def candidate(setting: Setting, size: int, scan: Rate, random: Rate, *, is_present: bool = False) -> Candidate:
    read_bytes = RECORD * (setting.group_size or 1) * size / 16_000_000
    return Candidate(setting, is_present, size, read_bytes, scan, random)


NOW = candidate(ZSTD_128, 8_000_000, rate(500_000), rate(20_000), is_present=True)
ALONE = candidate(ZSTD_1, 12_000_000, rate(400_000), rate(200_000))
PLAIN = candidate(NONE_1, 16_000_000, rate(900_000), rate(800_000))


def advised(
    *candidates: Candidate, subject: Subject = SMALL, machine: Machine = MACHINE, **changed: object
) -> dict[str, Advice]:
    figures = measured(**changed)
    found = _advice.bottlenecks(subject, machine, figures)
    trial = Trial(16_000, 16_000_000, candidates, None)
    return {one.goal: one for one in _advice.advise(subject, machine, figures, trial, found)}


class TestSettings:
    def test_the_quickest_at_random_with_what_it_gives_and_costs(self) -> None:
        advice = advised(NOW, ALONE, PLAIN)["random"]
        assert advice.is_worth_it
        assert advice.setting == NONE_1
        assert advice.gain == pytest.approx(40)
        assert advice.predicted_records_per_s == pytest.approx(40 * 20_000)  # of what the data set itself gave
        # ArrayRecord's fixed part does not grow with the records.
        assert advice.predicted_bytes == pytest.approx(2 * GB, rel=0.001)

    def test_of_those_that_are_as_quick_the_smallest(self) -> None:
        near = candidate(ZSTD_1, 12_000_000, rate(400_000), rate(750_000))
        assert advised(NOW, near, PLAIN)["random"].setting == ZSTD_1

    def test_the_quickest_scan_that_is_worth_its_size(self) -> None:
        # 1.5 times the rate may cost 2.25 times the size.
        fair = candidate(NONE_1, 17_900_000, rate(750_000), rate(1))
        assert advised(NOW, fair)["scan"].setting == NONE_1
        unfair = candidate(NONE_1, 18_100_000, rate(750_000), rate(1))
        assert not advised(NOW, unfair)["scan"].is_worth_it

    def test_gains_within_noise_are_none(self) -> None:
        little = candidate(NONE_1, 8_000_000, rate(590_000), rate(23_500))
        advice = advised(NOW, little)
        for goal in ("random", "scan", "size"):
            assert not advice[goal].is_worth_it
            assert advice[goal].setting == ZSTD_128
            assert advice[goal].gain == 1.0

    def test_a_gain_is_one_only_if_every_round_says_so(self) -> None:
        steady = candidate(NONE_1, 8_000_000, rate(0, 900_000, 650_000, 700_000), rate(1))
        advice = advised(NOW, steady)["scan"]
        assert advice.is_worth_it
        assert advice.gain == pytest.approx(700 / 500)  # the middle one
        shaky = candidate(NONE_1, 8_000_000, rate(0, 900_000, 550_000, 700_000), rate(1))
        assert not advised(NOW, shaky)["scan"].is_worth_it

    def test_rounds_that_were_slow_for_all_do_not_matter(self) -> None:
        now = candidate(ZSTD_128, 8_000_000, rate(0, 500_000, 50_000, 400_000), rate(1), is_present=True)
        other = candidate(NONE_1, 8_000_000, rate(0, 1_000_000, 100_000, 800_000), rate(1))
        assert advised(now, other)["scan"].gain == pytest.approx(2)

    def test_the_second_best_is_advised_where_the_best_may_be_noise(self) -> None:
        shaky = candidate(NONE_1, 8_000_000, rate(0, 900_000, 550_000, 900_000), rate(1))
        steady = candidate(ZSTD_1, 8_000_000, rate(700_000), rate(1))
        assert advised(NOW, shaky, steady)["scan"].setting == ZSTD_1

    def test_the_present_setting_is_kept_where_it_is_the_best(self) -> None:
        best = dataclasses.replace(PLAIN, is_present=True)
        advice = advised(best, dataclasses.replace(NOW, is_present=False))
        assert not advice["random"].is_worth_it
        assert not advice["scan"].is_worth_it
        assert advice["size"].setting == ZSTD_128
        assert advice["size"].gain == pytest.approx(2)
        assert advice["size"].predicted_bytes == pytest.approx(GB / 2, rel=0.001)

    def test_the_smallest_and_of_those_that_are_as_small_the_quickest(self) -> None:
        tiny = candidate(Setting("array_record", "brotli:6", 128), 5_000_000, rate(100_000), rate(4_000))
        near = candidate(Setting("array_record", "zstd:9", 128), 5_100_000, rate(500_000), rate(20_000))
        advice = advised(NOW, tiny, near)["size"]
        assert advice.setting == near.setting
        assert advice.predicted_records_per_s is None

    def test_a_small_saving_is_not_worth_the_work(self) -> None:
        slightly = candidate(Setting("array_record", "zstd:9", 128), 7_700_000, rate(500_000), rate(20_000))
        assert not advised(NOW, slightly)["size"].is_worth_it

    def test_files_that_are_inflated_when_they_are_opened_are_for_size_only(self) -> None:
        now = candidate(Setting("tfrecord", "none"), 16_000_000, rate(500_000), rate(500_000), is_present=True)
        inflated = candidate(Setting("tfrecord", "gzip:6"), 6_000_000, rate(900_000), rate(900_000))
        advice = advised(now, inflated, subject=dataclasses.replace(SMALL, setting=now.setting))
        assert not advice["random"].is_worth_it
        assert not advice["scan"].is_worth_it
        assert advice["size"].setting == inflated.setting

    def test_another_format_is_advised_where_the_present_one_has_no_options(self) -> None:
        now = candidate(FFRECORD, 16_000_000, rate(500_000), rate(500_000), is_present=True)
        advice = advised(now, NOW_CONVERTED, subject=dataclasses.replace(SMALL, setting=FFRECORD))
        assert advice["size"].setting == ZSTD_128
        assert not advice["random"].is_worth_it

    def test_what_stays_on_its_device_gains_no_more_than_the_device_gives(self) -> None:
        # 100 MB/s are 200,000 records/s of what there is now, and half of that of what is twice as large.
        slow = Device(sequential_bytes_per_s=100_000_000, random_records_per_s=5_000, reason=None)
        assert advised(NOW, PLAIN, device=slow)["scan"].is_worth_it
        assert not advised(NOW, PLAIN, subject=LARGE, device=slow)["scan"].is_worth_it

    def test_a_random_read_of_a_small_chunk_saves_the_time_of_its_bytes(self) -> None:
        # A chunk of 64 kB takes 0.64 ms of the 0.7 ms that a record takes; alone it is 1 kB.
        slow = Device(sequential_bytes_per_s=100_000_000, random_records_per_s=1 / 0.0007, reason=None)
        advice = advised(NOW, PLAIN, subject=LARGE, device=slow)["random"]
        assert advice.setting == NONE_1
        assert advice.gain == pytest.approx(0.0007 / (0.0007 - 0.00063), rel=0.01)

    def test_nothing_is_said_of_settings_where_none_was_tried(self) -> None:
        assert not {"random", "scan", "size"} & set(advised())
        assert not {"random", "scan", "size"} & set(advised(NOW))


NOW_CONVERTED = dataclasses.replace(NOW, is_present=False)


class TestCalls:
    def test_read_batch_where_objects_are_the_limit_at_random(self) -> None:
        advice = advised(read=rate(10_000))["read_batch"]
        assert advice.is_worth_it
        assert advice.gain == pytest.approx(2.1)
        assert advice.predicted_records_per_s == 21_000

    def test_blocks_where_they_are_the_limit_in_order(self) -> None:
        advice = advised(iterate=rate(300_000))["blocks"]
        assert advice.gain == pytest.approx(2.0)

    def test_neither_where_they_are_not(self) -> None:
        assert not {"read_batch", "blocks"} & set(advised())

    def test_also_where_they_are_only_once_all_is_in_memory(self) -> None:
        slow = Device(sequential_bytes_per_s=10_000_000, random_records_per_s=100, reason=None)
        advice = advised(read=rate(10_000), iterate=rate(300_000), device=slow)
        assert {"read_batch", "blocks"} <= set(advice)
        assert not {"read_batch", "blocks"} & set(advised(subject=LARGE, read=rate(10_000), device=slow))


class TestThreads:
    def test_one_is_enough_where_more_give_no_more(self) -> None:
        advice = advised()["threads"]
        assert (advice.is_worth_it, advice.threads) == (False, 1)

    def test_the_fewest_that_come_near_to_the_best(self) -> None:
        several = (Threads(2, rate(40_000)), Threads(8, rate(42_000)))
        advice = advised(threads=several)["threads"]
        assert (advice.is_worth_it, advice.threads, advice.predicted_records_per_s) == (True, 2, 40_000)
        assert advice.gain == pytest.approx(40_000 / 21_000)

    def test_more_of_them_where_they_pay(self) -> None:
        several = (Threads(2, rate(40_000)), Threads(8, rate(100_000)))
        assert advised(threads=several)["threads"].threads == 8

    def test_nothing_is_said_where_none_were_tried(self) -> None:
        assert "threads" not in advised(threads=())

"""What the figures mean: which stage holds a use back, and what would change that. Pure; nothing is measured here.

A chain is as quick as its slowest stage, for stages overlap: while a block is fetched, the one before is decoded. What
differs by less than measurements do is called equal, and no advice is built on it.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Callable, Sequence

from octavo._bench._figures import (
    Advice,
    Bottleneck,
    Candidate,
    Goal,
    Limit,
    Machine,
    Measured,
    Rate,
    Setting,
    Subject,
    Threads,
    Trial,
)
from octavo._bench._settings import fixed_bytes

LEAST_GAIN = 1.2
"""Rates that differ by less than this, in any round, are equal."""
LEAST_SAVING = 1.05
"""Sizes have no noise. Rewriting a data set is work all the same."""
AS_GOOD = 0.9
"""Of those that come so near to the best rate, the smallest is chosen."""
AS_SMALL = 1.03
"""Of those that come so near to the least size, the quickest is chosen."""
GROWTH_POWER = 2
"""A setting may be larger by this power of its gain in rate, not more: 1.5 times the rate, 2.25 times the size."""
OBJECTS_COST = 0.75
"""With Python objects it is so much slower than without: then they are the limit."""
OF_MEMORY = 0.7
"""A data set stays in the page cache if it takes no more of the memory than this."""


def fits_in_memory(subject: Subject, machine: Machine) -> bool:
    """Whether only the first pass has to wait for the device."""
    return machine.memory_bytes is not None and subject.total_bytes <= machine.memory_bytes * OF_MEMORY


def bottlenecks(subject: Subject, machine: Machine, measured: Measured) -> tuple[Bottleneck, Bottleneck]:
    """What holds back reading in order, and reading random batches."""
    native = _native_limit(subject)
    in_order = "objects" if _is_much_slower(measured.iterate, measured.decode_all_cpus) else native
    at_random = "objects" if _is_much_slower(measured.read, measured.read_batch) else native
    buffers = max(measured.read_batch.records_per_s, measured.read.records_per_s)
    if at_random == native and subject.is_cached:
        at_random = "cache"
    return (
        _with_device(
            Bottleneck("in_order", in_order, measured.iterate.records_per_s),
            device_in_order(subject, measured),
            stays=not fits_in_memory(subject, machine),
        ),
        _with_device(
            Bottleneck("at_random", at_random, measured.read.records_per_s),
            # It is read_batch that was asked of the device: where it is as quick as from memory, that is no limit.
            _if_slower(measured.device.random_records_per_s, OBJECTS_COST * buffers),
            stays=not fits_in_memory(subject, machine),
        ),
    )


def _is_much_slower(objects: Rate, without: Rate) -> bool:
    return Gain.of(objects.rounds, without.rounds).least > 1 / OBJECTS_COST


def _native_limit(subject: Subject) -> Limit:
    return "checksums" if subject.setting.codec == "none" else "decompression"


def _if_slower(rate: float | None, than: float) -> float | None:
    return rate if rate is not None and rate < than else None


def _with_device(warm: Bottleneck, device: float | None, *, stays: bool) -> Bottleneck:
    """The same, if the device is no limit; else the device, and what comes after it once all is in memory."""
    if device is None or device >= warm.records_per_s:
        return warm
    if stays:
        return Bottleneck(warm.use, "device", device)
    return Bottleneck(warm.use, "device", device, warm.limit, warm.records_per_s)


def device_in_order(subject: Subject, measured: Measured) -> float | None:
    """Records a second that the device gives in order."""
    rate = measured.device.sequential_bytes_per_s
    stored = subject.record_bytes * subject.stored_share
    return None if rate is None or not stored else rate / stored


def cpus_to_keep_up(subject: Subject, measured: Measured) -> int | None:
    """How many CPUs would decode as quickly as the device gives bytes; None where that cannot be told."""
    device, one = device_in_order(subject, measured), measured.decode_one_cpu
    if device is None or one is None or not one.records_per_s:
        return None
    return math.ceil(device / one.records_per_s)


def advise(
    subject: Subject, machine: Machine, measured: Measured, trial: Trial, found: Sequence[Bottleneck]
) -> tuple[Advice, ...]:
    """What to do about each goal; also where that is to leave things as they are."""
    advice: list[Advice] = []
    present = trial.present
    if present is not None and len(trial.candidates) > 1:
        forecast = _Forecast(subject, measured, present, is_cold=not fits_in_memory(subject, machine))
        now = {one.use: one.records_per_s_in_memory or one.records_per_s for one in found}
        advice += (
            _quickest("random", trial, forecast, forecast.random, now["at_random"]),
            _quickest("scan", trial, forecast, forecast.scan, now["in_order"]),
            _smallest(trial, forecast),
        )
    limits = {one.use: {one.limit, one.limit_in_memory} for one in found}
    if "objects" in limits["at_random"]:
        advice.append(_other_call("read_batch", measured.read, measured.read_batch))
    if "objects" in limits["in_order"]:
        advice.append(_other_call("blocks", measured.iterate, measured.decode_all_cpus))
    if measured.threads:
        advice.append(_by_threads(measured.read_batch, measured.threads))
    return tuple(advice)


@dataclasses.dataclass(frozen=True)
class Gain:
    """How many times quicker one thing is than another that was measured in turns with it."""

    typical: float
    least: float
    """In the round that speaks least for it."""

    @classmethod
    def of(cls, now: Sequence[float], other: Sequence[float]) -> Gain:
        """Round by round, as far as both were measured: what else the machine did, it did to both."""
        ratios = [quicker / slower for slower, quicker in zip(now, other, strict=False) if slower] or [1.0]
        return cls(statistics.median(ratios), min(ratios))

    @property
    def is_one(self) -> bool:
        """Whether it is beyond noise: in every round, and not by a little."""
        return self.least >= LEAST_GAIN


def _other_call(goal: Goal, now: Rate, other: Rate) -> Advice:
    gain = Gain.of(now.rounds, other.rounds)
    return Advice(goal, gain.is_one, gain.typical, predicted_records_per_s=now.records_per_s * gain.typical)


def _by_threads(one: Rate, several: Sequence[Threads]) -> Advice:
    """The fewest threads that come near to the best rate."""
    best = max(each.rate.records_per_s for each in several)
    pick = next(each for each in several if each.rate.records_per_s >= AS_GOOD * best)
    gain = Gain.of(one.rounds, pick.rate.rounds)
    if not gain.is_one:
        return Advice("threads", is_worth_it=False, gain=gain.typical, threads=1)
    rate = one.records_per_s * gain.typical
    return Advice("threads", is_worth_it=True, gain=gain.typical, threads=pick.threads, predicted_records_per_s=rate)


class _Forecast:
    """What a candidate would do for the whole data set. Where that stays on its device, the device has a say."""

    def __init__(self, subject: Subject, measured: Measured, present: Candidate, *, is_cold: bool) -> None:
        self._subject = subject
        self._stored_bytes = subject.record_bytes * subject.stored_share
        self._device = measured.device
        self._present = present
        self._is_cold = is_cold

    def size(self, one: Candidate) -> float:
        """Bytes of the data set."""
        files = self._subject.file_count
        records = max(0, self._subject.total_bytes - files * fixed_bytes(self._present.setting))
        return records * one.encoded_bytes / max(1, self._present.encoded_bytes) + files * fixed_bytes(one.setting)

    def scan(self, one: Candidate) -> list[float]:
        """Records a second in order, in each round."""
        gives = self._device.sequential_bytes_per_s
        stored = self._stored_bytes * one.encoded_bytes / max(1, self._present.encoded_bytes)
        if not self._is_cold or gives is None or not stored:
            return list(one.scan.rounds)
        return [min(rate, gives / stored) for rate in one.scan.rounds]

    def random(self, one: Candidate) -> list[float]:
        """Records a second at random, in each round: a larger chunk takes longer by the bytes that it is larger."""
        seeks, gives = self._device.random_records_per_s, self._device.sequential_bytes_per_s
        if not self._is_cold or not seeks or not gives:
            return list(one.random.rounds)
        more_bytes = one.read_bytes - self._present.read_bytes
        seconds = max(1 / seeks + more_bytes / gives, one.read_bytes / gives)
        return [min(rate, 1 / seconds) for rate in one.random.rounds]


def _quickest(
    goal: Goal, trial: Trial, forecast: _Forecast, rounds: Callable[[Candidate], list[float]], now: float
) -> Advice:
    """The smallest of those that are about as quick as the quickest. `now` is the rate of the data set itself."""
    present, *others = trial.candidates
    gains = {one: Gain.of(rounds(present), rounds(one)) for one in others}
    better = [one for one in others if gains[one].is_one and _is_fair(one, present, gains[one].typical)]
    if not better:
        return _keep(goal, present.setting, forecast.size(present), now)
    best = max(gains[one].typical for one in better)
    near = [one for one in better if gains[one].typical >= AS_GOOD * best]
    pick = min(near, key=lambda one: one.encoded_bytes)
    gain = gains[pick].typical
    return Advice(
        goal,
        is_worth_it=True,
        gain=gain,
        setting=pick.setting,
        predicted_bytes=forecast.size(pick),
        predicted_records_per_s=now * gain,
    )


def _is_fair(one: Candidate, present: Candidate, gain: float) -> bool:
    """Whether a rate is worth its size, and is not paid for by inflating whole files when they are opened."""
    is_inflated_first = one.setting.format == "tfrecord" and one.setting.codec != "none"
    return not is_inflated_first and one.encoded_bytes <= present.encoded_bytes * gain**GROWTH_POWER


def _smallest(trial: Trial, forecast: _Forecast) -> Advice:
    """The quickest, in order and at random, of those that are about as small as the smallest."""
    present = trial.candidates[0]
    least = min(one.encoded_bytes for one in trial.candidates)
    near = [one for one in trial.candidates if one.encoded_bytes <= AS_SMALL * least]
    pick = max(near, key=lambda one: max(forecast.random(one)) * max(forecast.scan(one)))
    gain = present.encoded_bytes / max(1, pick.encoded_bytes)
    if pick.is_present or gain < LEAST_SAVING:
        return _keep("size", present.setting, forecast.size(present), None)
    return Advice("size", is_worth_it=True, gain=gain, setting=pick.setting, predicted_bytes=forecast.size(pick))


def _keep(goal: Goal, setting: Setting, size: float, rate: float | None) -> Advice:
    return Advice(
        goal, is_worth_it=False, gain=1.0, setting=setting, predicted_bytes=size, predicted_records_per_s=rate
    )

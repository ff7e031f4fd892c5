"""One measurement after the other, within the time."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from octavo._arguments import Progress
from octavo._bench import _advice, _candidates, _device, _machine, _opening, _reading, _sample, _subject
from octavo._bench._figures import BenchReport, Measured, Subject, Threads, Trial
from octavo._bench._subject import CACHE_BYTES
from octavo._bench._timing import Budget, rate_of, rates_of
from octavo._location import Location
from octavo._reader import Reader
from octavo.errors import OptionError

if TYPE_CHECKING:
    from octavo._open import Format

MOST_SECONDS = 3600
SAMPLE_BYTES_A_SECOND = 6_400_000
MOST_SAMPLE_BYTES = 64 << 20
TRIAL_BYTES_A_SECOND = 1_600_000
MOST_TRIAL_BYTES = 16 << 20
LEAST_BYTES = 1 << 20  # with less, and with fewer records, it is calls that are measured and not the data
LEAST_RECORDS = 10_000
MOST_RECORDS = 200_000
MOST_TRIAL_RECORDS = 50_000
LARGE = 4  # times the sample: then chunks of the whole are rarely met twice in a batch

# Shares of the time. What is left is for trying other settings.
SAMPLING, DEVICE, PAGE_CACHE, IN_ORDER, ONE_CPU, BATCHES = 0.08, 0.12, 0.02, 0.14, 0.06, 0.2
ROUNDS = 5  # of each way to read batches

_STEPS = 7


def bench(
    location: Location,
    *,
    format: Format | None = None,
    seconds: float = 10.0,
    batch: int = 256,
    progress: Progress | None = None,
) -> BenchReport:
    """Measure this machine on a data set: what holds it back, and which other settings would serve it better.

    Args:
        location: Files; see `octavo.open`.
        format: The format, if it cannot be told.
        seconds: About how long it may take. Opening, and writing a sample of records to the folder for temporary files,
            may take longer.
        batch: Records of a random batch.
        progress: Called with the number of steps done and the number of all steps.
    """
    if not 0 < seconds <= MOST_SECONDS:
        raise OptionError(f"seconds is {seconds!r}; allowed are numbers above 0, up to {MOST_SECONDS}")
    if batch < 1:
        raise OptionError(f"batch is {batch!r}; allowed are integers from 1 on")
    opened = _opening.open_some(location, format)
    with opened.reader:
        return _Run(opened, Budget(seconds), batch, progress).report()


class _Run:
    """A data set that is open, and what is known of it so far."""

    def __init__(self, opened: _opening.Opened, budget: Budget, batch: int, progress: Progress | None) -> None:
        self.opened = opened
        self.reader = opened.reader
        self.budget = budget
        self.batch = batch
        self.progress = progress
        self.steps = 0

    def report(self) -> BenchReport:
        """Measure everything."""
        count = len(self.reader)
        seconds = self.budget.seconds
        most_bytes = int(min(MOST_SAMPLE_BYTES, max(LEAST_BYTES, seconds * SAMPLE_BYTES_A_SECOND)))
        sample = _sample.take(
            self.reader, most_bytes=most_bytes, most_records=MOST_RECORDS, seconds=self.budget.share(SAMPLING)
        )
        self._step()
        subject = _subject.describe(self.opened, sample)
        machine = _machine.describe()
        nothing = Trial(0, 0, (), "there are no records")
        if not count:
            return BenchReport(subject, machine, 0, 0, self.batch, None, nothing, (), ())
        with contextlib.ExitStack() as readers:
            reading = self._reader_of_batches(subject, readers)
            batches = self._batches(reading, subject)
            measured = self._measure(sample, subject, reading, batches, machine.cpus)
        looked_at = (sample.record_count, sample.record_bytes, len(batches[0]))
        if subject.total_bytes < LEAST_BYTES and count < LEAST_RECORDS:
            nothing = Trial(0, 0, (), "the data set is too small for settings to matter")
            return BenchReport(subject, machine, *looked_at, measured, nothing, (), ())
        trial = self._try_settings(sample, subject)
        found = _advice.bottlenecks(subject, machine, measured)
        advice = _advice.advise(subject, machine, measured, trial, found)
        return BenchReport(subject, machine, *looked_at, measured, trial, found, advice)

    def _step(self) -> None:
        self.steps += 1
        if self.progress is not None:
            self.progress(self.steps, _STEPS)

    def _reader_of_batches(self, subject: Subject, readers: contextlib.ExitStack) -> Reader:
        """The reader, or one that keeps what it has decoded, if that will be all of it."""
        if not subject.is_cached:
            return self.reader
        options = self.reader._options | {"cache_bytes": CACHE_BYTES}  # noqa: SLF001 - part of the package
        return readers.enter_context(Reader(self.reader._inputs, **options))  # noqa: SLF001 - the same

    def _batches(self, reading: Reader, subject: Subject) -> list[list[int]]:
        """Random batches of records that are in memory now."""
        batch = _sample.fitting_batch(self.batch, subject.record_bytes)
        costs = subject.record_bytes if subject.is_cached else subject.chunk_bytes
        most = max(_sample.MOST_NUMBERS, batch)
        picked = _sample.numbers(len(reading), costs, most_bytes=MOST_SAMPLE_BYTES, most=most)
        return _sample.cut(_reading.warm_up(reading, picked, batch, self.budget.share(SAMPLING)), batch)

    def _measure(
        self, sample: _sample.Sample, subject: Subject, reading: Reader, batches: list[list[int]], cpus: int
    ) -> Measured:
        reader, share = self.reader, self.budget.share
        device = _device.measure(
            reader, subject, len(batches[0]), may_reopen=self.opened.open_s <= share(DEVICE), seconds=share(DEVICE)
        )
        self._step()
        cached = _device.page_cache(reader.paths, share(PAGE_CACHE))
        self._step()
        decoding, iterating = _reading.decoding(reader, sample), _reading.iterating(reader, sample)
        decode_all, iterate = rates_of([decoding, iterating], share(IN_ORDER))
        self._step()
        seconds = share(ONE_CPU)
        decode_one = _reading.on_one_cpu(lambda: rate_of(decoding, seconds)) if cpus > 1 else None
        self._step()
        counts = _thread_counts(cpus)
        round_s = share(BATCHES) / (3 + len(counts)) / ROUNDS
        ways = [way(reading, batches, round_s) for way in (_reading.lists, _reading.buffers, _reading.singles)]
        ways += [_reading.by_threads(reading, batches, count, round_s) for count in counts]
        as_lists, as_buffers, singly, *together = rates_of(ways, share(BATCHES))
        self._step()
        return Measured(
            open_s=self.opened.open_s,
            device=device,
            page_cache_bytes_per_s=cached,
            decode_all_cpus=decode_all,
            decode_one_cpu=decode_one,
            iterate=iterate,
            read=as_lists,
            read_batch=as_buffers,
            single=singly,
            threads=tuple(Threads(count, rate) for count, rate in zip(counts, together, strict=True)),
        )

    def _try_settings(self, sample: _sample.Sample, subject: Subject) -> Trial:
        most_bytes = int(min(MOST_TRIAL_BYTES, max(LEAST_BYTES, self.budget.seconds * TRIAL_BYTES_A_SECOND)))
        records = _sample.gather(self.reader, sample, most_bytes=most_bytes, most_records=MOST_TRIAL_RECORDS)
        is_large = subject.record_count is None or subject.record_count >= LARGE * len(records)
        fits = subject.decoded_bytes <= CACHE_BYTES
        trial = _candidates.attempt(
            records,
            subject.setting,
            batch=_sample.fitting_batch(self.batch, subject.record_bytes),
            is_large=is_large and not fits,
            cache_bytes=CACHE_BYTES if fits else 0,
            budget=self.budget,
        )
        self._step()
        return trial


def _thread_counts(cpus: int) -> Sequence[int]:
    """Threads that may read at the same time: 2, and as many as there are CPUs where that is more."""
    return [2] if cpus <= 2 else [2, min(cpus, 8)]  # noqa: PLR2004 - see above

"""Samples into ratios, ratios against bars. Pure."""

from __future__ import annotations

import dataclasses

from benchmarks.cases import Bar, BarKind, Case


@dataclasses.dataclass(frozen=True)
class Sample:
    """One round: its time and what else was looked at."""

    seconds: float
    cached: float | None = None  # of a cold round: what the page cache kept, as a share of the bytes read
    fetched: float | None = None  # of opening a cold file: what came from storage, as a share of the file
    file_bytes: int | None = None  # of writing: the size of the file
    peak_bytes: int | None = None  # of a scan for memory: how far the process grew


@dataclasses.dataclass(frozen=True)
class Measured:
    """All rounds of one contender; figures come from the best of them."""

    items: int
    samples: tuple[Sample, ...]

    @property
    def seconds(self) -> float:
        """The best round: noise only ever adds."""
        return min(sample.seconds for sample in self.samples)

    @property
    def seconds_each(self) -> float:
        return self.seconds / self.items

    @property
    def rate(self) -> float:
        return self.items / self.seconds

    @property
    def cached(self) -> float | None:
        """The most that the page cache kept in any round."""
        return max((sample.cached for sample in self.samples if sample.cached is not None), default=None)

    @property
    def fetched(self) -> float | None:
        """The most that came from storage in any round."""
        return max((sample.fetched for sample in self.samples if sample.fetched is not None), default=None)

    @property
    def file_bytes(self) -> int | None:
        return max((sample.file_bytes for sample in self.samples if sample.file_bytes is not None), default=None)

    @property
    def peak_bytes(self) -> int | None:
        """The worst round, because memory must suffice for all of them."""
        return max((sample.peak_bytes for sample in self.samples if sample.peak_bytes is not None), default=None)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """A bar and what was measured; no value means that one side of it could not run."""

    bar: Bar
    value: float | None

    @property
    def is_met(self) -> bool:
        if self.value is None:
            return False
        return self.value >= self.bar.limit if self.bar.kind == "rate" else self.value <= self.bar.limit


@dataclasses.dataclass(frozen=True)
class CaseResult:
    """What one case gave: rows by label, and why the missing ones are missing."""

    case: Case
    rows: dict[str, Measured]
    absent: dict[str, str]

    def verdicts(self) -> list[Verdict]:
        """Every bar of the case with its figure."""
        return [Verdict(bar, self._value(bar)) for bar in self.case.bars]

    def _value(self, bar: Bar) -> float | None:
        of, over = self.rows.get(bar.of), self.rows.get(bar.over or "")
        if of is None:
            return None
        if bar.kind in {"rate", "cost"}:
            return self.ratio(bar.of, bar.over or "", bar.kind)
        if bar.kind == "size":
            return of.file_bytes / over.file_bytes if over and of.file_bytes and over.file_bytes else None
        return {
            "ms": of.seconds_each * 1e3,
            "cached": of.cached,
            "fetched": of.fetched,
            "peak": of.peak_bytes and of.peak_bytes / 1e6,
        }[bar.kind]

    def ratio(self, of: str, over: str, kind: BarKind) -> float | None:
        """How much quicker (rate) or dearer (cost) one contender is than another."""
        if of not in self.rows or over not in self.rows:
            return None
        speed = self.rows[of].rate / self.rows[over].rate
        return 1 / speed if kind == "cost" else speed

"""Samples into ratios, ratios against bars. Pure."""

from __future__ import annotations

import dataclasses

from benchmarks.cases import Bar, BarKind, Case


@dataclasses.dataclass(frozen=True)
class Sample:
    """One round: its time and, where it was cold, what the page cache kept, as a share of the bytes read."""

    seconds: float
    cached: float | None = None


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
        of = self.rows.get(bar.of)
        if of is None:
            return None
        if bar.kind == "ms":
            return of.seconds_each * 1e3
        if bar.kind == "cached":
            return of.cached
        return self.ratio(bar.of, bar.over or "", bar.kind)

    def ratio(self, of: str, over: str, kind: BarKind) -> float | None:
        """How much quicker (rate) or dearer (cost) one contender is than another."""
        if of not in self.rows or over not in self.rows:
            return None
        speed = self.rows[of].rate / self.rows[over].rate
        return 1 / speed if kind == "cost" else speed

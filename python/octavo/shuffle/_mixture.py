"""`octavo.shuffle.Mixture`: several data sets in given proportions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from octavo import _core
from octavo.errors import OptionError, RecordTypeError
from octavo.shuffle._arguments import LARGEST, size_of, whole, whole_epoch, whole_seed
from octavo.shuffle._permutation import numbers

if TYPE_CHECKING:
    from fractions import Fraction

_FINEST = 2**62
"""Weights that have no small common denominator are rounded to this part of their sum."""


class Mixture:
    """Numbers of several data sets, in proportion to their weights.

    The data sets are numbered one after the other, as `octavo.open([first, second])` does. Each is shuffled, gives
    every record once before it gives any twice, and is shuffled anew when it is used up, so a small one with a large
    weight comes around more often. All of it is computed from the position alone, as in `Permutation`.

    Args:
        datasets: Their sizes; or the data sets themselves, such as readers.
        weights: The share of each, in any unit; in proportion to the sizes if they are not given.
        seed: Chooses the order.
        samples: How many an epoch has; the sum of the sizes if it is not given.
    """

    __slots__ = ("_key", "_order")

    def __init__(
        self,
        datasets: Iterable[Any],
        weights: Iterable[float] | None = None,
        *,
        seed: int = 0,
        samples: int | None = None,
    ) -> None:
        sizes = [size_of(dataset) for dataset in datasets]
        if sum(sizes) > LARGEST:
            message = f"{sum(sizes)} records are more than can be numbered"
            raise OptionError(message)
        shares = _shares(sizes, sizes if weights is None else list(weights))
        samples = sum(sizes) if samples is None else whole("samples", samples, at_least=1)
        self._key = (sizes, shares, whole_seed(seed), samples)
        self._order = _core.Mixture(sizes, shares, samples=samples, seed=seed)

    @property
    def size(self) -> int:
        """Records of all data sets together: every number is below this."""
        return sum(self._key[0])

    @property
    def seed(self) -> int:
        """What chose the order."""
        return self._key[2]

    def __len__(self) -> int:
        """Samples an epoch."""
        return self._key[3]

    def take(self, epoch: int, positions: range) -> memoryview[int]:
        """The numbers at some positions of an epoch, as 64-bit integers."""
        epoch = whole_epoch(epoch)
        if epoch > LARGEST // len(self) - 1:
            message = f"epoch {epoch} is too far away: epochs of {len(self)} samples can be counted up to {LARGEST}"
            raise OptionError(message)
        return numbers(self._order.take(epoch, positions.start, positions.step, len(positions)))

    def with_seed(self, seed: int) -> Mixture:
        """The same data sets and weights in another order."""
        sizes, shares, _, samples = self._key
        return Mixture(sizes, shares, seed=seed, samples=samples)

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Mixture) else NotImplemented

    def __hash__(self) -> int:
        return hash(repr(self._key))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it was made from."""
        return _remake, self._key

    def __repr__(self) -> str:
        sizes, shares, seed, samples = self._key
        return f"Mixture({sizes}, {shares}, seed={seed}, samples={samples})"


def _remake(sizes: list[int], shares: list[int], seed: int, samples: int) -> Mixture:
    return Mixture(sizes, shares, seed=seed, samples=samples)


def _shares(sizes: Sequence[int], weights: Sequence[Any]) -> list[int]:
    """Weights as whole numbers in the same proportion: 0.7, 0.2 and 0.1 are 7, 2 and 1."""
    if len(weights) != len(sizes):
        message = f"{len(sizes)} data sets have {len(weights)} weights"
        raise OptionError(message)
    exact = [_fraction(weight) for weight in weights]
    total = sum(exact)
    if total == 0:
        message = "a mixture needs a data set with a weight above 0"
        raise OptionError(message)
    for number, (size, weight) in enumerate(zip(sizes, exact, strict=True)):
        if weight and not size:
            message = f"data set {number} has a weight of {weights[number]} and no records"
            raise OptionError(message)
    exactly = math.lcm(*(weight.denominator for weight in exact))
    scale = exactly if exactly * total <= LARGEST else _FINEST / total
    shares = [round(weight * scale) or int(weight > 0) for weight in exact]
    common = math.gcd(*shares)
    return [share // common for share in shares]


def _fraction(weight: Any) -> Fraction:
    """A weight as it was written: 0.1 is a tenth, and not the nearest binary fraction."""
    from fractions import Fraction  # noqa: PLC0415 - a fifth of what importing octavo takes, and for mixtures only

    if isinstance(weight, str | bytes) or not hasattr(weight, "__float__"):
        message = f"a weight is a number, not {type(weight).__name__}"
        raise RecordTypeError(message)
    is_exact = isinstance(weight, int | Fraction)
    if not (is_exact or math.isfinite(weight)) or weight < 0:
        message = f"a weight is {weight!r}; allowed are finite numbers from 0 up"
        raise OptionError(message)
    return Fraction(weight) if is_exact else Fraction(repr(float(weight)))

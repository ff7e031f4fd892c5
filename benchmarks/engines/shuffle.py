"""The order of an epoch, computed number by number."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from benchmarks.engines.base import Engine


class OctavoPermutation(Engine):
    """`octavo.shuffle.Permutation`, asked for slices."""

    name = "octavo:permutation"
    module = "octavo"
    distribution = "octavo"
    operations = frozenset({"permutation"})

    def permutation(self, size: int) -> Callable[[range], Any]:
        order = importlib.import_module("octavo.shuffle").Permutation(size, seed=7)
        return lambda positions: order[positions.start : positions.stop]


SHUFFLES: tuple[Engine, ...] = (OctavoPermutation(),)

"""Measuring a machine on a data set, and saying what holds it back: what `octavo bench` prints.

Three kinds of code, apart from each other. `_figures` is what the others hand on: numbers with names. `_device`,
`_reading` and `_candidates` measure; they are bounded in time, in memory and in bytes read, however large the data set
is. `_advice` judges what was measured; it is pure, so that each verdict can be tested with numbers that were made up.
"""

from octavo._bench._figures import BenchReport
from octavo._bench._run import bench

__all__ = ["BenchReport", "bench"]

"""All engines by name. Importing this imports none of the libraries behind them."""

from __future__ import annotations

from benchmarks.engines.array_record import ARRAY_RECORDS
from benchmarks.engines.bagz import BAGZS
from benchmarks.engines.base import Engine
from benchmarks.engines.check import CHECKS
from benchmarks.engines.convert import CONVERSIONS
from benchmarks.engines.dropins import DROP_INS
from benchmarks.engines.floors import FLOORS
from benchmarks.engines.grain import GRAINS
from benchmarks.engines.litdata import LITDATAS
from benchmarks.engines.mosaicml import MOSAICMLS
from benchmarks.engines.octavo import OCTAVOS
from benchmarks.engines.pyrecordio import PYRECORDIOS
from benchmarks.engines.shuffle import SHUFFLES
from benchmarks.engines.tensorflow import TENSORFLOWS
from benchmarks.engines.torch import TORCHES
from benchmarks.engines.webdataset import WEBDATASETS

FORMATS = (*OCTAVOS, *DROP_INS, *BAGZS, *ARRAY_RECORDS, *PYRECORDIOS, *TENSORFLOWS, *FLOORS)
TRAINING = (*SHUFFLES, *TORCHES, *GRAINS, *LITDATAS, *MOSAICMLS, *WEBDATASETS)
WHOLE_FILES = (*CONVERSIONS, *CHECKS)

ENGINES: dict[str, Engine] = {engine.name: engine for engine in (*FORMATS, *TRAINING, *WHOLE_FILES)}

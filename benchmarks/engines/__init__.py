"""All engines by name. Importing this imports none of the libraries behind them."""

from __future__ import annotations

from benchmarks.engines.array_record import ArrayRecord
from benchmarks.engines.bagz import Bagz
from benchmarks.engines.base import Engine
from benchmarks.engines.floors import FLOORS
from benchmarks.engines.octavo import Octavo, OctavoDirect, OctavoWriteMany

ENGINES: dict[str, Engine] = {
    engine.name: engine for engine in (Octavo(), OctavoDirect(), OctavoWriteMany(), Bagz(), ArrayRecord(), *FLOORS)
}

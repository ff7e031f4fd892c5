"""What state machines over the public interface have in common: layouts of files, records, and the plain list beside.

`OCTAVO_FUZZ_SECONDS` makes every machine look for about that long, and elsewhere every time; without it the examples
are the same on every run.
"""

from __future__ import annotations

import dataclasses
import os
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

import octavo
from octavo.errors import TornAppendWarning

_SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
_MANY = 1_000_000


@dataclasses.dataclass(frozen=True)
class Layout:
    """A format, the options of a new file, and what can be done to it."""

    suffix: str
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    grows: bool = True
    has_sidecar: bool = True
    opens_torn: bool = True

    def create(self, path: Path, **more: Any) -> octavo.Writer:
        return octavo.create(path, **{**self.options, **more})

    def write(self, path: Path, records: Sequence[bytes], **more: Any) -> Path:
        with self.create(path, **more) as writer:
            assert writer.write_many(records) == len(records)
        return path


def _array_record(**options: Any) -> Layout:
    return Layout(".array_record", options, has_sidecar=False)


LAYOUTS: dict[str, Layout] = {
    "ffrecord": Layout(".ffr", grows=False, has_sidecar=False),
    "array_record": _array_record(),
    "array_record in groups": _array_record(group_size=4, codec="none"),
    "array_record by brotli": _array_record(options="group_size:3,brotli:1"),
    "array_record by snappy": _array_record(group_size=100, codec="snappy"),
    "array_record in columns": _array_record(group_size=5, transpose=True, codec="zstd:1"),
    "array_record in blocks": _array_record(options="group_size:2,pad_to_block_boundary:true,uncompressed"),
    "riegeli": Layout(".riegeli", {"group_size": 3}, opens_torn=False),
    "recordio": Layout(".recordio"),
    "recordio in chunks": Layout(".recordio", {"dialect": "paddle-python", "codec": "gzip:1", "group_size": 3}),
    "recordio by ieee": Layout(".recordio", {"dialect": "paddle-python-ieee", "codec": "none", "max_chunk_bytes": 40}),
    "recordio of go": Layout(".recordio", {"dialect": "go", "codec": "snappy", "group_size": 2}),
    "recordio of paddle": Layout(".recordio", {"dialect": "paddle-cpp", "codec": "snappy", "group_size": 4}),
    "tfrecord": Layout(".tfrecord"),
    "tfrecord by gzip": Layout(".tfrecord", {"codec": "gzip:1"}, grows=False),
    "tfrecord by zlib": Layout(".tfrecord", {"codec": "zlib"}, grows=False),
}
GROWING = {name: layout for name, layout in LAYOUTS.items() if layout.grows}

records = st.binary(max_size=12) | st.integers(0, 3).map(lambda seed: bytes([seed]) * 5000)
record_lists = st.lists(records, max_size=9)
places = st.integers(0, 40)


def place_in(count: int, place: int) -> int:
    """One of `count` places: a drawn number as an index that is always there."""
    return place % count


def read_perhaps_torn(path: Path, **options: Any) -> tuple[list[bytes], int]:
    """All records of a file, and how many torn bytes it ends with; the warning says so, and nothing else warns."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # of what other tests have left
        with octavo.open(path, **options) as reader:
            found, torn_bytes = reader.read_all(), reader.info.torn_bytes
    assert [one.category for one in caught] == [TornAppendWarning] * bool(torn_bytes)
    return found, torn_bytes


@contextmanager
def silent_about_torn() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TornAppendWarning)
        yield


class Machine(RuleBasedStateMachine):
    """A machine with a folder of its own, in which nothing may be left but what its model knows."""

    def __init__(self) -> None:
        super().__init__()
        self._temporary = TemporaryDirectory()
        self.folder = Path(self._temporary.name)

    def teardown(self) -> None:
        self._temporary.cleanup()


def run_machine(machine: type[Machine], *, examples: int, steps: int = 20) -> None:
    """Look for a way through the rules after which the machine and its list differ."""
    seconds = float(os.environ.get("OCTAVO_FUZZ_SECONDS", "0"))
    quick = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, derandomize=True,
        suppress_health_check=_SLOW_IS_FINE, print_blob=True,
    )  # fmt: skip
    if not seconds:
        run_state_machine_as_test(machine, settings=quick)
        return
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        run_state_machine_as_test(machine, settings=settings(quick, derandomize=False, database=None))

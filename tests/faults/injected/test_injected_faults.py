"""Every fault at every call: what was acknowledged is there, no byte is wrong, nothing is left, and the error is clear.

What must hold is said in scenario.py and in the scenarios themselves. A signal, and a read or a write that falls short,
must not be noticed at all.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.faults import samples
from tests.faults.injected import preloaded, sweep, ways

STAT = "EIO of stat from then on"
ALL = list(ways.WAYS)
WRITING = [
    *((scenario, way) for scenario in ("Create", "CreateOver", "CreateAtOnce", "CreateExclusively") for way in ALL),
    *((scenario, way) for scenario in ("Append", "AppendStubbornly") for way in ways.GROWING),
    *((scenario, way) for scenario in ("AppendToTorn", "Trim") for way in ways.GROWING if way != "riegeli"),
    *(("AppendWithSidecar", way) for way in ways.GROWING if way in ways.WITH_SIDECAR),
    *(("Recover", way) for way in ALL),
    *(("WriteIndex", way) for way in ways.WITH_SIDECAR),
    *(("Convert", way) for way in ALL),
    *(("Pack", way) for way in ("ffrecord", "array_record")),
]
READING = [("Read", way, io) for way in ALL for io in samples.IO_MODES]
READING += [("ReadWithSidecar", way, "auto") for way in ways.WITH_SIDECAR]


def swept(injector: Path, folder: Path, scenario: str, way: str, **options: Any) -> list[str]:
    """What is wrong. That every fault has struck, and struck often, is looked at here."""
    told = preloaded.run(injector, sweep.sweep, folder=folder, scenario=scenario, way=way, **options)
    struck: dict[str, int] = told["struck"]
    assert sum(struck.values()) >= 20, struck
    wrong: list[str] = told["wrong"]
    return wrong


def shown(wrong: list[str]) -> str:
    return f"{len(wrong)} times, such as\n" + "\n".join(wrong[:8])


@pytest.mark.parametrize(("scenario", "way"), WRITING)
def test_every_fault_of_every_call_of_a_writer_is_survived_or_told(
    injector: Path, quick_path: Path, scenario: str, way: str
):
    wrong = swept(injector, quick_path, scenario, way)
    assert not wrong, shown(wrong)


@pytest.mark.parametrize("way", ["array_record", "riegeli", "recordio", "tfrecord"])
def test_fault_in_a_thread_that_writes_is_told_by_the_writer(injector: Path, quick_path: Path, way: str):
    faults = ["EIO", "ENOSPC", "ENOSPC from then on", "EINTR", "half"]
    wrong = swept(injector, quick_path, "CreateLarge", way, faults=faults)
    assert not wrong, shown(wrong)


@pytest.mark.parametrize(("scenario", "way", "io"), READING)
def test_every_fault_of_every_call_of_a_reader_is_survived_or_told(
    injector: Path, quick_path: Path, scenario: str, way: str, io: str
):
    wrong = swept(injector, quick_path, scenario, way, io=io)
    assert not wrong, shown(wrong)


# A harness that finds nothing wrong with a careless writer finds nothing.


@pytest.mark.parametrize(
    ("careless", "fault", "expected"),
    [
        ("InPlace", "ENOSPC", "FormatError|there, in spite of an error"),
        ("Trusting", "half", "DamagedFileError|ChecksumError|TruncatedError"),
        ("Trusting", "ENOSPC", "left behind"),
        ("Silent", "ENOSPC", "nothing was said of bytes that cannot be there"),
        ("Untidy", "ENOSPC", "still open"),
        ("Vague", "ENOSPC", "names no file"),
    ],
)
def test_carelessness_is_noticed(injector: Path, quick_path: Path, careless: str, fault: str, expected: str):
    told = preloaded.run(injector, sweep.sweep, folder=quick_path, scenario=careless, way="ffrecord", faults=[fault])
    assert any(re.search(expected, problem) for problem in told["wrong"]), told

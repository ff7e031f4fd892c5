"""Every number of every format, set to every edge: an error or the right records, within a second and 100 MB.

The bounds that are asserted are wider than that for time, because others may use the machine; what took more than a
second of the processor is printed, and shown with `-rP`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.faults import isolation
from tests.faults.lies.sweeps import SWEEPS
from tests.faults.programs import bounded, bounded_flaws


def measure(program: Callable[..., None], folder: Path, least_cases: int = 1, **arguments: Any) -> dict[str, Any]:
    """Runs a program that measures; a process that was ended by the clock or otherwise says what it was doing."""
    progress = folder.parent / f"{folder.name}.progress"
    try:
        ended = isolation.run(program, folder=folder, progress=progress, timeout_s=240, **arguments)
        if ended.returncode:
            doing = progress.read_text(errors="replace").splitlines()[-1:] if progress.exists() else "nothing yet"
            pytest.fail(f"ended with {ended.returncode} while doing {doing}\n{ended.written()}")
    finally:
        progress.unlink(missing_ok=True)
    told: dict[str, Any] = json.loads(ended.output.splitlines()[-1])
    sys.stdout.write(f"{told}\n")
    assert told["cases"] >= least_cases
    assert not told["wrong"], "\n".join(told["wrong"][:20])
    return told


@pytest.mark.parametrize("name", SWEEPS)
def test_number_that_lies_is_an_error_or_does_not_matter(quick_path: Path, name: str):
    measure(bounded.sweep, quick_path, least_cases=40, name=name)


def test_commands_end_with_a_status_and_a_word(quick_path: Path):
    pytest.importorskip("typer", reason="the command line is not installed")
    from tests.faults.programs import bounded_commands

    measure(bounded_commands.command_every_so_many, quick_path, least_cases=30)


# The measure itself.


@pytest.mark.parametrize("flaw", bounded_flaws.FLAWS)
def test_measure_finds_what_must_not_be(quick_path: Path, flaw: str):
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        measure(bounded_flaws.err, quick_path, flaw=flaw)


def test_measure_finds_nothing_where_nothing_is(quick_path: Path):
    measure(bounded_flaws.err, quick_path, flaw="none")

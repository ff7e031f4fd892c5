"""The program: a scenario with every fault at every call, one after the other in one process."""

from __future__ import annotations

import collections
import faulthandler
import gc
import json
import os
import warnings

from octavo.errors import SidecarWarning, TornAppendWarning
from tests.faults.injected import careless, reading, working, writing
from tests.faults.injected.faults import FAULTS, Fault, Injector, Kind
from tests.faults.injected.scenario import Outcome, Scenario
from tests.faults.programs.outcome import say

SCENARIOS: dict[str, type[Scenario]] = {
    kind.__name__: kind
    for kind in (
        writing.Create,
        writing.CreateOver,
        writing.CreateAtOnce,
        writing.CreateExclusively,
        writing.CreateLarge,
        writing.Append,
        writing.AppendStubbornly,
        writing.AppendToTorn,
        writing.AppendWithSidecar,
        writing.Trim,
        working.Recover,
        working.WriteIndex,
        working.Convert,
        working.Pack,
        reading.Read,
        reading.ReadWithSidecar,
        careless.InPlace,
        careless.Trusting,
        careless.Silent,
        careless.Untidy,
        careless.Vague,
    )
}
DIRECT_BYTES = 512
"""Past the page cache devices give whole sectors, or the end of the file."""
MOST_CALLS = 2000
"""No scenario has so many: one that never comes to its end tries the same thing again and again."""


def descriptors(folder: str) -> list[str]:
    """What is open under a folder."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            continue  # the one that listed them
        if target.startswith(folder):
            found.append(target)
    return found


def run(scenario: Scenario, injector: Injector, fault: Fault, calls_before: int) -> tuple[Kind, str | None]:
    """Which calls were struck, and what is wrong then."""
    scenario.reset()
    open_before = descriptors(scenario.folder)
    error: BaseException | None = None
    injector.arm(fault, calls_before)
    try:
        scenario.act()
    except BaseException as raised:  # noqa: BLE001 - a panic is no Exception
        error = raised.with_traceback(None)
        error.__context__ = None  # its frames would keep files open
    struck = injector.disarm()
    if isinstance(error, AssertionError):
        return struck, str(error)
    if len(descriptors(scenario.folder)) > len(open_before):
        gc.collect()
    open_now = descriptors(scenario.folder)
    if len(open_now) > len(open_before):
        return struck, f"still open: {open_now} after {error!r}"
    try:
        scenario.check(Outcome(fault, struck, error))
    except Exception as wrong:  # noqa: BLE001 - whatever it is, it is told
        return struck, f"{type(wrong).__name__}: {wrong} after {error!r}"
    return struck, None


def sweep(
    library: str,
    folder: str,
    scenario: str,
    way: str,
    *,
    io: str = "auto",
    faults: list[str] | None = None,
    limit_s: int = 300,
) -> None:
    """Says how often which kind of call was struck, and everything that was wrong."""
    faulthandler.dump_traceback_later(limit_s, exit=True)  # what hangs is told, and ends
    warnings.simplefilter("ignore", TornAppendWarning)
    warnings.simplefilter("ignore", SidecarWarning)
    watched = os.path.join(folder, "watched")
    made = SCENARIOS[scenario](watched, way, io)
    injector = Injector(library, watched)
    injector.fall_short_by(DIRECT_BYTES if io == "direct" else 1)
    struck_calls: collections.Counter[str] = collections.Counter()
    wrong: list[str] = []
    for fault in [FAULTS[name] for name in faults or FAULTS]:
        for calls_before in range(MOST_CALLS):
            struck, problem = run(made, injector, fault, calls_before)
            if problem is not None:
                wrong.append(f"{fault.name} at call {calls_before} ({struck!r}): {problem}")
            if not struck:
                break
            struck_calls[f"{fault.name}: {struck.name if not fault.stays else 'several'}"] += 1
        else:
            wrong.append(f"{fault.name}: no end after {MOST_CALLS} calls")
    say(json.dumps({"struck": struck_calls, "wrong": wrong}))

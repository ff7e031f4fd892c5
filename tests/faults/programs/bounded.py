"""Operations on files that lie, each measured: what it took of the processor and of memory, and how it ended."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import shutil
import signal
import time
import warnings
from collections.abc import Callable
from typing import Any

import octavo
from octavo.errors import OctavoError
from tests.faults.lies.sweeps import SWEEPS, Truth
from tests.faults.programs.outcome import say

DEADLINE_S = 60
MOST_CPU_S = 10.0
MOST_MEMORY = 100 << 20
NOTED_CPU_S = 1.0
_LOOKED_AT = 64
MORE = b"one more"

Operation = Callable[[str, Truth], None]


class WrongError(Exception):
    """An operation gave what it must not."""


def demand(*, what_holds: bool, otherwise: str) -> None:
    """What must hold of a result."""
    if not what_holds:
        raise WrongError(otherwise)


def _len(path: str, truth: Truth) -> None:
    with octavo.open(path) as reader:
        count = len(reader)
        demand(what_holds=reader.info.record_count == count, otherwise="info counts otherwise")
        if truth.records is not None:
            demand(what_holds=count == truth.count, otherwise=f"{count} records of {truth.count}")
        if truth.records is None and count == 0:
            demand(what_holds=reader.info.torn_bytes > 0, otherwise="damage is read as nothing, without a word")


def _single(path: str, truth: Truth) -> None:
    with octavo.open(path) as reader:
        count = len(reader)
        for number in {0, count - 1, *range(min(count, _LOOKED_AT))} - {-1}:
            with contextlib.suppress(OctavoError):
                demand(what_holds=truth.allows(number, reader[number]), otherwise=f"record {number}")
        if count:
            with contextlib.suppress(OctavoError):
                demand(what_holds=truth.allows(count - 1, reader[-1]), otherwise="the last record")


def _read(path: str, truth: Truth) -> None:
    with octavo.open(path) as reader:
        for number, record in enumerate(reader.read(range(min(32, len(reader))))):
            demand(what_holds=truth.allows(number, record), otherwise=f"read, record {number}")


def _iterate(path: str, truth: Truth) -> None:
    with octavo.open(path) as reader:
        for number, record in enumerate(itertools.islice(reader, 32)):
            demand(what_holds=truth.allows(number, record), otherwise=f"iteration, record {number}")


def _read_all(path: str, truth: Truth) -> None:
    with octavo.open(path) as reader:
        found, torn = reader.read_all(), reader.info.torn_bytes
    if torn:  # said with a warning
        expected = [truth.readable.get(number) for number in range(len(found))]
        demand(what_holds=found == expected, otherwise="what stands before a torn end")
        return
    demand(what_holds=found == truth.records, otherwise=f"read_all: {len(found)} records")


def _read_unchecked(path: str, _: Truth) -> None:
    with octavo.open(path, check_data=False) as reader:
        reader.read_all()


def _verify(path: str, truth: Truth) -> None:
    demand(what_holds=not octavo.verify(path).ok or truth.records is not None, otherwise="verify finds nothing wrong")


def _recover(path: str, truth: Truth) -> None:
    target = _beside(path, "saved")
    report = octavo.recover(path, target)
    with octavo.open(target) as reader:
        demand(what_holds=len(reader.read_all()) == report.record_count, otherwise="recover counts otherwise")
        known = truth.records
        if known is not None:
            demand(what_holds=reader.read_all() == known, otherwise="recover lost something of a sound file")


def _append(path: str, _: Truth) -> None:
    grown = shutil.copy(path, _beside(path, "grown"))
    with octavo.append(grown) as writer:
        writer.write(MORE)
    with octavo.open(grown) as reader:
        demand(what_holds=reader[-1] == MORE, otherwise="what was appended is not there")


def _trim(path: str, _: Truth) -> None:
    octavo.trim(shutil.copy(path, _beside(path, "trimmed")))


def _convert(path: str, truth: Truth) -> None:
    target = os.path.join(os.path.dirname(path), "converted.ffr")
    report = octavo.convert(path, target)
    demand(what_holds=truth.records is not None or truth.is_torn, otherwise="damage was converted without a word")
    demand(what_holds=report.record_count == len(truth.readable), otherwise="convert counts otherwise")


def _digest(path: str, truth: Truth) -> None:
    found = octavo.digest(path)
    demand(what_holds=truth.records is not None or truth.is_torn, otherwise="damage has a digest")
    demand(what_holds=found.record_count == len(truth.readable), otherwise="digest counts otherwise")


def _write_index(path: str, truth: Truth) -> None:
    for sidecar in octavo.write_index(path):
        try:
            _len(path, truth)
            _single(path, truth)
        finally:
            os.remove(sidecar)


def _diff(path: str, _: Truth) -> None:
    demand(what_holds=octavo.diff(path, path).same, otherwise="a file is not itself")


def _partitions(path: str, _: Truth) -> None:
    with octavo.open(path) as reader:
        parts = reader.partitions(3)
        demand(what_holds=sum(map(len, parts)) == len(reader), otherwise="partitions")
        for part in parts:
            with contextlib.suppress(OctavoError), part.open() as opened:
                next(iter(opened), None)


OPERATIONS: dict[str, Operation] = {
    "len": _len,
    "single": _single,
    "read": _read,
    "iteration": _iterate,
    "read_all": _read_all,
    "unchecked": _read_unchecked,
    "verify": _verify,
    "recover": _recover,
    "append": _append,
    "trim": _trim,
    "convert": _convert,
    "digest": _digest,
    "write_index": _write_index,
    "diff": _diff,
    "partitions": _partitions,
}
RECOVERING: dict[str, Operation] = {"recover": _recover}


def _beside(path: str, name: str) -> str:
    stem, dot, suffix = path.removesuffix(".partial").rpartition(".")
    return f"{stem}.{name}{dot}{suffix}"


def clear(folder: str) -> None:
    """Remove all files in it; folders stay."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir():
                os.remove(entry)


class Meter:
    """What operations take, and which of them took too much or ended in no way that is allowed."""

    def __init__(self) -> None:
        self.count = 0
        self.wrong: list[str] = []
        self.slow: list[str] = []
        self.most_cpu = self.most_memory = 0.0

    def run(self, name: str, call: Callable[[], object]) -> None:
        """One operation. A process that is over its time is ended by the clock, whatever it is doing."""
        self.count += 1
        _forget_peak()
        memory, began = _resident("VmRSS"), time.process_time()
        signal.setitimer(signal.ITIMER_REAL, DEADLINE_S)  # for who waits
        signal.setitimer(signal.ITIMER_PROF, MOST_CPU_S)  # for who works, however busy the machine is
        ended = "well"
        try:
            call()
        except OctavoError as error:
            ended = _flaw_of(error)
        except BaseException as error:  # noqa: BLE001 - that is what must not be
            ended = f"{type(error).__name__}: {error}"[:300]
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        cpu, grown = time.process_time() - began, _resident("VmHWM") - memory
        self.most_cpu, self.most_memory = max(self.most_cpu, cpu), max(self.most_memory, grown)
        if ended != "well":
            self.wrong.append(f"{name}: {ended}")
        if cpu > MOST_CPU_S or grown > MOST_MEMORY:
            self.wrong.append(f"{name}: {cpu:.1f} s and {grown >> 20} MB")
        if cpu > NOTED_CPU_S:
            self.slow.append(f"{name}: {cpu:.1f} s")

    def tell(self, **more: Any) -> None:
        """All of it, for the test."""
        most = {"most_cpu_s": round(self.most_cpu, 2), "most_mb": round(self.most_memory / (1 << 20), 1)}
        say(json.dumps({"operations": self.count, "wrong": self.wrong, "slow": self.slow, **most, **more}))


def _flaw_of(error: OctavoError) -> str:
    """An error tells what is wrong, in a line, and nothing of panics."""
    message = str(error)
    is_clear = len(message) > len("an error") and "panicked" not in message and "\n" not in message
    return "well" if is_clear else f"{type(error).__name__} does not tell: {message!r}"


def _forget_peak() -> None:
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def _resident(line: str) -> int:
    with open("/proc/self/status") as file:
        return next(int(text.split()[1]) << 10 for text in file if text.startswith(line))


def warmed(folder: str) -> None:
    """Threads, tables and modules are there before anything is measured."""
    warnings.simplefilter("ignore")
    path = os.path.join(folder, "warm.recordio")
    with octavo.create(path) as writer:
        writer.write(b"warm")
    truth = Truth(1, {0: b"warm"})
    for operation in OPERATIONS.values():
        operation(path, truth)
    clear(folder)


def sweep(folder: str, name: str, progress: str) -> None:
    """Every operation on every file of a sweep; the one that does not lie must be read."""
    warmed(folder)
    meter, files = Meter(), SWEEPS[name]
    operations = RECOVERING if files.twin is None else OPERATIONS
    cases = 0
    with open(progress, "wb", buffering=0) as told:
        for case, content in files.cases():
            cases += 1
            path = os.path.join(folder, f"liar{files.suffix}")
            with open(path, "wb") as file:
                file.write(content)
            truth = files.truth(content)
            if case == "the truth" and files.twin is not None:
                demand(what_holds=bool(truth.records), otherwise="the twin cannot read it either")
                _read_all(path, truth)
            for operation, call in operations.items():
                told.write(f"{name}: {case}: {operation}\n".encode())
                meter.run(f"{case}: {operation}", functools.partial(call, path, truth))
            clear(folder)
    meter.tell(cases=cases)

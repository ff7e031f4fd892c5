"""Scenarios that write records: new files, files in the place of others, appends."""

from __future__ import annotations

import itertools
import os
import random
import warnings

import octavo
from octavo.errors import InterruptedWriteWarning, OctavoError, SidecarWarning, TornAppendWarning
from tests.faults import samples
from tests.faults.injected import ways
from tests.faults.injected.faults import Kind
from tests.faults.injected.scenario import Outcome, Scenario
from tests.faults.marks import has_marks

LARGE = [random.Random(number).randbytes(400_000) for number in range(9)]
"""More than is gathered before it is written; no codec makes it smaller."""
OLDER = samples.records(5, seed=9)
MORE = b"written when the fault was over"


class Create(Scenario):
    """A new file, flushed twice on the way."""

    overwrite = True
    is_flushed = True

    def prepare(self) -> None:
        """There is nothing."""

    def act(self) -> None:
        self.acknowledged = 0
        with octavo.create(self.path, overwrite=self.overwrite, **self.way.options) as writer:
            for portion in ways.portions(seed=1):
                writer.write_many(portion)
                if self.is_flushed and self.acknowledged < 2 * ways.PORTION_RECORDS:
                    writer.flush()
                    self.acknowledged += len(portion)

    @property
    def written(self) -> list[bytes]:
        return list(itertools.chain(*ways.portions(seed=1)))

    def check_success(self, outcome: Outcome) -> None:
        self.check_leftovers(outcome, {os.path.basename(self.path)})
        assert ways.contents(self.path) == self.written

    def check_failure(self, outcome: Outcome) -> None:
        name = os.path.basename(self.path)
        # What was flushed stays where `octavo.recover` finds it.
        kept = {f"{name}.partial"} if self.acknowledged else set()
        left = self.check_leftovers(outcome, {name, *kept})
        is_new = name in self.files() and self.files()[name] != self.before.get(name)
        if is_new:
            # The name is there, and only then its folder could not be synced, or another name not be removed.
            assert outcome.struck & (Kind.SYNC | Kind.OPEN | Kind.UNLINK), "there, in spite of an error"
            assert ways.contents(self.path) == self.written
        elif name in self.before:
            assert name in self.files(), "the older file is gone"
        if self.acknowledged and not is_new:
            self.check_recovery(f"{self.path}.partial", self.acknowledged)
        assert left <= {f"{name}.partial", f"{name}.assembling"}
        if self.overwrite:
            self.begin_anew(self.acknowledged if not is_new else 0)
            self.check_success(outcome)

    def begin_anew(self, acknowledged: int) -> None:
        """What was flushed is set aside."""
        stem, dot, suffix = os.path.basename(self.path).partition(".")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InterruptedWriteWarning)
            self.act()
        aside = os.path.join(self.folder, f"{stem}.1{dot}{suffix}.partial")
        assert os.path.exists(aside) or not acknowledged or not has_marks(self.folder), (
            "what was flushed was begun anew"
        )
        if os.path.exists(aside):
            self.check_recovery(aside, acknowledged)
            os.unlink(aside)

    def check_recovery(self, path: str, acknowledged: int) -> None:
        target = os.path.join(self.folder, f"recovered{self.way.suffix}")
        octavo.recover(path, target)
        saved = ways.contents(target)
        assert len(saved) >= acknowledged
        assert saved == self.written[: len(saved)]
        os.unlink(target)


class CreateOver(Create):
    """A file in the place of an older one."""

    def prepare(self) -> None:
        ways.write(self.path, self.way, OLDER)


class CreateAtOnce(Create):
    """A file in the place of an older one, without a flush: most of it is written when it is closed."""

    is_flushed = False

    def prepare(self) -> None:
        ways.write(self.path, self.way, OLDER)


class CreateExclusively(Create):
    """A file that must not take the place of another."""

    overwrite = False


class CreateLarge(Create):
    """A file that is written by other threads, while its records are still coming."""

    def act(self) -> None:
        self.acknowledged = 0
        with octavo.create(self.path, **self.way.options) as writer:
            for record in self.written:
                writer.write(record)

    @property
    def written(self) -> list[bytes]:
        return LARGE


class Append(Scenario):
    """Records behind those of a file, flushed on the way."""

    is_torn = False

    def prepare(self) -> None:
        ways.write(self.path, self.way, samples.records(13, seed=2))
        self.base = samples.records(13, seed=2)

    def act(self) -> None:
        self.acknowledged = 0
        with octavo.append(self.path) as writer:
            for portion in ways.portions(seed=3):
                writer.write_many(portion)
                if self.acknowledged < 2 * ways.PORTION_RECORDS:
                    self.flush(writer)
                    self.acknowledged += len(portion)

    def flush(self, writer: octavo.Writer) -> None:
        writer.flush()

    @property
    def written(self) -> list[bytes]:
        return list(itertools.chain(*ways.portions(seed=3)))

    def check_success(self, outcome: Outcome) -> None:
        self.check_leftovers(outcome, {*self.before})
        assert ways.contents(self.path) == self.base + self.written
        assert octavo.verify(self.path).ok

    def check_failure(self, outcome: Outcome) -> None:
        self.check_leftovers(outcome, {*self.before})
        found = ways.contents(self.path)
        safe = len(self.base) + self.acknowledged
        assert len(found) >= safe, f"{safe - len(found)} records are lost"
        assert found == (self.base + self.written)[: len(found)]
        if not outcome.struck & Kind.TRUNCATE:
            assert len(found) == safe, "what was given up is there"
            assert octavo.verify(self.path).ok or self.is_torn
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TornAppendWarning)
            with octavo.append(self.path) as writer:
                writer.write(MORE)
        assert ways.contents(self.path) == [*found, MORE]
        assert octavo.verify(self.path).ok


class AppendStubbornly(Append):
    """A flush that fails is tried again: what it says then must be true."""

    def flush(self, writer: octavo.Writer) -> None:
        try:
            writer.flush()
        except OctavoError:
            writer.flush()


class AppendToTorn(Append):
    """Behind what an interrupted append has left."""

    is_torn = True

    def prepare(self) -> None:
        super().prepare()
        with open(self.path, "rb") as file:
            whole = file.read()
        with octavo.append(self.path) as writer:
            writer.write_many(samples.records(40, seed=4))
        with open(self.path, "rb") as file:
            torn = file.read()
        end = len(torn) - 70 if self.way.suffix != ".array_record" else len(whole) + 500
        with open(self.path, "wb") as file:
            file.write(torn[:end])
        self.base = ways.contents(self.path)


class AppendWithSidecar(Append):
    """An index stands beside the file, and is written anew."""

    def prepare(self) -> None:
        super().prepare()
        octavo.write_index(self.path)

    def act(self) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", SidecarWarning)
            super().act()
        self.is_told = any(isinstance(warning.message, SidecarWarning) for warning in caught)


class Trim(AppendToTorn):
    """What is torn is cut off."""

    def act(self) -> None:
        self.acknowledged = 0
        octavo.trim(self.path)

    @property
    def written(self) -> list[bytes]:
        return []

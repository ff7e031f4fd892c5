"""The scenario that only reads: every way of reading gives the right bytes, or an error that says what happened."""

from __future__ import annotations

from collections.abc import Callable

import octavo
from octavo.errors import OctavoError
from tests.faults import samples
from tests.faults.injected import ways
from tests.faults.injected.scenario import Outcome, Scenario

RECORDS = samples.records(60, seed=6)
SOME = [0, 59, 7, 8, 30, 7]


class Read(Scenario):
    """Opens a file, and reads it in every way that there is."""

    writes = False

    def prepare(self) -> None:
        ways.write(self.path, self.way, RECORDS)
        self.digest = octavo.digest(self.path)

    def act(self) -> None:
        self.errors: list[OctavoError | OSError] = []
        with octavo.open(self.path, io=self.io) as reader:  # type: ignore[arg-type]  # a parameter of the test
            self.read("single", lambda: reader[17] == RECORDS[17])
            self.read("batch", lambda: reader.read(SOME) == [RECORDS[number] for number in SOME])
            self.read("read_batch", lambda: reader.read_batch(SOME).to_list() == [RECORDS[number] for number in SOME])
            self.read("all", lambda: reader.read_all() == RECORDS)
            self.read("iteration", lambda: list(reader) == RECORDS)
            self.read("slice", lambda: list(reader[5:9]) == RECORDS[5:9])
        self.read("digest", lambda: octavo.digest(self.path) == self.digest)
        self.read("verify", self.verify)
        if self.errors:
            raise self.errors[0]

    def read(self, name: str, is_right: Callable[[], bool]) -> None:
        try:
            assert is_right(), f"{name} gave something else"
        except (OctavoError, OSError) as error:
            self.errors.append(error)

    def verify(self) -> bool:
        report = octavo.verify(self.path)
        assert report.record_count == len(RECORDS), f"counted {report.record_count} records"
        if not report.ok:
            raise OSError(None, f"{self.path}: {report.damage}")
        return True

    def check_success(self, outcome: Outcome) -> None:  # noqa: ARG002 - nothing is written, so nothing can be left
        assert self.files() == self.before

    def check_failure(self, outcome: Outcome) -> None:
        assert self.files() == self.before
        for error in self.errors:
            self.check_clear(error, outcome.fault)


class ReadWithSidecar(Read):
    """The same with an index beside the file."""

    def prepare(self) -> None:
        super().prepare()
        octavo.write_index(self.path)

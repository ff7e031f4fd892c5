"""Scenarios that make files of other files: recovering, indexing, converting, packing."""

from __future__ import annotations

import os
from pathlib import Path

import octavo
from tests.faults import samples
from tests.faults.injected import ways
from tests.faults.injected.scenario import Outcome, Scenario

RECORDS = samples.records(60, seed=5)


class Recover(Scenario):
    """A whole file from what a killed writer has left."""

    def prepare(self) -> None:
        self.source = os.path.join(self.folder, f"source{self.way.suffix}.partial")
        Path(self.source).write_bytes(ways.unfinished(self.path, self.way, RECORDS))

    def act(self) -> None:
        self.report = octavo.recover(self.source, self.path)

    def check_success(self, outcome: Outcome) -> None:
        self.check_leftovers(outcome, {*self.before, os.path.basename(self.path)})
        saved = ways.contents(self.path)
        assert saved == RECORDS, f"saved {len(saved)} records, and said {self.report!r}"
        self.check_sources()

    def check_failure(self, outcome: Outcome) -> None:
        self.check_sources()
        name = os.path.basename(self.path)
        self.check_leftovers(outcome, {*self.before, name})
        if os.path.exists(self.path):
            assert ways.contents(self.path) == RECORDS

    def check_sources(self) -> None:
        now = self.files()
        assert {name: now[name] for name in self.before} == self.before, "the source was changed"


class WriteIndex(Scenario):
    """An index beside the file."""

    def prepare(self) -> None:
        ways.write(self.path, self.way, RECORDS)

    def act(self) -> None:
        octavo.write_index(self.path)

    def check_success(self, outcome: Outcome) -> None:
        self.check_leftovers(outcome, {*self.before, os.path.basename(self.path) + ".octx"})
        self.check_read(has_sidecar=True)

    def check_failure(self, outcome: Outcome) -> None:
        self.check_leftovers(outcome, {*self.before, os.path.basename(self.path) + ".octx"})
        self.check_read(has_sidecar=os.path.exists(f"{self.path}.octx"))

    def check_read(self, *, has_sidecar: bool) -> None:
        with octavo.open(self.path) as reader:
            assert reader.info.sidecar == has_sidecar
            assert reader.read_all() == RECORDS


class Convert(Scenario):
    """One file into one of another format."""

    def prepare(self) -> None:
        suffix = ".recordio" if self.way.suffix == ".ffr" else ".ffr"
        self.source = os.path.join(self.folder, f"source{suffix}")
        with octavo.create(self.source) as writer:
            writer.write_many(RECORDS)

    def act(self) -> None:
        octavo.convert(self.source, self.path, **self.way.options)

    def check_success(self, outcome: Outcome) -> None:
        now = self.files()
        self.check_leftovers(outcome, {*self.before, os.path.basename(self.path)})
        assert ways.contents(self.path) == RECORDS
        assert all(now[name] == content for name, content in self.before.items()), "the source was changed"

    def check_failure(self, outcome: Outcome) -> None:
        name = os.path.basename(self.path)
        self.check_leftovers(outcome, {*self.before, name, f"{name}.converting"})
        if os.path.exists(self.path):
            assert ways.contents(self.path) == RECORDS
        self.act()
        self.check_success(outcome)


class Pack(Scenario):
    """A folder into one file."""

    def prepare(self) -> None:
        self.tree = {"tree/a": b"a" * 5000, "tree/deep/b": b"b" * 100, "tree/deep/empty": b""}
        for name, content in self.tree.items():
            path = Path(self.folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def reset(self) -> None:
        self.clear()
        self.prepare()

    def act(self) -> None:
        octavo.pack(os.path.join(self.folder, "tree"), self.path)

    def check_success(self, outcome: Outcome) -> None:
        self.check_leftovers(outcome, {*self.before, os.path.basename(self.path)})
        with octavo.Folder(self.path) as folder:
            assert folder.read([name.removeprefix("tree/") for name in self.tree]) == [*self.tree.values()]

    def check_failure(self, outcome: Outcome) -> None:
        name = os.path.basename(self.path)
        left = self.check_leftovers(outcome, {*self.before, name})
        if not os.path.exists(self.path) and not left:  # what is left is not overwritten without being told
            self.act()
        if os.path.exists(self.path):
            self.check_success(outcome)

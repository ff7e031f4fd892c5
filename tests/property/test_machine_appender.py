"""A file that grows, and a plain list: appends that are closed, given up, killed or torn, and what is done about it."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

import octavo
from octavo import errors
from tests.property.machines import (
    GROWING,
    Machine,
    place_in,
    places,
    read_perhaps_torn,
    record_lists,
    records,
    run_machine,
)

MOST_KEPT = 4


class AppenderMachine(Machine):
    """One file. `model` is what it holds as far as anybody was told; `unflushed` is what was written since."""

    writer: octavo.Writer | None = None
    torn_bytes = 0
    versions = 0
    has_sidecar = False

    @initialize(layout=st.sampled_from(list(GROWING)), first=record_lists, sidecar=st.booleans())
    def create(self, layout: str, first: list[bytes], sidecar: bool):  # noqa: FBT001 - drawn
        self.layout = GROWING[layout]
        self.has_sidecar = sidecar and self.layout.has_sidecar
        more: dict[str, Any] = {"sidecar": True} if self.has_sidecar else {}
        self.path = self.layout.write(self.folder / f"log-0{self.layout.suffix}", first, **more)
        self.model, self.unflushed = list(first), list[bytes]()
        self.kept: list[tuple[octavo.Reader, list[bytes]]] = []

    def teardown(self) -> None:
        if self.writer is not None:
            self.writer.abort()
        super().teardown()

    @precondition(lambda self: self.writer is None)
    @rule()
    def begin(self):
        self.writer = octavo.append(self.path)
        self.torn_bytes = 0

    @precondition(lambda self: self.writer is not None)
    @rule(some=st.lists(records, min_size=1, max_size=6), one_by_one=st.booleans())
    def write(self, some: list[bytes], one_by_one: bool):  # noqa: FBT001 - drawn
        assert self.writer is not None
        if one_by_one:
            for record in some:
                self.writer.write(record)
        else:
            assert self.writer.write_many(some) == len(some)
        self.unflushed += some

    @precondition(lambda self: self.writer is not None)
    @rule()
    def flush(self):
        assert self.writer is not None
        self.writer.flush()
        self.model, self.unflushed = self.model + self.unflushed, []

    @precondition(lambda self: self.writer is not None)
    @rule(closes=st.booleans())
    def end(self, closes: bool):  # noqa: FBT001 - drawn
        assert self.writer is not None
        if closes:
            self.writer.close()
            self.model = self.model + self.unflushed
            with octavo.open(self.path) as reader:
                assert reader.info.sidecar == self.has_sidecar
        else:
            self.writer.abort()
        self.writer, self.unflushed = None, []

    @precondition(lambda self: self.writer is not None)
    @rule()
    def a_second_append_is_refused(self):
        with pytest.raises(errors.StorageError):
            octavo.append(self.path)

    @precondition(lambda self: self.writer is not None)
    @rule()
    def crash(self):
        """The file as it is at this moment is what the next process finds."""
        assert self.writer is not None
        content = self.path.read_bytes()
        self.writer.abort()
        self.writer = None
        self._go_on_with(content, self.model, self.model + self.unflushed)

    @precondition(lambda self: self.writer is None and not self.torn_bytes)
    @rule(some=st.lists(records, min_size=1, max_size=4), place=st.integers(0, 1 << 20))
    def tear(self, some: list[bytes], place: int):
        """An append of which only the first bytes have reached the disk."""
        before = self.path.stat().st_size
        with octavo.append(self.path) as writer:
            writer.write_many(some)
        content = self.path.read_bytes()
        end = before + place_in(len(content) - before + 1, place)
        self._go_on_with(content[:end], self.model, self.model + some)

    def _go_on_with(self, content: bytes, least: list[bytes], most: list[bytes]) -> None:
        """Another file with this content: at least and at most these records are in it."""
        for reader, _ in self.kept:
            reader.close()
        self.kept, self.unflushed, self.has_sidecar = [], [], False
        self.versions += 1
        self.path = self.folder / f"log-{self.versions}{self.layout.suffix}"
        self.path.write_bytes(content)
        try:
            found, self.torn_bytes = read_perhaps_torn(self.path)
        except errors.TruncatedError:
            assert not self.layout.opens_torn
            found = self._recovered()
        assert len(least) <= len(found)
        assert found == most[: len(found)]
        self.model = found

    def _recovered(self) -> list[bytes]:
        """What is intact, in a file of its own, which is the file from now on."""
        saved = self.folder / f"saved-{self.versions}{self.layout.suffix}"
        octavo.recover(self.path, saved)
        self.path, self.torn_bytes, self.has_sidecar = saved, 0, False
        found, torn_bytes = read_perhaps_torn(saved)
        assert torn_bytes == 0
        return found

    @precondition(lambda self: self.writer is None)
    @rule()
    def trim(self):
        before = self.path.stat().st_size
        assert octavo.trim(self.path) == self.torn_bytes
        assert self.path.stat().st_size == before - self.torn_bytes
        self.torn_bytes = 0

    @precondition(lambda self: self.writer is None)
    @rule()
    def recover(self):
        """Nothing of what is known is lost; what was torn may be there as well."""
        was_torn = bool(self.torn_bytes)
        self.versions += 1
        found = self._recovered()
        assert found[: len(self.model)] == self.model
        assert was_torn or len(found) == len(self.model)
        self.model = found

    @precondition(lambda self: self.writer is None and not self.torn_bytes and self.layout.has_sidecar)
    @rule()
    def write_a_sidecar(self):
        octavo.write_index(self.path)
        self.has_sidecar = True

    @precondition(lambda self: not self.unflushed)
    @rule(place=places)
    def keep_a_reader(self, place: int):
        """What is open now has these records for good, however the file grows."""
        if self.torn_bytes:
            return  # what is cut off then was mapped, too; the next rule looks at the file itself
        with_sidecar = place % 2 == 0
        reader = octavo.open(self.path, sidecar=with_sidecar)
        self.kept = [*self.kept[-MOST_KEPT:], (reader, list(self.model))]

    @invariant()
    def readers_that_were_opened_before_have_what_they_had(self):
        for reader, model in getattr(self, "kept", []):
            assert reader.read_all() == model
            assert list(reader) == model

    @invariant()
    def the_file_holds_the_list(self):
        if self.writer is None and hasattr(self, "path"):
            assert read_perhaps_torn(self.path) == (self.model, self.torn_bytes)
            report = octavo.verify(self.path)
            assert (report.record_count, report.ok) == (len(self.model), not self.torn_bytes)
        elif self.writer is not None and self.layout.opens_torn:
            copy = self.folder / f"copy{self.layout.suffix}"
            shutil.copy(self.path, copy)
            found, _ = read_perhaps_torn(copy)
            assert found == (self.model + self.unflushed)[: len(found)]
            assert len(found) >= len(self.model)
            copy.unlink()


def test_a_file_that_grows_is_the_list_of_all_that_was_acknowledged():
    run_machine(AppenderMachine, examples=150)

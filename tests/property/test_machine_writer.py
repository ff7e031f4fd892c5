"""A writer and a plain list: whatever is written in whatever way, the file that appears holds it, or there is none."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

import octavo
from octavo import errors
from tests.property.machines import LAYOUTS, Machine, record_lists, records, run_machine

SHAPES: dict[str, Callable[[bytes], Any]] = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "array": lambda record: np.frombuffer(record, dtype=np.uint8),
}


class GivingUpError(Exception):
    """What a user's code may raise."""


def breaking_off(records: list[bytes]) -> Iterator[bytes]:
    yield from records
    raise GivingUpError


class WriterMachine(Machine):
    """One name, and writers that take turns."""

    writer: octavo.Writer | None = None
    written: list[bytes]
    flushed = 0
    published: list[bytes] | None = None

    @initialize(layout=st.sampled_from(list(LAYOUTS)))
    def choose_a_name(self, layout: str):
        self.suffix = LAYOUTS[layout].suffix
        self.path = self.folder / f"out{self.suffix}"
        self.written = []
        self.same_suffix = [one for one in LAYOUTS.values() if one.suffix == self.suffix]

    def teardown(self) -> None:
        if self.writer is not None:
            self.writer.abort()
        super().teardown()

    @precondition(lambda self: self.writer is None)
    @rule(place=st.integers(0, 9), overwrite=st.booleans(), sidecar=st.booleans())
    def begin(self, place: int, overwrite: bool, sidecar: bool):  # noqa: FBT001 - drawn
        layout = self.same_suffix[place % len(self.same_suffix)]
        more = {"sidecar": True} if sidecar and layout.has_sidecar else {}
        if self.published is not None and not overwrite:
            with pytest.raises(errors.AlreadyExistsError):
                layout.create(self.path, overwrite=False, **more)
            return
        self.writer = layout.create(self.path, overwrite=overwrite, **more)
        self.written, self.flushed = [], 0

    @precondition(lambda self: self.writer is not None)
    @rule(record=records, shape=st.sampled_from(list(SHAPES)))
    def write(self, record: bytes, shape: str):
        assert self.writer is not None
        self.writer.write(SHAPES[shape](record))
        self.written.append(record)

    @precondition(lambda self: self.writer is not None)
    @rule(some=record_lists, how=st.sampled_from(["list", "iterator", "batch", "breaks off", "wrong type"]))
    def write_several(self, some: list[bytes], how: str):
        assert self.writer is not None
        self.written += some
        match how:
            case "list":
                assert self.writer.write_many(some) == len(some)
            case "iterator":
                assert self.writer.write_many(map(bytearray, some)) == len(some)
            case "batch":
                path = self.folder / "batch.ffr"
                with LAYOUTS["ffrecord"].create(path) as other:
                    other.write_many(some)
                with octavo.open(path) as reader:
                    self.writer.write_batch(reader.read_batch(range(len(some))))
                path.unlink()
            case "breaks off":
                with pytest.raises(GivingUpError):
                    self.writer.write_many(breaking_off(some))
            case _:
                with pytest.raises(TypeError):
                    self.writer.write_many([*some, "text"])  # type: ignore[list-item]

    @precondition(lambda self: self.writer is not None)
    @rule()
    def a_second_writer_is_refused(self):
        with pytest.raises(errors.StorageError):
            octavo.create(self.path)

    @precondition(lambda self: self.writer is not None)
    @rule()
    def flush(self):
        assert self.writer is not None
        self.writer.flush()
        self.flushed = len(self.written)

    @precondition(lambda self: self.writer is not None)
    @rule()
    def what_a_crash_would_leave_can_be_recovered(self):
        """A copy of the unfinished file is what is there after the process has died."""
        left = self.folder / f"left{self.suffix}.partial"
        shutil.copy(f"{self.path}.partial", left)
        self.expect_flushed(left)

    def expect_flushed(self, left: Path) -> None:
        saved = self.folder / f"saved{self.suffix}"
        try:
            count = octavo.recover(left, saved).record_count
        except errors.FormatError:  # nothing that could be recognised was on disk yet
            assert self.flushed == 0
        else:
            found = read(saved)
            assert len(found) == count >= self.flushed
            assert found == self.written[: len(found)]
            saved.unlink()
        left.unlink()

    @precondition(lambda self: self.writer is not None)
    @rule()
    def close(self):
        assert self.writer is not None
        has_sidecar = self.writer.sidecar
        self.writer.close()
        self.writer.close()
        with pytest.raises(errors.ClosedError):
            self.writer.write(b"")
        self.writer, self.published = None, self.written
        with octavo.open(self.path) as reader:
            assert reader.info.sidecar == has_sidecar
        assert octavo.verify(self.path).ok

    @precondition(lambda self: self.writer is not None)
    @rule(raises=st.booleans())
    def give_up(self, raises: bool):  # noqa: FBT001 - drawn
        assert self.writer is not None
        if raises:
            with pytest.raises(GivingUpError), self.writer:
                raise GivingUpError
            if self.flushed:
                self.expect_flushed(Path(f"{self.path}.partial"))
        else:
            self.writer.abort()
        assert self.writer.closed
        self.writer = None

    @invariant()
    def only_what_was_published_is_there(self):
        if not hasattr(self, "path"):
            return
        names = {path.name for path in self.folder.iterdir()} - {f"{self.path.name}.octx"}
        expected = {self.path.name: self.published is not None, f"{self.path.name}.partial": self.writer is not None}
        assert names == {name for name, is_there in expected.items() if is_there}
        if self.writer is not None:
            assert self.writer.record_count == len(self.written)
        if self.published is not None:
            assert read(self.path) == self.published


def read(path: Path) -> list[bytes]:
    with octavo.open(path) as reader:
        return reader.read_all()


def test_a_writer_publishes_the_list_that_was_written_or_nothing():
    run_machine(WriterMachine, examples=150)

"""Files of all formats in one folder, and a list for each: made, grown, torn, trimmed, recovered, converted, listed.

After every step all that can be said of a file is said of its list: records, verification, digest, and what readers
that were opened before still have.
"""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

import octavo
from octavo import errors
from tests.naive import digest as naive
from tests.property.machines import (
    LAYOUTS,
    Layout,
    Machine,
    place_in,
    places,
    read_perhaps_torn,
    record_lists,
    records,
    run_machine,
    silent_about_torn,
)

MOST_FILES = 5
MOST_KEPT = 4
layouts = st.sampled_from(list(LAYOUTS))


@dataclasses.dataclass
class File:
    """A file, what it should hold, and what is behind its last whole end."""

    path: Path
    layout: Layout
    model: list[bytes]
    torn_bytes: int = 0


@dataclasses.dataclass
class Kept:
    """A reader that stays open, and what it had when it was opened."""

    reader: octavo.Reader
    model: list[bytes]
    may_refuse: bool = False
    """Whether a file of it was replaced, trimmed or deleted since: then old records or an error are right."""
    paths: tuple[Path, ...] = ()


class FilesMachine(Machine):
    """A folder of files."""

    names = 0

    @initialize(layout=layouts, first=record_lists)
    def begin(self, layout: str, first: list[bytes]):
        self.files: list[File] = []
        self.kept: list[Kept] = []
        self._made(layout, first)

    def _name(self, layout: Layout) -> Path:
        self.names += 1
        return self.folder / f"file-{self.names:03d}{layout.suffix}"

    def _made(self, layout: str, model: list[bytes]) -> None:
        chosen = LAYOUTS[layout]
        self.files.append(File(chosen.write(self._name(chosen), model), chosen, list(model)))

    def file(self, place: int) -> File:
        return self.files[place_in(len(self.files), place)]

    def _changed(self, file: File) -> None:
        """Readers of this file may get an error from now on."""
        for kept in self.kept:
            kept.may_refuse |= file.path in kept.paths

    @precondition(lambda self: len(self.files) < MOST_FILES)
    @rule(layout=layouts, model=record_lists)
    def create(self, layout: str, model: list[bytes]):
        self._made(layout, model)

    @rule(place=places, model=record_lists, gives_up=st.booleans())
    def replace(self, place: int, model: list[bytes], gives_up: bool):  # noqa: FBT001 - drawn
        file = self.file(place)
        if gives_up:
            writer = file.layout.create(file.path)
            writer.write_many(model)
            writer.abort()
            return
        self._changed(file)
        file.layout.write(file.path, model)
        file.model, file.torn_bytes = list(model), 0

    @rule(place=places, some=record_lists)
    def append(self, place: int, some: list[bytes]):
        file = self.file(place)
        if not file.layout.grows:
            with pytest.raises(errors.UnsupportedError):
                octavo.append(file.path)
            return
        if file.torn_bytes:
            self._changed(file)
        with octavo.append(file.path) as writer:
            writer.write_many(some)
        file.model, file.torn_bytes = file.model + some, 0

    @rule(place=places, some=st.lists(records, min_size=1, max_size=3), cut=st.integers(0, 1 << 20))
    def tear(self, place: int, some: list[bytes], cut: int):
        file = self.file(place)
        if not file.layout.grows or not file.layout.opens_torn or file.torn_bytes:
            return
        before = file.path.stat().st_size
        with octavo.append(file.path) as writer:
            writer.write_many(some)
        size = file.path.stat().st_size
        self._changed(file)
        with file.path.open("r+b") as content:
            content.truncate(before + place_in(size - before + 1, cut))
        found, file.torn_bytes = read_perhaps_torn(file.path)
        assert found == (file.model + some)[: len(found)]
        assert len(found) >= len(file.model)
        file.model = found

    @rule(place=places)
    def trim(self, place: int):
        file = self.file(place)
        if file.torn_bytes:
            self._changed(file)
        assert octavo.trim(file.path) == file.torn_bytes
        file.torn_bytes = 0

    @rule(place=places)
    def recover(self, place: int):
        file = self.file(place)
        target = self._name(file.layout)
        octavo.recover(file.path, target)
        found, torn_bytes = read_perhaps_torn(target)
        assert torn_bytes == 0
        assert found[: len(file.model)] == file.model
        assert file.torn_bytes or len(found) == len(file.model)
        self._delete(file)
        self.files.append(File(target, file.layout, found))

    @rule(place=places, layout=layouts, through=st.sampled_from([None, ".jsonl", ".tar", ".tar.gz"]))
    def convert(self, place: int, layout: str, through: str | None):
        """Into another format, perhaps by way of a container that is none of octavo's."""
        file, chosen = self.file(place), LAYOUTS[layout]
        target, source = self._name(chosen), file.path
        with silent_about_torn():
            if through is not None:
                source = self.folder / f"between{through}"
                assert octavo.convert(file.path, source, overwrite=True).verified
            more: dict[str, Any] = {"layout": "files"} if through in {".tar", ".tar.gz"} else {}
            report = octavo.convert(source, target, **more, **chosen.options)
        assert report.record_count == len(file.model)
        assert report.verified
        if through is not None:
            source.unlink()
        model = list(file.model)
        if len(self.files) >= MOST_FILES:
            self._delete(file)
        self.files.append(File(target, chosen, model))

    @rule(place=places)
    def write_a_sidecar(self, place: int):
        file = self.file(place)
        if not file.layout.has_sidecar or file.torn_bytes:
            with pytest.raises((errors.UnsupportedError, errors.FormatError)):
                octavo.write_index(file.path)
            return
        octavo.write_index(file.path)
        with octavo.open(file.path) as reader:
            assert reader.info.sidecar

    @precondition(lambda self: len(self.files) > 1)
    @rule(place=places)
    def delete(self, place: int):
        self._delete(self.file(place))

    def _delete(self, file: File) -> None:
        self._changed(file)
        file.path.unlink()
        self.files.remove(file)

    def _of_one_format(self, file: File) -> list[File]:
        return [one for one in self.files if one.layout.suffix == file.layout.suffix]

    @rule(place=places, by_manifest=st.booleans())
    def open_several(self, place: int, by_manifest: bool):  # noqa: FBT001 - drawn
        """All files of one format as one data set, which stays open."""
        some = self._of_one_format(self.file(place))
        paths = [file.path for file in some]
        location: Any = paths
        with silent_about_torn():
            if by_manifest:
                location = octavo.write_manifest(paths, self.folder / "all.octm")
            reader = octavo.open(location)
            model = list(itertools.chain.from_iterable(file.model for file in some))
            assert reader.read_all() == model
        self.kept = [*self.kept[-MOST_KEPT:], Kept(reader, model, paths=tuple(paths))]

    @rule(place=places, other=places)
    def compare(self, place: int, other: int):
        """Digests and differences are those of the lists."""
        one, two = self.file(place), self.file(other)
        with silent_about_torn():
            report = octavo.diff(one.path, two.path)
            found = octavo.digest(one.path)
        assert report.same == (one.model == two.model)
        assert (found.ordered, found.unordered) == naive.digest(one.model)
        assert (found.record_count, found.record_bytes) == (len(one.model), sum(map(len, one.model)))

    @rule(place=places, cut=st.integers(0, 1 << 20), flip=st.integers(1, 255))
    def damage_a_copy(self, place: int, cut: int, flip: int):
        """A byte of a copy is turned over: it reads as before or not at all, and recovering invents nothing."""
        file = self.file(place)
        content = bytearray(file.path.read_bytes())
        if not content:
            return
        content[place_in(len(content), cut)] ^= flip
        copy, saved = (self.folder / f"{name}{file.layout.suffix}" for name in ("copy", "saved"))
        copy.write_bytes(content)
        with silent_about_torn():
            try:
                with octavo.open(copy) as reader:
                    found = reader._read_each(range(len(reader)), 1 << 30)
                    sound = [one for one in found if isinstance(one, bytes)]
                    assert is_part_of(sound, file.model)
            except errors.FormatError:
                assert not octavo.verify(copy).ok
            try:
                octavo.recover(copy, saved)
                with octavo.open(saved) as reader:
                    assert is_part_of(reader.read_all(), file.model) or file.torn_bytes
                saved.unlink()
            except errors.FormatError:
                pass
        copy.unlink()

    @invariant()
    def every_file_holds_its_list(self):
        for file in getattr(self, "files", []):
            assert read_perhaps_torn(file.path) == (file.model, file.torn_bytes)
            report = octavo.verify(file.path)
            assert (report.record_count, report.ok) == (len(file.model), not file.torn_bytes)

    @invariant()
    def readers_have_what_they_had(self):
        for kept in getattr(self, "kept", []):
            try:
                assert kept.reader.read_all() == kept.model
            except errors.OctavoError:
                assert kept.may_refuse


def is_part_of(some: list[bytes], model: list[bytes]) -> bool:
    """Whether these are records of the list, in its order."""
    rest = iter(model)
    return all(record in rest for record in some)


def test_files_are_their_lists_whatever_happens_to_them():
    run_machine(FilesMachine, examples=120, steps=15)

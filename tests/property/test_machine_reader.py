"""A reader and a plain list: every way to read, in any order, of views of views, with iterators that stay begun."""

from __future__ import annotations

import dataclasses
import itertools
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

import octavo
from octavo import errors, shuffle
from tests.conformance.backends import IO_MODES
from tests.property.access_paths import ACCESS_PATHS
from tests.property.machines import LAYOUTS, Machine, place_in, places, record_lists, records, run_machine

numbers = st.lists(st.integers(-12, 30), max_size=12)
bounds = st.none() | st.integers(-14, 14)
steps = st.none() | st.integers(1, 4) | st.integers(-4, -1)


@dataclasses.dataclass
class View:
    """A reader, and the list it should be; views of one family share their files, and are closed together."""

    reader: octavo.Reader
    model: list[bytes]
    family: int = 0


@dataclasses.dataclass
class Begun:
    """An iterator that was begun, and what it has still to give."""

    iterator: Iterator[bytes]
    rest: list[bytes]
    family: int


class ReaderMachine(Machine):
    """Views of one data set of one to three files."""

    views: list[View]
    begun: list[Begun]
    families = 1

    @initialize(
        layout=st.sampled_from(list(LAYOUTS)),
        parts=st.lists(record_lists, min_size=1, max_size=3),
        io=st.sampled_from(IO_MODES),
        options=st.fixed_dictionaries({
            "check_data": st.booleans(),
            "cache_bytes": st.sampled_from([0, 20, "1MB"]),
            "sidecar": st.booleans(),
        }),
        has_sidecar=st.booleans(),
    )  # fmt: skip
    def open_files(self, layout: str, parts: list[list[bytes]], io: str, options: dict[str, Any], has_sidecar: bool):  # noqa: FBT001 - drawn
        chosen = LAYOUTS[layout]
        more = {"sidecar": True} if has_sidecar and chosen.has_sidecar else {}
        paths = [
            chosen.write(self.folder / f"part-{number}{chosen.suffix}", part, **more)
            for number, part in enumerate(parts)
        ]
        if chosen.suffix == ".array_record":
            options = {**options, "index_storage": "offloaded" if has_sidecar else "memory"}
        reader = octavo.open(paths if len(paths) > 1 else paths[0], io=io, **options)  # type: ignore[arg-type]
        self.views = [View(reader, list(itertools.chain.from_iterable(parts)))]
        self.begun = []

    def view(self, place: int) -> View:
        return self.views[place_in(len(self.views), place)]

    @rule(place=places, number=st.integers(-12, 30))
    def read_by_number(self, place: int, number: int):
        view = self.view(place)
        if -len(view.model) <= number < len(view.model):
            assert view.reader[number] == view.model[number]
            assert view.reader[np.int16(number)] == view.model[number]
            assert view.reader.read_array(number).tobytes() == view.model[number]
        else:
            with pytest.raises(IndexError):
                view.reader[number]

    @rule(place=places, drawn=numbers)
    def read_many(self, place: int, drawn: list[int]):
        view = self.view(place)
        if any(not -len(view.model) <= number < len(view.model) for number in drawn):
            with pytest.raises(IndexError):
                view.reader.read(drawn)
        chosen = [number for number in drawn if -len(view.model) <= number < len(view.model)]
        expected = [view.model[number] for number in chosen]
        assert view.reader.read(chosen) == view.reader[chosen] == expected
        assert view.reader.read(np.array(chosen, dtype=np.int32)) == expected
        assert view.reader.read_batch(iter(chosen)).to_list() == expected
        assert [array.tobytes() for array in view.reader.read_arrays(chosen)] == expected

    @rule(place=places, drawn=numbers)
    def read_into_a_buffer(self, place: int, drawn: list[int]):
        view = self.view(place)
        chosen = [place_in(len(view.model), number) for number in drawn] if view.model else []
        expected = [view.model[number] for number in chosen]
        out = bytearray(sum(map(len, expected)))
        if len({len(record) for record in expected}) <= 1:
            view.reader.read_into(chosen, out)
            assert out == b"".join(expected)
        else:
            with pytest.raises(errors.OctavoError):
                view.reader.read_into(chosen, out)

    @rule(place=places, start=bounds, stop=bounds, step=steps)
    def slice_it(self, place: int, start: int | None, stop: int | None, step: int | None):
        view, key = self.view(place), slice(start, stop, step)
        part = View(view.reader[key], view.model[key], view.family)
        assert len(part.reader) == len(part.model)
        if len(self.views) < 6:
            self.views.append(part)

    @rule(place=places, name=st.sampled_from(list(ACCESS_PATHS)))
    def read_everything(self, place: int, name: str):
        view = self.view(place)
        assert ACCESS_PATHS[name](view.reader) == view.model

    @rule(place=places, start=st.integers(0, 12), size=st.integers(0, 12))
    def read_a_range(self, place: int, start: int, size: int):
        view = self.view(place)
        if start + size > len(view.model):
            with pytest.raises(IndexError):
                view.reader.read_range(start, start + size)
        else:
            assert view.reader.read_range(start, start + size) == view.model[start : start + size]

    @rule(place=places, backwards=st.booleans())
    def begin_to_iterate(self, place: int, backwards: bool):  # noqa: FBT001 - drawn
        view = self.view(place)
        iterator = reversed(view.reader) if backwards else iter(view.reader)
        rest = view.model[::-1] if backwards else list(view.model)
        self.begun = [*self.begun[-4:], Begun(iterator, rest, view.family)]

    @precondition(lambda self: self.begun)
    @rule(place=places, count=st.integers(1, 5))
    def go_on_iterating(self, place: int, count: int):
        begun = self.begun[place_in(len(self.begun), place)]
        assert list(itertools.islice(begun.iterator, count)) == begun.rest[:count]
        del begun.rest[:count]

    @rule(place=places, size=st.integers(1, 9), by_count=st.booleans())
    def partition(self, place: int, size: int, by_count: bool):  # noqa: FBT001 - drawn
        view = self.view(place)
        wanted: dict[str, int] = {"count": size} if by_count else {"max_records": size}
        if view.reader._view[1] != 1:
            with pytest.raises(errors.UnsupportedError):
                view.reader.partitions(**wanted)
            return
        parts = pickle.loads(pickle.dumps(view.reader.partitions(**wanted)))
        found = [part.open().read_all() for part in parts]
        assert list(itertools.chain.from_iterable(found)) == view.model
        assert [len(part) for part in parts] == list(map(len, found))
        assert len(parts) <= size if by_count else all(len(part) <= size for part in parts)

    @rule(place=places)
    def pickle_it(self, place: int):
        view = self.view(place)
        again = View(pickle.loads(pickle.dumps(view.reader)), view.model, self.families)
        self.families += 1
        self.views = [*self.views[-5:], again]

    @rule(place=places, record=records)
    def look_for_a_record(self, place: int, record: bytes):
        view = self.view(place)
        for one in [record, *view.model[:2]]:
            assert (one in view.reader) == (one in view.model)
            assert view.reader.count(one) == view.model.count(one)
            if one in view.model:
                assert view.reader.index(one) == view.model.index(one)

    @rule(place=places, seed=st.integers(0, 9), batch=st.integers(1, 5))
    def read_shuffled(self, place: int, seed: int, batch: int):
        view = self.view(place)
        if not view.model:
            return
        sampler = shuffle.Sampler(view.reader, batch_size=batch, seed=seed)
        found = [view.reader.read(some) for some in sampler]
        order = shuffle.Permutation(len(view.model), seed=seed)
        assert list(itertools.chain.from_iterable(found)) == [view.model[number] for number in order]
        assert sorted(itertools.chain.from_iterable(found)) == sorted(view.model)

    @precondition(lambda self: len({view.family for view in self.views}) > 1)
    @rule(place=places)
    def close_a_family(self, place: int):
        closed = self.view(place)
        closed.reader.close()
        closed.reader.close()
        for view in self.views:
            assert view.reader.closed == (view.family == closed.family)
        with pytest.raises(errors.ClosedError):
            closed.reader.read_all()
        self.views = [view for view in self.views if view.family != closed.family]
        self.begun = [begun for begun in self.begun if begun.family != closed.family]

    @invariant()
    def lengths_agree(self):
        for view in getattr(self, "views", []):
            assert len(view.reader) == len(view.model)


def test_a_reader_is_a_list_whatever_is_done_with_it():
    run_machine(ReaderMachine, examples=200)

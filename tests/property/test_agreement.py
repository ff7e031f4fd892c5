"""Whatever the records, wherever they are and however they are asked for: the answer is the plain list's."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import octavo
from tests.conformance.backends import BACKENDS
from tests.naive import ffrecord as naive
from tests.property.access_paths import ACCESS_PATHS
from tests.property.strategies import cut, numbers_for, record_lists, slices_for


def encode_with_octavo(records: list[bytes]) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "records.ffr"
        with octavo.create(path) as writer:
            writer.write_many(records)
        return path.read_bytes()


ENCODERS = {"octavo": encode_with_octavo, "naive": naive.encode}


@pytest.mark.parametrize("backend", BACKENDS)
class TestEveryBackend:
    @given(
        records=record_lists, cuts=st.lists(st.integers(0, 400), max_size=3), encoder=st.sampled_from(list(ENCODERS))
    )
    def test_every_access_path_gives_the_records(self, backend, records, cuts, encoder):
        contents = [ENCODERS[encoder](part) for part in cut(records, cuts)]
        with TemporaryDirectory() as folder, BACKENDS[backend](contents, Path(folder)) as reader:
            for name, access in ACCESS_PATHS.items():
                assert access(reader) == records, name

    @given(records=record_lists, cuts=st.lists(st.integers(0, 400), max_size=3), data=st.data())
    def test_any_numbers_in_any_order_give_their_records(self, backend, records, cuts, data):
        contents = [naive.encode(part) for part in cut(records, cuts)]
        numbers = data.draw(numbers_for(len(records)))
        expected = [records[number] for number in numbers]
        with TemporaryDirectory() as folder, BACKENDS[backend](contents, Path(folder)) as reader:
            assert reader.read(numbers) == expected
            assert reader.read(np.array(numbers, dtype=np.int64)) == expected
            assert reader.read_batch(tuple(numbers)).to_list() == expected
            assert [reader[number] for number in numbers] == expected

    @given(records=record_lists, data=st.data())
    def test_any_slice_of_a_slice_gives_its_records(self, backend, records, data):
        first = data.draw(slices_for(len(records)))
        second = data.draw(slices_for(len(records[first])))
        with TemporaryDirectory() as folder, BACKENDS[backend]([naive.encode(records)], Path(folder)) as reader:
            part = reader[first][second]
            assert part.read_all() == list(part) == records[first][second]
            assert list(reversed(part)) == records[first][second][::-1]


@given(records=record_lists, cuts=st.lists(st.integers(0, 400), max_size=3), data=st.data())
def test_partitions_cover_every_record_once(records, cuts, data):
    options = data.draw(st.sampled_from(["count", "max_records"]))
    size = data.draw(st.integers(1, len(records) + 2))
    start, stop, _ = data.draw(slices_for(len(records))).indices(len(records))
    contents = [naive.encode(part) for part in cut(records, cuts)]
    with TemporaryDirectory() as folder, BACKENDS["path-auto"](contents, Path(folder)) as reader:
        partitions = reader[start:stop].partitions(**{options: size})
        assert [record for partition in partitions for record in partition.open()] == records[start:stop]


@given(
    steps=st.lists(
        st.one_of(
            st.binary(max_size=50),
            st.binary(max_size=50).map(bytearray),
            st.lists(st.binary(max_size=10), max_size=5),
            st.just("flush"),
        ),
        max_size=20,
    )
)
def test_any_order_of_writing_and_flushing_gives_the_twins_bytes(steps):
    expected: list[bytes] = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "records.ffr"
        with octavo.create(path) as writer:
            for step in steps:
                if isinstance(step, str):
                    writer.flush()
                elif isinstance(step, list):
                    assert writer.write_many(step) == len(step)
                    expected += step
                else:
                    writer.write(step)
                    expected.append(bytes(step))
                assert writer.record_count == len(expected)
        assert path.read_bytes() == naive.encode(expected)


@given(records=record_lists)
def test_writing_what_was_read_gives_the_same_bytes(records):
    content = naive.encode(records)
    assert encode_with_octavo(list(octavo.open(content))) == content

"""Whatever the records and the options: octavo and the naive twin read what either of them wrote."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import octavo
from tests.conformance.backends import BACKENDS
from tests.naive import recordio as naive
from tests.property.access_paths import ACCESS_PATHS
from tests.property.messages import record_lists
from tests.property.strategies import cut, numbers_for, slices_for

DEFAULT_LIMIT = 262_144
cuts = st.lists(st.integers(0, 300), max_size=6)
limits = st.fixed_dictionaries(
    {},
    optional={"max_chunk_bytes": st.sampled_from([1, 10, 1000, 70_000]), "group_size": st.sampled_from([1, 2, 7, 256])},
)


def groups_of(records: list[bytes], limit: dict[str, int]) -> list[list[bytes]]:
    """The records of each chunk, as the twin cuts them."""
    return naive.cut_into_groups(records, **(limit or {"max_chunk_bytes": DEFAULT_LIMIT}))


def write_with_octavo(path: Path, records: list[bytes], **options: Any) -> bytes:
    with octavo.create(path, **options) as writer:
        writer.write_many(records)
    return path.read_bytes()


@pytest.mark.parametrize(("dialect", "codec"), naive.WAYS)
class TestEveryDialectAndCodec:
    @given(records=record_lists, cuts=cuts)
    def test_octavo_reads_what_the_twin_wrote_in_every_way(self, dialect, codec, records, cuts):
        content = naive.encode_groups(cut(records, cuts), dialect, codec)
        reader = octavo.open(content, format="recordio")
        for name, access in ACCESS_PATHS.items():
            assert access(reader) == records, name

    @given(records=record_lists, limit=limits)
    def test_the_twin_reads_what_octavo_wrote(self, dialect, codec, records, limit):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "records.recordio"
            content = write_with_octavo(path, records, dialect=dialect, codec=codec, **limit)
        groups = groups_of(records, limit)
        assert naive.decode(content) == records
        assert [header.count for header in naive.NaiveFile(content).headers] == [len(group) for group in groups]
        if codec == "none":
            assert content == naive.encode_groups(groups, dialect)

    @given(records=record_lists, cuts=st.lists(st.integers(0, 300), max_size=3))
    def test_appended_records_follow_the_others(self, dialect, codec, records, cuts):
        first, *others = cut([b"first", *records], cuts)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "records.recordio"
            path.write_bytes(naive.encode([b"zeroth", *first], dialect, codec, group_size=100))
            for part in others:
                with octavo.append(path) as writer:
                    writer.write_many(part)
            assert naive.decode(path.read_bytes()) == octavo.open(path).read_all() == [b"zeroth", b"first", *records]
            file = naive.NaiveFile(path.read_bytes())
        assert (file.dialect, {header.codec for header in file.headers}) == (dialect, {codec})


@pytest.mark.parametrize("backend", BACKENDS)
class TestEveryBackend:
    @given(records=record_lists, cuts=cuts, way=st.sampled_from(naive.WAYS), data=st.data())
    def test_any_numbers_and_slices_give_their_records(self, backend, records, cuts, way, data):
        content = naive.encode_groups(cut(records, cuts), *way)
        numbers = data.draw(numbers_for(len(records)))
        key = data.draw(slices_for(len(records)))
        with TemporaryDirectory() as folder, BACKENDS[backend]([content], Path(folder), format="recordio") as reader:
            assert reader.read(numbers) == [records[number] for number in numbers]
            assert reader[key].read_all() == list(reader[key]) == records[key]


@given(records=record_lists, cuts=cuts, size=st.integers(1, 50), option=st.sampled_from(["count", "max_records"]))
def test_partitions_cover_every_record_once(records, cuts, size, option):
    contents = [naive.encode(part, "go", group_size=3) for part in cut(records, cuts)]
    with TemporaryDirectory() as folder, BACKENDS["path-auto"](contents, Path(folder), format="recordio") as reader:
        partitions = reader.partitions(**{option: size})
        assert [record for partition in partitions for record in partition.open()] == records


steps_of_writing = st.lists(
    st.one_of(
        st.binary(max_size=50), st.lists(st.binary(max_size=10), max_size=5), st.sampled_from(["flush", "reopen"])
    ),
    max_size=15,
)


@given(steps=steps_of_writing, dialect=st.sampled_from(list(naive.DIALECTS)), group_size=st.sampled_from([1, 3, 100]))
def test_any_order_of_writing_flushing_and_reopening_gives_the_records(steps: list[Any], dialect, group_size):
    runs: list[list[bytes]] = [[]]
    before = None
    with TemporaryDirectory() as folder:
        path = Path(folder) / "records.recordio"
        writer = octavo.create(path, dialect=dialect, codec="none", group_size=group_size)
        for step in steps:
            if step == "flush":
                writer.flush()
                runs.append([])
            elif step == "reopen":
                writer.close()
                before = path.read_bytes()
                writer = octavo.append(path)
            elif isinstance(step, list):
                writer.write_many(step)
                runs[-1] += step
            else:
                writer.write(step)
                runs[-1].append(step)
        writer.close()
        content = path.read_bytes()
        assert naive.decode(content) == octavo.open(path).read_all() == [record for run in runs for record in run]
    if before is None:
        groups = [group for run in runs for group in naive.cut_into_groups(run, group_size=group_size)]
        assert content == naive.encode_groups(groups, dialect)
    else:
        assert content.startswith(before)

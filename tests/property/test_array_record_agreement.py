"""Whatever the records and the options: octavo, the original and the naive twin read what any of them wrote."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import octavo
from tests.conformance.array_record import wheel
from tests.conformance.codecs import as_parameters
from tests.naive import array_record as naive
from tests.naive import transposing
from tests.naive.riegeli import Chunk
from tests.property.access_paths import ACCESS_PATHS
from tests.property.messages import record_lists

CODECS = ["none", "zstd", "brotli", "snappy"]
group_sizes = st.sampled_from([1, 2, 7, 256, 65536])
shapes = st.builds(
    transposing.Shape,
    fan_out=st.sampled_from([2, 5, 64]),
    inline_up_to=st.sampled_from([0, 3, 127]),
    depth=st.sampled_from([0, 1, 3, 100]),
    bucket_size=st.sampled_from([1, 30, 256, 10_000]),
    one_bucket=st.booleans(),
)


def few(records: list[bytes], *, padded: bool) -> list[bytes]:
    """Every padded chunk takes a block."""
    return records[:6] if padded else records


def option_text(codec: str, group_size: int, *, transpose: bool, padded: bool) -> str:
    codec = "uncompressed" if codec == "none" else codec
    return f"{codec},group_size:{group_size},transpose:{transpose},pad_to_block_boundary:{padded}".lower()


def write_with_octavo(path: Path, records: list[bytes], options: str) -> None:
    with octavo.create(path, options=options) as writer:
        writer.write_many(records)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("transpose", [False, True])
class TestWithTheOriginal:
    @given(records=record_lists, group_size=group_sizes, padded=st.booleans())
    def test_octavo_reads_what_the_original_wrote(self, codec, transpose, records, group_size, padded):
        records = few(records, padded=padded)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "records.array_record"
            options = option_text(codec, group_size, transpose=transpose, padded=padded)
            wheel.write(path, records, options)
            with octavo.open(path) as reader:
                assert reader.read_all() == records
                assert reader.read(range(len(records) - 1, -1, -1)) == records[::-1]
                assert reader.info.writer_options == wheel.options_text_of(path)

    @given(records=record_lists, group_size=group_sizes, padded=st.booleans())
    def test_the_original_reads_what_octavo_wrote(self, codec, transpose, records, group_size, padded):
        records = few(records, padded=padded)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "records.array_record"
            write_with_octavo(path, records, option_text(codec, group_size, transpose=transpose, padded=padded))
            assert wheel.read_every_way(path) == wheel.same_every_way(records)


@pytest.mark.parametrize("codec", as_parameters(CODECS))
@pytest.mark.parametrize("transpose", [False, True])
class TestWithTheTwin:
    @given(records=record_lists, group_size=group_sizes, padded=st.booleans())
    def test_the_twin_reads_what_octavo_wrote(self, codec, transpose, records, group_size, padded):
        records = few(records, padded=padded)
        options = option_text(codec, group_size, transpose=transpose, padded=padded)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "records.array_record"
            write_with_octavo(path, records, options)
            content = path.read_bytes()
        file = naive.NaiveFile(content)
        assert file.records() == records
        assert file.options_text == naive.Options.from_text(options).text
        if codec == "none" and not transpose:
            assert content == naive.encode(records, naive.Options.from_text(options))

    @given(records=record_lists, group_size=group_sizes, padded=st.booleans())
    def test_octavo_reads_what_the_twin_wrote_in_every_way(self, codec, transpose, records, group_size, padded):
        records = few(records, padded=padded)
        options = option_text(codec, group_size, transpose=transpose, padded=padded)
        reader = octavo.open(naive.encode(records, naive.Options.from_text(options)), format="array_record")
        for name, access in ACCESS_PATHS.items():
            assert access(reader) == records, name


def groups_of(records: list[bytes], sizes: list[int]) -> list[list[bytes]]:
    """Runs of these sizes, over and over, until the records are used up."""
    groups: list[list[bytes]] = []
    start = 0
    while start < len(records):
        size = sizes[len(groups) % len(sizes)]
        groups.append(records[start : start + size])
        start += size
    return groups


def some_chunk(group: list[bytes], codec: str, shape: transposing.Shape | None) -> Chunk:
    """Encoder B in that shape, or encoder A without one."""
    data = transposing.columns(group, codec, shape) if shape else transposing.whole_records(group, codec)
    return naive.transposed_chunk(group, data)


@pytest.mark.parametrize("codec", as_parameters(CODECS))
class TestMachines:
    @given(
        records=record_lists,
        sizes=st.lists(st.sampled_from([1, 3, 50]), min_size=1, max_size=3),
        shape=st.none() | shapes,
    )
    def test_octavo_follows_whatever_machine_a_chunk_brings(self, codec, records, sizes, shape):
        chunks = [some_chunk(group, codec, shape) for group in groups_of(records, sizes)]
        assert octavo.open(naive.encode_chunks(chunks), format="array_record").read_all() == records

    @given(records=record_lists, shape=st.none() | shapes)
    def test_the_original_follows_the_twins_machines(self, codec, records, shape):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "records.array_record"
            chunks = [some_chunk(group, codec, shape) for group in groups_of(records, [50])]
            path.write_bytes(naive.encode_chunks(chunks))
            assert wheel.read_every_way(path) == wheel.same_every_way(records)


@given(records=record_lists, group_size=group_sizes, transpose=st.booleans(), padded=st.booleans())
def test_the_twin_writes_the_originals_bytes(records, group_size, transpose, padded):
    records = few(records, padded=padded)
    options = option_text("none", group_size, transpose=transpose, padded=padded)
    with TemporaryDirectory() as folder:
        assert naive.encode(records, naive.Options.from_text(options)) == wheel.encode(Path(folder), records, options)


steps_of_writing = st.lists(
    st.one_of(
        st.binary(max_size=50), st.lists(st.binary(max_size=10), max_size=5), st.sampled_from(["flush", "reopen"])
    ),
    max_size=15,
)


@given(steps=steps_of_writing, group_size=st.sampled_from([1, 3, 100]), transpose=st.booleans())
def test_any_order_of_writing_flushing_and_reopening_gives_the_records(steps: list[Any], group_size, transpose):
    expected: list[bytes] = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "records.array_record"
        writer = octavo.create(path, codec="none", group_size=group_size, transpose=transpose)
        for step in steps:
            if step == "flush":
                writer.flush()
            elif step == "reopen":
                writer.close()
                assert octavo.open(path).read_all() == expected
                writer = octavo.append(path)
            elif isinstance(step, list):
                writer.write_many(step)
                expected += step
            else:
                writer.write(step)
                expected.append(step)
        writer.close()
        assert octavo.open(path).read_all() == expected
        file = naive.NaiveFile(path.read_bytes())
        assert file.records() == expected
        # The original needs chunks of one size, whatever came between.
        assert set(file.counts[:-1]) <= {group_size}

"""Every record exactly once, however a file is cut and however often a bundle is split while it is read."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import pytest

beam = pytest.importorskip("apache_beam")

from apache_beam.io import source_test_utils  # noqa: E402 - only where Beam is
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

import octavo  # noqa: E402
from octavo.integrations.beam._part import Part, cut  # noqa: E402
from octavo.integrations.beam._source import PartSource  # noqa: E402
from tests.integrations.beam.samples import FORMATS, SPLITTABLE, records_of, write, write_as  # noqa: E402


def parts_of(path: str, bundle_bytes: int = 1 << 30, min_bytes: int = 0) -> list[Part]:
    return list(cut(path, format=None, check_data=True, bundle_bytes=bundle_bytes, min_bytes=min_bytes))


def read(part: Part, start: int | None = None, stop: int | None = None) -> list[Any]:
    source = PartSource(part)
    return list(source.read(source.get_range_tracker(start, stop)))


@pytest.mark.parametrize("name", FORMATS)
def test_parts_together_are_the_file(name, tmp_path):
    path = write_as(tmp_path, name, records_of(60))
    (whole,) = parts_of(path)
    for bundle_bytes in (0, 1, 100, 300, 1000):
        parts = parts_of(path, bundle_bytes)
        sources = [(PartSource(part), None, None) for part in parts]
        source_test_utils.assert_sources_equal_reference_source((PartSource(whole), None, None), sources)
        assert [part.start for part in parts] == [0, *(part.stop for part in parts[:-1])]
        assert parts[-1].stop == 60


@pytest.mark.parametrize("name", SPLITTABLE)
def test_parts_begin_where_chunks_do_and_are_as_large_as_asked(name, tmp_path):
    path = write_as(tmp_path, name, records_of(200))
    with octavo.open(path) as reader:
        starts = [reader._place(number)[0] for number in range(200)]
        assert all(number == reader._chunk_start(number) for number in (part.start for part in parts_of(path, 300)))
    sizes = [starts[part.stop] - starts[part.start] for part in parts_of(path, 300)[:-1]]
    assert len(sizes) > 3
    assert all(300 <= size < 500 for size in sizes)
    assert parts_of(path, 300, min_bytes=299)[-1].byte_count >= 299
    assert len(parts_of(path, 300, min_bytes=1000)) < len(sizes)


@pytest.mark.parametrize("name", SPLITTABLE)
def test_a_bundle_can_be_split_wherever_it_is(name, tmp_path):
    path = write_as(tmp_path, name, records_of(24))
    part = parts_of(path, 100)[1]
    source_test_utils.assert_split_at_fraction_exhaustive(PartSource(part), perform_multi_threaded_test=False)


@pytest.mark.parametrize("name", ["data.array_record", "data.ffr"])
def test_a_bundle_can_be_split_while_another_thread_reads_it(name, tmp_path):
    path = write_as(tmp_path, name, records_of(8))
    source_test_utils.assert_split_at_fraction_exhaustive(PartSource(parts_of(path)[0]))


def test_a_compressed_file_is_one_bundle_and_is_never_split(tmp_path):
    path = write(tmp_path / "data.tfrecord.gz", records_of(100))
    (part,) = parts_of(path, 10)
    source_test_utils.assert_split_at_fraction_fails(PartSource(part), 5, 0.5)
    assert read(part) == records_of(100)


@settings(max_examples=60, deadline=None)
@given(
    lengths=st.lists(st.integers(0, 40), min_size=1, max_size=40),
    group_size=st.integers(1, 7),
    bundle_bytes=st.integers(0, 400),
    edges=st.lists(st.integers(0, 40), max_size=4),
    name=st.sampled_from(SPLITTABLE),
)
def test_ranges_of_any_kind_give_every_record_once(tmp_path_factory, *, lengths, group_size, bundle_bytes, edges, name):
    records = [bytes([number]) * length for number, length in enumerate(lengths)]
    options = {"group_size": group_size} if FORMATS[name] else {}
    path = write(tmp_path_factory.mktemp("any") / name, records, **options)
    found = []
    for part in map(pickle.loads, map(pickle.dumps, parts_of(path, bundle_bytes))):
        inside = sorted({part.start, part.stop, *(edge for edge in edges if part.start < edge < part.stop)})
        for start, stop in pairwise(inside):
            found += read(part, start, stop)
    assert found == records


@pytest.mark.parametrize("name", ["data.recordio", "data.tfrecord", "data.array_record", "data.ffr"])
def test_a_bundle_reads_its_part_of_a_file_and_no_other(name, tmp_path, shelf):
    records = [bytes([number]) * 3000 for number in range(100)]
    options = {"codec": "none", "group_size": 1} if FORMATS[name] else {}
    write(tmp_path / name, records, **options)
    content = (tmp_path / name).read_bytes()
    shelf.files[f"shelf://there/{name}"] = content
    parts = parts_of(f"shelf://there/{name}", 20_000)
    assert len(parts) > 5
    for part in parts:
        shelf.bytes_read = 0
        assert read(part) == records[part.start : part.stop]
        # An index may have to be read as well, and the last block of the file, where it is.
        assert shelf.bytes_read < part.byte_count + len(content) // 4 + 70_000 * (name == "data.array_record")

"""Files that the specification lets other writers make are read as what they hold."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import octavo
from tests.conformance.array_record import wheel
from tests.conformance.array_record.foreign import TEXT, Foreign, as_parameters
from tests.conformance.codecs import needs_cramjam
from tests.naive.array_record import NaiveFile, encode_chunks
from tests.naive.riegeli import simple_chunk

Build = Callable[[], Foreign]


@pytest.mark.parametrize("build", as_parameters())
def test_octavo_reads_it(build: Build, tmp_path):
    foreign = build()
    path = tmp_path / "foreign.array_record"
    path.write_bytes(foreign.content)
    reader = octavo.open(path)
    assert reader.read_all() == list(reader) == foreign.records
    assert [reader[number] for number in range(len(reader))] == foreign.records
    assert reader.read(range(len(reader) - 1, -1, -1)) == foreign.records[::-1]
    assert reader.info.torn_bytes == 0


@pytest.mark.parametrize("build", as_parameters())
def test_octavo_finds_nothing_wrong_with_it(build: Build):
    foreign = build()
    report = octavo.verify(foreign.content, format="array_record")
    assert report.ok
    assert report.record_count == len(foreign.records)


@pytest.mark.parametrize("build", as_parameters())
def test_octavo_recovers_all_of_it(build: Build, tmp_path):
    foreign = build()
    path, target = tmp_path / "foreign.array_record", tmp_path / "saved.array_record"
    path.write_bytes(foreign.content)
    report = octavo.recover(path, target)
    assert octavo.open(target).read_all() == foreign.records
    assert (report.record_count, report.ok) == (len(foreign.records), True)


@needs_cramjam
@pytest.mark.parametrize("build", as_parameters())
def test_the_naive_twin_reads_it(build: Build):
    foreign = build()
    assert NaiveFile(foreign.content).records() == foreign.records


@pytest.mark.parametrize("build", as_parameters())
def test_the_original_reads_it(build: Build, tmp_path):
    foreign = build()
    if not foreign.is_read_by_the_original:
        pytest.skip("the original cannot read it")
    path = tmp_path / "foreign.array_record"
    path.write_bytes(foreign.content)
    assert wheel.read_every_way(path) == wheel.same_every_way(foreign.records)


@pytest.mark.parametrize(("text", "expected"), [(TEXT, TEXT), (None, None)])
def test_the_options_are_what_the_footer_says(text, expected):
    info = octavo.open(encode_chunks([simple_chunk([b"one", b"two"])], text), format="array_record").info
    assert info.writer_options == expected
    assert info.group_size == 2

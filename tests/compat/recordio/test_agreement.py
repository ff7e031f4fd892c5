"""Any records, any limit, any range: the drop-in agrees with a list, and its bytes with the naive twin's."""

from __future__ import annotations

import io
import pathlib
import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.compat.recordio import Compressor, File, FileIndex, RangeReader, Reader, Scanner, Writer
from tests.naive import recordio as naive

RECORDS = st.lists(st.binary(max_size=40), max_size=40)
LIMITS = st.integers(0, 120)
BOUNDS = st.integers(-5, 50)
# As in tests/property: the same examples every time.
QUICK = settings(max_examples=40, deadline=None, derandomize=True)


def written(records, limit, compressor=Compressor.no_compression) -> io.BytesIO:
    out = io.BytesIO()
    writer = Writer(out, limit, compressor)
    for record in records:
        writer.write(record)
    writer.flush()
    return out


@QUICK
@given(RECORDS, LIMITS)
def test_a_writer_writes_the_twins_bytes(records, limit):
    groups = naive.cut_into_groups(records, max_chunk_bytes=limit)
    assert written(records, limit).getvalue() == naive.encode_groups(groups)


@QUICK
@given(RECORDS, LIMITS, st.sampled_from(Compressor))
def test_chunks_have_all_records_in_order(records, limit, compressor):
    data = written(records, limit, compressor)
    index = FileIndex(data)
    chunks = [list(Reader(data, entry.offset)) for entry in index]
    assert chunks == [group for group in naive.cut_into_groups(records, max_chunk_bytes=limit) if group]
    places = [index.locate_record(number) for number in range(len(records))]
    assert [chunks[chunk][place] for chunk, place in places] == records


@QUICK
@given(RECORDS, LIMITS, BOUNDS, st.none() | BOUNDS)
def test_ranges_are_slices(records, limit, start, end):
    data = written(records, limit)
    expected = records[start:end] if start >= 0 and (end is None or end >= 0) else []
    assert list(RangeReader(data, FileIndex(data), start, end)) == expected


@QUICK
@given(RECORDS, LIMITS, BOUNDS, BOUNDS)
def test_a_file_agrees_with_a_list(records, limit, start, count):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "x.recordio")
        with File(path, "w", max_chunk_size=limit, compressor=Compressor.no_compression) as file:
            for record in records:
                file.write(record)
        assert path.read_bytes() == written(records, limit).getvalue()
        with File(path, "r") as file:
            assert [file.get(number) for number in range(file.count())] == list(file) == records
            assert list(file.iterator()) == records
        with Scanner(path, start, count) as scanner:
            first = max(start, 0)
            assert list(scanner) == (records[first:] if count < 0 else records[first : first + count])

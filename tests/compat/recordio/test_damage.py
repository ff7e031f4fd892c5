"""Damaged files, through all that reads them: what is lost is said, and nothing else is lost."""

from __future__ import annotations

import io
import re

import pytest

from octavo.compat.recordio import Chunk, File, FileIndex, RangeReader, Reader
from octavo.errors import TornAppendWarning
from tests.naive import recordio as naive

GROUPS = [[b"abc", b"", b"edf"], [b"x" * 2000, b"y"], [b"tail"]]
RECORDS = [record for group in GROUPS for record in group]
CONTENT = naive.encode_groups(GROUPS, codec="snappy")


class TestTornEnds:
    @pytest.mark.parametrize("left", [1, 3, 4, 5, 6, 12, 13, 16, 17, 20, 21])
    def test_chunks_before_a_torn_one_are_read(self, left):
        torn = io.BytesIO(CONTENT + CONTENT[:left])
        with pytest.warns(TornAppendWarning, match=f"last {left} bytes") as caught:
            index = FileIndex(torn)
        assert caught[0].filename == __file__
        assert index.total_chunks() == 3
        assert list(RangeReader(torn, index)) == RECORDS


class TestDamage:
    def test_a_damaged_header_is_one_more_chunk_that_cannot_be_read(self):
        offset = FileIndex(io.BytesIO(CONTENT)).chunk_offset(1)
        damaged = io.BytesIO(CONTENT[:offset] + b"!" + CONTENT[offset + 1 :])
        index = FileIndex(damaged)
        assert (index.total_chunks(), index.total_records()) == (2, 4)
        assert (index.chunk_offset(1), index.chunk_records(1)) == (offset, 1)
        assert index.chunk_len(1) == len(CONTENT) - offset - 20
        assert index.locate_record(3) == (1, 0)
        assert list(Reader(damaged, 0)) == GROUPS[0]
        expected = rf"^Wrong magic number in header, possible file corruption\. Offset: {offset}"
        with pytest.raises(ValueError, match=expected):
            Reader(damaged, offset)
        reader = RangeReader(damaged, index)
        assert [next(reader) for _ in range(3)] == GROUPS[0]
        with pytest.raises(ValueError, match=expected):
            next(reader)

    def test_a_damaged_payload_costs_its_chunk_only(self):
        offset = FileIndex(io.BytesIO(CONTENT)).chunk_offset(1)
        damaged = io.BytesIO(CONTENT[: offset + 25] + b"!" + CONTENT[offset + 26 :])
        index = FileIndex(damaged)
        assert (index.total_chunks(), index.total_records()) == (3, 6)
        with pytest.raises(RuntimeError, match=r"^checksum check failed for raw checksum "):
            Reader(damaged, offset)
        assert list(Reader(damaged, index.chunk_offset(2))) == GROUPS[2]

    @pytest.mark.parametrize("opened", [io.BytesIO, None], ids=["an object", "a name"])
    def test_a_range_goes_on_behind_a_damaged_chunk(self, tmp_path, opened):
        offset = FileIndex(io.BytesIO(CONTENT)).chunk_offset(1)
        content = CONTENT[: offset + 25] + b"!" + CONTENT[offset + 26 :]
        (tmp_path / "x").write_bytes(content)
        with opened(content) if opened else (tmp_path / "x").open("rb") as file:
            reader = RangeReader(file, FileIndex(file))
            assert [next(reader) for _ in GROUPS[0]] == GROUPS[0]
            for _ in GROUPS[1]:
                with pytest.raises(RuntimeError, match=r"^checksum check failed for raw checksum "):
                    next(reader)
            assert list(reader) == GROUPS[2]
            assert next(reader, None) is None


class TestMessages:
    # Of a file of one chunk: its codec, a count of none, and a size that is too small.
    @pytest.mark.parametrize(("place", "value"), [(12, 9), (4, 0), (16, 3)])
    def test_a_right_magic_number_is_not_called_wrong(self, tmp_path, place, value):
        content = bytearray(naive.encode([b"abc"], codec="snappy"))
        content[place] = value
        (tmp_path / "x").write_bytes(content)
        with pytest.raises(ValueError, match=r"^possible file corruption\. Offset: 0; .*no checksum in it holds"):
            File(tmp_path / "x", "r")

    @pytest.mark.parametrize(("count", "reason"), [(9, "it has fewer records than its header says"), (0, "no dialect")])
    def test_a_chunk_is_where_it_is_in_its_file(self, count, reason):
        content = bytearray(b"before" + naive.encode([b"abc"], codec="snappy"))
        content[10] = count
        with pytest.raises(RuntimeError) as caught:
            Chunk.parse(io.BytesIO(content), 6)
        assert re.fullmatch(rf"possible file corruption\. Offset: 6; [\w ]*{reason}", str(caught.value))

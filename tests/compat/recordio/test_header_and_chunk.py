"""`Header` and `Chunk`, by both generations of the original."""

from __future__ import annotations

import io

import pytest

from octavo.compat.recordio import Chunk, Compressor, Header, Text
from tests.naive import recordio as naive

RECORDS = [b"abc", b"", b"edf"]
CODECS = {"none": Compressor.no_compression, "snappy": Compressor.snappy, "gzip": Compressor.gzip}
ALL_CODECS = [(dialect, codec) for dialect, rules in naive.DIALECTS.items() for codec in rules.codecs]


@pytest.fixture
def content():
    return b"before" + naive.encode(RECORDS, codec="snappy") + b"behind"


def test_arguments_are_positional_or_named():
    given = Header(3, 4, Compressor.gzip, 5)
    named = Header(num_records=3, checksum=4, compressor=Compressor.gzip, compress_size=5)
    for header in (given, named):
        found = (header.total_count(), header.checksum(), header.compressor(), header.compress_size())
        assert found == (3, 4, Compressor.gzip, 5)


def test_a_header_is_empty_by_default():
    header = Header()
    found = (header.total_count(), header.checksum(), header.compressor(), header.compress_size())
    assert found == (0, None, None, 0)


@pytest.mark.parametrize("compressor", Compressor)
def test_a_header_that_was_written_is_parsed(tmp_path, compressor):
    with (tmp_path / "x").open("w+b") as file:
        Header(100, 824, compressor, 1234).write(file)
        assert file.tell() == 20
        header = Header.parse(file, 0)
    found = (header.total_count(), header.checksum(), header.compressor(), header.compress_size())
    assert found == (100, 824, compressor, 1234)


def test_the_class_gives_a_new_header_and_an_object_is_filled(content):
    header = Header()
    assert header.parse(io.BytesIO(content), 6) is header
    assert header.total_count() == Header.parse(io.BytesIO(content), 6).total_count() == 3


def test_the_class_gives_a_new_chunk_and_an_object_is_filled(content):
    chunk = Chunk()
    chunk.add(b"forgotten")
    chunk.parse(io.BytesIO(content), 6)
    for one in (chunk, Chunk.parse(io.BytesIO(content), 6), Chunk.parse(in_file=io.BytesIO(content), offset=6)):
        assert (one.total_count(), one.num_bytes()) == (3, 6)
        assert [one.get(number) for number in range(3)] == RECORDS


def test_an_object_that_is_filled_has_text_and_a_new_one_bytes(content):
    filled, new = Chunk().parse(io.BytesIO(content), 6), Chunk.parse(io.BytesIO(content), 6)
    assert {type(filled.get(number)) for number in range(3)} == {Text}
    assert {type(new.get(number)) for number in range(3)} == {bytes}


class Tagged:
    def __init__(self, tag):
        super().__init__()
        self.tag = tag


class TaggedHeader(Tagged, Header):
    pass


class TaggedChunk(Tagged, Chunk):
    pass


@pytest.mark.parametrize("kind", [TaggedHeader, TaggedChunk])
def test_a_class_of_ones_own_parses_though_it_is_made_otherwise(content, kind):
    assert kind.parse(io.BytesIO(content), 6).total_count() == 3
    assert kind("a tag").parse(io.BytesIO(content), 6).tag == "a tag"


def test_parsing_leaves_the_file_behind_what_was_parsed(content):
    file = io.BytesIO(content)
    Header.parse(file, 6)
    assert file.tell() == 26
    Chunk.parse(file, 6)
    assert file.read() == b"behind"


@pytest.mark.parametrize(("dialect", "codec"), ALL_CODECS)
def test_every_dialect_and_codec_is_parsed(dialect, codec):
    content = naive.encode_chunk(RECORDS, dialect, codec)
    header = Header.parse(io.BytesIO(content), 0)
    found = (header.total_count(), header.compressor(), header.compress_size())
    assert found == (3, CODECS[codec], len(content) - 20)
    chunk = Chunk.parse(io.BytesIO(content), 0)
    assert [chunk.get(number) for number in range(3)] == RECORDS


@pytest.mark.parametrize("kind", [Header, Chunk])
class TestWrongPlaces:
    @pytest.mark.parametrize("offset", [-1, 10**6])
    def test_an_offset_outside_the_file_is_a_value_error(self, content, kind, offset):
        with pytest.raises(ValueError, match=rf"^invalid offset {offset}"):
            kind.parse(io.BytesIO(content), offset)

    @pytest.mark.parametrize("left", range(20))
    def test_an_offset_near_the_end_is_a_value_error(self, content, kind, left):
        header = content[6:26]
        with pytest.raises(ValueError, match=rf"^invalid offset {len(content)}"):
            kind.parse(io.BytesIO(content + header[:left]), len(content))

    def test_an_offset_inside_a_chunk_is_a_value_error(self, content, kind):
        expected = r"^Wrong magic number in header, possible file corruption\. Offset: 7"
        with pytest.raises(ValueError, match=expected):
            kind.parse(io.BytesIO(content), 7)

    def test_an_unknown_compressor_is_a_value_error(self, content, kind):
        wrong = content[:18] + b"\x44\0\0\0" + content[22:]
        with pytest.raises(ValueError, match=r"^68 is not a valid Compressor"):
            kind.parse(io.BytesIO(wrong), 6)


class TestDamage:
    def test_a_wrong_checksum_is_a_runtime_error(self, content):
        wrong = content[:27] + b"!" + content[28:]
        with pytest.raises(RuntimeError, match=r"^checksum check failed for raw checksum .* and new checksum "):
            Chunk.parse(io.BytesIO(wrong), 6)

    def test_a_missing_end_is_a_runtime_error(self, content):
        with pytest.raises(RuntimeError, match=r"^checksum check failed.* 1 bytes .* offset 6"):
            Chunk.parse(io.BytesIO(content[: -len(b"behind") - 1]), 6)

    def test_a_wrong_size_is_given_no_memory(self, content):
        class Modest(io.BytesIO):
            def read(self, size=-1, /):
                assert 0 <= size <= 16 << 20
                return super().read(size)

        wrong = content[:22] + b"\xf0\xff\xff\xff" + content[26:]
        with pytest.raises(RuntimeError, match=r"^checksum check failed"):
            Chunk.parse(Modest(wrong), 6)

    @pytest.mark.parametrize("count", [0, 2, 4, 2**32 - 1])
    def test_a_wrong_count_is_a_runtime_error(self, content, count):
        wrong = content[:10] + count.to_bytes(4, "little") + content[14:]
        with pytest.raises(RuntimeError):
            Chunk.parse(io.BytesIO(wrong), 6)

    def test_the_object_keeps_what_it_had(self, content):
        chunk = Chunk.parse(io.BytesIO(content), 6)
        with pytest.raises(ValueError, match="magic"):
            chunk.parse(io.BytesIO(content), 7)
        assert chunk.total_count() == 3


class TestRecords:
    def test_records_are_what_was_added(self):
        chunk = Chunk()
        chunk.add("ä")
        chunk.add(bytearray(b"abc"))
        chunk.add(b"10")
        assert (chunk.total_count(), chunk.num_bytes()) == (3, 7)
        assert [chunk.get(number) for number in range(3)] == ["ä", b"abc", b"10"]
        # NumPy takes any other bytes than these for numbers.
        assert [type(chunk.get(number)) for number in (0, 1, -1)] == [Text, bytes, bytes]

    @pytest.mark.parametrize("wrong", [1, -2])
    def test_a_number_outside_is_an_index_error(self, wrong):
        chunk = Chunk()
        chunk.add(b"abc")
        with pytest.raises(IndexError):
            chunk.get(wrong)

    def test_a_chunk_can_be_cleared(self):
        chunk = Chunk()
        chunk.add(b"abc")
        chunk.clear()
        assert (chunk.total_count(), chunk.num_bytes()) == (0, 0)

    @pytest.mark.parametrize("compressor", [Compressor.snappy, None])
    def test_an_empty_chunk_writes_nothing(self, compressor):
        out = io.BytesIO()
        assert Chunk().write(out, compressor) is True
        assert out.getvalue() == b""

    def test_writing_does_not_clear(self):
        chunk = Chunk()
        chunk.add(b"abc")
        out = io.BytesIO()
        chunk.write(out, Compressor.no_compression)
        chunk.write(out, Compressor.gzip)
        assert naive.decode(out.getvalue()) == [b"abc", b"abc"]


@pytest.mark.parametrize("missing", [{"checksum": None}, {"compressor": None}])
def test_half_a_header_cannot_be_written(missing):
    given = {"num_records": 1, "checksum": 2, "compressor": Compressor.snappy, "compress_size": 3, **missing}
    with pytest.raises(AttributeError):
        Header(**given).write(io.BytesIO())


def test_a_number_that_does_not_fit_cannot_be_written():
    with pytest.raises(OverflowError):
        Header(2**32, 2, Compressor.snappy, 3).write(io.BytesIO())

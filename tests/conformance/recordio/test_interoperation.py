"""What octavo writes the naive twin reads, chunk by chunk, and what the twin writes octavo reads."""

from __future__ import annotations

import functools
import itertools
import random
from typing import Any

import pytest

import octavo
from octavo import errors
from tests.naive import recordio as naive

SEEDED = random.Random(20190523)
WORDS = [b"record", b"chunk", b"dialect", b"checksum", b"\0\0\0"]
RECORD_LISTS = {
    "none": [],
    "one": [b"one"],
    "one empty": [b""],
    "many empty": [b""] * 3000,
    "numbers": [b"%d" % number for number in range(3000)],
    "noise": [SEEDED.randbytes(SEEDED.choice([0, 1, 10, 1000, 5000])) for _ in range(60)],
    "text": [b" ".join(SEEDED.choices(WORDS, k=SEEDED.randrange(300))) for _ in range(100)],
    "longer than a frame": [SEEDED.randbytes(70_000), b"", bytes(200_000), b"small", SEEDED.randbytes(65_532)],
    "chunks": [naive.encode([b"inside"]), naive.MAGIC, naive.LEGACY_START, naive.FRAMING_START],
}
LIMITS: dict[str, dict[str, Any]] = {
    "default": {},
    "one byte": {"max_chunk_bytes": 1},
    "1000 bytes": {"max_chunk_bytes": 1000},
    "64 KiB": {"max_chunk_bytes": "64KB"},
    "one record": {"group_size": 1},
    "7 records": {"group_size": 7},
    "100 records or 500 bytes": {"group_size": 100, "max_chunk_bytes": 500},
}
BYTES: dict[Any, int] = {"64KB": 65_536, "1MB": 1_048_576}
DEFAULT_LIMIT: dict[str, Any] = {"max_chunk_bytes": 262_144}


@functools.cache
def megabytes() -> list[bytes]:
    """More than any block that is read or written at once, of records around every size that matters."""
    chance = random.Random(20180224)
    sizes = [0, 1, 100, 4096, 65_536, 262_144, 262_145, 1 << 20, 3 << 20]
    weights = [3, 3, 300, 30, 3, 2, 2, 2, 1]
    return [chance.randbytes(size) for size in chance.choices(sizes, weights, k=800)]


def write(path, records, **options) -> bytes:
    with octavo.create(path, **options) as writer:
        writer.write_many(records)
    content: bytes = path.read_bytes()
    return content


def groups_of(records, limit: dict[str, Any]) -> list[list[bytes]]:
    """The records of each chunk, as the twin cuts them."""
    limit = limit or DEFAULT_LIMIT
    max_chunk_bytes = limit.get("max_chunk_bytes")
    return naive.cut_into_groups(records, BYTES.get(max_chunk_bytes, max_chunk_bytes), limit.get("group_size"))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "records.recordio"


@pytest.mark.parametrize(("dialect", "codec"), naive.WAYS)
@pytest.mark.parametrize("records", RECORD_LISTS.values(), ids=RECORD_LISTS)
class TestBothWays:
    def test_the_twin_reads_what_octavo_wrote(self, path, dialect, codec, records):
        content = write(path, records, dialect=dialect, codec=codec, max_chunk_bytes=5000)
        file = naive.NaiveFile(content)
        assert naive.decode(content) == octavo.open(path).read_all() == records
        assert file.dialect == (dialect if records else None)
        assert {header.codec for header in file.headers} <= {codec}

    def test_octavo_reads_what_the_twin_wrote(self, dialect, codec, records):
        content = naive.encode(records, dialect, codec, max_chunk_bytes=5000)
        reader = octavo.open(content, format="recordio")
        assert reader.read_all() == list(reader) == records
        assert reader.read(range(len(records) - 1, -1, -1)) == records[::-1]
        assert octavo.verify(content, format="recordio").ok
        if records:
            assert (reader.info.dialect, reader.info.codec) == (dialect, codec)


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
@pytest.mark.parametrize("records", RECORD_LISTS.values(), ids=RECORD_LISTS)
class TestChunks:
    @pytest.mark.parametrize("dialect", naive.DIALECTS)
    def test_uncompressed_bytes_are_the_twins(self, path, dialect, limit, records):
        content = write(path, records, dialect=dialect, codec="none", **limit)
        assert content == naive.encode_groups(groups_of(records, limit), dialect)

    def test_written_bytes_do_not_depend_on_how_they_were_given(self, path, limit, records):
        with octavo.create(path, dialect="go", codec="none", **limit) as writer:
            for number, record in enumerate(records):
                writer.write([record, bytearray(record), memoryview(record)][number % 3])
        assert path.read_bytes() == naive.encode_groups(groups_of(records, limit), "go")


@pytest.mark.parametrize(("dialect", "codec"), naive.WAYS)
@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
def test_compressed_chunks_are_cut_where_the_twin_cuts_them(path, dialect, codec, limit):
    records = RECORD_LISTS["text"]
    headers = naive.NaiveFile(write(path, records, dialect=dialect, codec=codec, **limit)).headers
    assert [header.count for header in headers] == [len(group) for group in groups_of(records, limit)]


@pytest.mark.parametrize("lengths", list(itertools.product([0, 1, 9, 10, 11], repeat=3)), ids=str)
def test_the_limit_is_on_the_lengths_of_the_records(path, lengths):
    records = [bytes(length) for length in lengths]
    content = write(path, records, codec="none", max_chunk_bytes=10)
    assert content == naive.encode(records, max_chunk_bytes=10)


def test_flush_ends_the_open_chunk(path):
    with octavo.create(path, codec="none", group_size=3) as writer:
        for number in range(8):
            writer.write(b"%d" % number)
            if number in (0, 4):
                writer.flush()
                writer.flush()
    groups = [[b"0"], [b"1", b"2", b"3"], [b"4"], [b"5", b"6", b"7"]]
    assert path.read_bytes() == naive.encode_groups(groups)


@pytest.mark.parametrize(
    "limit", [{}, {"max_chunk_bytes": "1MB"}, {"max_chunk_bytes": 3000}, {"group_size": 100}], ids=str
)
class TestManyMegabytes:
    def test_uncompressed_bytes_are_the_twins(self, path, limit):
        content = write(path, megabytes(), dialect="go", codec="none", **limit)
        assert content == naive.encode_groups(groups_of(megabytes(), limit), "go")

    def test_octavo_reads_them_in_every_order(self, path, limit):
        write(path, megabytes(), dialect="go", codec="none", **limit)
        reader = octavo.open(path)
        order = random.Random(3).sample(range(len(megabytes())), len(megabytes()))
        assert reader.read_all() == list(reader) == megabytes()
        assert reader.read(order) == [megabytes()[number] for number in order]
        assert octavo.verify(path).ok


@pytest.mark.parametrize(
    ("dialect", "codec"),
    [("paddle-python", "none"), ("paddle-python-ieee", "snappy"), ("go", "gzip"), ("paddle-cpp", "none")],
)
def test_many_megabytes_are_read_by_the_twin(path, dialect, codec):
    content = write(path, megabytes(), dialect=dialect, codec=codec)
    assert naive.decode(content) == megabytes()
    assert octavo.open(path).read_all() == megabytes()


def test_a_buffered_stream_has_a_frame_for_each_65536_bytes(path):
    records = [SEEDED.randbytes(100_000), SEEDED.randbytes(100_000)]
    content = write(path, records, dialect="go", codec="snappy", max_chunk_bytes="1MB")
    frames, stream = [], content[naive.HEADER + len(naive.FRAMING_START) :]
    while stream:
        size = int.from_bytes(stream[1:4], "little")
        frames.append(size - 4)
        stream = stream[4 + size :]
    assert frames == [65_536, 65_536, 65_536, 200_008 - 3 * 65_536]


def test_the_older_framing_has_a_block_for_each_32768_bytes(path):
    records = [SEEDED.randbytes(100_000)]
    content = write(path, records, dialect="paddle-cpp", codec="snappy")
    blocks, stream = [], content[naive.HEADER + len(naive.LEGACY_START) :]
    while stream:
        size = int.from_bytes(stream[1:3], "big")
        blocks.append(size)
        stream = stream[7 + size :]
    assert blocks == [32_768, 32_768, 32_768, 100_004 - 3 * 32_768]


@pytest.mark.parametrize("level", [1, 6, 9])
@pytest.mark.parametrize("dialect", ["paddle-python", "paddle-python-ieee", "go"])
def test_gzip_has_levels(path, dialect, level):
    records = RECORD_LISTS["text"]
    assert naive.decode(write(path, records, dialect=dialect, codec=f"gzip:{level}")) == records


def test_the_third_family_has_no_gzip(path):
    with pytest.raises(errors.OptionError):
        octavo.create(path, dialect="paddle-cpp", codec="gzip")
    assert not path.exists()


def test_the_default_is_snappy_of_the_first_family(path):
    (header,) = naive.NaiveFile(write(path, [b"one", b"two"])).headers
    assert (header.dialect, header.codec) == ("paddle-python", "snappy")


def test_a_file_without_records_has_no_bytes(path):
    assert write(path, []) == b""


@pytest.mark.parametrize(("dialect", "codec"), naive.WAYS)
class TestAppending:
    def test_dialect_and_codec_of_the_file_are_kept(self, path, dialect, codec):
        content = naive.encode(RECORD_LISTS["text"], dialect, codec, max_chunk_bytes=5000)
        path.write_bytes(content)
        for _ in range(2):
            with octavo.append(path) as writer:
                writer.write_many([b"more", b"", b"and more"])
        assert path.read_bytes().startswith(content)
        assert naive.decode(path.read_bytes()) == RECORD_LISTS["text"] + [b"more", b"", b"and more"] * 2
        file = naive.NaiveFile(path.read_bytes())
        assert (file.dialect, {header.codec for header in file.headers}) == (dialect, {codec})

    def test_what_flush_acknowledged_is_there(self, path, dialect, codec):
        path.write_bytes(naive.encode([b"first"], dialect, codec))
        with octavo.append(path) as writer:
            for number in range(5):
                writer.write(b"%d" % number)
                writer.flush()
                expected = [b"first", *(b"%d" % done for done in range(number + 1))]
                assert naive.decode(path.read_bytes()) == octavo.open(path).read_all() == expected

    @pytest.mark.parametrize("kept", [1, 3, 4, 12, 16, 19, 20, 21, -1])
    def test_a_torn_tail_is_cut_off_first(self, path, dialect, codec, kept):
        whole = naive.encode([b"first"], dialect, codec)
        path.write_bytes(whole + naive.encode([b"torn" * 10], dialect, codec)[:kept])
        with octavo.append(path) as writer:
            writer.write(b"second")
        assert naive.decode(path.read_bytes()) == [b"first", b"second"]


def test_appending_to_a_file_of_no_bytes_writes_the_default(path):
    path.touch()
    with octavo.append(path) as writer:
        writer.write(b"one")
    (header,) = naive.NaiveFile(path.read_bytes()).headers
    assert (header.dialect, header.codec) == ("paddle-python", "snappy")
    assert naive.decode(path.read_bytes()) == [b"one"]

"""What octavo writes the original reads by every way it has, and what the original writes octavo reads."""

from __future__ import annotations

import itertools
import random

import pytest

import octavo
from tests.conformance.array_record import wheel
from tests.naive.protobuf import message, varint

SEEDED = random.Random(20241014)
CODECS = ("uncompressed", "zstd", "brotli", "snappy")
LEVELS = ("zstd:-131072", "zstd:-7", "zstd:0", "zstd:22", "brotli:0", "brotli:11", "snappy:2")


def nested(depth: int) -> bytes:
    """A message in a message in a message."""
    inner = b"\x08\x01"
    for _ in range(depth):
        inner = message((1, inner), (2, 7))
    return inner


RECORD_LISTS = {
    "none": [],
    "one": [b"one"],
    "one empty": [b""],
    "many empty": [b""] * 3000,
    "numbers": [b"%d" % number for number in range(1000)],
    "noise": [SEEDED.randbytes(SEEDED.choice([0, 1, 10, 1000, 5000])) for _ in range(60)],
    "across blocks": [SEEDED.randbytes(70_000), b"", bytes(200_000), b"small", SEEDED.randbytes(65_512)],
    "messages": [
        message((1, number), (2, b"text %d" % (number % 7)), (3, message((1, number * 3)))) for number in range(300)
    ],
    "wide messages": [
        b"".join(varint(field << 3) + varint(field * row) for field in range(1, 200)) for row in range(5)
    ],
    "nested": [nested(depth) for depth in (0, 1, 5, 98, 99, 100, 101, 150)],
    "broken messages": [message((1, number), (2, b"text"))[:-1] + b"\xff" * (number % 3) for number in range(50)],
    "mixed": [message((1, number)) if number % 3 else SEEDED.randbytes(number) for number in range(100)],
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "records.array_record"


def write_with_octavo(path, records, options):
    with octavo.create(path, options=options) as writer:
        writer.write_many(records)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("layout", ["group_size:1", "group_size:7", "group_size:256,transpose", "group_size:65536"])
@pytest.mark.parametrize("records", RECORD_LISTS.values(), ids=RECORD_LISTS)
class TestBothWays:
    def test_the_original_reads_what_octavo_wrote(self, path, codec, layout, records):
        write_with_octavo(path, records, f"{layout},{codec}")
        assert wheel.read_every_way(path) == wheel.same_every_way(records)

    def test_octavo_reads_what_the_original_wrote(self, path, codec, layout, records):
        wheel.write(path, records, f"{layout},{codec}")
        reader = octavo.open(path)
        assert reader.read_all() == records
        assert reader.read(range(len(records) - 1, -1, -1)) == records[::-1]
        assert octavo.verify(path).ok


@pytest.mark.parametrize("codec", LEVELS)
class TestLevels:
    RECORDS = RECORD_LISTS["messages"]

    def test_the_original_reads_octavos_level(self, path, codec):
        write_with_octavo(path, self.RECORDS, f"{codec},group_size:100")
        assert wheel.read_every_way(path) == wheel.same_every_way(self.RECORDS)

    def test_octavo_reads_the_originals_level(self, path, codec):
        wheel.write(path, self.RECORDS, f"{codec},group_size:100")
        assert octavo.open(path).read_all() == self.RECORDS


@pytest.mark.parametrize("options", ["pad_to_block_boundary:true", "pad_to_block_boundary:true,group_size:2,transpose"])
@pytest.mark.parametrize("size", [0, 1, 65_300, 65_400, 65_430, 65_500, 131_000])
class TestPadding:
    def test_the_original_reads_padded_files_of_octavo(self, path, options, size):
        records = [SEEDED.randbytes(size), b"xyz", b""]
        write_with_octavo(path, records, f"{options},uncompressed")
        assert wheel.read_every_way(path) == wheel.same_every_way(records)

    def test_octavo_reads_padded_files_of_the_original(self, path, options, size):
        records = [SEEDED.randbytes(size), b"xyz", b""]
        wheel.write(path, records, f"{options},uncompressed")
        assert octavo.open(path).read_all() == records


@pytest.mark.parametrize("codec", ["zstd", "brotli"])
@pytest.mark.parametrize("window_log", [10, 16, 24, 25, 30])
class TestWindows:
    def test_the_original_reads_octavos_windows(self, path, codec, window_log):
        records = [SEEDED.randbytes(3000) * 40, b"small"]
        write_with_octavo(path, records, f"{codec},window_log:{window_log},group_size:2")
        assert wheel.read_every_way(path) == wheel.same_every_way(records)

    def test_octavo_reads_the_originals_windows(self, path, codec, window_log):
        records = [SEEDED.randbytes(3000) * 40, b"small"]
        wheel.write(path, records, f"{codec},window_log:{window_log},group_size:2")
        assert octavo.open(path).read_all() == records


@pytest.mark.parametrize("options", ["", "group_size:7,zstd", "group_size:256,brotli,transpose", "group_size:4,snappy"])
@pytest.mark.parametrize("cuts", [(0,), (1, 2, 3), (5, 7, 300), (256, 257, 999), (7, 14, 21, 700)])
class TestAppending:
    RECORDS = RECORD_LISTS["numbers"]

    def pieces(self, cuts):
        edges = [0, *cuts, len(self.RECORDS)]
        return [self.RECORDS[start:stop] for start, stop in itertools.pairwise(edges)]

    def test_the_original_reads_what_octavo_appended_to_its_own_file(self, path, options, cuts):
        first, *others = self.pieces(cuts)
        write_with_octavo(path, first, options)
        for part in others:
            with octavo.append(path) as writer:
                writer.write_many(part)
        assert wheel.read_every_way(path) == wheel.same_every_way(self.RECORDS)

    def test_the_original_reads_what_octavo_appended_to_its_file(self, path, options, cuts):
        first, *others = self.pieces(cuts)
        wheel.write(path, first, options)
        for part in others:
            with octavo.append(path) as writer:
                writer.write_many(part)
                writer.flush()
        assert wheel.read_every_way(path) == wheel.same_every_way(self.RECORDS)
        assert octavo.open(path).read_all() == self.RECORDS


def test_the_original_reads_what_flush_acknowledged(path):
    with octavo.create(path, options="group_size:3") as writer:
        writer.write_many([b"one", b"two"])
    with octavo.append(path) as writer:
        for number in range(10):
            writer.write(b"%d" % number)
            writer.flush()
            expected = [b"one", b"two", *(b"%d" % done for done in range(number + 1))]
            assert wheel.read_every_way(path) == wheel.same_every_way(expected)
            assert octavo.open(path).read_all() == expected


def test_the_original_reads_what_octavo_recovered(path, tmp_path):
    records = RECORD_LISTS["numbers"]
    wheel.write(path, records, "group_size:10,zstd")
    content = bytearray(path.read_bytes())
    content[-65_500:] = bytes(65_500)
    path.write_bytes(content)
    target = tmp_path / "saved.array_record"
    octavo.recover(path, target)
    assert wheel.read_every_way(target) == wheel.same_every_way(records)

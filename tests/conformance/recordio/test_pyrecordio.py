"""What octavo writes the originals read by every way they have, and what they write octavo reads."""

from __future__ import annotations

import random

import pytest

import octavo
from tests.conformance.recordio.pyrecordio import CODECS, OriginalInGo, OriginalInPython
from tests.naive import recordio as naive

pytestmark = pytest.mark.filterwarnings("ignore:crc32c.crc32 will be eventually removed:DeprecationWarning")

SEEDED = random.Random(20190410)
WORDS = [b"four", b"score", b"and", b"seven", b"years"]
RECORD_LISTS = {
    "one": [b"one"],
    "one empty": [b""],
    "many empty": [b""] * 300,
    "numbers": [b"%d" % number for number in range(1000)],
    "noise": [SEEDED.randbytes(SEEDED.choice([0, 1, 10, 1000, 5000])) for _ in range(60)],
    "text": [b" ".join(SEEDED.choices(WORDS, k=SEEDED.randrange(300))) for _ in range(100)],
    "longer than a frame": [SEEDED.randbytes(70_000), b"", bytes(200_000), b"small"],
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "records.recordio"


def write_with_octavo(path, records, **options):
    with octavo.create(path, **options) as writer:
        writer.write_many(records)


@pytest.mark.parametrize("records", RECORD_LISTS.values(), ids=RECORD_LISTS)
@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("max_chunk_bytes", [1, 1024, 100_000])
class TestInPython:
    @pytest.fixture
    def original(self):
        return OriginalInPython()

    def test_the_original_reads_what_octavo_wrote(self, path, original, codec, max_chunk_bytes, records):
        write_with_octavo(path, records, codec=codec, max_chunk_bytes=max_chunk_bytes)
        assert original.read_every_way(path) == [records] * 3

    def test_octavo_reads_what_the_original_wrote(self, path, original, codec, max_chunk_bytes, records):
        original.write(path, records, codec, max_chunk_bytes)
        reader = octavo.open(path)
        assert reader.read_all() == naive.decode(path.read_bytes()) == records
        assert reader.read(range(len(records) - 1, -1, -1)) == records[::-1]
        assert (reader.info.dialect, reader.info.codec) == ("paddle-python", codec)
        assert octavo.verify(path).ok

    def test_chunks_have_the_originals_records(self, path, original, codec, max_chunk_bytes, records):
        original.write(path, records, codec, max_chunk_bytes)
        expected = path.read_bytes()
        write_with_octavo(path, records, codec=codec, max_chunk_bytes=max_chunk_bytes)
        written = path.read_bytes()
        headers = [naive.NaiveFile(content).headers for content in (written, expected)]
        assert [one.count for one in headers[0]] == [one.count for one in headers[1]]
        if codec == "none":
            assert written == naive.encode(records, max_chunk_bytes=max_chunk_bytes) == expected

    def test_the_original_reads_what_octavo_appended(self, path, original, codec, max_chunk_bytes, records):
        original.write(path, records, codec, max_chunk_bytes)
        with octavo.append(path) as writer:
            writer.write_many([b"more", b""])
        assert original.read_every_way(path) == [[*records, b"more", b""]] * 3

    def test_the_original_reads_what_octavo_recovered(self, path, original, codec, max_chunk_bytes, records):
        target = path.with_name("saved.recordio")
        original.write(path, [b"lost"], codec, max_chunk_bytes)
        damaged = path.read_bytes()[:-1] + b"!"
        original.write(path, records, codec, max_chunk_bytes)
        path.write_bytes(damaged + path.read_bytes() + damaged[:25])
        octavo.recover(path, target)
        assert original.read_every_way(target) == [records] * 3


@pytest.mark.parametrize("records", RECORD_LISTS.values(), ids=RECORD_LISTS)
class TestInGo:
    @pytest.fixture
    def original(self):
        return OriginalInGo()

    @pytest.mark.parametrize("codec", OriginalInGo.codecs)
    @pytest.mark.parametrize("max_chunk_bytes", [1, 1024, "32MB"])
    def test_the_original_reads_what_octavo_wrote(self, path, original, codec, max_chunk_bytes, records):
        write_with_octavo(path, records, dialect="go", codec=codec, max_chunk_bytes=max_chunk_bytes)
        assert original.read_every_way(path) == [records] * 2

    def test_octavo_reads_what_the_original_wrote(self, path, original, records):
        original.write(path, records)
        reader = octavo.open(path)
        assert reader.read_all() == naive.decode(path.read_bytes()) == records
        assert (reader.info.dialect, reader.info.codec) == ("go", "snappy")
        assert octavo.verify(path).ok

    def test_the_original_reads_what_octavo_appended(self, path, original, records):
        original.write(path, records)
        with octavo.append(path) as writer:
            writer.write_many([b"more", b""])
        assert original.read_every_way(path) == [[*records, b"more", b""]] * 2

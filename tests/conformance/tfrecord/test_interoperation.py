"""What octavo writes TensorFlow and the naive twin read, and what they write octavo reads."""

from __future__ import annotations

import functools
import gzip
import random
import zlib
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.conformance.tfrecord import original
from tests.naive import tfrecord as naive

SEEDED = random.Random(20151109)
WORDS = [b"feature", b"label", b"image", b"\x0a\x0b\x0c"]
RECORD_LISTS = {
    "none": [],
    "one": [b"one"],
    "one empty": [b""],
    "many empty": [b""] * 3000,
    "numbers": [b"%d" % number for number in range(3000)],
    "noise": [SEEDED.randbytes(SEEDED.choice([0, 1, 10, 1000, 5000])) for _ in range(60)],
    "text": [b" ".join(SEEDED.choices(WORDS, k=SEEDED.randrange(300))) for _ in range(100)],
    "large": [SEEDED.randbytes(70_000), b"", bytes(200_000), b"small", SEEDED.randbytes(65_532)],
    "records": [naive.encode([b"inside", b""]), naive.encode([b"compressed"], "gzip")],
}
LEVELS = ["gzip:1", "gzip:6", "gzip:9", "zlib:1", "zlib:9"]


@functools.cache
def megabytes() -> list[bytes]:
    """More than any block that is read or written at once."""
    chance = random.Random(20160303)
    sizes = [0, 1, 100, 4096, 65_536, 1 << 20]
    return [chance.randbytes(size) for size in chance.choices(sizes, [3, 3, 300, 60, 3, 2], k=500)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "records.tfrecord"


def write(path: Path, records, **options) -> bytes:
    with octavo.create(path, **options) as writer:
        writer.write_many(records)
    return path.read_bytes()


@pytest.mark.parametrize("codec", naive.CODECS)
@pytest.mark.parametrize("records", RECORD_LISTS.values(), ids=RECORD_LISTS)
class TestBothWays:
    def test_the_twin_reads_what_octavo_wrote(self, path, codec, records):
        content = write(path, records, codec=codec)
        assert naive.decode(content) == octavo.open(path).read_all() == records
        assert naive.codec_of(content) == codec

    def test_octavo_reads_what_the_twin_wrote(self, codec, records):
        content = naive.encode(records, codec)
        reader = octavo.open(content, format="tfrecord")
        assert reader.read_all() == list(reader) == records
        assert reader.read(range(len(records) - 1, -1, -1)) == records[::-1]
        assert octavo.verify(content, format="tfrecord").ok
        assert reader.info.codec == codec

    def test_tensorflow_reads_what_octavo_wrote(self, path, codec, records):
        write(path, records, codec=codec)
        assert original.read(path, codec) == records

    def test_octavo_reads_what_tensorflow_wrote(self, path, codec, records):
        original.write(path, records, codec)
        reader = octavo.open(path)
        assert reader.read_all() == list(reader) == naive.decode(path.read_bytes()) == records
        assert reader.read(range(len(records) - 1, -1, -1)) == records[::-1]
        assert octavo.verify(path).ok


@pytest.mark.parametrize("records", RECORD_LISTS.values(), ids=RECORD_LISTS)
class TestUncompressed:
    def test_written_bytes_are_the_twins(self, path, records):
        assert write(path, records) == naive.encode(records)

    def test_written_bytes_are_tensorflows(self, path, records):
        original.write(path, records)
        expected = path.read_bytes()
        assert write(path, records) == expected

    def test_written_bytes_do_not_depend_on_how_they_were_given(self, path, records):
        with octavo.create(path) as writer:
            for number, record in enumerate(records):
                writer.write([record, bytearray(record), memoryview(record)][number % 3])
        assert path.read_bytes() == naive.encode(records)

    def test_tensorflow_reads_what_octavo_appended(self, path, records):
        original.write(path, records)
        with octavo.append(path) as writer:
            writer.write_many([b"more", b""])
        assert original.read(path) == [*records, b"more", b""]


class TestManyMegabytes:
    def test_uncompressed_bytes_are_the_twins(self, path):
        assert write(path, megabytes()) == naive.encode(megabytes())

    @pytest.mark.parametrize("codec", naive.CODECS)
    def test_octavo_reads_them_in_every_order(self, path, codec):
        write(path, megabytes(), codec=codec)
        reader = octavo.open(path)
        order = random.Random(3).sample(range(len(megabytes())), len(megabytes()))
        assert reader.read_all() == list(reader) == megabytes()
        assert reader.read(order) == [megabytes()[number] for number in order]
        assert octavo.verify(path).ok

    @pytest.mark.parametrize("codec", naive.CODECS)
    def test_tensorflow_reads_them(self, path, codec):
        write(path, megabytes(), codec=codec)
        assert original.read(path, codec) == megabytes()

    @pytest.mark.parametrize(("codec", "unpack"), [("gzip", gzip.decompress), ("zlib", zlib.decompress)])
    def test_a_stream_holds_what_an_uncompressed_file_holds(self, path, codec, unpack):
        assert unpack(write(path, megabytes(), codec=codec)) == write(path, megabytes())


@pytest.mark.parametrize("codec", LEVELS)
def test_streams_have_levels(path, codec):
    assert naive.decode(write(path, RECORD_LISTS["text"], codec=codec)) == RECORD_LISTS["text"]


@pytest.mark.parametrize("suffix", [".tfrecord", ".tfrecords", ".tfrec"])
def test_names_that_end_in_gz_are_compressed(tmp_path, suffix):
    content = write(tmp_path / f"records{suffix}.gz", RECORD_LISTS["text"])
    assert naive.codec_of(content) == "gzip"
    assert naive.decode(content) == RECORD_LISTS["text"]
    assert naive.codec_of(write(tmp_path / f"records{suffix}", RECORD_LISTS["text"])) == "none"


def test_several_members_are_one_stream():
    content = naive.encode([b"one", b""], "gzip") + naive.encode([], "gzip") + naive.encode([b"three"], "gzip")
    reader = octavo.open(content, format="tfrecord")
    assert reader.read_all() == list(reader) == naive.decode(content) == [b"one", b"", b"three"]
    assert octavo.verify(content, format="tfrecord").ok


def test_members_may_end_inside_a_record():
    data = naive.encode([b"one", b"two" * 100, b"three"])
    content = b"".join(gzip.compress(data[start : start + 20]) for start in range(0, len(data), 20))
    assert octavo.open(content, format="tfrecord").read_all() == [b"one", b"two" * 100, b"three"]


def test_a_length_that_looks_like_a_stream_is_a_length(path):
    for length in (0x8B1F, 0x9C78):
        content = write(path, [bytes(length), b"after"])
        assert naive.codec_of(content) == "none"
        assert octavo.open(path).read_all() == [bytes(length), b"after"]


class TestAppending:
    def test_bytes_are_those_of_one_writer(self, path):
        write(path, [b"one"])
        for record in (b"", b"three"):
            with octavo.append(path) as writer:
                writer.write(record)
        assert path.read_bytes() == naive.encode([b"one", b"", b"three"])

    def test_what_flush_acknowledged_is_there(self, path):
        path.write_bytes(naive.encode([b"first"]))
        with octavo.append(path) as writer:
            for number in range(5):
                writer.write(b"%d" % number)
                writer.flush()
                expected = [b"first", *(b"%d" % done for done in range(number + 1))]
                assert naive.decode(path.read_bytes()) == octavo.open(path).read_all() == expected

    @pytest.mark.parametrize("kept", [1, 7, 8, 11, 12, 13, 20, -1])
    def test_a_torn_tail_is_cut_off_first(self, path, kept):
        path.write_bytes(naive.encode([b"first"]) + naive.encode([b"torn" * 10])[:kept])
        with octavo.append(path) as writer:
            writer.write(b"second")
        assert path.read_bytes() == naive.encode([b"first", b"second"])

    @pytest.mark.parametrize("codec", ["gzip", "zlib"])
    def test_streams_are_not_appended_to(self, path, codec):
        content = naive.encode([b"first"], codec)
        path.write_bytes(content)
        with pytest.raises(errors.UnsupportedError):
            octavo.append(path)
        assert path.read_bytes() == content

    def test_a_file_of_no_bytes_is_appended_to(self, path):
        path.touch()
        with octavo.append(path) as writer:
            writer.write(b"one")
        assert path.read_bytes() == naive.encode([b"one"])


@pytest.mark.parametrize("codec", naive.CODECS)
@pytest.mark.parametrize("records", RECORD_LISTS.values(), ids=RECORD_LISTS)
class TestRecovering:
    def recover(self, path: Path, content: bytes) -> tuple[octavo.RecoverReport, Path]:
        target = path.with_name("saved.tfrecord")
        path.write_bytes(content)
        report = octavo.recover(path, target)
        assert octavo.verify(target).ok
        return report, target

    def test_everything_is_saved_of_a_sound_file(self, path, codec, records):
        report, target = self.recover(path, naive.encode(records, codec))
        assert naive.decode(target.read_bytes()) == records
        assert (report.record_count, report.ok, report.lost) == (len(records), True, ())
        assert octavo.open(target).info.codec == codec

    def test_what_stands_in_front_of_a_cut_is_saved(self, path, codec, records):
        content = naive.encode(records, codec)[:-1]
        report, target = self.recover(path, content)
        assert naive.decode(target.read_bytes()) == naive.salvage(content)
        assert not (content and report.ok and len(records) > report.record_count)

    def test_what_stands_in_front_of_junk_is_saved(self, path, codec, records):
        report, target = self.recover(path, naive.encode(records, codec) + b"some bytes that are no record")
        assert naive.decode(target.read_bytes()) == records
        assert report.record_count == len(records)


class TestDamage:
    RECORDS = (b"one", b"two" * 100, b"", b"four")

    def test_a_damaged_record_is_lost_alone(self, path):
        content = naive.encode(self.RECORDS)
        place = content.index(b"twotwo")
        path.write_bytes(content[:place] + b"!" + content[place + 1 :])
        reader = octavo.open(path)
        assert reader.read([0, 2, 3]) == [b"one", b"", b"four"]
        with pytest.raises(errors.ChecksumError) as caught:
            reader[1]
        assert (caught.value.path, caught.value.record) == (str(path), 1)
        assert [(one.record, one.record_count) for one in octavo.verify(path).damage] == [(1, 1)]

    def test_behind_a_damaged_length_stands_one_record_that_names_the_offset(self, path):
        content = bytearray(naive.encode(self.RECORDS))
        second = naive.NaiveFile(bytes(content)).frames[1].offset
        content[second + 2] ^= 1
        path.write_bytes(content)
        reader = octavo.open(path)
        assert (len(reader), reader[0]) == (2, b"one")
        with pytest.raises(errors.FormatError) as caught:
            reader[1]
        assert (caught.value.path, caught.value.offset) == (str(path), second)
        with pytest.raises(errors.FormatError, match="recover"):
            octavo.append(path)
        target = path.with_name("saved.tfrecord")
        assert not octavo.recover(path, target).ok
        assert octavo.open(target).read_all() == [b"one", b"", b"four"]

    @pytest.mark.parametrize("kept", [1, 11, 12, 20, 315])
    def test_a_torn_tail_is_left_out_with_a_warning(self, path, kept):
        whole = naive.encode(self.RECORDS)
        path.write_bytes(whole + naive.encode([bytes(300)])[:kept])
        with pytest.warns(errors.TornAppendWarning):
            reader = octavo.open(path)
        assert reader.read_all() == list(self.RECORDS)
        assert reader.info.torn_bytes == kept
        assert not octavo.verify(path).ok
        assert octavo.trim(path) == kept
        assert octavo.trim(path) == 0
        assert path.read_bytes() == whole

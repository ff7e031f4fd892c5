"""RecordIO and TFRecord files that are damaged in the middle: what is lost, what is not, and what the errors say."""

from __future__ import annotations

import pickle
import random
import zlib
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.naive import recordio, tfrecord
from tests.unit.damage import damage_chunks, flipped, pieces
from tests.unit.layouts import DEFLATED, GO, RECORDIO, TFRECORD, Layout

RECORDS = [f"record {number}".encode() for number in range(23)]
NOISE = [random.Random(number).randbytes(40) for number in range(50)]  # hardly shrinks: half a file is half of them
# What a chunk's header may not say, as a dialect, the field's place in it, and what is to be in the message.
LOST = {
    "magic": ("paddle-python", 0, b"\xff", "magic number"),
    "codec": ("paddle-python", 12, b"\x07", "codec"),
    "no records": ("paddle-python", 4, bytes(4), "no records"),
    "too many records": ("paddle-python", 4, b"\xff" * 4, "more records than it can hold"),
    "size": ("paddle-python", 16, bytes(4), "size"),
    "beyond the end": ("paddle-python", 16, b"\xff\xff\xff\x7f", "the file ends"),
    "magic of go": ("go", 3, b"\xff", "magic number"),
    "codec of go": ("go", 8, b"\x03", "codec"),
    "no records of go": ("go", 16, bytes(4), "no records"),
    "beyond the end of go": ("go", 12, b"\xff\xff\xff\x7f", "the file ends"),
}


def replaced(content: bytes, place: int, new: bytes) -> bytes:
    return content[:place] + new + content[place + len(new) :]


def walk(reader: octavo.Reader) -> list[bytes | type[Exception]]:
    """Everything an iteration gives, errors included."""
    seen: list[bytes | type[Exception]] = []
    records = iter(reader)
    while True:
        try:
            seen.append(next(records))
        except StopIteration:
            return seen
        except errors.FormatError as error:
            seen.append(type(error))


class TestDamagedChunks:
    @pytest.mark.parametrize(("dialect", "codec"), recordio.WAYS)
    @pytest.mark.parametrize("number", [0, 1, 2])
    def test_the_records_of_a_damaged_chunk_are_errors_and_all_others_are_there(self, dialect, codec, number):
        groups = [RECORDS[:5], RECORDS[5:15], RECORDS[15:]]
        chunks = [recordio.encode_chunk(group, dialect, codec) for group in groups]
        chunks[number] = flipped(chunks[number], len(chunks[number]) - 1)
        reader = octavo.open(b"".join(chunks))
        groups[number] = [errors.ChecksumError] * len(groups[number])  # type: ignore[list-item]
        assert walk(reader) == [one for group in groups for one in group]
        assert (reader.info.dialect, reader.info.dialect_confirmed) == (dialect, True)

    @pytest.mark.parametrize(("layout", "checksum"), [(RECORDIO, recordio.crc32c), (GO, zlib.crc32)])
    def test_the_error_names_the_chunk_its_records_and_both_checksums(self, layout, checksum):
        content = damage_chunks(layout, layout.encode(RECORDS), 2)
        chunk, following = pieces(layout, layout.encode(RECORDS))[2:4]
        expected = checksum(layout.encode(RECORDS)[chunk.data : following.offset])
        actual = checksum(content[chunk.data : following.offset])
        first, last = chunk.records[0], chunk.records[-1]
        with pytest.raises(errors.ChecksumError) as caught:
            octavo.open(content)[first + 1]
        assert caught.value._where() == {
            "path": f"<{len(content)} bytes in memory>", "record": first, "offset": chunk.offset,
            "expected": expected, "actual": actual,
        }  # fmt: skip
        assert (
            f": the chunk at byte {chunk.offset} (records {first} to {last}): "
            f"checksum {actual:#010x}, expected {expected:#010x}; " in str(caught.value)
        )
        assert "octavo.recover" in str(caught.value)

    @pytest.mark.parametrize(
        ("payload", "count", "message"),
        [
            (recordio.stream_of([b"a", b"b"]), 3, "fewer records than its header says"),
            (recordio.stream_of([b"a", b"b"]), 1, "more in it than its header says"),
            (b"\x05\0\0\0abc", 1, "beyond its end"),
            (b"\xff\xff\xff\xff", 1, "beyond its end"),
        ],
    )
    def test_a_chunk_whose_records_do_not_fill_it_is_damage_under_any_checksum(self, payload, count, message):
        content = recordio.encode_payload(payload, count, "paddle-python", "none") + recordio.encode(RECORDS)
        reader = octavo.open(content)
        with pytest.raises(errors.DamagedFileError, match=message) as caught:
            reader[0]
        assert (caught.value.record, caught.value.offset) == (0, 0)
        assert reader.read(range(count, count + 23)) == RECORDS

    @pytest.mark.parametrize(
        ("dialect", "codec"), [(dialect, codec) for dialect, codec in recordio.WAYS if codec != "none"]
    )
    def test_a_payload_that_is_none_of_its_codec_is_damage_under_any_checksum(self, dialect, codec):
        nonsense = recordio.encode_payload(b"\xfenonsense", 2, dialect, codec)
        reader = octavo.open(recordio.encode_chunk(RECORDS, dialect, codec) + nonsense)
        assert reader.read_range(0, 23) == RECORDS
        with pytest.raises(errors.DamagedFileError):
            reader[24]

    def test_errors_survive_pickling(self):
        with pytest.raises(errors.ChecksumError) as caught:
            octavo.open(damage_chunks(GO, GO.encode(RECORDS), 1)).read_all()
        again = pickle.loads(pickle.dumps(caught.value))
        assert (str(again), again._where()) == (str(caught.value), caught.value._where())


class TestLostChunks:
    """Where a header cannot be believed, nobody knows where the next one is: the rest stands for one record."""

    @pytest.fixture(params=LOST.values(), ids=list(LOST))
    def lost(self, request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, int, str]:
        """A file whose second chunk is damaged, where that is, and what is wrong with it."""
        dialect, place, new, message = request.param
        chunks = [recordio.encode_chunk(group, dialect) for group in (RECORDS[:5], RECORDS[5:10], RECORDS[10:])]
        path = tmp_path / "damaged.recordio"
        path.write_bytes(replaced(b"".join(chunks), len(chunks[0]) + place, new))
        return path, len(chunks[0]), message

    def test_the_records_before_are_there_and_the_rest_is_one_that_cannot_be_read(self, lost):
        path, offset, message = lost
        reader = octavo.open(path)
        assert len(reader) == 6
        assert reader.read_range(0, 5) == RECORDS[:5]
        for read in (lambda: reader[5], lambda: reader[-1], reader.read_all, lambda: reader.read([0, 5])):
            with pytest.raises(errors.FormatError, match=message) as caught:
                read()
            assert (caught.value.path, caught.value.record, caught.value.offset) == (str(path), 5, offset)
            assert f"the chunk at byte {offset} (from record 5 on)" in str(caught.value)
            assert "octavo.recover" in str(caught.value)

    def test_iteration_gives_the_records_before_and_then_the_error(self, lost):
        *before, error = walk(octavo.open(lost[0]))
        assert before == RECORDS[:5]
        assert isinstance(error, type)

    def test_verify_lists_it(self, lost):
        path, offset, message = lost
        report = octavo.verify(path)
        (damage,) = report.damage
        assert (damage.path, damage.record, damage.offset) == (str(path), 5, offset)
        assert message in damage.reason

    def test_info_is_about_what_is_there(self, lost):
        path, offset, _ = lost
        info = octavo.open(path).info
        assert (info.chunk_count, info.encoded_bytes, info.torn_bytes, info.group_size) == (1, offset, 0, 5)

    def test_append_and_trim_leave_it_as_it_is(self, lost):
        path, offset, message = lost
        before = path.read_bytes()
        with pytest.raises(errors.FormatError, match=message) as caught:
            octavo.append(path)
        assert (caught.value.path, caught.value.offset) == (str(path), offset)
        assert "octavo.recover" in str(caught.value)
        assert (octavo.trim(path), path.read_bytes()) == (0, before)

    def test_recover_finds_the_chunks_behind(self, lost, tmp_path):
        path, offset, _ = lost
        report = octavo.recover(path, tmp_path / "saved.recordio")
        saved = octavo.open(tmp_path / "saved.recordio")
        assert saved.read_all() == RECORDS[:5] + RECORDS[10:]
        assert saved.info.dialect == octavo.open(path).info.dialect
        assert [(one.offset, one.record_count) for one in report.lost] == [(offset, None)]
        assert report.lost_count is None

    @pytest.mark.parametrize("dialect", recordio.DIALECTS)
    def test_a_damaged_first_chunk_leaves_the_dialect_to_the_next(self, tmp_path, dialect):
        path = tmp_path / "damaged.recordio"
        path.write_bytes(b"\xff" + recordio.encode_groups([RECORDS[:5], RECORDS[5:]], dialect)[1:])
        reader = octavo.open(path)
        assert (len(reader), reader.info.dialect, reader.info.dialect_confirmed) == (1, dialect, True)
        octavo.recover(path, tmp_path / "saved.recordio")
        assert octavo.open(tmp_path / "saved.recordio").read_all() == RECORDS[5:]

    def test_files_behind_a_lost_one_are_numbered_behind_it(self, lost, tmp_path):
        sound = RECORDIO.write(tmp_path / "sound", RECORDS)
        reader = octavo.open([lost[0], sound])
        assert (len(reader), reader.read_range(6, 29)) == (29, RECORDS)


class TestTfRecord:
    @pytest.fixture
    def content(self) -> bytes:
        return TFRECORD.encode(RECORDS)

    def test_a_damaged_record_is_lost_alone_and_names_both_checksums(self, content):
        frame = tfrecord.NaiveFile(content).frames[7]
        reader = octavo.open(flipped(content, frame.offset + tfrecord.HEADER))
        assert walk(reader) == [*RECORDS[:7], errors.ChecksumError, *RECORDS[8:]]
        expected, actual = (recordio.masked_crc32c(record) for record in (RECORDS[7], flipped(RECORDS[7], 0)))
        with pytest.raises(errors.ChecksumError) as caught:
            reader[7]
        assert caught.value._where() == {
            "path": f"<{len(content)} bytes in memory>", "record": 7, "offset": frame.offset,
            "expected": expected, "actual": actual,
        }  # fmt: skip
        assert f"record 7 at byte {frame.offset}: checksum {actual:#010x}, expected {expected:#010x}" in str(
            caught.value
        )

    @pytest.mark.parametrize("place", [0, 7, 8, 11])
    def test_a_length_that_cannot_be_believed_loses_the_rest(self, content, tmp_path, place):
        frame = tfrecord.NaiveFile(content).frames[7]
        path = tmp_path / "damaged.tfrecord"
        path.write_bytes(flipped(content, frame.offset + place))
        reader = octavo.open(path)
        assert (len(reader), walk(reader)) == (8, [*RECORDS[:7], errors.ChecksumError])
        with pytest.raises(errors.ChecksumError, match="its length has checksum") as caught:
            reader[7]
        error = caught.value
        assert (error.path, error.record, error.offset) == (str(path), 7, frame.offset)
        assert f"checksum {error.actual:#010x}, expected {error.expected:#010x}" in str(error)
        assert "octavo.recover" in str(error)
        assert [(one.record, one.offset) for one in octavo.verify(path).damage] == [(7, frame.offset)]
        assert (reader.info.encoded_bytes, reader.info.torn_bytes) == (frame.offset, 0)
        octavo.recover(path, tmp_path / "saved.tfrecord")
        assert octavo.open(tmp_path / "saved.tfrecord").read_all() == RECORDS[:7] + RECORDS[8:]

    def test_a_damaged_first_length_is_one_record_if_others_follow(self, content, tmp_path):
        path = tmp_path / "damaged.tfrecord"
        path.write_bytes(flipped(content, 0))
        assert walk(octavo.open(path)) == [errors.ChecksumError]
        octavo.recover(path, tmp_path / "saved.tfrecord")
        assert octavo.open(tmp_path / "saved.tfrecord").read_all() == RECORDS[1:]

    def test_appending_behind_a_lost_rest_is_refused(self, content, tmp_path):
        path = tmp_path / "damaged.tfrecord"
        path.write_bytes(damaged := flipped(content, 0))
        with pytest.raises(errors.FormatError, match=r"octavo\.recover"):
            octavo.append(path)
        assert (octavo.trim(path), path.read_bytes()) == (0, damaged)


@pytest.mark.parametrize("codec", ["gzip", "zlib"])
class TestCompressedTfRecord:
    """One stream around all records: what comes before its damage is there, the rest is one record."""

    @pytest.fixture(params=["cut", "one byte short", "checksum", "something behind", "zeros behind"])
    def path(self, request: pytest.FixtureRequest, tmp_path: Path, codec: str) -> Path:
        content = tfrecord.encode(NOISE, codec)
        changed = {
            "cut": content[: len(content) // 2],
            "one byte short": content[:-1],
            "checksum": flipped(content, -6 if codec == "gzip" else -1),
            "something behind": content + b"something else",
            "zeros behind": content + bytes(20),
        }
        path = tmp_path / "damaged.tfrecord"
        path.write_bytes(changed[request.param])
        return path

    def test_the_records_before_are_there_and_the_rest_is_one_that_cannot_be_read(self, path):
        reader = octavo.open(path)
        *before, error = walk(reader)
        assert before == NOISE[: len(before)]
        assert (len(reader), isinstance(error, type)) == (len(before) + 1, True)
        assert len(before) > len(NOISE) // 3
        for read in (lambda: reader[-1], reader.read_all):
            with pytest.raises(errors.FormatError, match=r"octavo\.recover") as caught:
                read()
            assert (caught.value.path, caught.value.record) == (str(path), len(before))
            assert caught.value.offset is not None
            assert caught.value.offset <= path.stat().st_size

    def test_verify_lists_it(self, path):
        report = octavo.verify(path)
        (damage,) = report.damage
        assert (damage.path, damage.record, damage.record_count) == (str(path), report.record_count - 1, 1)

    def test_it_is_no_torn_append_and_left_as_it_is(self, path):
        before = path.read_bytes()
        assert (octavo.open(path).info.torn_bytes, octavo.trim(path)) == (0, 0)
        with pytest.raises(errors.OctavoError):
            octavo.append(path)
        assert path.read_bytes() == before

    def test_recover_saves_what_is_whole(self, path, codec, tmp_path):
        report = octavo.recover(path, tmp_path / "saved.tfrecord")
        saved = octavo.open(tmp_path / "saved.tfrecord")
        assert saved.read_all() == NOISE[: len(saved)]
        assert len(saved) >= len(octavo.open(path)) - 1
        # Even where only the checksum of the whole is wrong: nobody can tell then that no record is.
        assert (saved.info.codec, report.ok) == (codec, False)
        (lost,) = report.lost
        assert lost.offset < lost.end <= path.stat().st_size

    def test_a_damaged_record_inside_is_lost_alone(self, codec):
        content = flipped(tfrecord.encode(RECORDS), 24 * 7 + tfrecord.HEADER)
        reader = octavo.open(tfrecord.compress(content, codec))
        assert walk(reader) == [*RECORDS[:7], errors.ChecksumError, *RECORDS[8:]]
        with pytest.raises(errors.ChecksumError) as caught:
            reader[7]
        assert caught.value.expected == recordio.masked_crc32c(RECORDS[7])
        assert caught.value.actual == recordio.masked_crc32c(flipped(RECORDS[7], 0))

    def test_a_flipped_byte_costs_its_record(self, codec):
        stream = zlib.compressobj(0, wbits=tfrecord.WINDOW_BITS[codec])
        content = stream.compress(tfrecord.encode(NOISE)) + stream.flush()
        reader = octavo.open(flipped(content, content.index(NOISE[30])), format="tfrecord")
        seen = walk(reader)
        assert seen[:50] == [*NOISE[:30], errors.ChecksumError, *NOISE[31:]]
        assert len(seen) == 51  # and the checksum of the stream is wrong

    def test_a_damaged_length_inside_loses_the_rest_until_it_is_recovered(self, codec, tmp_path):
        path = tmp_path / "damaged.tfrecord"
        path.write_bytes(tfrecord.compress(flipped(tfrecord.encode(RECORDS), 24 * 7), codec))
        assert walk(octavo.open(path)) == [*RECORDS[:7], errors.ChecksumError]
        octavo.recover(path, tmp_path / "saved.tfrecord")
        assert octavo.open(tmp_path / "saved.tfrecord").read_all() == RECORDS[:7] + RECORDS[8:]

    def test_a_stream_of_something_else_is_a_stranger(self, codec, tmp_path):
        content = tfrecord.compress(b"Once upon a time, there was a file.", codec)
        (tmp_path / "text.tfrecord").write_bytes(content)
        for location in (content, tmp_path / "text.tfrecord"):
            with pytest.raises(errors.UnknownFormatError):
                octavo.open(location)


def test_members_of_gzip_are_one_stream():
    content = b"".join(tfrecord.encode(RECORDS[start : start + 5], "gzip") for start in range(0, 23, 5))
    assert octavo.open(content).read_all() == RECORDS
    inside = tfrecord.encode(RECORDS)
    content = b"".join(tfrecord.compress(inside[start : start + 37], "gzip") for start in range(0, len(inside), 37))
    assert octavo.open(content, format="tfrecord").read_all() == RECORDS


@pytest.mark.parametrize("layout", [RECORDIO, GO, TFRECORD, DEFLATED], ids=["recordio", "go", "tfrecord", "gzip"])
def test_a_record_that_looks_like_a_file_is_a_record(layout: Layout):
    decoys = [recordio.encode(RECORDS), tfrecord.encode(RECORDS), recordio.MAGIC * 10, GO.encode(RECORDS)]
    assert layout.open(decoys).read_all() == decoys

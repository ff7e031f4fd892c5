"""RecordIO and TFRecord files that end inside a chunk or a record: what comes before is there, and the file says so."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo import errors
from tests.naive import recordio
from tests.unit.damage import flipped, pieces
from tests.unit.layouts import GO, RECORDIO, TFRECORD, Layout

RECORDS = [f"record {number}".encode() for number in range(23)]
MORE = [b"more", b"", b"and more"]
STREAMS = {
    "paddle-python": RECORDIO,
    "go": GO,
    "paddle-cpp": Layout("recordio", ".recordio", (("dialect", "paddle-cpp"), ("group_size", 5))),
    "tfrecord": TFRECORD,
}


@pytest.fixture(params=STREAMS.values(), ids=list(STREAMS))
def stream(request: pytest.FixtureRequest) -> Layout:
    """Every way in which files have no end of their own."""
    layout: Layout = request.param
    return layout


@pytest.fixture(params=[1, 4, 11, 20, 21])
def torn_bytes(request: pytest.FixtureRequest) -> int:
    """How much of the last chunk or record has reached the file; TFRecord's last one has 25 bytes."""
    count: int = request.param
    return count


@pytest.fixture
def kept(stream: Layout) -> list[bytes]:
    """The records of all chunks but the last."""
    return RECORDS[: pieces(stream, stream.encode(RECORDS))[-1].records.start]


@pytest.fixture
def end(stream: Layout) -> int:
    """Where the last whole chunk or record ends."""
    return pieces(stream, stream.encode(RECORDS))[-1].offset


@pytest.fixture
def torn(stream: Layout, end: int, torn_bytes: int, tmp_path: Path) -> Path:
    path = tmp_path / f"torn{stream.suffix}"
    path.write_bytes(stream.encode(RECORDS)[: end + torn_bytes])
    return path


def open_torn(location: Any, **options: Any) -> octavo.Reader:
    with pytest.warns(errors.TornAppendWarning):
        return octavo.open(location, **options)


def read_back(path: Path) -> list[bytes]:
    """What somebody sees who opens the file now; a warning would be an error."""
    return octavo.open(path).read_all()


class TestReading:
    def test_opening_warns_once_and_names_file_bytes_and_remedies(self, torn, torn_bytes, end):
        with pytest.warns(errors.TornAppendWarning) as caught:
            octavo.open(torn)
        (warning,) = caught
        message = str(warning.message)
        assert message.startswith(f"{torn}: the last {torn_bytes} bytes, from byte {end} on, are an interrupted append")
        assert "or the file was cut off; they were left out, and records may be missing" in message
        assert all(remedy in message for remedy in ("octavo.append", "octavo.trim", "octavo.recover"))
        assert warning.filename == __file__

    def test_the_records_before_are_there_and_no_others_are_counted(self, torn, kept):
        reader = open_torn(torn)
        assert (len(reader), reader.read_all(), list(reader)) == (len(kept), kept, kept)
        assert reader[-1] == kept[-1]
        with pytest.raises(errors.RecordIndexError):
            reader[len(kept)]

    def test_info_tells_how_much_was_left_out(self, torn, torn_bytes, end):
        info = open_torn(torn).info
        assert (info.torn_bytes, info.encoded_bytes, info.total_bytes) == (torn_bytes, end, end + torn_bytes)

    def test_the_dialect_is_known_all_the_same(self, torn, stream, end):
        whole = octavo.open(stream.encode(RECORDS)[:end]).info
        info = open_torn(torn).info
        assert (info.dialect, info.dialect_confirmed, info.codec) == (
            whole.dialect,
            whole.dialect_confirmed,
            whole.codec,
        )
        assert (info.chunk_count, info.group_size) == (whole.chunk_count, whole.group_size)

    def test_verify_reports_it_and_does_not_warn(self, torn, torn_bytes, kept):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            report = octavo.verify(torn)
        assert (report.ok, report.record_count) == (False, len(kept))
        (damage,) = report.damage
        assert (damage.path, damage.record, damage.record_count) == (str(torn), None, 0)
        assert f"the last {torn_bytes} bytes are an interrupted append" in damage.reason

    def test_one_of_several_files_may_be_torn(self, torn, stream, kept, tmp_path):
        sound = stream.write(tmp_path / "sound", RECORDS)
        reader = open_torn([torn, sound])
        assert reader.read_all() == kept + RECORDS

    def test_bytes_in_memory_may_be_torn(self, torn, stream, kept):
        assert open_torn(torn.read_bytes(), **stream.hint).read_all() == kept

    @pytest.mark.parametrize("count", [1, 19, 20, 100, 5000])
    def test_zeros_behind_the_end_are_torn_as_well(self, stream, tmp_path, count):
        path = stream.write(tmp_path / "records", RECORDS)
        path.write_bytes(path.read_bytes() + bytes(count))
        reader = open_torn(path)
        assert (reader.read_all(), reader.info.torn_bytes) == (RECORDS, count)


class TestMending:
    def test_append_cuts_and_goes_on_without_a_warning(self, torn, kept, stream, end):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with octavo.append(torn) as writer:
                writer.write_many(MORE)
            assert read_back(torn) == kept + MORE
        assert torn.read_bytes()[:end] == stream.encode(RECORDS)[:end]
        assert octavo.verify(torn).ok

    def test_append_mends_the_file_even_if_it_writes_nothing(self, torn, kept, end):
        with octavo.append(torn):
            pass
        assert (read_back(torn), torn.stat().st_size) == (kept, end)

    def test_trim_cuts_and_counts(self, torn, torn_bytes, kept, stream, end):
        assert octavo.trim(torn) == torn_bytes
        assert torn.read_bytes() == stream.encode(RECORDS)[:end]
        assert (read_back(torn), octavo.verify(torn).ok, octavo.trim(torn)) == (kept, True, 0)

    def test_recover_saves_what_is_whole_and_tells_of_the_rest(self, torn, torn_bytes, kept, end, tmp_path):
        before = torn.read_bytes()
        target = tmp_path / f"saved{torn.suffix}"
        report = octavo.recover(torn, target)
        assert (torn.read_bytes(), read_back(target)) == (before, kept)
        assert [(lost.offset, lost.end, lost.record_count) for lost in report.lost] == [(end, end + torn_bytes, None)]
        assert not report.ok


class TestNothingButATornChunk:
    @pytest.mark.parametrize("size", [1, 3, 4, 19, 20, 21, 30])
    def test_it_has_no_records(self, stream, tmp_path, size):
        path = tmp_path / f"torn{stream.suffix}"
        path.write_bytes(stream.encode([b"x" * 100])[:size])
        reader = open_torn(path)
        assert (len(reader), reader.read_all(), reader.info.torn_bytes) == (0, [], size)
        assert (reader.info.chunk_count, reader.info.encoded_bytes) == (0, 0)

    @pytest.mark.parametrize("size", [1, 4, 20, 30])
    def test_it_may_be_trimmed_and_grow(self, stream, tmp_path, size):
        path = tmp_path / f"torn{stream.suffix}"
        path.write_bytes(stream.encode([b"x" * 100])[:size])
        assert (octavo.trim(path), path.read_bytes()) == (size, b"")
        path.write_bytes(stream.encode([b"x" * 100])[:size])
        with octavo.append(path) as writer:
            writer.write_many(MORE)
        assert read_back(path) == MORE

    @pytest.mark.parametrize(("dialect", "codec"), recordio.WAYS)
    def test_its_dialect_is_a_guess_that_nothing_confirms(self, tmp_path, dialect, codec):
        path = tmp_path / "torn.recordio"
        path.write_bytes(recordio.encode([b"x" * 100], dialect, codec)[:-1])
        info = open_torn(path).info
        assert (info.dialect, info.dialect_confirmed) == (dialect.removesuffix("-ieee"), False)
        assert info.codec == codec

    @pytest.mark.parametrize("size", [1, 4, 19])
    def test_less_than_a_header_tells_no_dialect(self, tmp_path, size):
        path = tmp_path / "torn.recordio"
        path.write_bytes(recordio.encode([b"x" * 100])[:size])
        info = open_torn(path).info
        assert (info.dialect, info.dialect_confirmed, info.codec) == (None, False, None)

    def test_a_name_or_a_format_must_say_what_it_is(self, tmp_path):
        (tmp_path / "torn").write_bytes(recordio.encode([b"x" * 100])[:30])
        with pytest.raises(errors.UnknownFormatError, match="no checksum in it holds"):
            octavo.open(tmp_path / "torn")
        assert len(open_torn(tmp_path / "torn", format="recordio")) == 0


class TestWhatIsNotTorn:
    """Whatever may still be saved is never cut off."""

    @pytest.fixture
    def content(self) -> bytes:
        return RECORDIO.encode(RECORDS)

    def refuse(self, path: Path, content: bytes, offset: int) -> None:
        path.write_bytes(content)
        with pytest.raises(errors.FormatError, match=r"octavo\.recover") as caught:
            octavo.append(path)
        assert (caught.value.path, caught.value.offset) == (str(path), offset)
        assert (octavo.trim(path), path.read_bytes()) == (0, content)

    def test_a_whole_last_chunk_with_a_damaged_size(self, content, tmp_path):
        last = pieces(RECORDIO, content)[-1]
        self.refuse(tmp_path / "damaged.recordio", flipped(content, last.offset + 18), last.offset)

    def test_a_chunk_in_the_middle_that_reaches_beyond_the_end(self, content, tmp_path):
        second = pieces(RECORDIO, content)[1]
        self.refuse(tmp_path / "damaged.recordio", flipped(content, second.offset + 19), second.offset)

    def test_a_whole_chunk_behind_a_torn_one(self, content, tmp_path):
        torn = recordio.encode([bytes(1000)])[:100]
        self.refuse(tmp_path / "damaged.recordio", content + torn + recordio.encode(MORE), len(content))

    @pytest.mark.parametrize("rest", [b"x", b"something else", b"x" * 1000])
    def test_something_else_behind_the_last_chunk(self, content, tmp_path, rest):
        self.refuse(tmp_path / "damaged.recordio", content + rest, len(content))

    def test_a_length_in_a_tfrecord_file_that_reaches_beyond_the_end_by_damage(self, tmp_path):
        content = TFRECORD.encode(RECORDS)
        last = pieces(TFRECORD, content)[-1]
        self.refuse(tmp_path / "damaged.tfrecord", flipped(content, last.offset + 1), last.offset)

    @pytest.mark.parametrize("rest", [b"something else", b"x" * 1000])
    def test_something_else_behind_the_last_record(self, tmp_path, rest):
        content = TFRECORD.encode(RECORDS)
        self.refuse(tmp_path / "damaged.tfrecord", content + rest, len(content))

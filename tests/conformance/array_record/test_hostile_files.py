"""Files that must not be believed are refused with an error of octavo's: no crash, no wrong bytes, no emptiness."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import octavo
from octavo import errors
from tests.conformance.array_record.foreign import RECORDS, chunks, of_data_chunks
from tests.conformance.array_record.hostile import CHUNKS, INDEXES, as_parameters
from tests.conformance.codecs import needs_cramjam
from tests.naive.array_record import NaiveFile
from tests.naive.protobuf import Damaged
from tests.naive.riegeli import BLOCK

Build = Callable[[], bytes]

SOUND = of_data_chunks(*chunks()).content
AROUND_THE_CHUNK = {0: RECORDS[0], 1: RECORDS[1], 4: RECORDS[4]}
# The package that the twin decompresses with does not look at what stands behind a stream.
READ_BY_THE_TWIN = {"two zstd frames", "bytes behind a stream, brotli"}


def open_bytes(content: bytes, *, check_data: bool = True) -> octavo.Reader:
    return octavo.open(content, format="array_record", check_data=check_data)


def readable_in(reader: octavo.Reader) -> dict[int, bytes]:
    """The records that come, each asked for on its own."""
    found = {}
    for number in range(len(reader)):
        try:
            found[number] = reader[number]
        except errors.FormatError:
            continue
    return found


@pytest.mark.parametrize("build", as_parameters(INDEXES))
class TestIndexes:
    def test_it_is_refused(self, build: Build):
        with pytest.raises(errors.FormatError):
            open_bytes(build()).read_all()

    def test_it_is_refused_without_checksums(self, build: Build):
        with pytest.raises(errors.FormatError):
            open_bytes(build(), check_data=False).read_all()

    def test_no_wrong_record_comes(self, build: Build):
        try:
            reader = open_bytes(build())
        except errors.FormatError:
            return
        assert readable_in(reader).items() <= dict(enumerate(RECORDS)).items()

    def test_verify_sees_it(self, build: Build):
        assert not octavo.verify(build(), format="array_record").ok

    def test_recover_saves_no_record_twice_and_none_out_of_order(self, build: Build, tmp_path):
        source, target = tmp_path / "hostile.array_record", tmp_path / "saved.array_record"
        source.write_bytes(build())
        octavo.recover(source, target)
        # Without an index that can be believed, its own records may be taken for others; they may be empty.
        saved = [record for record in octavo.open(target) if record and record in RECORDS]
        assert saved == [record for record in RECORDS if record in saved]

    def test_the_naive_twin_refuses_it(self, build: Build):
        with pytest.raises(Damaged):
            NaiveFile(build()).records()


@pytest.mark.parametrize("build", CHUNKS)
class TestChunks:
    def test_its_records_are_refused(self, build: Build):
        with pytest.raises(errors.FormatError):
            open_bytes(build()).read_all()

    def test_its_records_are_refused_one_by_one_and_the_others_come(self, build: Build):
        try:
            reader = open_bytes(build())
        except errors.FormatError:
            return
        found = readable_in(reader)
        last = found.pop(len(reader) - 1)
        assert {**found, 4: last} == AROUND_THE_CHUNK

    def test_nothing_bad_happens_without_checksums(self, build: Build):
        try:
            reader = open_bytes(build(), check_data=False)
        except errors.FormatError:
            return
        assert readable_in(reader).items() >= {0: RECORDS[0], 1: RECORDS[1], len(reader) - 1: RECORDS[4]}.items()

    def test_verify_sees_it(self, build: Build):
        assert not octavo.verify(build(), format="array_record").ok

    def test_recover_saves_the_others(self, build: Build, tmp_path):
        source, target = tmp_path / "hostile.array_record", tmp_path / "saved.array_record"
        source.write_bytes(build())
        report = octavo.recover(source, target)
        assert octavo.open(target).read_all() == list(AROUND_THE_CHUNK.values())
        assert (report.ok, report.record_count) == (False, 3)

    @needs_cramjam
    def test_the_naive_twin_refuses_it(self, build: Build, request):
        if request.node.callspec.id in READ_BY_THE_TWIN:
            pytest.skip("the twin is too kind")
        file = NaiveFile(build())
        with pytest.raises(Damaged):
            file.records()
        assert list(file.readable().values()) == list(AROUND_THE_CHUNK.values())


@pytest.mark.parametrize("size", [0, 1, 23, 24, 63, 64, 65, 103, 104, 1000, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK - 1])
@pytest.mark.parametrize("location", ["bytes", "path"])
def test_a_file_that_is_cut_is_refused(size, location, tmp_path):
    path = tmp_path / "cut.array_record"
    path.write_bytes(SOUND[:size])
    with pytest.raises(errors.FormatError) as caught:
        open_bytes(SOUND[:size]) if location == "bytes" else octavo.open(path)
    if location == "path":
        assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    "content", [b"x", b"\0" * BLOCK, b"\0" * 2 * BLOCK, b"\xff" * 2 * BLOCK, b"Riegeli/records\n" * 9000]
)
def test_something_else_is_refused(content):
    with pytest.raises(errors.FormatError):
        open_bytes(content)


@pytest.mark.parametrize("size", [64, 104, 200])
def test_a_file_without_its_index_is_not_an_empty_one(size, tmp_path):
    path = tmp_path / "cut.array_record"
    path.write_bytes(SOUND[:size])
    with pytest.raises(errors.FormatError, match="recover"):
        octavo.open(path)

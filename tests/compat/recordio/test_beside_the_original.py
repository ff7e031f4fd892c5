"""The drop-in beside the original, ElasticDL's last package: files both ways, and the same answers."""

from __future__ import annotations

import inspect
import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.compat.recordio.original import NAMES, QUIET, drop_in, original
from tests.naive import recordio as naive

pytestmark = QUIET

OURS = drop_in()
SEEDED = random.Random(20181129)
RECORD_LISTS = {
    "none": [],
    "one": [b"one"],
    "one empty": [b""],
    "many empty": [b""] * 300,
    "numbers": [b"%d" % number for number in range(1000)],
    "noise": [SEEDED.randbytes(SEEDED.choice([0, 1, 10, 1000, 5000])) for _ in range(60)],
}


@pytest.fixture
def theirs():
    return original()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "records.recordio"


def write(classes, path: Path, records, max_chunk_size, compressor="snappy") -> bytes:
    with path.open("wb") as data:
        writer = classes.Writer(data, max_chunk_size, classes.Compressor[compressor])
        for record in records:
            writer.write(record)
        writer.flush()
    return path.read_bytes()


def read_every_way(classes, path: Path) -> list[list[bytes]]:
    with path.open("rb") as data:
        index = classes.FileIndex(data)
        in_ranges = list(classes.RangeReader(data, index))
        chunks = [classes.Chunk.parse(data, index.chunk_offset(number)) for number in range(index.total_chunks())]
    with classes.File(str(path), "r") as file:
        by_number = [file.get(number) for number in range(file.count())]
        return [
            in_ranges,
            [chunk.get(one) for chunk in chunks for one in range(chunk.total_count())],
            by_number,
            [*file],
        ]


@pytest.mark.parametrize("records", RECORD_LISTS.values(), ids=RECORD_LISTS)
@pytest.mark.parametrize("max_chunk_size", [-1, 0, 1, 1024, 10**6])
@pytest.mark.parametrize("compressor", ["no_compression", "snappy", "gzip"])
class TestFiles:
    def test_the_original_reads_what_the_drop_in_wrote(self, theirs, path, records, max_chunk_size, compressor):
        write(OURS, path, records, max_chunk_size, compressor)
        assert read_every_way(theirs, path) == [records] * 4

    def test_the_drop_in_reads_what_the_original_wrote(self, theirs, path, records, max_chunk_size, compressor):
        write(theirs, path, records, max_chunk_size, compressor)
        assert read_every_way(OURS, path) == [records] * 4

    def test_chunks_are_the_same(self, theirs, path, records, max_chunk_size, compressor):
        content = [write(one, path, records, max_chunk_size, compressor) for one in (theirs, OURS)]
        counts = [[header.count for header in naive.NaiveFile(one).headers] for one in content]
        assert counts[0] == counts[1]
        if compressor == "no_compression":
            assert content[0] == content[1]

    def test_file_writes_the_same_chunks(self, theirs, path, records, max_chunk_size, compressor):
        found = []
        for classes in (theirs, OURS):
            options = {"max_chunk_size": max_chunk_size, "compressor": classes.Compressor[compressor]}
            with classes.File(str(path), "w", **options) as file:
                for record in records:
                    file.write(record)
            with path.open("rb") as data:
                index = classes.FileIndex(data)
                found.append([index.chunk_records(number) for number in range(index.total_chunks())])
        assert found[0] == found[1]


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives, or the kind of its error."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is compared
        return type(error)


def is_as_good(ours: Any, theirs: Any) -> bool:
    """The same result, or an error that whoever catches theirs catches as well."""
    if isinstance(ours, type) and isinstance(theirs, type):
        return issubclass(ours, theirs)
    return bool(ours == theirs)


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the original's files
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
class TestAnswers:
    @pytest.fixture
    def ask(self, theirs, path):
        """Asks both the same, about a file of 25 records in 9 chunks."""
        write(theirs, path, [b"%03d" % number for number in range(25)], 10)

        def ask(question: Callable[[Any], Any]) -> None:
            assert is_as_good(outcome(lambda: question(OURS)), outcome(lambda: question(theirs)))

        return ask

    @pytest.mark.parametrize("key", [-1, 0, 24, 25, "a", 1.0, None, True])
    def test_of_a_record_by_its_number(self, ask, path, key):
        ask(lambda classes: classes.File(str(path), "r").get(key))

    @pytest.mark.parametrize(
        "bounds", [(), (2, 10), (5, 2), (20, 99), (-3, None), (-3, 5), (0, -1), (25, 30), (0, 5.0)]
    )
    def test_of_a_range(self, ask, path, bounds):
        ask(lambda classes: list(classes.File(str(path), "r").get_reader(*bounds)))

    @pytest.mark.parametrize("start", [None, "a"])
    def test_of_what_is_no_range(self, ask, path, start):
        ask(lambda classes: classes.File(str(path), "r").get_reader(start, 5))

    @pytest.mark.parametrize("mode", ["a", "rb", "x", "", None, 0])
    def test_of_a_mode_that_is_none(self, ask, path, mode):
        ask(lambda classes: classes.File(str(path), mode))

    @pytest.mark.parametrize("key", [0, 2, 3, 24, 25, 99])
    def test_of_the_place_of_a_record(self, ask, path, key):
        with path.open("rb") as data:
            ask(lambda classes: classes.FileIndex(data).locate_record(key))

    @pytest.mark.parametrize("key", [0, 8, -1, -9, 9, -10, "a"])
    @pytest.mark.parametrize("what", ["chunk_offset", "chunk_len", "chunk_records"])
    def test_of_a_chunk(self, ask, path, key, what):
        with path.open("rb") as data:
            ask(lambda classes: getattr(classes.FileIndex(data), what)(key))

    def test_of_totals(self, ask, path):
        ask(lambda classes: classes.File(str(path), "r").count())
        with path.open("rb") as data:
            ask(lambda classes: classes.FileIndex(data).total_records())
            ask(lambda classes: classes.FileIndex(data).total_chunks())

    def test_of_paths_that_cannot_be(self, ask, path):
        ask(lambda classes: classes.File(str(path) + "-none", "r"))
        ask(lambda classes: classes.File(str(path / "none"), "w"))
        ask(lambda classes: classes.File(str(path.parent), "r"))
        ask(lambda classes: classes.File(str(path.parent), "w"))

    def test_of_the_wrong_mode(self, ask, path):
        ask(lambda classes: classes.File(str(path), "r").write(b"abc"))
        for use in ("count", "get_reader", "__iter__"):
            ask(lambda classes, use=use: getattr(classes.File(str(path), "w"), use)())

    def test_of_chunks_and_headers(self, ask):
        ask(lambda classes: classes.Chunk().write(io.BytesIO(), classes.Compressor.snappy))
        ask(lambda classes: classes.Chunk().write(io.BytesIO(), None))
        ask(lambda classes: chunk_of(classes, b"abc").write(io.BytesIO(), None))
        ask(lambda classes: chunk_of(classes, b"abc").get(1))
        ask(lambda classes: chunk_of(classes, 5))
        ask(lambda classes: classes.Compressor(4))
        ask(lambda classes: [(one.name, one.value) for one in classes.Compressor])
        for number in (3, 2**32):
            ask(lambda classes, number=number: header_bytes(classes, number, 4, classes.Compressor.gzip, 5))
        ask(lambda classes: header_bytes(classes, 1, None, None, 0))


def chunk_of(classes, record):
    chunk = classes.Chunk()
    chunk.add(record)
    return chunk


def header_bytes(classes, *values):
    names = ("num_records", "checksum", "compressor", "compress_size")
    out = io.BytesIO()
    classes.Header(**dict(zip(names, values, strict=True))).write(out)
    return out.getvalue()


@pytest.mark.parametrize("offset", [-1, 0, 1, 4, 20, 30, 39, 40])
@pytest.mark.parametrize(
    "left", [0, 1, 3, 4, 5, 6, 9, 12]
)  # behind more bytes than these, the original makes a header up
def test_headers_that_cannot_be_are_the_same_errors(theirs, path, offset, left):
    content = naive.encode([b"abc", b"", b"edf"], codec="snappy")
    path.write_bytes(content + content[:left])

    def parse(classes):
        with path.open("rb") as data:
            return classes.Header.parse(data, offset).compress_size()

    assert is_as_good(outcome(lambda: parse(OURS)), outcome(lambda: parse(theirs)))


@pytest.mark.parametrize("kind", ["Header", "Chunk"])
def test_an_offset_outside_is_an_error_with_the_same_words(theirs, path, kind):
    path.write_bytes(naive.encode([b"abc"]))
    said = []
    for classes in (theirs, OURS):
        with path.open("rb") as data, pytest.raises(ValueError, match=r"^invalid offset 99") as caught:
            getattr(classes, kind).parse(data, 99)
        said.append(str(caught.value))
    assert said[0] == said[1]


# In the magic number, the checksum, the compressor and the payload; of a wrong count the original takes no notice.
@pytest.mark.parametrize("place", [0, 3, 8, 11, 12, 15, 20, 21, 30, 38])
def test_a_damaged_byte_is_the_same_kind_of_error(theirs, path, place):
    content = bytearray(naive.encode([b"abc", b"", b"edf"], codec="snappy"))
    content[place] ^= 0x40
    path.write_bytes(content)

    def parse(classes):
        with path.open("rb") as data:
            return classes.Chunk.parse(data, 0)

    kind = outcome(lambda: parse(theirs))
    assert kind in {RuntimeError, ValueError}
    assert is_as_good(outcome(lambda: parse(OURS)), kind)


def test_signatures_are_the_originals(theirs):
    for name in (name for names in NAMES.values() for name in names):
        kind = getattr(theirs, name)
        for member, method in vars(kind).items():
            if member != "__init__" and (member.startswith("_") or not callable(getattr(kind, member))):
                continue
            found = inspect.signature(getattr(getattr(OURS, name), member))
            for parameter in inspect.signature(getattr(kind, member)).parameters.values():
                assert parameter.name in found.parameters, (name, method)

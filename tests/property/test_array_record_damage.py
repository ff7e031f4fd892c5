"""Whatever happens to an ArrayRecord file: an error or the right records, never a crash and never wrong bytes."""

from __future__ import annotations

import bisect
import dataclasses
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import octavo
from octavo import errors
from tests.conformance.codecs import as_parameters
from tests.naive import array_record as naive
from tests.naive.protobuf import message
from tests.naive.riegeli import BLOCK, Container, chunks_in, simple_chunk

SIGNATURE_END = 64
HEADER_HASH_BYTES = 8
RECORDS = [b"first", b"", message((1, 300), (2, b"text"), (3, message((1, 5)))), b"\xff\xff", b"last"]
LONG = bytes(number * 7 % 251 for number in range(70_000))
flips = st.integers(1, 255)


@dataclasses.dataclass(frozen=True)
class File:
    """A sound file, where its chunks begin, and which records each of them holds."""

    content: bytes
    records: list[bytes]
    begins: list[int]
    numbers: dict[int, range]

    def chunk_at(self, place: int) -> int:
        """The beginning of the chunk whose bytes are at that place."""
        return self.begins[bisect.bisect_right(self.begins, place) - 1]

    def without(self, *begins: int) -> dict[int, bytes]:
        """The records of all chunks but those, by number."""
        lost = {number for begin in begins for number in self.numbers.get(begin, ())}
        return {number: record for number, record in enumerate(self.records) if number not in lost}

    @property
    def index_begins(self) -> set[int]:
        """Where footer and postscript begin."""
        return {begin for begin, chunk in chunks_in(self.content) if chunk.kind in b"rt"} - set(self.numbers)

    def is_vouched_for(self, place: int) -> bool:
        """Hashes of chunk headers: a footer that says the same as the header vouches for it as well as they do."""
        begin = self.chunk_at(place)
        return begin in self.numbers and place < begin + HEADER_HASH_BYTES

    def telling_places(self) -> list[int]:
        """Every byte that is not in the middle of zeros."""
        return [place for place in range(len(self.content)) if any(self.content[max(0, place - 3) : place + 4])]


def file_of(content: bytes, records: list[bytes]) -> File:
    twin = naive.NaiveFile(content)
    numbers = {
        offset: range(end - count, end) for offset, end, count in zip(twin.offsets, twin.ends, twin.counts, strict=True)
    }
    return File(content, records, [begin for begin, _ in chunks_in(content)], numbers)


def small_file(codec: str, *, transpose: bool = False) -> File:
    options = naive.Options(codec=codec, group_size=2, transpose=transpose)
    return file_of(naive.encode(RECORDS, options), RECORDS)


def open_quietly(content: bytes, *, check_data: bool = True) -> tuple[octavo.Reader, bool]:
    """A reader, and whether it was said that the end of the file is torn."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        reader = octavo.open(content, format="array_record", check_data=check_data)
    return reader, any(issubclass(one.category, errors.TornAppendWarning) for one in caught)


def readable_in(content: bytes) -> dict[int, bytes] | None:
    """The records that come, each asked for on its own; None where the file is refused."""
    try:
        reader, _ = open_quietly(content)
    except errors.FormatError:
        return None
    found = {}
    for number in range(len(reader)):
        try:
            found[number] = reader[number]
        except errors.FormatError:
            continue
    return found


def flipped(content: bytes, place: int, flip: int) -> bytes:
    return content[:place] + bytes([content[place] ^ flip]) + content[place + 1 :]


@pytest.mark.parametrize("codec", as_parameters())
@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("flip", [0x01, 0x80, 0xFF])
def test_every_single_byte_that_says_something_is_covered(codec, transpose, flip):
    file = small_file(codec, transpose=transpose)
    index = file.index_begins
    for place in file.telling_places():
        found = readable_in(flipped(file.content, place, flip))
        begin = file.chunk_at(place)
        if place < SIGNATURE_END and found is None:
            continue  # nobody needs the signature, but a reader may insist on it
        if file.is_vouched_for(place) and found == file.without():
            continue
        expected = None if begin in index else file.without(begin)
        assert found == expected, f"byte {place}"


@given(place=st.integers(0, 2 * BLOCK - 1), flip=flips, transpose=st.booleans())
def test_a_flip_anywhere_gives_an_error_or_the_right_records(place, flip, transpose):
    file = small_file("none", transpose=transpose)
    found = readable_in(flipped(file.content, place, flip))
    assert found is None or file.without(file.chunk_at(place)).items() <= found.items()
    assert found is None or found.items() <= dict(enumerate(RECORDS)).items()


@given(place=st.integers(-40, 70) | st.integers(-BLOCK + 64, 4463), flip=flips)
def test_a_flip_near_a_block_header_inside_a_chunk_loses_at_most_that_chunk(place, flip):
    records = [b"before", LONG, b"after"]
    file = file_of(naive.encode(records), records)
    found = readable_in(flipped(file.content, BLOCK + place, flip))
    assert found is not None
    assert file.without(file.chunk_at(BLOCK + place)).items() <= found.items() <= dict(enumerate(records)).items()


@given(place=st.integers(0, 2 * BLOCK - 1) | st.integers(0, 400), flip=flips)
def test_verify_sees_at_least_what_reading_sees(place, flip):
    file = small_file("none")
    content = flipped(file.content, place, flip)
    found = readable_in(content)
    report = octavo.verify(content, format="array_record")
    if found is None:
        assert not report.ok
        return
    lost = set(range(len(RECORDS))) - set(found)
    said = [range(one.record, one.record + one.record_count) for one in report.damage if one.record is not None]
    assert lost <= {number for numbers in said for number in numbers} <= set(file.numbers.get(file.chunk_at(place), ()))


@given(size=st.integers(0, 2 * BLOCK - 1) | st.integers(0, 400) | st.integers(BLOCK - 50, BLOCK + 200))
def test_every_shorter_file_is_refused(size):
    with pytest.raises(errors.FormatError):
        open_quietly(small_file("none").content[:size])


@given(junk=st.binary(min_size=1, max_size=200), repeats=st.sampled_from([1, 1, 1000]))
def test_junk_behind_a_file_is_torn_off_or_refused(junk, repeats):
    try:
        reader, is_torn = open_quietly(small_file("none").content + junk * repeats)
    except errors.FormatError:
        return
    assert is_torn
    assert reader.info.torn_bytes > 0
    assert reader.read_all() == RECORDS


def appended_file() -> tuple[bytes, int]:
    """A file of five records that was finished after two of them, and where the second part begins."""
    container = Container()
    entries = naive.append_data(container, [simple_chunk(RECORDS[:2])])
    naive.seal(container, simple_chunk(naive.footer_records(entries, None)))
    middle = len(container.content)
    entries += naive.append_data(container, [simple_chunk(RECORDS[2:4]), simple_chunk(RECORDS[4:])])
    return naive.seal(container, simple_chunk(naive.footer_records(entries, None))), middle


@given(data=st.data())
def test_an_append_that_was_torn_gives_what_was_there_before(data):
    content, middle = appended_file()
    size = data.draw(st.integers(middle, len(content) - 1) | st.integers(middle, middle + 300))
    reader, is_torn = open_quietly(content[:size])
    assert reader.read_all() == RECORDS[:2]
    assert is_torn == (size > middle)
    assert reader.info.torn_bytes == size - middle


@given(data=st.data(), flip=flips)
def test_a_flip_in_an_appended_file_gives_no_wrong_record(data, flip):
    content, middle = appended_file()
    place = data.draw(st.integers(0, len(content) - 1) | st.integers(middle, middle + 400) | st.integers(64, 300))
    found = readable_in(flipped(content, place, flip))
    assert found is None or found.items() <= dict(enumerate(RECORDS)).items()


@pytest.mark.parametrize("codec", as_parameters(["none", "zstd"]))
@given(data=st.data())
def test_recover_loses_only_the_chunks_that_are_damaged(codec, data):
    records = [b"record %d " % number * (number % 40) for number in range(60)]
    file = file_of(naive.encode(records, naive.Options(codec=codec, group_size=3)), records)
    content, damaged = file.content, set()
    places = [place for place in file.telling_places() if not file.is_vouched_for(place)]
    changes = st.dictionaries(st.sampled_from(places), flips, min_size=1, max_size=4)
    for place, flip in data.draw(changes).items():
        content = flipped(content, place, flip)
        damaged.add(file.chunk_at(place))
    with TemporaryDirectory() as folder:
        source, target = Path(folder) / "damaged.array_record", Path(folder) / "saved.array_record"
        source.write_bytes(content)
        report = octavo.recover(source, target)
        saved = octavo.open(target).read_all()
    assert saved == list(file.without(*damaged).values())
    assert report.record_count == len(saved)
    assert len(saved) == len(records) or not report.ok


@given(cut=st.integers(0, 2 * BLOCK))
def test_recover_saves_every_chunk_that_is_whole_in_front_of_a_cut(cut):
    records = [b"record %d" % number * 50 for number in range(200)]
    file = file_of(naive.encode(records, naive.Options(codec="none", group_size=3)), records)
    cut = min(cut, len(file.content) - 1)
    behind = [begin for begin, end in zip(file.begins, [*file.begins[1:], len(file.content)], strict=True) if end > cut]
    with TemporaryDirectory() as folder:
        source, target = Path(folder) / "cut.array_record", Path(folder) / "saved.array_record"
        source.write_bytes(file.content[:cut])
        if cut == 0:
            return
        report = octavo.recover(source, target)
        assert octavo.open(target).read_all() == list(file.without(*behind).values())
        assert report.record_count == len(file.without(*behind))


@given(content=st.binary(max_size=300), size=st.sampled_from([0, BLOCK, 2 * BLOCK]))
def test_noise_is_an_error(content, size):
    with pytest.raises(errors.FormatError):
        open_quietly(content.ljust(size, b"\0"))

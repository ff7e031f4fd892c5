"""Whatever happens to a RecordIO file: an error or the right records, never a crash and never wrong bytes.

No checksum covers a chunk's header, so a number that changes there can shift the numbers of the records behind it. What
holds always is that records come by whole chunks, and that nothing is missing without a word.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import octavo
from octavo import errors
from tests.naive import recordio as naive
from tests.naive.protobuf import Damaged
from tests.property.strategies import cut, damages, flipped, flips

# Every record is another one, and one of them holds what chunks begin with.
GROUPS = [[b"first", b""], [b"second" * 30], [b"third", naive.MAGIC + b"\x01", b"more"], [b"last"]]
RECORDS = [record for group in GROUPS for record in group]
MANY = 3000  # numbers to ask for at most: a header may promise four billion records
ways = st.sampled_from(naive.WAYS)


@dataclasses.dataclass(frozen=True)
class File:
    """A sound file, where its chunks begin, and which records each of them holds."""

    content: bytes
    groups: list[list[bytes]]
    begins: list[int]

    def chunk_at(self, place: int) -> int:
        """The number of the chunk whose bytes are at that place."""
        return sum(begin <= place for begin in self.begins) - 1

    def is_in_payload(self, place: int) -> bool:
        return place >= self.begins[self.chunk_at(place)] + naive.HEADER

    def without(self, *chunks: int) -> dict[int, bytes]:
        """The records of all chunks but those, by number."""
        numbered = enumerate((chunk, record) for chunk, group in enumerate(self.groups) for record in group)
        return {number: record for number, (chunk, record) in numbered if chunk not in chunks}

    def in_front_of(self, chunk: int) -> dict[int, bytes]:
        return self.without(*range(chunk, len(self.groups)))


@functools.cache
def file_of(dialect: str, codec: str, *, large: bool = False) -> File:
    groups = [[b"%d " % number * (number % 40 + 1) for number in range(n, n + 3)] for n in range(0, 60, 3)]
    chunks = [naive.encode_chunk(group, dialect, codec) for group in (groups if large else GROUPS)]
    begins = [0, *itertools.accumulate(map(len, chunks))][:-1]
    return File(b"".join(chunks), groups if large else GROUPS, begins)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What came of reading a file."""

    found: dict[int, bytes] = dataclasses.field(default_factory=dict)
    """The records that came, each asked for on its own."""
    length: int = 0
    is_torn: bool = False
    is_refused: bool = False

    @property
    def says_that_something_is_wrong(self) -> bool:
        return self.is_refused or self.is_torn or self.length != len(self.found)

    def holds_whole_chunks(self, file: File) -> bool:
        """Whether the records are those of some chunks, in order, and all of theirs."""
        came = list(self.found.values())
        return came == [record for group in file.groups if set(group) <= set(came) for record in group]


def outcome_of(content: bytes) -> Outcome:
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            reader = octavo.open(content, format="recordio")
    except errors.FormatError:
        return Outcome(is_refused=True)
    is_torn = any(issubclass(one.category, errors.TornAppendWarning) for one in caught)
    assert is_torn == (reader.info.torn_bytes > 0)
    found = {}
    for number in range(min(len(reader), MANY)):
        try:
            found[number] = reader[number]
        except errors.FormatError:
            continue
    assert by_iteration(reader) == [found[one] for one in itertools.takewhile(found.__contains__, range(len(reader)))]
    return Outcome(found, len(reader), is_torn)


def by_iteration(reader: octavo.Reader) -> list[bytes]:
    """What comes in front of the first error."""
    came: list[bytes] = []
    try:
        came.extend(itertools.islice(reader, MANY))
    except errors.FormatError:
        assert len(came) < len(reader)
    return came


def recovered(content: bytes) -> tuple[list[bytes], octavo.RecoverReport]:
    with TemporaryDirectory() as folder:
        source, target = Path(folder) / "damaged.recordio", Path(folder) / "saved.recordio"
        source.write_bytes(content)
        report = octavo.recover(source, target)
        assert octavo.verify(target).ok
        return octavo.open(target).read_all(), report


@pytest.mark.parametrize(("dialect", "codec"), naive.WAYS)
class TestEveryDialectAndCodec:
    @pytest.mark.parametrize("flip", [0x01, 0x80, 0xFF])
    def test_every_single_byte_is_covered(self, dialect, codec, flip):
        file = file_of(dialect, codec)
        for place in range(len(file.content)):
            content = flipped(file.content, place, flip)
            outcome = outcome_of(content)
            chunk = file.chunk_at(place)
            assert outcome.says_that_something_is_wrong, f"byte {place}"
            assert not octavo.verify(content, format="recordio").ok, f"byte {place}"
            if file.is_in_payload(place):
                assert outcome == Outcome(file.without(chunk), len(RECORDS)), f"byte {place}"
            else:
                assert outcome.holds_whole_chunks(file), f"byte {place}"
                assert outcome.found.items() >= file.in_front_of(chunk).items(), f"byte {place}"

    def test_of_every_shorter_file_the_whole_chunks_are_read(self, dialect, codec):
        file = file_of(dialect, codec)
        for size in range(len(file.content)):
            whole = file.in_front_of(file.chunk_at(size))
            # A file that ends where a chunk ends looks like a whole one: nothing says how many there were.
            is_torn = size not in file.begins
            assert outcome_of(file.content[:size]) == Outcome(whole, len(whole), is_torn), f"{size} bytes"

    @given(data=st.data())
    def test_flips_in_payloads_cost_the_records_of_their_chunks(self, dialect, codec, data):
        file = file_of(dialect, codec, large=True)
        places = [place for place in range(len(file.content)) if file.is_in_payload(place)]
        content, chunks = file.content, set()
        for place, flip in data.draw(st.dictionaries(st.sampled_from(places), flips, min_size=1, max_size=4)).items():
            content = flipped(content, place, flip)
            chunks.add(file.chunk_at(place))
        expected = file.without(*chunks)
        assert outcome_of(content) == Outcome(expected, len(file.without()))
        saved, report = recovered(content)
        assert saved == list(expected.values())
        assert (report.record_count, report.lost_count) == (len(saved), len(file.without()) - len(saved))
        said = octavo.verify(content, format="recordio").damage
        assert sum(one.record_count for one in said) == report.lost_count

    @given(data=st.data(), flip=flips)
    def test_recover_finds_every_chunk_but_the_one_that_was_flipped(self, dialect, codec, data, flip):
        file = file_of(dialect, codec, large=True)
        place = data.draw(st.integers(0, len(file.content) - 1) | st.integers(file.begins[-1], len(file.content) - 1))
        saved, report = recovered(flipped(file.content, place, flip))
        expected = list(file.without(file.chunk_at(place)).values())
        # The first header alone decides the dialect where more than one fits its chunk.
        assert saved in (expected, list(file.without().values())) or place < naive.HEADER
        assert report.record_count == len(saved)
        assert report.ok == (len(saved) == len(file.without()))


@given(way=ways, data=st.data())
def test_an_accident_never_gives_wrong_records_or_loses_some_without_a_word(way, data):
    file = file_of(*way)
    content = data.draw(damages(file.content))
    outcome = outcome_of(content)
    assert outcome.holds_whole_chunks(file)
    is_sound = content == file.content or (file.content.startswith(content) and len(content) in file.begins)
    assert outcome.says_that_something_is_wrong != is_sound
    assert octavo.verify(content, format="recordio").ok == is_sound


@given(way=ways, data=st.data())
def test_recover_saves_at_least_what_the_twin_saves(way, data):
    file = file_of(*way, large=data.draw(st.booleans()))
    content = file.content
    for _ in range(data.draw(st.integers(1, 4))):
        content = data.draw(damages(content)) or file.content[:1]
    if naive.detect(content)[0] is None:
        return  # nothing tells that this was RecordIO
    saved, report = recovered(content)
    assert Outcome(dict(enumerate(saved))).holds_whole_chunks(file)
    assert set(naive.salvage(content)) <= set(saved)
    assert report.record_count == len(saved)
    assert report.ok != outcome_of(content).says_that_something_is_wrong


payloads = st.one_of(
    st.binary(max_size=60),
    st.lists(st.binary(max_size=12), max_size=5).map(naive.stream_of),
    st.builds(lambda stream, junk: naive.stream_of(stream) + junk, st.just([b"one"]), st.binary(max_size=6)),
)


@st.composite
def signed_chunks(draw: st.DrawFn, dialect: str, codec: str) -> bytes:
    """A chunk with a right checksum around a payload that may be anything."""
    payload = draw(payloads)
    if draw(st.booleans()):
        payload = naive.DIALECTS[dialect].codecs[codec].compress(payload)
        for place, flip in draw(st.dictionaries(st.integers(0, 200), flips, max_size=2)).items():
            payload = flipped(payload, place % len(payload), flip) if payload else payload
        payload = payload[: draw(st.integers(0, len(payload))) or None]
    return naive.encode_payload(payload.ljust(4, b"\0"), draw(st.integers(1, 6)), dialect, codec)


@pytest.mark.parametrize(("dialect", "codec"), naive.WAYS)
@given(data=st.data())
def test_a_payload_that_lies_is_judged_as_the_twin_judges_it(dialect, codec, data):
    before, after = (naive.encode_chunk([name], dialect, codec) for name in (b"before", b"after"))
    content = before + data.draw(signed_chunks(dialect, codec)) + after
    twin = naive.NaiveFile(content)
    assert outcome_of(content) == Outcome(twin.readable(), len(twin))


_odd_numbers = st.one_of(st.integers(0, 40), st.sampled_from([2**31 - 1, 2**31, 2**32 - 20, 2**32 - 1]))


@given(numbers=st.tuples(*[_odd_numbers] * 4), payload=payloads, repeats=st.integers(1, 3))
def test_a_header_that_lies_gives_an_error(numbers, payload, repeats):
    chunk = naive.MAGIC + b"".join(number.to_bytes(4, "little") for number in numbers) + payload
    outcome = outcome_of(chunk * repeats)
    assert outcome.found == {} or any(naive.is_good(chunk, 0, dialect) for dialect in naive.DIALECTS)
    assert outcome.says_that_something_is_wrong or outcome.found


@given(pieces=st.lists(st.one_of(st.binary(max_size=30), st.just(naive.MAGIC), st.just(b"snappy\0")), max_size=8))
def test_noise_is_records_or_an_error(pieces):
    content = b"".join(pieces)
    try:
        expected = naive.decode(content)
    except (Damaged, naive.Foreign):
        expected = []
    assert list(outcome_of(content).found.values()) == expected


@given(
    records=st.lists(st.binary(max_size=30), max_size=12), cuts=st.lists(st.integers(0, 12), max_size=3), data=st.data()
)
def test_append_goes_on_behind_the_last_whole_chunk(records, cuts, data):
    dialect, codec = data.draw(ways)
    whole = naive.encode_groups([[b"always"], *cut(records, cuts)], dialect, codec)
    torn = naive.encode_chunk([b"torn" * 20], dialect, codec)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "torn.recordio"
        path.write_bytes(whole + torn[: data.draw(st.integers(0, len(torn) - 1))])
        with octavo.append(path) as writer:
            writer.write(b"appended")
        content = path.read_bytes()
    assert content.startswith(whole)
    assert naive.decode(content) == [b"always", *records, b"appended"]

"""TFRecord: octavo and the twin agree, and damage gives an error or the right records."""

from __future__ import annotations

import dataclasses
import itertools
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import octavo
from octavo import errors
from tests.conformance.backends import BACKENDS
from tests.naive import tfrecord as naive
from tests.property.access_paths import ACCESS_PATHS
from tests.property.messages import record_lists
from tests.property.strategies import cut, damages, flipped, numbers_for, slices_for

# Every record is another one.
RECORDS = [b"first", b"", b"second" * 30, naive.encode([b"inside"]), b"\0", b"last"]
MANY = 3000  # numbers to ask for at most
codecs = st.sampled_from(naive.CODECS)


@pytest.mark.parametrize("codec", naive.CODECS)
class TestAgreement:
    @given(records=record_lists)
    def test_octavo_reads_what_the_twin_wrote_in_every_way(self, codec, records):
        reader = octavo.open(naive.encode(records, codec), format="tfrecord")
        for name, access in ACCESS_PATHS.items():
            assert access(reader) == records, name

    @given(records=record_lists)
    def test_the_twin_reads_what_octavo_wrote(self, codec, records):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "records.tfrecord"
            with octavo.create(path, codec=codec) as writer:
                writer.write_many(records)
            content = path.read_bytes()
        assert naive.decode(content) == records
        if codec == "none":
            assert content == naive.encode(records)


@pytest.mark.parametrize("backend", BACKENDS)
class TestEveryBackend:
    @given(records=record_lists, codec=codecs, data=st.data())
    def test_any_numbers_and_slices_give_their_records(self, backend, records, codec, data):
        content = naive.encode(records, codec)
        numbers = data.draw(numbers_for(len(records)))
        key = data.draw(slices_for(len(records)))
        with TemporaryDirectory() as folder, BACKENDS[backend]([content], Path(folder), format="tfrecord") as reader:
            assert reader.read(numbers) == [records[number] for number in numbers]
            assert reader[key].read_all() == list(reader[key]) == records[key]


@given(records=record_lists, cuts=st.lists(st.integers(0, 300), max_size=3))
def test_appended_records_follow_the_others(records, cuts):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "records.tfrecord"
        path.touch()
        for part in cut(records, cuts):
            with octavo.append(path) as writer:
                writer.write_many(part)
        assert octavo.open(path).read_all() == records
        assert path.read_bytes() == naive.encode(records)


@given(records=record_lists, size=st.integers(1, 50), option=st.sampled_from(["count", "max_records"]), codec=codecs)
def test_partitions_cover_every_record_once(records, size, option, codec):
    contents = [naive.encode(records, codec), naive.encode(records)]
    with TemporaryDirectory() as folder, BACKENDS["path-auto"](contents, Path(folder), format="tfrecord") as reader:
        partitions = reader.partitions(**{option: size})
        assert [record for partition in partitions for record in partition.open()] == records * 2


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


def outcome_of(content: bytes) -> Outcome:
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            reader = octavo.open(content, format="tfrecord")
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
    came: list[bytes] = []
    try:
        came.extend(itertools.islice(reader, MANY))
    except errors.FormatError:
        assert len(came) < len(reader)
    assert came == [found[one] for one in itertools.takewhile(found.__contains__, range(len(reader)))]
    return Outcome(found, len(reader), is_torn)


def recovered(content: bytes) -> tuple[list[bytes], octavo.RecoverReport]:
    with TemporaryDirectory() as folder:
        source, target = Path(folder) / "damaged.tfrecord", Path(folder) / "saved.tfrecord"
        source.write_bytes(content)
        report = octavo.recover(source, target)
        assert octavo.verify(target).ok
        return octavo.open(target).read_all(), report


@pytest.mark.parametrize("flip", [0x01, 0x80, 0xFF])
def test_every_single_byte_of_an_uncompressed_file_is_covered(flip):
    content = naive.encode(RECORDS)
    frames = naive.NaiveFile(content).frames
    numbered = dict(enumerate(RECORDS))
    for place in range(len(content)):
        number = sum(frame.offset <= place for frame in frames) - 1
        damaged = flipped(content, place, flip)
        outcome = outcome_of(damaged)
        if place >= frames[number].offset + naive.HEADER:
            expected = {one: record for one, record in numbered.items() if one != number}
            assert outcome == Outcome(expected, len(RECORDS)), f"byte {place}"
        elif number == 0 and outcome.is_refused:
            continue  # nothing tells any more that this was TFRecord
        else:
            in_front = {one: record for one, record in numbered.items() if one < number}
            assert outcome == Outcome(in_front, number + 1), f"byte {place}"
        assert not octavo.verify(damaged, format="tfrecord").ok


@pytest.mark.parametrize("codec", ["gzip", "zlib"])
@pytest.mark.parametrize("flip", [0x01, 0x80, 0xFF])
def test_no_single_byte_of_a_stream_gives_a_wrong_record(codec, flip):
    content = naive.encode(RECORDS, codec)
    for place in range(len(content)):
        damaged = flipped(content, place, flip)
        outcome = outcome_of(damaged)
        assert outcome.found.items() <= dict(enumerate(RECORDS)).items(), f"byte {place}"
        if len(outcome.found) < len(RECORDS):  # not every byte around a stream says something
            assert outcome.says_that_something_is_wrong, f"byte {place}"
            assert not octavo.verify(damaged, format="tfrecord").ok, f"byte {place}"


def test_of_every_shorter_file_the_whole_records_are_read():
    content = naive.encode(RECORDS)
    for size in range(len(content)):
        twin = naive.NaiveFile(content[:size])
        expected = Outcome(twin.readable(), len(twin), twin.is_torn)
        torn = content[len(naive.encode(RECORDS[: len(twin)])) : size]
        if naive.encode([b"inside"]) in torn:  # nobody can tell whether it follows or is a part of what was cut off
            expected = Outcome(twin.readable(), len(twin) + 1, is_torn=False)
        assert outcome_of(content[:size]) == expected, f"{size} bytes"


@pytest.mark.parametrize("codec", ["gzip", "zlib"])
def test_of_every_shorter_stream_the_whole_records_are_read(codec):
    content = naive.encode(RECORDS, codec)
    for size in range(1, len(content)):
        outcome = outcome_of(content[:size])
        assert outcome.found == naive.NaiveFile(content[:size]).readable(), f"{size} bytes"
        assert outcome.says_that_something_is_wrong, f"{size} bytes"


def is_part_of(found: list[bytes], records: list[bytes]) -> bool:
    """Whether these are some of the records, in their order."""
    left = iter(records)
    return all(record in left for record in found)


@given(codec=codecs, data=st.data())
def test_an_accident_never_gives_wrong_records_or_loses_some_without_a_word(codec, data):
    content = naive.encode(RECORDS, codec)
    ends = {0, *(frame.end for frame in naive.NaiveFile(content).frames)} if codec == "none" else {0}
    damaged = data.draw(damages(content))
    outcome = outcome_of(damaged)
    if codec == "none":
        assert outcome.found.items() <= dict(enumerate(RECORDS)).items()
    else:  # a copy that goes back too far can bring a whole record, with its checksums, a second time
        assert set(outcome.found.values()) <= set(RECORDS)
    looks_whole = content.startswith(damaged) and len(damaged) in ends
    if not looks_whole and len(outcome.found) < len(RECORDS):
        assert outcome.says_that_something_is_wrong
        assert not octavo.verify(damaged, format="tfrecord").ok


@given(codec=codecs, data=st.data())
def test_recover_saves_at_least_what_the_twin_saves(codec, data):
    records = [b"%d " % number * (number % 40 + 1) for number in range(40)]
    content = naive.encode(records, codec)
    for _ in range(data.draw(st.integers(1, 4))):
        content = data.draw(damages(content)) or b"\0"
    saved, report = recovered(content)
    assert is_part_of(saved, records) if codec == "none" else set(saved) <= set(records)
    assert is_part_of(naive.salvage(content), saved)
    assert report.record_count == len(saved)


@given(junk=st.binary(max_size=80), codec=codecs)
def test_noise_is_records_or_an_error(junk, codec):
    for content in (junk, naive.compress(junk, codec)):
        assert outcome_of(content).found == naive.NaiveFile(content).readable()


@given(records=st.lists(st.binary(max_size=30), max_size=12), kept=st.integers(0, 95))
def test_append_goes_on_behind_the_last_whole_record(records, kept):
    whole = naive.encode(records)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "torn.tfrecord"
        path.write_bytes(whole + naive.encode([b"torn" * 20])[:kept])
        with octavo.append(path) as writer:
            writer.write(b"appended")
        assert path.read_bytes() == naive.encode([*records, b"appended"])

"""`octavo.digest`: the same records have the same digest, wherever they are, and other records another."""

from __future__ import annotations

import random
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import octavo
from octavo import _core
from octavo.errors import ChecksumError, ClosedError, NotFoundError, OptionError
from tests.naive import digest as naive

SUFFIXES = [".ffr", ".array_record", ".riegeli", ".recordio", ".tfrecord", ".tfrecord.gz"]
MIXED = [b"", b"a", b"\0", b"\0\0", b"text", bytes(range(256)) * 9, b"a", b"", b"x" * 100_000]


def of(records):
    found = _core.Digest()
    found.update(records)
    return found


def sums(found):
    return found.ordered, found.unordered


@given(st.lists(st.binary(max_size=200), max_size=12))
def test_the_naive_twin_agrees(records):
    found = of(records)
    assert sums(found) == naive.digest(records)
    assert (found.record_count, found.record_bytes) == (len(records), sum(map(len, records)))


@given(st.lists(st.binary(max_size=8), max_size=20), st.data())
def test_digests_of_parts_join_to_that_of_the_whole(records, data):
    cut = data.draw(st.integers(0, len(records)))
    joined = of(records[:cut])
    joined.join(of(records[cut:]))
    assert sums(joined) == sums(of(records))
    assert joined.record_count == len(records)


def test_no_records_and_one_record_have_these_digests():
    assert sums(of([])) == ("0" * 32, "0" * 32)
    assert sums(of([b"octavo"])) == (of([b"octavo"]).unordered,) * 2


def test_digests_stay_what_they_were():
    # Whoever has kept a digest will compare it in years.
    assert sums(of(MIXED)) == ("7f3e107bf126382526c12e3092ed9b9c", "15b3dcb86913d5b1e0318093d4003498")


@pytest.mark.parametrize(
    "other",
    [
        [b"a", b"b", b"c", b""],
        [b"b", b"a", b"c"],
        [b"a", b"b"],
        [b"ab", b"c"],
        [b"a", b"", b"bc"],
        [b"a", b"b", b"d"],
        [b"a", b"b", b"c\0"],
        [b"a", b"b", b"c", b"c"],
    ],
)
def test_every_difference_shows(other):
    assert of([b"a", b"b", b"c"]).ordered != of(other).ordered


def test_order_alone_does_not_show_in_the_unordered_one():
    shuffled = random.Random(1).sample(MIXED, len(MIXED))
    assert of(shuffled).unordered == of(MIXED).unordered
    assert of(shuffled).ordered != of(MIXED).ordered


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_gives_the_same(tmp_path, suffix):
    with octavo.create(tmp_path / f"mixed{suffix}") as writer:
        writer.write_many(MIXED)
    found = octavo.digest(tmp_path / f"mixed{suffix}")
    assert (found.ordered, found.unordered) == naive.digest(MIXED)
    assert (found.record_count, found.record_bytes) == (len(MIXED), sum(map(len, MIXED)))


@pytest.mark.parametrize("options", [{"group_size": 7}, {"codec": "none"}, {"codec": "brotli:3", "group_size": 100}])
def test_compression_and_chunks_do_not_matter(tmp_path, options):
    records = [f"record {number}".encode() * (number % 5) for number in range(1000)]
    with octavo.create(tmp_path / "one.array_record", **options) as writer:
        writer.write_many(records)
    assert sums(octavo.digest(tmp_path / "one.array_record")) == sums(of(records))


def test_shards_do_not_matter(tmp_path):
    records = [f"record {number}".encode() for number in range(1000)]
    for number in range(7):
        with octavo.create(tmp_path / f"part-{number:05d}-of-00007.tfrecord") as writer:
            writer.write_many(records[number * 150 : (number + 1) * 150])
    assert sums(octavo.digest(tmp_path / "part@7.tfrecord")) == sums(of(records))


def test_bytes_and_file_objects_have_digests(tmp_path):
    with octavo.create(tmp_path / "one.ffr") as writer:
        writer.write_many(MIXED)
    content = (tmp_path / "one.ffr").read_bytes()
    assert sums(octavo.digest(content)) == naive.digest(MIXED)
    with (tmp_path / "one.ffr").open("rb") as file:
        assert sums(octavo.digest(file)) == naive.digest(MIXED)


@settings(max_examples=10, deadline=None)
@given(start=st.integers(0, 500), step=st.integers(1, 7))
def test_a_view_is_digested_as_it_is_read(tmp_path_factory, start, step):
    path = tmp_path_factory.mktemp("view") / "one.array_record"
    records = [f"record {number}".encode() for number in range(500)]
    with octavo.create(path, group_size=16) as writer:
        writer.write_many(records)
    with octavo.open(path) as reader:
        assert sums(_core.digest(reader[start::step])) == sums(of(records[start::step]))
        assert sums(_core.digest(reader[::-step])) == sums(of(records[::-step]))


def test_a_damaged_record_is_an_error(tmp_path):
    path = tmp_path / "one.ffr"
    with octavo.create(path) as writer:
        writer.write_many(b"record" * 100 for _ in range(100))
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)
    with pytest.raises(ChecksumError) as raised:
        octavo.digest(path)
    assert raised.value.record == 99


def test_progress_is_told_up_to_the_end(tmp_path):
    with octavo.create(tmp_path / "one.tfrecord") as writer:
        writer.write_many(b"x" * 1000 for _ in range(5000))
    seen: list[tuple[int, int]] = []
    octavo.digest(tmp_path / "one.tfrecord", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (5000, 5000)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_an_error_in_progress_ends_it(tmp_path):
    with octavo.create(tmp_path / "one.tfrecord") as writer:
        writer.write_many(b"x" * 1000 for _ in range(5000))

    def stop(_done, _total):
        raise StopAsyncIteration

    with pytest.raises(StopAsyncIteration):
        octavo.digest(tmp_path / "one.tfrecord", progress=stop)


def test_a_closed_reader_and_a_missing_file_are_errors(tmp_path):
    with octavo.create(tmp_path / "one.tfrecord") as writer:
        writer.write(b"x")
    reader = octavo.open(tmp_path / "one.tfrecord")
    reader.close()
    with pytest.raises(ClosedError):
        _core.digest(reader)
    with pytest.raises(NotFoundError):
        octavo.digest(tmp_path / "none.tfrecord")
    with pytest.raises(OptionError, match="none of"):
        octavo.digest(tmp_path / "one.tfrecord", format="zip")  # type: ignore[arg-type]


def test_a_torn_append_is_warned_of_and_left_out(tmp_path):
    path = tmp_path / "one.recordio"
    with octavo.create(path) as writer:
        writer.write_many(MIXED)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:20])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # of what other tests have left
        assert sums(octavo.digest(path)) == naive.digest(MIXED)
    assert len(caught) == 1


def test_what_a_report_says_can_be_joined_again():
    whole = octavo.Digest.of_native(of(MIXED))
    again = whole.native()
    again.join(of([b"more"]))
    assert sums(again) == naive.digest([*MIXED, b"more"])
    with pytest.raises(OptionError, match="not the text of a digest"):
        _core.Digest(1, 1, "zz", "0")

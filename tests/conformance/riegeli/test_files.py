"""Riegeli files without a footer: octavo reads what the twin writes and the twin what octavo writes."""

from __future__ import annotations

import random
from typing import Any

import pytest

import octavo
from octavo import errors
from tests.conformance.codecs import as_parameters, needs_cramjam
from tests.naive import riegeli as naive
from tests.naive import transposing
from tests.naive.protobuf import message
from tests.naive.riegeli import BLOCK, Chunk, Container, simple_chunk

SEEDED = random.Random(20250301)
RECORD_LISTS = {
    "none": [],
    "one": [b"one"],
    "one empty": [b""],
    "many empty": [b""] * 1000,
    "numbers": [b"%d" % number for number in range(1000)],
    "across blocks": [SEEDED.randbytes(70_000), b"", bytes(200_000), b"small"],
    "messages": [message((1, number), (2, b"text %d" % (number % 7))) for number in range(200)],
}
OPTIONS: list[dict[str, Any]] = [
    {},
    {"codec": "none"},
    {"codec": "brotli:3"},
    {"codec": "snappy"},
    {"group_size": 3},
    {"group_size": 1, "codec": "none"},
    {"transpose": True},
    {"transpose": True, "codec": "none", "group_size": 50},
]
METADATA = message((1, b"a comment"), (2, b"a.type.Name"))


def open_bytes(content: bytes) -> octavo.Reader:
    return octavo.open(content, format="riegeli")


@needs_cramjam
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("records", RECORD_LISTS.values(), ids=RECORD_LISTS)
def test_the_naive_twin_reads_what_octavo_writes(tmp_path, options, records):
    path = tmp_path / "written.riegeli"
    with octavo.create(path, **options) as writer:
        writer.write_many(records)
    assert naive.decode(path.read_bytes()) == octavo.open(path).read_all() == records


@pytest.mark.parametrize("records", RECORD_LISTS.values(), ids=RECORD_LISTS)
@pytest.mark.parametrize("group_size", [1, 7, 100_000])
def test_octavo_writes_what_the_naive_twin_writes(tmp_path, records, group_size):
    path = tmp_path / "written.riegeli"
    with octavo.create(path, codec="none", group_size=group_size) as writer:
        writer.write_many(records)
    groups = [records[start : start + group_size] for start in range(0, len(records), group_size)]
    assert path.read_bytes() == naive.encode(groups)


@pytest.mark.parametrize("codec", as_parameters())
@pytest.mark.parametrize("records", RECORD_LISTS.values(), ids=RECORD_LISTS)
def test_octavo_reads_what_the_naive_twin_writes(codec, records):
    middle = len(records) // 3
    content = naive.encode([records[:middle], records[middle:]], codec)
    reader = open_bytes(content)
    assert reader.read_all() == [reader[number] for number in range(len(reader))] == records
    assert octavo.verify(content, format="riegeli").ok


def test_no_index_stands_at_the_end_of_what_octavo_writes(tmp_path):
    path = tmp_path / "written.riegeli"
    with octavo.create(path, codec="none", group_size=2) as writer:
        writer.write_many([b"one", b"two", b"three"])
    assert [chunk.kind for _, chunk in naive.chunks_in(path.read_bytes())] == [b"s", b"r", b"r"]


def test_a_file_of_a_signature_only_has_no_records():
    reader = open_bytes(bytes(Container().content))
    assert len(reader) == 0
    assert reader.read_all() == []


def test_chunks_without_records_are_passed_over():
    container = Container()
    container.append(Chunk(b"m", transposing.columns([METADATA], "none"), 0, len(METADATA)))
    container.append(simple_chunk([b"one"]))
    container.append(Chunk(b"p", bytes(70_000)))
    container.append(Chunk(b"x", b"whatever"))
    container.append(simple_chunk([]))
    container.append(simple_chunk([b"two", b"three"]))
    container.pad_to_block()
    assert open_bytes(bytes(container.content)).read_all() == [b"one", b"two", b"three"]


def test_what_stands_in_padding_does_not_matter():
    container = Container()
    for count in (300, 200_000, 7):
        container.append(simple_chunk([b""] * count), padding=0x55)
    assert len(open_bytes(bytes(container.content))) == 200_307


def test_info_counts_the_chunks():
    info = open_bytes(naive.encode([[b"one"], [b"two", b"three"]])).info
    assert (info.format, info.chunk_count, info.record_count, info.decoded_bytes) == ("riegeli", 2, 3, 11)
    assert info.writer_options is None


@pytest.mark.parametrize("cut", [1, 23, 24, 40, 63, 65, 100, 110, 120, 150, 70_000])
def test_a_file_that_ends_inside_a_chunk_is_refused(cut):
    content = naive.encode([[b"one", b"two"], [b"three"], [bytes(100_000)]])
    with pytest.raises(errors.FormatError):
        open_bytes(content[:cut]).read_all()


def test_an_empty_file_is_refused():
    with pytest.raises(errors.FormatError):
        open_bytes(b"")


def test_a_file_without_a_signature_is_refused():
    content = naive.encode([[b"one"]])
    with pytest.raises(errors.FormatError):
        open_bytes(bytes(64) + content[64:])


def test_records_of_an_unknown_kind_are_refused():
    container = Container()
    container.append(Chunk(b"x", b"whatever", 3, 10))
    with pytest.raises(errors.FormatError):
        open_bytes(bytes(container.content)).read_all()


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_recover_loses_only_the_damaged_chunk(tmp_path, lost):
    groups = [[b"one", b"two"], [SEEDED.randbytes(BLOCK)], [b"four", b"five", b"six"]]
    content = bytearray(naive.encode(groups))
    begin = [place for place, _ in naive.chunks_in(bytes(content))][lost + 1]
    content[begin + 41] ^= 0xFF
    source, target = tmp_path / "damaged.riegeli", tmp_path / "saved.riegeli"
    source.write_bytes(content)
    report = octavo.recover(source, target)
    expected = [record for number, group in enumerate(groups) if number != lost for record in group]
    assert octavo.open(target).read_all() == expected
    assert (report.ok, report.record_count, report.lost_count) == (False, len(expected), len(groups[lost]))


def test_recover_saves_what_stands_before_a_cut(tmp_path):
    source, target = tmp_path / "cut.riegeli", tmp_path / "saved.riegeli"
    source.write_bytes(naive.encode([[b"one", b"two"], [b"three"], [b"four" * 100]])[:-1])
    with pytest.raises(errors.FormatError):
        octavo.open(source).read_all()
    assert octavo.recover(source, target).record_count == 3
    assert octavo.open(target).read_all() == [b"one", b"two", b"three"]


@pytest.mark.parametrize("group_size", [1, 2, 100])
def test_appended_records_follow_what_is_there(tmp_path, group_size):
    path = tmp_path / "records.riegeli"
    with octavo.create(path, codec="none", group_size=group_size) as writer:
        writer.write_many([b"one", b"two", b"three"])
    with octavo.append(path) as writer:
        writer.write_many([b"four", b"five"])
    assert octavo.open(path).read_all() == [b"one", b"two", b"three", b"four", b"five"]
    assert naive.decode(path.read_bytes()) == [b"one", b"two", b"three", b"four", b"five"]

"""Riegeli files without a footer: octavo and the twin agree, and damage gives an error or the right records."""

from __future__ import annotations

import itertools
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import octavo
from octavo import errors
from tests.conformance.codecs import as_parameters, needs_cramjam
from tests.naive import riegeli as naive
from tests.naive import transposing
from tests.property.access_paths import ACCESS_PATHS
from tests.property.messages import record_lists
from tests.property.strategies import cut

CODECS = ["none", "zstd", "brotli", "snappy"]
GROUPS = [[b"first", b""], [b"second" * 30], [b"", b"", b"\x08\x01"], [b"last"]]
RECORDS = [record for group in GROUPS for record in group]


def in_columns(records, codec):
    return naive.Chunk(b"t", transposing.columns(records, codec), len(records), sum(map(len, records)))


@pytest.mark.parametrize("codec", as_parameters(CODECS))
@pytest.mark.parametrize("transpose", [False, True])
class TestAgreement:
    @given(records=record_lists, cuts=st.lists(st.integers(0, 300), max_size=6), padded=st.booleans())
    def test_octavo_reads_what_the_twin_wrote_in_every_way(self, codec, transpose, records, cuts, padded):
        make_chunk = in_columns if transpose else naive.simple_chunk
        content = naive.encode(cut(records, cuts), codec, make_chunk, pad_to_blocks=padded)
        reader = octavo.open(content, format="riegeli")
        for name, access in ACCESS_PATHS.items():
            assert access(reader) == records, name

    @given(records=record_lists, group_size=st.sampled_from([1, 2, 7, 256, 65536]))
    def test_the_twin_reads_what_octavo_wrote(self, codec, transpose, records, group_size):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "records.riegeli"
            with octavo.create(path, codec=codec, transpose=transpose, group_size=group_size) as writer:
                writer.write_many(records)
            content = path.read_bytes()
        assert naive.decode(content) == records
        counts = [chunk.num_records for _, chunk in naive.chunks_in(content)][1:]
        assert set(counts[:-1]) <= {group_size}

    @needs_cramjam  # a file without records does not know its codec, so what is appended to it may be compressed
    @given(records=record_lists, cuts=st.lists(st.integers(0, 300), max_size=3))
    def test_appended_records_follow_the_others(self, codec, transpose, records, cuts):
        first, *others = cut(records, cuts)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "records.riegeli"
            with octavo.create(path, codec=codec, transpose=transpose) as writer:
                writer.write_many(first)
            for part in others:
                with octavo.append(path) as writer:
                    writer.write_many(part)
            assert octavo.open(path).read_all() == records
            assert naive.decode(path.read_bytes()) == records


def readable_in(content: bytes) -> dict[int, bytes] | None:
    """The records that come, each asked for on its own; None where the file is refused."""
    try:
        reader = octavo.open(content, format="riegeli")
    except errors.FormatError:
        return None
    found = {}
    for number in range(len(reader)):
        try:
            found[number] = reader[number]
        except errors.FormatError:
            continue
    return found


@pytest.mark.parametrize("codec", as_parameters(CODECS))
@pytest.mark.parametrize("make_chunk", [naive.simple_chunk, in_columns])
@pytest.mark.parametrize("flip", [0x01, 0x80, 0xFF])
def test_every_single_byte_is_covered(codec, make_chunk, flip):
    content = naive.encode(GROUPS, codec, make_chunk)
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= flip
        found = readable_in(bytes(damaged))
        assert found is None or found.items() < dict(enumerate(RECORDS)).items(), f"byte {place}"


def test_every_shorter_file_is_refused_or_keeps_whole_chunks():
    content = naive.encode(GROUPS)
    # A file that ends where a chunk ends looks like a whole one: nothing says how many there were.
    begins = [begin for begin, _ in naive.chunks_in(content)]
    counts = [0, *itertools.accumulate(map(len, GROUPS))]
    whole = {begin: dict(enumerate(RECORDS[:count])) for begin, count in zip(begins[1:], counts, strict=False)}
    for size in range(len(content)):
        found = readable_in(content[:size])
        if size in whole:
            assert found == whole[size]
        else:
            assert found is None or found.items() <= dict(enumerate(RECORDS)).items()
            assert found is None or len(octavo.open(content[:size], format="riegeli")) > len(found)


@given(data=st.data(), flip=st.integers(1, 255))
def test_a_flip_in_a_file_of_several_blocks_gives_no_wrong_record(data, flip):
    records = [bytes([number]) * 30_000 for number in range(6)]
    content = bytearray(naive.encode([records[:1], records[1:4], records[4:]]))
    near = [place for block in range(0, len(content), naive.BLOCK) for place in range(block, block + 70)]
    place = data.draw(st.integers(0, len(content) - 1) | st.sampled_from([one for one in near if one < len(content)]))
    content[place] ^= flip
    found = readable_in(bytes(content))
    assert found is None or found.items() <= dict(enumerate(records)).items()

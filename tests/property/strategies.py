"""Records, files and damage, as hypothesis makes them."""

from __future__ import annotations

import dataclasses
import itertools
import random
import struct
from collections.abc import Sequence

from hypothesis import strategies as st

from tests.naive import ffrecord as naive


def _noise(seed: int, size: int) -> bytes:
    return random.Random(seed).randbytes(size)


# Large records are noise from a seed: hypothesis could not shrink them anyway.
small_records = st.binary(max_size=20)
large_records = st.builds(_noise, st.integers(0, 9), st.sampled_from([4095, 4096, 4097, 70_000, 300_000]))
record_lists = st.one_of(
    st.lists(small_records, max_size=40),
    st.lists(st.one_of(small_records, small_records, large_records), max_size=8),
    st.builds(lambda record, count: [record] * count, small_records, st.integers(0, 100)),
    st.integers(1, 300).map(lambda count: [b"%d" % number for number in range(count)]),
)


def cut(records: Sequence[bytes], cuts: Sequence[int]) -> list[list[bytes]]:
    """The records in as many runs as there are cuts, and one more."""
    edges = [0, *sorted(cut % (len(records) + 1) for cut in cuts), len(records)]
    return [list(records[start:stop]) for start, stop in itertools.pairwise(edges)]


def numbers_for(count: int) -> st.SearchStrategy[list[int]]:
    """Lists of valid record numbers, from both ends."""
    return st.lists(st.integers(-count, count - 1), max_size=100) if count else st.just([])


def slices_for(count: int) -> st.SearchStrategy[slice]:
    bound = st.none() | st.integers(-count - 3, count + 3)
    return st.builds(slice, bound, bound, st.none() | st.integers(1, 9) | st.integers(-9, -1))


@dataclasses.dataclass(frozen=True)
class DamagedFile:
    """A file that was sound, and its records as they were then."""

    content: bytes
    records: list[bytes]


@st.composite
def damaged_files(draw: st.DrawFn) -> DamagedFile:
    """A sound file after accidents: bytes overwritten, the end lost, or something added to it."""
    records = draw(st.lists(st.binary(max_size=12), max_size=8))
    content = bytearray(naive.encode(records))
    for _ in range(draw(st.integers(1, 3))):
        match draw(st.sampled_from(["overwrite", "overwrite", "truncate", "extend"])):
            case "overwrite" if content:
                place = draw(st.integers(0, len(content) - 1))
                content[place] = draw(st.integers(0, 255))
            case "truncate":
                del content[draw(st.integers(0, len(content))) :]
            case "extend":
                content += draw(st.binary(min_size=1, max_size=20))
    return DamagedFile(bytes(content), records)


# What a hostile index would try: places around the header and the file's end, and numbers at the ends of their types.
_odd_offsets = st.one_of(
    st.integers(-2, 200),
    st.sampled_from([2**31 - 1, 2**32, 2**32 + 50, 2**62, 2**63 - 1, -(2**63), -1]),
)


@st.composite
def hostile_files(draw: st.DrawFn) -> bytes:
    """A file whose index lies, but is signed correctly, not at all, or wrongly."""
    records = draw(st.lists(st.binary(max_size=12), max_size=8))
    sound = naive.NaiveFile(naive.encode(records))
    checksums, offsets = list(sound.checksums), list(sound.offsets)
    for _ in range(draw(st.integers(0, 3))):
        if records:
            number = draw(st.integers(0, len(records) - 1))
            offsets[number] = draw(_odd_offsets)
            checksums[number] = draw(st.sampled_from([0, checksums[number], 2**32 - 1]))
    tables = struct.pack(f"<{len(checksums)}I", *checksums), struct.pack(f"<{len(offsets)}q", *offsets)
    content = bytearray(naive.with_header(*tables, legacy=draw(st.booleans())) + b"".join(records))
    if draw(st.booleans()):
        count = draw(st.one_of(st.integers(-3, 12), st.sampled_from([2**28, 2**31, 2**60, 2**63 - 1, -(2**63)])))
        struct.pack_into("<q", content, 4, count)
    del content[draw(st.integers(0, len(content))) if draw(st.booleans()) else len(content) :]
    return bytes(content)


@st.composite
def noise_files(draw: st.DrawFn) -> bytes:
    """Twelve bytes of a header with a plausible count, and anything behind it."""
    count = draw(st.integers(0, 6))
    head = draw(st.sampled_from([b"\0\0\0\0", b"\x01\x02\x03\x04"])) + struct.pack("<q", count)
    return head + draw(st.binary(min_size=12 * count, max_size=12 * count + 40))


flips = st.integers(1, 255)


def flipped(content: bytes, place: int, flip: int) -> bytes:
    """The content with some bits of one byte turned over."""
    return content[:place] + bytes([content[place] ^ flip]) + content[place + 1 :]


@st.composite
def damages(draw: st.DrawFn, content: bytes) -> bytes:
    """The content after one accident."""
    place = draw(st.integers(0, len(content) - 1))
    match draw(st.sampled_from(["flip", "overwrite", "clear", "cut", "extend"])):
        case "flip":
            return flipped(content, place, draw(flips))
        case "overwrite":
            junk = draw(st.binary(min_size=1, max_size=60))[: len(content) - place]
            return content[:place] + junk + content[place + len(junk) :]
        case "clear":
            size = min(draw(st.integers(1, 300)), len(content) - place)
            return content[:place] + bytes(size) + content[place + size :]
        case "cut":
            return content[:place]
    return content + draw(st.binary(min_size=1, max_size=60))

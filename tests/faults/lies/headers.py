"""Lies in the headers of chunks: of records, of the footer, of the postscript; and in the headers of blocks."""

from __future__ import annotations

import struct
from collections.abc import Callable

from tests.faults.lies.draft import GROUPS, HUGE, TEXT, Draft, Lie, forged, later
from tests.naive.array_record import Entry, footer_records, postscript_record
from tests.naive.highway_hash import highway_hash
from tests.naive.riegeli import BLOCK, Chunk, Container, simple_chunk, with_hash


def _header_claims(chunk: Chunk) -> dict[str, dict[str, int]]:
    claims: dict[str, dict[str, int]] = {}
    for field, true in (
        ("data_size", len(chunk.data)),
        ("num_records", chunk.num_records),
        ("decoded_size", chunk.decoded_size),
    ):
        values = {**HUGE, "none": 0, "one more": true + 1, "one less": true - 1, "2^56-1": (1 << 56) - 1}
        fits = (1 << 56) - 1 if field == "num_records" else (1 << 64) - 1
        claims |= {f"{field} {name}": {field: value} for name, value in values.items() if value <= fits}
    claims |= {f"kind {letter!r}": {"kind": ord(letter)} for letter in "smptx\0"}
    claims["data_hash of something else"] = {"data_hash": highway_hash(b"something else")}
    claims["everything 2^56-1"] = dict.fromkeys(("data_size", "num_records", "decoded_size"), (1 << 56) - 1)
    return claims


def _data_chunk(at: int, claims: dict[str, int]) -> bytes:
    draft = Draft()
    draft.chunks[at] = forged(draft.chunks[at], **claims)
    return draft.encode()


def _data_chunk_and_index(at: int, claims: dict[str, int]) -> bytes:
    """The index believes the header."""
    draft = Draft()
    draft.chunks[at] = forged(draft.chunks[at], **claims)

    def agree(entries: list[Entry]) -> list[Entry]:
        decoded = claims.get("decoded_size", entries[at].decoded_size)
        records = claims.get("num_records", entries[at].num_records)
        return [*entries[:at], Entry(entries[at].offset, decoded, records), *entries[at + 1 :]]

    draft.entries = agree
    return draft.encode()


def _footer_chunk(claims: dict[str, int]) -> bytes:
    return Draft(footer=lambda chunk: forged(chunk, **claims)).encode()


def _postscript_chunk(claims: dict[str, int]) -> bytes:
    return Draft(postscript=lambda offset: forged(simple_chunk([postscript_record(offset)] * 3), **claims)).encode()


# A chunk that says it is no chunk of records has none.
_NO_RECORDS = {f"kind {letter!r}" for letter in "smp"}
# Whoever believes both of them reads the other chunks' records under other numbers, and is not wrong.
_UNDETECTABLE = {"num_records none", "num_records one more", "num_records one less"}


def chunk_headers() -> dict[str, Lie]:
    lies: dict[str, Lie] = {}
    for at, where in ((0, "first"), (len(GROUPS) - 1, "last")):
        for name, claims in _header_claims(simple_chunk(GROUPS[at])).items():
            lies[f"{where} chunk: {name}"] = later(_data_chunk, at, claims)
            if name not in _UNDETECTABLE:
                lies[f"{where} chunk and index: {name}"] = later(_data_chunk_and_index, at, claims)
    footer = simple_chunk(footer_records([Entry(64, 1, 1)] * len(GROUPS), TEXT))
    for name, claims in _header_claims(footer).items():
        lies[f"footer: {name}"] = later(_footer_chunk, claims)
    for name, claims in _header_claims(simple_chunk([postscript_record(64)] * 3)).items():
        lies[f"postscript: {name}"] = later(_postscript_chunk, claims)
    return lies


def _without_index(at: int, claims: dict[str, int]) -> bytes:
    container = Container()
    for number, group in enumerate(GROUPS):
        chunk = simple_chunk(group)
        container.append(forged(chunk, **claims) if number == at else chunk)
    return bytes(container.content)


def chunk_headers_without_an_index() -> dict[str, Lie]:
    """Plain Riegeli files, whose headers are all the index they have."""
    claims = _header_claims(simple_chunk(GROUPS[1]))
    return {name: later(_without_index, 1, claims[name]) for name in claims if name not in _UNDETECTABLE | _NO_RECORDS}


# Block headers, inside a chunk that spans several of them.


LONG = [bytes(range(256)) * 600]
"""A record that takes three blocks."""


def _with_blocks(change: Callable[[int, int, int], tuple[int, int]]) -> bytes:
    """Every block header says what `change` makes of its place and its two fields; hashes are right."""
    content = bytearray(Draft(chunks=[simple_chunk(LONG)]).encode())
    for block in range(0, len(content), BLOCK):
        previous_chunk, next_chunk = struct.unpack_from("<2Q", content, block + 8)
        fields = change(block, previous_chunk, next_chunk)
        content[block : block + 24] = with_hash(struct.pack("<2Q", *(field & (1 << 64) - 1 for field in fields)))
    return bytes(content)


def block_headers() -> dict[str, Lie]:
    """In these files the only record is `LONG`."""
    changes: dict[str, Callable[[int, int, int], tuple[int, int]]] = {
        "nothing": lambda _, __, ___: (0, 0),
        "the largest numbers": lambda _, __, ___: (-1, -1),
        "a chunk that begins later": lambda _, previous_chunk, next_chunk: (previous_chunk - 64, next_chunk),
        "a chunk that begins before the file": lambda block, _, next_chunk: (block + BLOCK, next_chunk),
        "a chunk that ends at its own block": lambda _, previous_chunk, __: (previous_chunk, 0),
        "a chunk that ends in its own block header": lambda _, previous_chunk, __: (previous_chunk, 10),
        "a chunk that ends behind the file": lambda _, previous_chunk, __: (previous_chunk, 1 << 40),
        "a chunk that never ends": lambda _, previous_chunk, __: (previous_chunk, -1),
        "every block begins a chunk": lambda _, __, next_chunk: (0, next_chunk),
        "every block is a chunk": lambda _, __, ___: (0, BLOCK),
    }
    return {name: later(_with_blocks, change) for name, change in changes.items()}

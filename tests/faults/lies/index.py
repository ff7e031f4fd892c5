"""Lies in the index: what the footer says of chunks, and what the postscript says of the footer."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from tests.faults.lies.draft import GROUPS, HUGE, PLACES, RECORDS, SOUND, TEXT, Draft, Lie
from tests.naive.array_record import Entry, footer_records, metadata_record, postscript_record
from tests.naive.protobuf import message
from tests.naive.riegeli import BLOCK, Chunk, simple_chunk


def _with_entries(change: Callable[[list[Entry]], Sequence[Entry]]) -> Lie:
    return lambda: Draft(entries=change).encode()


def _with_offset(at: int, offset: int) -> Lie:
    def change(entries: list[Entry]) -> list[Entry]:
        return [*entries[:at], dataclasses.replace(entries[at], offset=offset), *entries[at + 1 :]]

    return _with_entries(change)


def _with_metadata(num_chunks: int, num_records: int, text: str | None = TEXT, version: int = 1) -> Lie:
    def lines(entries: list[Entry]) -> list[bytes]:
        metadata = metadata_record(num_chunks, num_records, text, version)
        return [metadata, *(entry.record for entry in entries)]

    return lambda: Draft(lines=lines).encode()


def _with_lines(change: Callable[[list[bytes]], list[bytes]]) -> Lie:
    return lambda: Draft(lines=lambda entries: change(footer_records(entries, TEXT))).encode()


def _counting(*counts: int) -> Lie:
    """The index has other numbers of records than the chunks, and its sum agrees with it."""

    def change(entries: list[Entry]) -> list[Entry]:
        return [dataclasses.replace(entry, num_records=count) for entry, count in zip(entries, counts, strict=True)]

    def lines(entries: list[Entry]) -> list[bytes]:
        metadata = metadata_record(len(entries), sum(counts) & (1 << 64) - 1, TEXT)
        return [metadata, *(entry.record for entry in entries)]

    return lambda: Draft(entries=change, lines=lines).encode()


def footers() -> dict[str, Lie]:
    count, last = len(GROUPS), len(GROUPS) - 1
    lies: dict[str, Lie] = {
        "chunks backwards": _with_entries(lambda entries: entries[::-1]),
        "a chunk twice": _with_entries(lambda entries: [entries[0], entries[0], *entries[2:]]),
        "places without counts": lambda: Draft(
            lines=lambda entries: footer_records(entries, TEXT)[:1] + [message((1, entry.offset)) for entry in entries]
        ).encode(),
        "lines of nothing": _with_lines(lambda lines: [lines[0], *[b""] * count]),
        "lines of noise": _with_lines(lambda lines: [lines[0], *[b"\xff" * 30] * count]),
        "no line at all": _with_lines(lambda _: []),
        "no line but an empty one": _with_lines(lambda _: [b""]),
        "metadata that ends early": _with_lines(lambda lines: [lines[0][:-5], *lines[1:]]),
        "metadata twice": _with_lines(lambda lines: [lines[0] * 2, *lines[1:]]),
        "zero records a chunk": _counting(0, 0, 0),
        "zero records in the first chunk": _counting(0, 8, 2),
        "more records than numbers": _counting(*[(1 << 64) - 1] * count),
        "as many records as Python cannot count": _counting(1 << 62, 1 << 62, 1 << 62),
        "as many records as a signed number cannot hold": _counting((1 << 63) + 4, 4, 2),
        "a chunk of 2^62 records": _counting(4, 4, 1 << 62),
        "chunks of 2^60 records": _counting(1 << 60, 1 << 60, 1 << 60),
        "chunks of 2^31 records": _counting(1 << 31, 1 << 31, 1 << 31),
        "records moved to the next chunk": _counting(3, 5, 2),
        "last chunk larger than the group": _counting(2, 2, 6),
        "version 0": _with_metadata(count, len(RECORDS), version=0),
        "version 2": _with_metadata(count, len(RECORDS), version=2),
        "options of nonsense": _with_metadata(count, len(RECORDS), "zstd:9999,group_size:-5,,x:y:z,\0"),
        "options with a group of none": _with_metadata(count, len(RECORDS), "group_size:0"),
        "options with a huge group": _with_metadata(count, len(RECORDS), f"group_size:{1 << 70}"),
        "options with the largest group": _with_metadata(count, len(RECORDS), f"group_size:{(1 << 31) - 1}"),
        "options with the largest window": _with_metadata(count, len(RECORDS), "group_size:4,brotli:11,window_log:30"),
        "options of a megabyte": _with_metadata(count, len(RECORDS), "group_size:4," * 80_000),
        "no options": _with_metadata(count, len(RECORDS), None),
    }
    for name, number in {**HUGE, "none": 0, "one more": 1 + count, "one less": count - 1}.items():
        lies[f"{name} chunks"] = _with_metadata(number, len(RECORDS))
    for name, number in {**HUGE, "none": 0, "one more": 11, "one less": 9}.items():
        lies[f"{name} records"] = _with_metadata(count, number)
    places = {**HUGE, **PLACES, "0": 0, "1": 1, "24": 24, "63": 63, "65": 65, "the end": len(SOUND)}
    for name, offset in places.items():
        if name != "first":
            lies[f"first chunk at {name}"] = _with_offset(0, offset)
        if name != "last":
            lies[f"last chunk at {name}"] = _with_offset(last, offset)
    return lies


def _pointing(to: Callable[[int, int], int]) -> Lie:
    return lambda: Draft(points_to=to).encode()


def _with_postscript(make: Callable[[int], Chunk]) -> Lie:
    return lambda: Draft(postscript=make).encode()


def postscripts() -> dict[str, Lie]:
    lies: dict[str, Lie] = {
        "to itself": _pointing(lambda _, itself: itself),
        "to its own end": _pointing(lambda _, itself: itself + 108),
        "to the end of the file": _pointing(lambda _, itself: itself + BLOCK),
        "to the byte behind the footer": _pointing(lambda footer, _: footer + 1),
        "three different places": _with_postscript(
            lambda offset: simple_chunk([postscript_record(place) for place in (64, offset, 222)])
        ),
        "no record": _with_postscript(lambda _: simple_chunk([])),
        "an empty record": _with_postscript(lambda _: simple_chunk([b""])),
        "no place": _with_postscript(lambda offset: simple_chunk([postscript_record(offset)[2:]] * 3)),
        "wrong magic": _with_postscript(lambda offset: simple_chunk([message((1, offset), (2, 5))] * 3)),
        "place twice": _with_postscript(lambda offset: simple_chunk([message((1, 64)) + postscript_record(offset)])),
        "a record of almost a block": _with_postscript(
            lambda offset: simple_chunk([postscript_record(offset) + message((15, bytes(65_000)))])
        ),
        "a record of more than a block": _with_postscript(
            lambda offset: simple_chunk([postscript_record(offset) + message((15, bytes(70_000)))])
        ),
        "bytes behind it": lambda: Draft(tail=b"x").encode(),
        "a block of zeros behind it": lambda: Draft(tail=bytes(BLOCK)).encode(),
        "a block that says it is the middle of one": lambda: Draft(tail=SOUND[-BLOCK:][::-1]).encode(),
        "itself again": lambda: Draft(tail=SOUND[-BLOCK:]).encode(),
        "itself again, twice": lambda: Draft(tail=SOUND[-BLOCK:] * 2).encode(),
    }
    for name, place in {**HUGE, **PLACES, "0": 0, "1": 1, "24": 24, "63": 63}.items():
        if name != "footer":
            lies[f"to {name}"] = _pointing(lambda _, __, place=place: place)  # type: ignore[misc]
    return lies

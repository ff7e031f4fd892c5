"""Chunked files with damage somewhere: right records or errors, and recovery that saves right ones only."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import resource
from collections.abc import Iterator
from pathlib import Path

import octavo
from octavo.errors import FormatError, OctavoError
from tests.faults import samples
from tests.naive.protobuf import message
from tests.naive.riegeli import BLOCK, chunks_in

COUNT = 600
MEMORY_BYTES = 1 << 30


def _record(number: int) -> bytes:
    """Every third one is a message, so that there is something to take apart into columns."""
    if number % 3:
        return samples.record(number)
    return message((1, number), (2, b"name of %d" % number), (3, message((1, number * 7919), (4, b""))), (9, 1))


RECORDS = [_record(number) for number in range(COUNT)]


class _File:
    """A sound file, and where its chunks are."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.chunks = list(chunks_in(content))
        # Footer and postscript have records of their own.
        self.telling = [begin for begin, chunk in self.chunks if chunk.kind in b"rt"]
        self.ends = dict(itertools.pairwise([*(begin for begin, _ in self.chunks), len(content)]))

    def intact_in(self, damaged: bytes) -> int:
        """How many records are in chunks that are as they were."""
        return sum(
            chunk.num_records
            for begin, chunk in self.chunks
            if begin in self.telling[:-2]
            and self.content[begin : self.ends[begin]] == damaged[begin : self.ends[begin]]
        )


def _cuts(file: _File, chosen: random.Random) -> Iterator[tuple[str, bytes]]:
    whole = len(file.content)
    near = [boundary + distance for boundary in range(0, whole + 1, BLOCK) for distance in (-1, 0, 1)]
    for size in [*near, 63, 64, *chosen.sample(file.telling, 4), *chosen.choices(range(whole), k=6)]:
        if 0 < size < whole:
            yield f"cut at {size}", file.content[:size]


def _flips(file: _File, chosen: random.Random) -> Iterator[tuple[str, bytes]]:
    """Most of a small file is padding, so places are chosen by what is there."""
    content, index = file.content, file.telling[-2:]
    places = [begin + chosen.randrange(40) for begin in [*chosen.choices(file.telling, k=5), *index]]
    places += [begin + 40 + chosen.randrange(60) for begin in [*chosen.choices(file.telling, k=5), *index]]
    places += [block + chosen.randrange(24) for block in range(0, len(content), BLOCK)]
    places += chosen.choices(range(len(content)), k=4)
    for place in places:
        bit = 1 << chosen.randrange(8)
        flipped = content[:place] + bytes([content[place] ^ bit]) + content[place + 1 :]
        yield f"bit {bit:#x} of byte {place} flipped", flipped


def _erasures(file: _File, chosen: random.Random) -> Iterator[tuple[str, bytes]]:
    """Disks lose sectors, and file systems leave holes."""
    content = file.content
    for _ in range(4):
        place = chosen.randrange(len(content)) // 512 * 512
        size = min(512 * chosen.choice((1, 8, 128)), len(content) - place)
        yield f"{size} bytes of zeros at {place}", content[:place] + bytes(size) + content[place + size :]


def _readable(reader: octavo.Reader) -> set[int]:
    """The numbers of the records that can be read on their own; each of those has the right bytes."""
    found = set()
    for number in range(COUNT):
        try:
            record = reader[number]
        except OctavoError:
            continue
        assert record == RECORDS[number], f"wrong bytes of record {number}: {record[:40]!r}"
        found.add(number)
    return found


def _check_reading(path: str) -> None:
    try:
        reader = octavo.open(path)
    except OctavoError:
        assert not octavo.verify(path).ok, "verify says that a file is sound that cannot be opened"
        return
    assert len(reader) == COUNT, f"{len(reader)} records"
    readable = _readable(reader)
    _check_together(path, readable)
    damaged = set()
    for damage in octavo.verify(path).damage:
        first = 0 if damage.record is None else damage.record
        damaged |= {*range(first, first + damage.record_count)}
    assert damaged | readable == {*range(COUNT)}, "verify does not know of records that cannot be read"


def _check_without_hashes(path: str) -> None:
    """Nobody promises right bytes then, but still an error or records."""
    with contextlib.suppress(OctavoError):
        reader = octavo.open(path, check_data=False)
        for number in range(0, COUNT, 7):
            with contextlib.suppress(OctavoError):
                reader[number]
        reader.read_all()


def _check_together(path: str, readable: set[int]) -> None:
    """What is read in one request is all right, or an error if one of the records is damaged."""
    first_damaged = next((number for number in range(COUNT) if number not in readable), COUNT)
    iterated: list[bytes] = []
    try:
        iterated.extend(octavo.open(path))
    except OctavoError:
        assert first_damaged < COUNT, "iteration fails where every record can be read"
    assert iterated == RECORDS[: len(iterated)], "wrong bytes in iteration"
    assert first_damaged == COUNT or len(iterated) <= first_damaged, "iteration went on behind an error"
    try:
        together = octavo.open(path).read_all()
    except OctavoError:
        assert first_damaged < COUNT, "read_all fails where every record can be read"
    else:
        assert (together, first_damaged) == (RECORDS, COUNT), "read_all gave something else"


def _check_recovery(path: str, least: int) -> None:
    target = path + ".recovered.array_record"
    try:
        report = octavo.recover(path, target, overwrite=True)
    except FormatError:
        assert least == 0, "recovery refuses a file with whole chunks in it"
        return
    saved = octavo.open(target).read_all()
    assert report.record_count == len(saved), f"{report.record_count} records reported, {len(saved)} there"
    rest = iter(RECORDS)
    assert all(record in rest for record in saved), "a record that was not there, or not in its place"
    assert len(saved) >= least, f"{len(saved)} records saved, {least} are intact"
    if report.lost_count is not None:
        assert len(saved) + report.lost_count == COUNT, f"{len(saved)} saved, {report.lost_count} lost"
    assert report.ok == (report.lost_count == 0)


DAMAGES = {"cuts": _cuts, "flips": _flips, "erasures": _erasures}


def survive(folder: str, options: dict[str, str | int | bool], damages: str, seed: int) -> None:
    """Damages of one kind to one file."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    path = os.path.join(folder, "damaged.array_record")
    with octavo.create(path, **options) as writer:  # type: ignore[arg-type]
        writer.write_many(RECORDS)
    file = _File(Path(path).read_bytes())
    for what, damaged in DAMAGES[damages](file, random.Random(seed)):
        Path(path).write_bytes(damaged)
        try:
            _check_reading(path)
            _check_without_hashes(path)
            _check_recovery(path, file.intact_in(damaged))
        except BaseException as failure:
            failure.add_note(what)
            raise

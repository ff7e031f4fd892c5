"""Files whose chunks hold noise under hashes that are right: parsers see bytes that no writer wrote."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import octavo
from octavo.errors import OctavoError
from tests.faults import samples
from tests.faults.programs import lied_to
from tests.naive.protobuf import message
from tests.naive.riegeli import Chunk, Container, chunks_in

COUNT = 24
GROUP_SIZE = 8
RECOVER_EVERY = 10


def _record(number: int) -> bytes:
    if number % 2:
        return samples.sized(number, 20 + number)
    return message((1, number), (2, b"text %d" % number), (3, message((1, 1 << number), (2, b"inner"))), (4, 3))


RECORDS = [_record(number) for number in range(COUNT)]


def mutated(data: bytes, chosen: random.Random) -> bytes:
    """A few bytes changed, left out, put in or repeated."""
    mutated = bytearray(data)
    for _ in range(chosen.choice((1, 1, 1, 2, 4))):
        at = chosen.randrange(len(mutated) + 1)
        match chosen.randrange(5):
            case 0:
                mutated[at : at + 1] = bytes([chosen.randrange(256)])
            case 1:
                mutated[at : at + 1] = bytes([chosen.choice((0, 1, 0x7F, 0x80, 0xFF))])
            case 2:
                del mutated[at : at + chosen.randint(1, 4)]
            case 3:
                mutated[at:at] = chosen.choice((b"\xff" * 9 + b"\x01", b"\xff\xff\xff\xff\x0f", b"\0", b"\x80"))
            case 4:
                mutated[at:at] = mutated[at : at + chosen.randint(1, 8)]
    return bytes(mutated)


def _rebuilt(chunks: list[Chunk], at: int, data: bytes) -> bytes:
    """The file with other data in one chunk. Everything behind it keeps its place."""
    container = Container()
    for number, chunk in enumerate(chunks[1:], 1):
        container.append(Chunk(chunk.kind, data, chunk.num_records, chunk.decoded_size) if number == at else chunk)
    return bytes(container.content)


def _files(content: bytes, chosen: random.Random, count: int) -> Iterator[tuple[int, bytes]]:
    """Files, and the number of the chunk that was changed."""
    chunks = [chunk for _, chunk in chunks_in(content)]
    telling = [number for number, chunk in enumerate(chunks) if chunk.kind in b"rt"]
    for _ in range(count):
        at = chosen.choice(telling)
        size = len(chunks[at].data)
        # Mutations that change the size are padded or cut: where the next chunk begins is not what is tested here.
        yield at, _rebuilt(chunks, at, mutated(chunks[at].data, chosen)[:size].ljust(size, b"\0"))


def _read(content: bytes, changed: range, *, is_index: bool) -> None:
    """Records of other chunks are right; if it was the index that was changed, they may be errors as well."""
    try:
        reader = octavo.open(content, format="array_record")
        assert len(reader) == COUNT, f"{len(reader)} records"
    except OctavoError:
        return
    for number in range(COUNT):
        try:
            record = reader[number]
        except OctavoError:
            assert number in changed or is_index, f"record {number} is an error"
            continue
        assert number in changed or record == RECORDS[number], f"wrong bytes of record {number}"
    try:
        together = reader.read_all()
    except OctavoError:
        return
    assert len(together) == COUNT, f"{len(together)} records together"


def _recover(content: bytes, folder: str, changed: range, *, is_index: bool) -> None:
    """Every record of other chunks is saved; an index that was changed may lead elsewhere."""
    path = os.path.join(folder, "noise.array_record")
    Path(path).write_bytes(content)
    target = os.path.join(folder, "recovered.array_record")
    octavo.recover(path, target, overwrite=True)
    saved = octavo.open(target).read_all()
    missing = [number for number in range(COUNT) if number not in changed and RECORDS[number] not in saved]
    assert is_index or not missing, f"records {missing} are not saved"


def read_noise(folder: str, options: dict[str, str | bool], seed: int, count: int) -> None:
    """Reads many files that differ in one chunk from one that is sound."""
    path = Path(folder) / "sound.array_record"
    with octavo.create(path, group_size=GROUP_SIZE, **options) as writer:  # type: ignore[arg-type]
        writer.write_many(RECORDS)
    lied_to.limit_memory()
    for number, (at, content) in enumerate(_files(path.read_bytes(), random.Random(seed), count)):
        first = (at - 1) * GROUP_SIZE
        changed, is_index = range(first, first + GROUP_SIZE), first >= COUNT
        try:
            _read(content, changed, is_index=is_index)
            if number % RECOVER_EVERY == 0:
                _recover(content, folder, changed, is_index=is_index)
        except BaseException as failure:
            failure.add_note(f"file {number}, chunk {at}")
            raise
    lied_to.check_memory()

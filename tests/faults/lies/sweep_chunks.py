"""Sweeps over Riegeli and ArrayRecord: headers of blocks and chunks, varints in chunks, footer and postscript."""

from __future__ import annotations

import dataclasses
import itertools
import struct
from collections.abc import Callable, Iterator, Sequence

from tests.faults.lies import streams
from tests.faults.lies.columns import FIELD, Columns
from tests.faults.lies.draft import GROUPS, RECORDS, SOUND, TEXT, Draft, forged
from tests.faults.lies.edges import Case, Field, edges, swept
from tests.naive.array_record import Entry, metadata_record, postscript_record
from tests.naive.protobuf import message, varint, varints
from tests.naive.riegeli import BLOCK, Chunk, Container, chunks_in, simple_chunk, simple_chunk_of, with_hash

NEAR = (len(SOUND), BLOCK)
HEADER = ("data_size", "data_hash", "counts", "decoded_size")


def _block_headers(content: bytes) -> Iterator[Case]:
    for block in range(0, len(content), BLOCK):
        fields = [Field(f"block {block}: previous", block + 8), Field(f"block {block}: next", block + 16)]

        def mended(lying: bytes, _: Field, block: int = block) -> bytes:
            return lying[:block] + with_hash(lying[block + 8 : block + 24]) + lying[block + 24 :]

        yield from swept(content, fields, mended, BLOCK)


def _chunk_headers(content: bytes, names: Sequence[str]) -> Iterator[Case]:
    """Patched where they stand: nothing else moves."""
    for name, (begin, _) in zip(names, chunks_in(content), strict=True):
        at = begin + 24 * (begin % BLOCK == 0)
        fields = [Field(f"{name}: {field}", at + 8 + 8 * number) for number, field in enumerate(HEADER)]
        fields += [Field(f"{name}: kind", at + 24, 1), Field(f"{name}: num_records", at + 25, 7)]

        def mended(lying: bytes, _: Field, at: int = at) -> bytes:
            return lying[:at] + with_hash(lying[at + 8 : at + 40]) + lying[at + 40 :]

        yield from swept(content, fields, mended, begin, BLOCK)
        for kind in sorted({*b"smptx"} - {content[at + 24] + step for step in (-1, 0, 1)}):
            lying = content[: at + 24] + bytes([kind]) + content[at + 25 :]
            yield f"{name}: kind = {kind}", mended(lying, fields[-2])


def array_record_headers() -> Iterator[Case]:
    """Every fixed field of a file with an index."""
    names = ("signature", "first", "second", "last", "footer", "padding", "postscript", "last padding")
    yield "the truth", SOUND
    yield from _block_headers(SOUND)
    yield from _chunk_headers(SOUND, names)


def _plain(chunks: Sequence[Chunk]) -> bytes:
    container = Container()
    for chunk in chunks:
        container.append(chunk)
    return bytes(container.content)


def riegeli_headers() -> Iterator[Case]:
    """Every fixed field of a file without one."""
    sound = _plain([simple_chunk(group) for group in GROUPS])
    yield "the truth", sound
    yield from _block_headers(sound)
    yield from _chunk_headers(sound, ("signature", "first", "second", "last"))


def array_record_index() -> Iterator[Case]:
    """Every varint of the footer and the postscript."""
    yield from _places()
    count = len(GROUPS)
    near = (*NEAR, 64)
    for name, true in {"version": 1, "num_chunks": count, "num_records": len(RECORDS)}.items():
        for value in edges(true, *near):
            said = {"version": 1, "num_chunks": count, "num_records": len(RECORDS), name: value}
            yield f"{name} = {value}", _with_metadata(**said)
    for line, group in enumerate(GROUPS):
        places = {"offset": 64 + 100 * line, "decoded_size": sum(map(len, group)), "num_records": len(group)}
        for name, true in places.items():
            for value in edges(true, *near):
                yield f"line {line}: {name} = {value}", _with_line(line, name, value)
    for value in edges(300, *near):
        yield f"footer at {value}", Draft(points_to=lambda _, __, value=value: value).encode()  # type: ignore[misc]
        yield (
            f"magic = {value}",
            Draft(
                postscript=lambda offset, value=value: simple_chunk([message((1, offset), (2, value))])  # type: ignore[misc]
            ).encode(),
        )
    for value in edges(20, *near):
        yield f"metadata of {value} bytes", _with_first_line(b"\x0a" + varint(value) + b"\x08\x01")
    offsets = {"chunks in each other": lambda at: 64 + at, "all at the footer": lambda _: 64}
    for name, place in offsets.items():
        yield (
            name,
            Draft(
                entries=lambda entries, place=place: [  # type: ignore[misc]
                    dataclasses.replace(entry, offset=place(at)) for at, entry in enumerate(entries)
                ]
            ).encode(),
        )


def _places() -> Iterator[Case]:
    """A postscript that points back to each chunk in turn, and a footer that is made of postscripts."""
    for begin, _ in chunks_in(SOUND):
        yield f"footer at the chunk at {begin}", Draft(points_to=lambda _, __, begin=begin: begin).encode()  # type: ignore[misc]
    yield "a footer of postscripts", Draft(lines=lambda _: [postscript_record(64)] * 4).encode()


def _with_metadata(version: int, num_chunks: int, num_records: int) -> bytes:
    metadata = metadata_record(num_chunks, num_records, TEXT, version)
    return Draft(lines=lambda entries: [metadata, *(entry.record for entry in entries)]).encode()


def _with_line(line: int, name: str, value: int) -> bytes:
    def changed(entries: list[Entry]) -> list[Entry]:
        return [*entries[:line], dataclasses.replace(entries[line], **{name: value}), *entries[line + 1 :]]

    def lines(entries: list[Entry]) -> list[bytes]:
        total = sum(entry.num_records for entry in entries) % (1 << 64)  # the sum agrees, as far as there is one
        return [metadata_record(len(entries), total, TEXT), *(entry.record for entry in entries)]

    return Draft(entries=changed, lines=lines).encode()


def _with_first_line(line: bytes) -> bytes:
    return Draft(lines=lambda entries: [line, *(entry.record for entry in entries)]).encode()


Assemble = Callable[[Chunk], bytes]


def indexed(chunk: Chunk) -> bytes:
    """A file of that chunk and others, with an index that agrees with it."""
    draft = Draft()
    draft.chunks[0] = chunk
    return draft.encode()


def unindexed(chunk: Chunk) -> bytes:
    """The same without an index."""
    return _plain([chunk, *(simple_chunk(group) for group in GROUPS[1:])])


def simple_chunks(codec: str, assemble: Assemble) -> Iterator[Case]:
    """Every varint in the data of a simple chunk, with and without a header that agrees on the size."""
    group = GROUPS[0]
    lengths, values = varints(*map(len, group)), b"".join(group)

    def stored(data: bytes, claim: int | None = None) -> bytes:
        return data if codec == "none" else varint(len(data) if claim is None else claim) + streams.STORE[codec](data)

    def chunk(sizes: bytes, records: bytes, decoded: int = len(values)) -> Chunk:
        return simple_chunk_of(codec, sizes, records, len(group), decoded)

    yield "the truth", assemble(chunk(stored(lengths), stored(values)))
    for number, record in enumerate(group):
        for value in edges(len(record), len(values)):
            claimed = [len(one) for one in group]
            claimed[number] = value
            lying = chunk(stored(varints(*claimed)), stored(values))
            yield f"length {number} = {value}", assemble(lying)
            yield (
                f"length {number} = {value}, and the sum agrees",
                assemble(forged(lying, decoded_size=sum(claimed) % (1 << 64))),
            )
    true = chunk(stored(lengths), stored(values))
    size = len(stored(lengths))
    for value in edges(size, len(true.data)):
        data = true.data[:1] + varint(value) + true.data[1 + len(varint(size)) :]
        yield f"size of lengths = {value}", assemble(Chunk(b"r", data, len(group), len(values)))
    if codec == "none":
        return
    for value in edges(len(lengths), len(values)):
        yield f"lengths decode to {value}", assemble(chunk(stored(lengths, value), stored(values)))
    for value in edges(len(values), len(lengths)):
        yield f"values decode to {value}", assemble(chunk(stored(lengths), stored(values, value)))
        yield f"values and header decode to {value}", assemble(chunk(stored(lengths), stored(values, value), value))


_LISTS = ("bucket_sizes", "buffer_sizes", "tags", "next_states", "buffers")
_NUMBERS = ("num_buckets", "num_buffers", "num_states", "first")


def transposed_chunks(assemble: Assemble, kinds: int) -> Iterator[Case]:
    """Every varint in the header of a transposed chunk: of records, of fields, of states that do nothing."""
    machines = {
        "records": Columns(),
        "fields": dataclasses.replace(Columns(), tags=(FIELD,), subtypes=b"\x00"),
        "three states": dataclasses.replace(Columns(), tags=(0, 1, 0), next_states=(1, 1, 1), buffers=(0,), first=1),
    }
    for kind, columns in itertools.islice(machines.items(), kinds):
        yield f"{kind}: as it is", assemble(columns.chunk)
        for name in _NUMBERS:
            true = len(columns.tags) if name == "num_states" else getattr(columns, name)
            for value in edges(true, len(columns.header), bits=64):
                yield f"{kind}: {name} = {value}", assemble(_columns(columns, name, value))
        for name in _LISTS:
            row = getattr(columns, name)
            for at, true in enumerate(row):
                for value in edges(true, len(columns.tags), columns.decoded_size):
                    lying = _columns(columns, name, (*row[:at], value, *row[at + 1 :]))
                    yield f"{kind}: {name}[{at}] = {value}", assemble(lying)
        for byte in (0, 1, 2, 3, 4, 0x7F, 0x80, 0xFC, 0xFF):
            for count in (0, 1, 2, 10_000):
                yield f"{kind}: {count} moves {byte}", assemble(_columns(columns, "transitions", bytes([byte]) * count))


def _columns(columns: Columns, name: str, value: object) -> Chunk:
    return dataclasses.replace(columns, **{name: value}).chunk  # type: ignore[arg-type]


def journal() -> Iterator[Case]:
    """The header inside of a journal, in what an interrupted write leaves."""
    inner = simple_chunk(GROUPS[1][:2])
    for number, field in enumerate(HEADER):
        true = struct.unpack_from("<4Q", inner.header, 8)[number]
        for value in edges(true, len(inner.data), BLOCK):
            fields = list(struct.unpack_from("<4Q", inner.header, 8))
            fields[number] = value
            data = b"octavo\0J" + with_hash(struct.pack("<4Q", *fields)) + inner.data
            yield f"journal: {field} = {value}", _plain([simple_chunk(GROUPS[0]), Chunk(b"p", data)])

"""Streams that hold another number of bytes than is said of them, measured."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import octavo
from tests.faults.lies import codecs, recordio, streams, tfrecord
from tests.faults.lies.draft import PLACES, Draft
from tests.faults.lies.sweeps import Truth
from tests.faults.programs.bounded import OPERATIONS, Meter, clear, demand, warmed
from tests.naive import recordio as naive_recordio
from tests.naive import tfrecord as naive_tfrecord
from tests.naive.protobuf import varints
from tests.naive.riegeli import Container, simple_chunk, simple_chunk_of

BESIDE = [b"one", b"two", b"three", b"four"]
TINY, USUAL, LARGE, ENDLESS = 100 << 10, 65 << 20, 1 << 30, 1 << 34
"""USUAL is a little more than what is believed without a second look; ENDLESS takes minutes to decode."""
GROUPS = {"alone": 1, "in a group": 2}


def _chunk_bomb(codec: str, claim: int, real: int, group: int, *, indexed: bool) -> bytes:
    """A chunk that says it decodes to `claim` bytes and decodes to `real`; behind it sound ones."""
    lengths = varints(claim, *[0] * (group - 1))
    stored = codecs.block(streams.STORE[codec](lengths), len(lengths))
    values = codecs.block(streams.ZEROS[codec](real), claim)
    lying = simple_chunk_of(codec, stored, values, group, claim)
    chunks = [lying, *(simple_chunk(BESIDE[at : at + group]) for at in range(0, len(BESIDE), group))]
    if indexed:
        return Draft(chunks=chunks).encode()
    container = Container()
    for chunk in chunks:
        container.append(chunk)
    return bytes(container.content)


def _claims(codec: str) -> list[tuple[int, int]]:
    """What a stream says and what it is: far less, and far more."""
    large = LARGE if codec != "snappy" else 4 << 20  # a gigabyte of zeros is fifty megabytes of snappy
    claims = [(LARGE, TINY), (USUAL, TINY), (TINY, large)]
    return claims if codec == "snappy" else [*claims, (USUAL, ENDLESS if codec == "brotli" else large)]


def _chunk_bombs() -> dict[str, Callable[[], bytes]]:
    made: dict[str, Callable[[], bytes]] = {}
    for codec in streams.ZEROS:
        for claim, real in _claims(codec):
            for kind, group in GROUPS.items():
                for indexed in (True, False):
                    if real == ENDLESS and (group, indexed) != (1, True):
                        continue  # the other ways cost seconds, and have nothing to look ahead for
                    suffix = ".array_record" if indexed else ".riegeli"
                    made[f"{codec} {kind} says {claim}, is {real}{suffix}"] = functools.partial(
                        _chunk_bomb, codec, claim, real, group, indexed=indexed
                    )
    return made


def _gzip_bomb(claim: int, real: int) -> bytes:
    """A record that says it has `claim` bytes, in a stream with so many zeros behind it."""
    return tfrecord.compressed_zeros(tfrecord.header(claim), real, b"")


def _recordio_bomb(claim: int) -> bytes:
    """A snappy block that says it decodes to more than it does."""
    payload = streams.snappy_zeros(TINY, claim=claim)
    sound = naive_recordio.encode_chunk(BESIDE, "paddle-python-ieee")
    return sound + recordio.forged("paddle-python-ieee", payload, "snappy", count=1)


def _footer_bomb(codec: str, size: int) -> bytes:
    """An index that really is as large as it says."""
    sizes = varints(size)
    stored = codecs.block(streams.STORE[codec](sizes), len(sizes))
    values = codecs.block(streams.ZEROS[codec](size), size)
    footer = simple_chunk_of(codec, stored, values, 1, size)
    return Draft(chunks=[simple_chunk([record]) for record in BESIDE], footer=lambda _: footer).encode()


def _damaged_bomb(codec: str, size: int) -> bytes:
    """A chunk that is as large as it says, and of which only the index can tell, because its header does not hold."""
    content = bytearray(codecs.bomb(codec, size, beside=BESIDE))
    content[PLACES["first"]] ^= 1
    return bytes(content)


def bombs() -> dict[str, Callable[[], bytes]]:
    """Files by their names."""
    made = {
        f"{name} of {codec}.array_record": functools.partial(make, codec, LARGE)
        for codec in ("zstd", "brotli")
        for name, make in (("a footer", _footer_bomb), ("a damaged chunk", _damaged_bomb))
    }
    return (
        _chunk_bombs()
        | made
        | {
            "a length of 2^30 in a stream of a megabyte.tfrecord": lambda: _gzip_bomb(LARGE, 1 << 20),
            "a length of 2^63 in a stream of a megabyte.tfrecord": lambda: _gzip_bomb(1 << 63, 1 << 20),
            "a length of 10 in a stream of 16 megabytes.tfrecord": lambda: _gzip_bomb(10, 16 << 20),
            "a block that says 2^30.recordio": lambda: _recordio_bomb(LARGE),
            "a block that says 2^32-1.recordio": lambda: _recordio_bomb((1 << 32) - 1),
            "a block that says 2 megabytes.recordio": lambda: _recordio_bomb(2 << 20),
        }
    )


USED = (
    "len",
    "single",
    "read",
    "iteration",
    "read_all",
    "unchecked",
    "verify",
    "recover",
    "append",
    "digest",
    "convert",
)


def explode(folder: str, progress: str) -> None:
    """All that can be done with each of them. Only what stands beside a lie may be read."""
    warmed(folder)
    meter, count = Meter(), 0
    truth = Truth(genuine=BESIDE)
    with open(progress, "wb", buffering=0) as told:
        for name, make in bombs().items():
            count += 1
            path = os.path.join(folder, name.replace(" ", "-").replace(",", ""))
            Path(path).write_bytes(make())
            for operation in USED:
                told.write(f"{name}: {operation}\n".encode())
                meter.run(
                    f"{name}: {operation}",
                    lambda operation=operation, path=path: OPERATIONS[operation](path, truth),  # type: ignore[misc]
                )
            clear(folder)
    meter.tell(cases=count)


def _honest(codec: str, size: int) -> tuple[str, bytes]:
    match codec:
        case "gzip" | "frames":
            return "bomb.recordio", recordio.bomb(codec, size, beside=BESIDE)
        case "tfrecord":
            end = bytes(4) + naive_tfrecord.encode(BESIDE)
            return "bomb.tfrecord", tfrecord.compressed_zeros(tfrecord.header(size), size, end)
        case _:
            return "bomb.array_record", codecs.bomb(codec, size, beside=BESIDE)


def stand_beside_a_bomb(folder: str, progress: str, codec: str) -> None:
    """Whatever does not ask for the record of a gigabyte, or a part of one, costs nothing."""
    warmed(folder)
    size = LARGE if codec in {"zstd", "brotli"} else LARGE // 8
    name, content = _honest(codec, size)
    path = os.path.join(folder, name)
    Path(path).write_bytes(content)
    meter = Meter()

    def last() -> None:
        with octavo.open(path) as reader:
            demand(what_holds=reader[-1] == BESIDE[-1], otherwise="the last record")

    def beside() -> None:
        with octavo.open(path) as reader:
            demand(what_holds=reader.read(range(1, 5)) == BESIDE, otherwise="the records beside it")

    def told() -> None:
        with octavo.open(path) as reader:
            demand(what_holds=reader.info.record_count == 5, otherwise="another count")
            demand(what_holds=sum(map(len, reader.partitions(2))) == len(reader), otherwise="other partitions")

    looks: Sequence[Callable[[], None]] = (last, beside, told)
    for look in looks:
        Path(progress).write_text(look.__name__)
        meter.run(look.__name__, look)
    meter.tell(cases=len(looks))

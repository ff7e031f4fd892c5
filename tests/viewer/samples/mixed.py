"""A data set as people have them: pictures with captions, examples, sounds, arrays, and what was said about them.

The first record of each kind is among the first dozen; `first("wav")` says where.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import octavo
from octavo import _tf_example
from tests.viewer.samples import pictures, sounds, structures

COUNT = 360
SUBJECTS = ("a quiet valley", "three hills", "a lake shore", "the coast road", "an open field", "a mountain pass")
TIMES = ("at dawn", "before noon", "in the late afternoon", "under a full moon", "after the rain")
PLACES = ("Lofoten", "Patagonia", "Hokkaido", "Snowdonia", "the Dolomites", "Cappadocia")
RARE_WORD = "tramontane"
"""It stands in the captions of `WITH_RARE_WORD`, and nowhere else."""
WITH_RARE_WORD = (41, 203, 318)
SMALL, LARGE = (160, 120), (480, 360)
LARGE_PICTURE = 9
"""The one picture that is larger than the others."""


@dataclasses.dataclass(frozen=True)
class Sample:
    """A record, and what it is."""

    kind: str
    content: bytes


def caption(number: int) -> str:
    chance = random.Random(number)
    said = f"{chance.choice(SUBJECTS)} {chance.choice(TIMES)}, {chance.choice(PLACES)}"
    return f"{said}, with the {RARE_WORD} blowing" if number in WITH_RARE_WORD else said


def _text(number: int) -> bytes:
    about = "Taken on film, scanned at 2400 dpi; the colors are as found."
    return f"Photograph {number}: {caption(number)}.\n{about}\n".encode()


def _json(number: int) -> bytes:
    chance = random.Random(number)
    about = {
        "id": f"img-{number:06d}",
        "caption": caption(number),
        "license": "CC0-1.0",
        "size": {"width": 160, "height": 120},
        "scores": {"aesthetic": round(chance.uniform(3, 9), 3), "watermark": round(chance.random(), 4)},
        "tags": chance.sample(["landscape", "nature", "sky", "hills", "light", "travel"], 3),
        "position": [round(chance.uniform(-90, 90), 5), round(chance.uniform(-180, 180), 5)],
    }
    return json.dumps(about, separators=(",", ":")).encode()


def _example(number: int) -> bytes:
    chance = random.Random(number)
    features: dict[str, list[Any]] = {
        "image/encoded": [pictures.png(pictures.landscape(number, 240, 180))],
        "image/format": [b"png"],
        "image/height": [180],
        "image/width": [240],
        "caption": [caption(number)],
        "label": [chance.randrange(1000)],
        "bbox": [round(chance.random(), 3) for _ in range(4)],
    }
    return _tf_example.encode(features)


def _npz(number: int) -> bytes:
    return structures.npz({"tokens": structures.npy([12]), "embedding": structures.npy([4, number % 7 + 2])})


def _safetensors(number: int) -> bytes:
    shapes = {"encoder.weight": [4, 6], "encoder.bias": [6], "head.weight": [6, number % 5 + 2]}
    return structures.safetensors(shapes, {"format": "pt", "step": str(number)})


def _msgpack(number: int) -> bytes:
    return structures.msgpack({"id": number, "caption": caption(number), "shape": [120, 160, 3], "raw": b"\0\1\2"})


def _binary(number: int) -> bytes:
    return b"\x7fBLOB\0" + struct.pack("<Q", number) + random.Random(number).randbytes(200 + number)


MAKERS: dict[str, Callable[[int], bytes]] = {
    "png": lambda number: pictures.png(pictures.landscape(number, *LARGE if number == LARGE_PICTURE else SMALL)),
    "plot": lambda number: pictures.png(pictures.plot(number)),
    "json": _json,
    "text": _text,
    "example": _example,
    "wav": lambda number: sounds.wav(sounds.tone(1.2, 220 * 2 ** (number % 24 / 12))),
    "npy": lambda number: structures.npy([6, number % 5 + 4]),
    "npz": _npz,
    "safetensors": _safetensors,
    "msgpack": _msgpack,
    "binary": _binary,
    "gif": lambda number: pictures.gif(48 + number % 16, 32),
    "jpeg": lambda _: pictures.JPEG,
    "webp": lambda _: pictures.WEBP,
    "flac": lambda number: sounds.flac(sounds.tone(0.5, 440 + number)),
    "mp3": lambda _: sounds.mp3(0.5),
    "ogg": lambda _: sounds.ogg(0.5),
}
FIRST = ("png", "example", "json", "png", "text", "plot", "wav", "png", "npy", "png", "msgpack", "safetensors")
FIRST_RARE = ("png", "npz", "binary", "gif", "jpeg", "webp", "flac", "mp3", "ogg")
THEN = ("png", "json", "png", "text", "example", "png", "plot", "png", "wav", "json")
WRITTEN = ("json", "text", "json", "msgpack")
"""What stands in the second half of the data set for a while: chunks of it compress well."""


@functools.cache
def samples() -> tuple[Sample, ...]:
    """All records, the same every time."""
    written = itertools.islice(itertools.cycle(WRITTEN), 72)
    before = itertools.islice(itertools.chain(FIRST, FIRST_RARE, itertools.cycle(THEN)), 208)
    kinds = itertools.islice(itertools.chain(before, written, itertools.cycle(THEN)), COUNT)
    named = ("text" if number in WITH_RARE_WORD else kind for number, kind in enumerate(kinds))
    return tuple(Sample(kind, MAKERS[kind](number)) for number, kind in enumerate(named))


@functools.cache
def records() -> tuple[bytes, ...]:
    return tuple(sample.content for sample in samples())


def first(kind: str) -> int:
    """The number of the first record of a kind."""
    return next(number for number, sample in enumerate(samples()) if sample.kind == kind)


def numbers_of(*kinds: str) -> list[int]:
    return [number for number, sample in enumerate(samples()) if sample.kind in kinds]


def write_ffrecord(folder: Path, shard_count: int = 3) -> Path:
    """Shards of different lengths, in a folder of their own."""
    folder.mkdir()
    bounds = [COUNT * number * (number + 1) // (shard_count * (shard_count + 1)) for number in range(shard_count + 1)]
    for number, (start, stop) in enumerate(itertools.pairwise(bounds)):
        with octavo.create(folder / f"photographs-{number:05d}-of-{shard_count:05d}.ffr") as writer:
            writer.write_many(records()[start:stop])
    return folder


def write_array_record(path: Path, group_size: int = 8) -> Path:
    with octavo.create(path, format="array_record", group_size=group_size) as writer:
        writer.write_many(records())
    return path


def write_recordio(path: Path) -> Path:
    with octavo.create(path, format="recordio", max_chunk_bytes="64KB") as writer:
        writer.write_many(records())
    return path

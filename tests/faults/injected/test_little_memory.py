"""Headers that claim more than there is memory for: an error, and never the end of the process.

Other tests measure that lies cost little (test_hostile*.py). Here the process has a hundred megabytes of addresses,
so whatever reserves memory on the word of a file is refused, and must come back as an error.
"""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

import pytest

from tests.faults import isolation, samples
from tests.faults.injected import little_memory
from tests.faults.lies import codecs, headers, index, recordio, tfrecord
from tests.faults.test_hostile import LIARS
from tests.faults.test_hostile import header as ffrecord_header
from tests.naive import recordio as naive_recordio

HEADROOM_BYTES = 100 << 20
LARGE_BYTES = 200 << 20


def sparse(path: Path, head: bytes, size: int) -> None:
    """A file that takes no room."""
    with path.open("wb") as file:
        file.write(head)
        file.truncate(size)


def large_ffrecord() -> bytes:
    covered = struct.pack("<qIIqq", 2, zlib.crc32(b"good"), 0, 36, 40)
    return struct.pack("<I", zlib.crc32(covered)) + covered + b"good"


def fill_ffrecord(folder: Path) -> None:
    for number, (count, size) in enumerate(LIARS.values()):
        sparse(folder / f"liar-{number}.ffr", ffrecord_header(count), size)
    sparse(folder / "large.ffr", large_ffrecord(), 40 + LARGE_BYTES)


def fill_array_record(folder: Path) -> None:
    for make in (
        headers.chunk_headers,
        index.footers,
        index.postscripts,
        codecs.plain_blocks,
        codecs.compressed_blocks,
    ):
        for number, lie in enumerate(make().values()):
            (folder / f"{make.__name__}-{number}.array_record").write_bytes(lie())
    for number, lie in enumerate(headers.chunk_headers_without_an_index().values()):
        (folder / f"liar-{number}.riegeli").write_bytes(lie())
    for codec in ("zstd", "brotli"):
        content = codecs.grouped_bomb(codec, LARGE_BYTES, beside=[b"one", b"two"])
        (folder / f"bomb-{codec}.array_record").write_bytes(content)


def fill_recordio(folder: Path) -> None:
    lies = [lie for place in recordio.liars().values() for lie in place.values()]
    for number, lie in enumerate(lies):
        (folder / f"liar-{number}.recordio").write_bytes(lie())
    for codec in ("gzip", "snappy", "frames"):
        content = recordio.bomb(codec, LARGE_BYTES, beside=[b"one", b"two"])
        (folder / f"bomb-{codec}.recordio").write_bytes(content)
    head = naive_recordio.MAGIC + struct.pack("<4I", 0, 0, LARGE_BYTES, LARGE_BYTES // 4)
    sparse(folder / "large.recordio", head, len(head) + LARGE_BYTES)


def fill_tfrecord(folder: Path) -> None:
    lies = [*tfrecord.lies().values()]
    lies += [lie for place in tfrecord.compressed_lies().values() for lie in place.values()]
    for number, lie in enumerate(lies):
        (folder / f"liar-{number}.tfrecord").write_bytes(lie())
    head = tfrecord.header(LARGE_BYTES)
    sparse(folder / "large.tfrecord", head, len(head) + LARGE_BYTES + 4)
    content = tfrecord.compressed_zeros(head, LARGE_BYTES, bytes(4))
    (folder / "bomb.tfrecord").write_bytes(content)


FILLINGS = {
    "ffrecord": fill_ffrecord,
    "array_record": fill_array_record,
    "recordio": fill_recordio,
    "tfrecord": fill_tfrecord,
}


@pytest.fixture(params=FILLINGS)
def liars(request: pytest.FixtureRequest, quick_path: Path) -> Path:
    folder = quick_path / "liars"
    folder.mkdir()
    try:
        FILLINGS[request.param](folder)
    except OSError as error:
        pytest.skip(f"the file system of the temporary folder has no such files: {error}")
    return folder


def survive(folder: Path, quick_path: Path) -> dict[str, int]:
    beside, sound = quick_path / "beside", quick_path / "sound.ffr"
    beside.mkdir()
    samples.write(sound, [b"sound"])
    ended = isolation.check(
        little_memory.survive, folder=folder, beside=beside, sound=sound, headroom_bytes=HEADROOM_BYTES
    )
    assert not ended.errors, ended.written()
    outcomes: dict[str, int] = json.loads(ended.output)
    return outcomes


def test_claims_that_there_is_no_memory_for_do_not_end_the_process(liars: Path, quick_path: Path):
    outcomes = survive(liars, quick_path)
    assert outcomes["error"] >= 10, outcomes

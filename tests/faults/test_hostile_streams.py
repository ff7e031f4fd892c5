"""RecordIO and TFRecord files made to harm: an error or the right records, in little memory and little time."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

import octavo
from tests.faults import isolation
from tests.faults.lies import recordio, tfrecord
from tests.faults.lies.draft import Lie
from tests.faults.programs import lied_to
from tests.faults.test_hostile_chunks import in_hex
from tests.naive import recordio as naive
from tests.naive import tfrecord as naive_tfrecord

BOMB_BYTES = 512 << 20
BESIDE = [b"one", b"two", b"three", b"four"]


def be_lied_to(folder: Path, suffix: str, lies: dict[str, Lie], truth: list[bytes], doubted: Callable[[str], bool]):
    """One process for many small files: starting it takes longer than all that is done with one of them."""
    for name, lie in lies.items():
        (folder / f"{name}{suffix}").write_bytes(lie())
    doubtful = [f"{name}{suffix}" for name in lies if doubted(name)]
    isolation.check(lied_to.be_lied_to_again_and_again, folder=folder, truth=in_hex(truth), doubtful=doubtful)


@pytest.mark.parametrize("place", recordio.liars())
def test_recordio_lie_is_an_error_or_does_not_matter(quick_path: Path, place: str):
    lies = recordio.liars()[place]
    be_lied_to(quick_path, ".recordio", lies, recordio.RECORDS, lambda name: "checksum" in name)


def test_tfrecord_lie_is_an_error_or_does_not_matter(quick_path: Path):
    be_lied_to(quick_path, ".tfrecord", tfrecord.lies(), tfrecord.RECORDS, lambda _: True)


@pytest.mark.parametrize("place", tfrecord.compressed_lies())
def test_lie_in_a_compressed_file_is_an_error_or_does_not_matter(quick_path: Path, place: str):
    lies = tfrecord.compressed_lies()[place]
    be_lied_to(quick_path, ".tfrecord", lies, tfrecord.RECORDS, lambda _: True)


@pytest.mark.parametrize("name", recordio.truths())
def test_strange_recordio_file_is_read(quick_path: Path, name: str):
    path = quick_path / "strange.recordio"
    path.write_bytes(recordio.truths()[name]())
    truth = recordio.truth_of(name)
    assert octavo.open(path).read_all() == truth
    isolation.check(lied_to.be_lied_to, path=path, truth=in_hex(truth))


@pytest.mark.parametrize("name", tfrecord.truths())
def test_strange_tfrecord_file_is_read(name: str):
    lie, truth = tfrecord.truths()[name]
    assert octavo.open(lie(), format="tfrecord").read_all() == truth


# Whoever looks for the next chunk must not look forever.


@pytest.mark.parametrize("name", recordio.SEARCHES)
def test_search_for_chunks_ends_soon(quick_path: Path, name: str):
    search(quick_path / "liar.recordio", recordio.SEARCHES[name], recordio.RECORDS)


@pytest.mark.parametrize("name", tfrecord.SEARCHES)
def test_search_for_records_ends_soon(quick_path: Path, name: str):
    search(quick_path / "liar.tfrecord", tfrecord.SEARCHES[name], tfrecord.RECORDS)


def search(path: Path, lie: Lie, truth: list[bytes]) -> None:
    path.write_bytes(lie())
    isolation.check(lied_to.search, path=path, truth=in_hex(truth), saved=in_hex([b"sound"]))


# Truths that there is no memory for.


@pytest.mark.parametrize("codec", ["gzip", "snappy", "frames"])
def test_record_that_there_is_no_memory_for_is_an_error_and_others_are_read(quick_path: Path, codec: str):
    path = quick_path / "bomb.recordio"
    path.write_bytes(recordio.bomb(codec, BOMB_BYTES, beside=BESIDE))
    isolation.check(lied_to.meet_a_bomb, path=path, beside=in_hex(BESIDE))


def test_compressed_record_that_there_is_no_memory_for_is_an_error_and_others_are_read(quick_path: Path):
    path = quick_path / "bomb.tfrecord"
    end = bytes(4) + naive_tfrecord.encode(BESIDE)
    path.write_bytes(tfrecord.compressed_zeros(tfrecord.header(BOMB_BYTES), BOMB_BYTES, end))
    isolation.check(lied_to.meet_a_bomb, path=path, beside=in_hex(BESIDE))


def test_index_that_there_is_no_memory_for_is_an_error(quick_path: Path):
    path, records = quick_path / "many.tfrecord", 4_000_000
    path.write_bytes(naive_tfrecord.encode_record(b"") * records)
    isolation.check(lied_to.count_in_little_memory, path=path, records=records)


def hole(path: Path, head: bytes, size: int, end: bytes = b"") -> None:
    """A file that takes no room."""
    with path.open("wb") as file:
        file.write(head)
        try:
            file.seek(len(head) + size)
            file.write(end)
            file.truncate()
        except OSError as error:
            pytest.skip(f"the file system of the temporary folder has no such files: {error}")


def test_records_by_the_million_that_there_is_no_memory_for_are_an_error(tmp_path: Path):
    path = tmp_path / "bomb.recordio"
    checksum, zeros = 0, bytes(1 << 20)
    for _ in range(BOMB_BYTES >> 20):
        checksum = zlib.crc32(zeros, checksum)
    head = naive.MAGIC + struct.pack("<4I", checksum, 0, BOMB_BYTES, BOMB_BYTES // 4)
    hole(path, head, BOMB_BYTES, naive.encode_groups([[record] for record in BESIDE], "go"))
    isolation.check(lied_to.meet_a_bomb, path=path, beside=in_hex(BESIDE))


def test_tfrecord_that_there_is_no_memory_for_is_an_error_and_others_are_read(tmp_path: Path):
    path = tmp_path / "bomb.tfrecord"
    end = bytes(4) + naive_tfrecord.encode(BESIDE)
    hole(path, tfrecord.header(BOMB_BYTES), BOMB_BYTES, end)
    isolation.check(lied_to.meet_a_bomb, path=path, beside=in_hex(BESIDE))


@pytest.mark.parametrize(
    "head",
    [
        naive.encode_chunk(BESIDE, "go") + naive.MAGIC,
        naive.encode_chunk(BESIDE, "go") + recordio.forged("go", b"", size=(1 << 32) - 1),
        naive.encode_chunk(BESIDE, "go"),
    ],
    ids=["a magic number", "a header", "a chunk"],
)
def test_hole_behind_a_chunk_costs_little(tmp_path: Path, head: bytes):
    path = tmp_path / "hole.recordio"
    hole(path, head, 128 << 20)
    isolation.check(lied_to.open_before_a_hole, path=path, truth=in_hex(BESIDE))


@pytest.mark.parametrize(
    "end", [b"", tfrecord.header(1 << 40), tfrecord.header((1 << 64) - 1)], ids=["zeros", "2^40", "2^64-1"]
)
def test_hole_behind_a_record_costs_little(tmp_path: Path, end: bytes):
    path = tmp_path / "hole.tfrecord"
    hole(path, naive_tfrecord.encode(BESIDE) + end, 128 << 20)
    isolation.check(lied_to.open_before_a_hole, path=path, truth=in_hex(BESIDE))

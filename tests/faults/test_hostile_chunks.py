"""Chunked files made to harm, every hash right: an error or the right records, in little memory and little time."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

import octavo
from tests.faults import isolation
from tests.faults.lies import codecs, columns, headers, index, streams
from tests.faults.lies.draft import RECORDS, SOUND, Draft, Lie
from tests.faults.programs import fuzzed, lied_to
from tests.naive.array_record import metadata_record, postscript_record
from tests.naive.protobuf import varint
from tests.naive.riegeli import BLOCK, Chunk, Container, chunk_end, simple_chunk, with_hash

TERABYTE = 1 << 40
LIARS: dict[str, Callable[[], dict[str, Lie]]] = {
    "chunk header": headers.chunk_headers,
    "footer": index.footers,
    "postscript": index.postscripts,
    "plain block": codecs.plain_blocks,
    "compressed block": codecs.compressed_blocks,
    "transposed lengths": columns.lengths,
    "transposed states": columns.states,
    "transposed and compressed": columns.compressed,
}
LIES = [pytest.param(lie, id=f"{kind}: {name}") for kind, lies in LIARS.items() for name, lie in lies().items()]


def in_hex(records: list[bytes]) -> list[str]:
    return [record.hex() for record in records]


def test_file_that_does_not_lie_is_read():
    assert octavo.open(SOUND, format="array_record").read_all() == RECORDS


@pytest.mark.parametrize("codec", streams.STORE)
def test_streams_that_do_not_lie_are_read(codec: str):
    content = codecs.compressed_blocks()[f"{codec}: the truth"]()
    assert octavo.open(content, format="array_record").read_all() == RECORDS


@pytest.mark.parametrize("make", [columns.lengths, columns.compressed])
def test_columns_that_do_not_lie_are_read(make: Callable[[], dict[str, Lie]]):
    assert octavo.open(make()["the truth"](), format="array_record").read_all() == RECORDS


@pytest.mark.parametrize("lie", LIES)
def test_lie_is_an_error_or_does_not_matter(quick_path: Path, lie: Lie):
    path = quick_path / "liar.array_record"
    path.write_bytes(lie())
    isolation.check(lied_to.be_lied_to, path=path, truth=in_hex(RECORDS))


@pytest.mark.parametrize("name", headers.block_headers())
def test_lie_in_a_block_header_is_an_error_or_does_not_matter(quick_path: Path, name: str):
    path = quick_path / "liar.array_record"
    path.write_bytes(headers.block_headers()[name]())
    isolation.check(lied_to.be_lied_to, path=path, truth=in_hex(headers.LONG))


@pytest.mark.parametrize("name", headers.chunk_headers_without_an_index())
def test_lie_in_a_file_without_an_index_is_an_error_or_does_not_matter(quick_path: Path, name: str):
    path = quick_path / "liar.riegeli"
    path.write_bytes(headers.chunk_headers_without_an_index()[name]())
    isolation.check(lied_to.be_lied_to, path=path, truth=in_hex(RECORDS))


def test_chunk_inside_a_chunk_is_an_error_or_what_it_is(quick_path: Path):
    inner = simple_chunk([b"inner"])
    outer = simple_chunk([inner.header + inner.data, b"outer"])
    inside = 64 + 40 + outer.data.index(inner.header)
    path = quick_path / "liar.array_record"
    path.write_bytes(Draft([outer, inner], lambda entries: [entries[0], entries[1].__class__(inside, 5, 1)]).encode())
    truth = [inner.header + inner.data, b"outer", b"inner"]
    isolation.check(lied_to.be_lied_to, path=path, truth=in_hex(truth))


# Truths that there is no memory for.


@pytest.mark.parametrize("make", [codecs.bomb, codecs.grouped_bomb])
@pytest.mark.parametrize("codec", ["zstd", "brotli"])
def test_record_that_there_is_no_memory_for_is_an_error_and_others_are_read(
    quick_path: Path, make: Callable[..., bytes], codec: str
):
    path = quick_path / "bomb.array_record"
    beside = [b"one", b"two", b"three", b"four"]
    path.write_bytes(make(codec, codecs.GIGABYTE, beside=beside))
    isolation.check(lied_to.meet_a_bomb, path=path, beside=in_hex(beside))


def listing(path: Path, count: int) -> None:
    """A file of few bytes and a hole, whose footer has so many lines. All of them but the first are empty."""
    metadata = metadata_record(count, count, "group_size:1,")
    first = streams.zstd_block(streams.RAW, 1, bytes([len(metadata)]), is_last=False)
    zeros = streams.zstd_zeros(count)[len(streams.zstd_frame(b"", 0)) :]
    lengths = codecs.block(streams.zstd_frame(first + zeros, count + 1), count + 1)
    values = codecs.block(streams.zstd(metadata), len(metadata))
    footer = Chunk(b"r", b"z" + varint(len(lengths)) + lengths + values, count + 1, len(metadata))
    container = Container()
    begin = len(container.content)
    # Small enough to lie in one block; the rest, up to the postscript, is a hole.
    head = bytes(container.content) + footer.header + footer.data
    end = chunk_end(begin, len(footer.data), footer.num_records)
    last = -(-end // BLOCK) * BLOCK
    postscript = simple_chunk([postscript_record(begin)] * 3)
    with path.open("wb") as file:
        file.write(head)
        file.seek(last)
        file.write(
            with_hash(struct.pack("<2Q", 0, 24 + 40 + len(postscript.data))) + postscript.header + postscript.data
        )
        try:
            file.truncate(last + BLOCK)
        except OSError as error:
            pytest.skip(f"the file system of the temporary folder has no such files: {error}")


@pytest.mark.parametrize("count", [100_000, 1 << 22, 1 << 26, 1 << 30])
def test_footer_of_a_few_bytes_with_millions_of_lines_is_an_error(tmp_path: Path, count: int):
    path = tmp_path / "liar.array_record"
    listing(path, count)
    isolation.check(lied_to.open_a_liar, path=path)


@pytest.mark.parametrize(
    "head", [b"", SOUND[:100], SOUND[:BLOCK], SOUND], ids=["nothing", "a chunk", "a block", "a file"]
)
def test_gigabytes_of_hole_are_an_error_in_little_time(tmp_path: Path, head: bytes):
    path = tmp_path / "hole.array_record"
    with path.open("wb") as file:
        file.write(head)
        file.truncate(8 << 30)
    isolation.check(lied_to.open_a_liar, path=path, is_sound=head == SOUND)


# Bytes that no writer wrote.


@pytest.mark.parametrize("transpose", [False, True], ids=["simple", "transposed"])
@pytest.mark.parametrize("codec", ["none", "zstd", "brotli", "snappy"])
def test_noise_under_right_hashes_harms_nothing_but_its_chunk(quick_path: Path, codec: str, transpose):
    options = {"codec": codec, "transpose": transpose}
    isolation.check(fuzzed.read_noise, folder=quick_path, options=options, seed=len(codec), count=300)

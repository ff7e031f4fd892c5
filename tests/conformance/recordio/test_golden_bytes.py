"""Bytes that the originals wrote, as literals: octavo reads them, and writes the same ones without a codec."""

from __future__ import annotations

import pytest

import octavo
from tests.naive import recordio as naive

RECORDS = [b"abc", b"", b"edf"]
STREAM = "03000000 616263 00000000 03000000 656466"
# By dialect and codec; `go` compresses in two ways.
GOLDEN = {
    "paddle-python none": bytes.fromhex("04030201 03000000 cb64fd27 01000000 12000000" + STREAM),
    "paddle-python snappy": bytes.fromhex("04030201 03000000 5848f369 02000000 14000000 12 44" + STREAM),
    "paddle-python gzip": bytes.fromhex(
        "04030201 03000000 718a9065 03000000 23000000"
        "1f8b0800ed56f96a02ff 63666060484c4a06920ccc409c9a920600 05d49877 12000000"
    ),
    "paddle-python-ieee none": bytes.fromhex("04030201 03000000 05d49877 01000000 12000000" + STREAM),
    "paddle-python-ieee snappy": bytes.fromhex("04030201 03000000 a6bc3e91 02000000 14000000 12 44" + STREAM),
    "go none": bytes.fromhex("04030201 05d49877 00000000 12000000 03000000" + STREAM),
    "go snappy, unbuffered": bytes.fromhex(
        "04030201 0cf0a50c 01000000 44000000 03000000 ff060000734e61507059"
        "01080000 633f7f28 03000000 01070000 6e57f121 616263 01080000 a67b113a 00000000"
        "01080000 633f7f28 03000000 01070000 2fd48a5f 656466"
    ),
    "go snappy, buffered": bytes.fromhex(
        "04030201 99ba388e 01000000 24000000 03000000 ff060000734e61507059 01160000 d23a196c" + STREAM
    ),
    "go gzip": bytes.fromhex(
        "04030201 f4581dee 02000000 28000000 03000000"
        "1f8b08000000000000ff 62666060484c4a66606060003153 53d200010000ffff 05d49877 12000000"
    ),
    "paddle-cpp none": bytes.fromhex("04030201 03000000 05d49877 00000000 12000000" + STREAM),
    "paddle-cpp snappy": bytes.fromhex(
        "04030201 03000000 f3a97723 01000000 20000000 736e6170707900 00 0012 6c193ad2" + STREAM
    ),
}
UNCOMPRESSED = {name: content for name, content in GOLDEN.items() if name.endswith("none")}
# What the README of 2018 shows: the first snippet writes through `Writer`, the second through `File`.
DEMONSTRATIONS = {
    "writer": (
        [b"abc", b"edf"],
        "04030201 02000000 81d224f8 02000000 10000000 0e 34 03000000 616263 03000000 656466",
    ),
    "file": ([b"abc", b"def"], "04030201 02000000 88d8c74e 02000000 10000000 0e 34 03000000 616263 03000000 646566"),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "golden.recordio"


def way_of(name: str) -> tuple[str, str]:
    """The dialect and the codec of a golden file."""
    dialect, codec = name.partition(",")[0].split()
    return dialect, codec


def write(path, records, **options):
    with octavo.create(path, **options) as writer:
        writer.write_many(records)
    return path.read_bytes()


@pytest.mark.parametrize("content", GOLDEN.values(), ids=GOLDEN)
def test_a_golden_file_reads_as_its_records(path, content):
    path.write_bytes(content)
    reader = octavo.open(path)
    assert reader.read_all() == list(reader) == [reader[number] for number in range(3)] == RECORDS


@pytest.mark.parametrize("content", GOLDEN.values(), ids=GOLDEN)
def test_golden_bytes_in_memory_are_recognised_by_content(content):
    reader = octavo.open(content)
    assert reader.read_all() == RECORDS
    assert reader.info.format == "recordio"


@pytest.mark.parametrize(("name", "content"), GOLDEN.items(), ids=GOLDEN)
def test_info_names_dialect_and_codec(path, name, content):
    path.write_bytes(content)
    info = octavo.open(path).info
    assert (info.dialect, info.codec) == way_of(name)
    assert info.dialect_confirmed
    assert (info.chunk_count, info.record_count, info.torn_bytes) == (1, 3, 0)


@pytest.mark.parametrize("content", GOLDEN.values(), ids=GOLDEN)
def test_verify_finds_nothing_wrong_with_a_golden_file(content):
    assert octavo.verify(content).ok


@pytest.mark.parametrize(("name", "content"), UNCOMPRESSED.items(), ids=UNCOMPRESSED)
def test_writing_the_records_without_a_codec_gives_the_golden_bytes(path, name, content):
    assert write(path, RECORDS, dialect=way_of(name)[0], codec="none") == content


@pytest.mark.parametrize(("records", "content"), DEMONSTRATIONS.values(), ids=DEMONSTRATIONS)
def test_the_demonstrations_of_the_readme_are_what_the_defaults_write(path, records, content):
    assert write(path, records) == bytes.fromhex(content)


@pytest.mark.parametrize(("records", "content"), DEMONSTRATIONS.values(), ids=DEMONSTRATIONS)
def test_the_demonstrations_of_the_readme_are_read(records, content):
    assert octavo.open(bytes.fromhex(content)).read_all() == naive.decode(bytes.fromhex(content)) == records


@pytest.mark.parametrize(("name", "content"), UNCOMPRESSED.items(), ids=UNCOMPRESSED)
def test_the_naive_twin_writes_the_golden_bytes(name, content):
    assert naive.encode(RECORDS, way_of(name)[0]) == content


def test_the_naive_twin_writes_the_golden_bytes_of_unbuffered_frames():
    assert naive.encode_unbuffered(RECORDS) == GOLDEN["go snappy, unbuffered"]


@pytest.mark.parametrize(("name", "content"), GOLDEN.items(), ids=GOLDEN)
def test_the_naive_twin_reads_the_golden_bytes(name, content):
    file = naive.NaiveFile(content)
    assert (file.dialect, file.headers[0].codec) == way_of(name)
    assert naive.decode(content) == naive.salvage(content) == RECORDS

"""What the originals wrote, byte for byte."""

from __future__ import annotations

import io

import pytest

from octavo.compat import recordio
from octavo.compat.recordio import Compressor

# The records abc, nothing and edf, in one chunk.
GOLDEN = {
    Compressor.no_compression: "04030201 03000000 cb64fd27 01000000 12000000 03000000616263 00000000 03000000656466",
    Compressor.snappy: "04030201 03000000 5848f369 02000000 14000000 12 44 03000000616263 00000000 03000000656466",
}
README_WRITER = "04030201 02000000 81d224f8 02000000 10000000 0e34 03000000616263 03000000656466"
README_FILE = "04030201 02000000 88d8c74e 02000000 10000000 0e34 03000000616263 03000000646566"
# The Go library with its frames filled, as its older version writes them.
GO = "04030201 99ba388e 01000000 24000000 03000000 ff060000734e61507059 01160000 d23a196c" + GOLDEN[
    Compressor.no_compression
].removeprefix("04030201 03000000 cb64fd27 01000000 12000000")


def test_a_writer_writes_the_documented_file_of_two_texts(tmp_path):
    path = tmp_path / "demo.recordio"
    with path.open("wb") as data:
        writer = recordio.Writer(data, 1024)
        writer.write("abc")
        writer.write("edf")
        writer.flush()
    assert path.read_bytes() == bytes.fromhex(README_WRITER)


def test_a_file_writes_the_documented_file_of_two_texts(tmp_path):
    path = tmp_path / "demo.recordio"
    file = recordio.File(str(path), "w")
    file.write("abc")
    file.write("def")
    file.close()
    assert path.read_bytes() == bytes.fromhex(README_FILE)


@pytest.mark.parametrize("compressor", GOLDEN)
class TestAllCompressors:
    def test_a_writer_writes_the_originals_bytes(self, compressor):
        out = io.BytesIO()
        writer = recordio.Writer(out, 1024, compressor)
        for record in (b"abc", b"", b"edf"):
            writer.write(record)
        writer.flush()
        assert out.getvalue() == bytes.fromhex(GOLDEN[compressor])

    def test_a_file_honours_its_compressor(self, tmp_path, compressor):
        with recordio.File(tmp_path / "x.recordio", "w", compressor=compressor) as file:
            for record in (b"abc", b"", b"edf"):
                file.write(record)
        assert (tmp_path / "x.recordio").read_bytes() == bytes.fromhex(GOLDEN[compressor])

    def test_a_chunk_writes_the_originals_bytes(self, compressor):
        chunk = recordio.Chunk()
        for record in (b"abc", b"", b"edf"):
            chunk.add(record)
        out = io.BytesIO()
        assert chunk.write(out, compressor) is True
        assert out.getvalue() == bytes.fromhex(GOLDEN[compressor])

    def test_a_header_writes_the_originals_bytes(self, compressor):
        expected = bytes.fromhex(GOLDEN[compressor])
        header = recordio.Header.parse(io.BytesIO(expected), 0)
        out = io.BytesIO()
        header.write(out)
        assert out.getvalue() == expected[:20]


def test_gzip_is_written_under_the_originals_number(tmp_path):
    with recordio.File(tmp_path / "x.recordio", "w", compressor=Compressor.gzip) as file:
        file.write(b"abc" * 100)
    content = (tmp_path / "x.recordio").read_bytes()
    assert (content[12:16], content[20:23]) == (b"\3\0\0\0", b"\x1f\x8b\x08")
    assert len(content) < 100


@pytest.mark.parametrize("name", ["Writer", "writer"])
def test_a_writer_of_a_path_writes_what_go_reads(tmp_path, name):
    writer = getattr(recordio, name)(str(tmp_path / "x.recordio"))
    for record in (b"abc", b"", b"edf"):
        assert writer.write(record) is None
    writer.close()
    assert (tmp_path / "x.recordio").read_bytes() == bytes.fromhex(GO)

"""Tar files: as WebDataset and `tar` write them and read them, and as strict as a data set deserves."""

from __future__ import annotations

import gzip
import itertools
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo._convert._tar_members import encode_header, encode_member
from octavo.errors import (
    DamagedFileError,
    FormatError,
    OptionError,
    RecordSizeError,
    TruncatedError,
    UnknownFormatError,
    UnsupportedError,
)
from tests.convert import shelf
from tests.convert.archives import archive, files_of, sample

FORMATS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}
thorough = settings(max_examples=100, deadline=None, derandomize=True)


@thorough
@given(st.lists(st.one_of(st.binary(max_size=1100), st.sampled_from(shelf.HARD_RECORDS)), max_size=12))
def test_every_record_comes_back(records: list[bytes]) -> None:
    content = shelf.written("tar", records)
    assert shelf.read("tar", content) == records
    assert files_of(content) == [(f"{number:09d}.bin", record) for number, record in enumerate(records)]
    assert len(content) % 10240 == 0


names = st.text(st.characters(exclude_characters="\0", exclude_categories=()), min_size=1, max_size=150).filter(
    lambda name: not name.endswith("/") and all(not 0xD800 <= ord(one) <= 0xDFFF for one in name)
)


@thorough
@given(st.lists(st.tuples(names, st.binary(max_size=9)), max_size=6))
def test_names_come_back(files: list[tuple[str, bytes]]) -> None:
    content = shelf.written("tar", [record for _, record in files], [name for name, _ in files])
    assert shelf.names_in("tar", content, layout="files") == [name for name, _ in files]
    assert files_of(content) == files


@pytest.mark.parametrize("length", [99, 100, 101, 155, 256, 257, 990, 991, 5000])
def test_names_of_every_length_come_back(length: int) -> None:
    name = "folder/" * (length // 14) + "n" * (length - length // 14 * 7)
    content = shelf.written("tar", [b"x"], [name])
    assert shelf.names_in("tar", content) == [name]
    assert files_of(content) == [(name, b"x")]


def test_names_that_are_no_text_come_back(tmp_path: Path) -> None:
    odd = [b"\xff.bin".decode("utf-8", "surrogateescape"), b"\xfe".decode("utf-8", "surrogateescape") * 120]
    content = shelf.written("tar", [b"1", b"2"], odd)
    assert shelf.names_in("tar", content, layout="files") == odd
    assert [name for name, _ in files_of(content)] == odd
    if shutil.which("tar"):
        (tmp_path / "odd.tar").write_bytes(content)
        subprocess.run(["tar", "xf", "odd.tar"], cwd=tmp_path, check=True)
        assert (tmp_path / odd[0]).read_bytes() == b"1"
        assert (tmp_path / odd[1]).read_bytes() == b"2"


@pytest.mark.parametrize("name", ["", "folder/", "zero\0byte", "\ud800half", "x" * (600 << 10)])
def test_names_that_a_tar_cannot_hold_are_refused(name: str) -> None:
    with pytest.raises(FormatError, match="cannot hold a file with the name"):
        shelf.written("tar", [b""], [name])


@pytest.mark.parametrize("format", FORMATS)
def test_archives_of_others_are_read(format: str) -> None:
    files = [("a.bin", b""), ("folder/b.bin", b"x" * 511), ("c/" * 60 + "d.bin", b"y" * 512), ("é", b"z" * 513)]
    content = archive(
        files, FORMATS[format], mtime=1700000000.5 if format == "pax" else 1700000000, uid=1000, uname="me"
    )
    assert shelf.read("tar", content) == [record for _, record in files]
    assert shelf.names_in("tar", content) == [name for name, _ in files]


def test_what_tar_packs_is_read_and_what_is_written_tar_unpacks(tmp_path: Path) -> None:
    if shutil.which("tar") is None:
        pytest.skip("there is no program tar")
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    for name in ("a.txt", "deep/b.txt", "deep/" + "n" * 120):
        (folder / name).write_bytes(name.encode())
    for options in (["cf"], ["czf"], ["cf", "--format=pax"], ["cf", "--format=v7"]):
        listed = ["folder"] if options[-1] != "--format=v7" else ["folder/a.txt", "folder/deep/b.txt"]
        command = ["tar", options[0], "packed", *options[1:], *listed]
        subprocess.run(command, cwd=tmp_path, check=True, stderr=subprocess.DEVNULL)
        found = dict(
            zip(shelf.names_in("tar", tmp_path / "packed"), shelf.read("tar", tmp_path / "packed"), strict=True)
        )
        assert found == {
            f"folder/{name}": name.encode() for name in map(str, _below(folder)) if f"folder/{name}" in found
        }
        assert len(found) == (2 if options[-1] == "--format=v7" else 3)
    shelf.write("tar", tmp_path / "ours.tgz", [b"1", b"2"], ["out/x", "out/y/z"])
    subprocess.run(["tar", "xzf", "ours.tgz"], cwd=tmp_path, check=True)
    assert (tmp_path / "out/y/z").read_bytes() == b"2"


def _below(folder: Path) -> list[Path]:
    return [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]


def test_the_same_records_give_the_same_archive(tmp_path: Path) -> None:
    records, named = [b"1", b"2" * 700], ["a", "b" * 200]
    paths = [shelf.write("tar", tmp_path / name, records, named) for name in ("x.tar", "y.tar", "x.tar.gz", "y.tgz")]
    contents = [path.read_bytes() for path in paths]
    assert contents[0] == contents[1] == gzip.decompress(contents[2])
    assert contents[2] == contents[3]
    with tarfile.open(paths[0]) as tar:
        about = {(one.mtime, one.uid, one.gid, one.mode, one.uname, one.gname) for one in tar}
    assert about == {(0, 0, 0, 0o644, "", "")}


def test_headers_are_those_of_pythons_writer() -> None:
    for name, size in (("a", 0), ("folder/b.txt", 1), ("n" * 100, 0o77777777)):
        member = tarfile.TarInfo(name)
        member.size = size
        member.mode = 0o644
        theirs = member.tobuf(tarfile.USTAR_FORMAT)
        ours = encode_header(name.encode(), size)
        devices = slice(329, 345)  # some of its versions write zeros there, others nothing
        assert len(ours) == 512
        assert ours[:148] + ours[156:329] + ours[345:] == theirs[:148] + theirs[156:329] + theirs[345:]
        if theirs[devices] == bytes(16):
            assert ours == theirs


class TestParts:
    def test_a_part_is_that_part_of_all(self) -> None:
        records = [b"%d" % number for number in range(20)]
        content = shelf.written("tar", records)
        for start, stop in itertools.product(range(22), [None, *range(22)]):
            assert shelf.read("tar", content, start, stop) == records[start:stop]

    def test_a_part_of_samples(self) -> None:
        records = [sample(f"{number:03}", a=b"%d" % number, b=b"") for number in range(9)]
        content = shelf.written("tar", records, layout="samples")
        for start in range(10):
            assert shelf.read("tar", content, start, start + 2) == records[start : start + 2]

    def test_counting_remembers_where_records_are(self, tmp_path: Path) -> None:
        path = tmp_path / "many.tar.gz"
        records = [b"%d" % number for number in range(10_000)]
        shelf.write("tar", path, records)
        for one in (path, gzip.decompress(path.read_bytes())):
            source = shelf.source("tar", one)
            assert source.record_count is None
            assert source.count() == source.record_count == 10_000
            assert len(source._marks) == 3  # type: ignore[attr-defined]
            for start in (0, 4095, 4096, 9_999, 10_000):
                found = [record for block in source.blocks(start, start + 2) for record in block.records]
                assert found == records[start : start + 2]

    def test_shards_are_read_one_after_the_other(self, tmp_path: Path) -> None:
        paths = [shelf.write("tar", tmp_path / f"{shard}.tar", [b"%d" % shard] * shard) for shard in range(4)]
        source = shelf.source("tar", paths)
        assert source.total_bytes == sum(path.stat().st_size for path in paths)
        for _ in range(2):
            assert [b.records for b in source.blocks(2, 5)] == [[b"2", b"3", b"3"]]
            assert source.count() == 6
        assert list(source.blocks())[-1].position == source.total_bytes

    def test_a_key_does_not_reach_into_the_next_shard(self, tmp_path: Path) -> None:
        for name in ("x", "y"):
            (tmp_path / name).write_bytes(archive([("a.1", b"1"), ("a.2", b"2")]))
        assert len(shelf.read("tar", [tmp_path / "x", tmp_path / "y"])) == 2

    @pytest.mark.parametrize("most", [1, 700, 1 << 20])
    def test_a_pipe_is_read_once(self, most: int) -> None:
        records = [b"a" * 600, b"b", b"c" * 3000]
        source = shelf.source("tar", shelf.Once(shelf.written("tar", records), most))
        assert [block.records for block in source.blocks(1)] == [records[1:]]
        with pytest.raises(UnsupportedError, match="only once"):
            next(source.blocks())


class TestDamage:
    CONTENT = shelf.written("tar", [b"first", b"second" * 100, b"third"])
    END = 512 * (2 + 1 + 2 + 2)  # headers, and the blocks of three files

    def refused(self, content: bytes, kind: type[FormatError], match: str, tmp_path: Path) -> None:
        for name, stored in (("x.tar", content), ("x.tar.gz", gzip.compress(content, 1, mtime=0))):
            path = tmp_path / name
            path.write_bytes(stored)
            with pytest.raises(kind, match=match) as caught:
                shelf.read("tar", path)
            assert caught.value.path == str(path)
            with pytest.raises(kind, match=match):
                shelf.source("tar", path).count()

    def test_no_end_is_an_error_wherever_it_is_cut(self, tmp_path: Path) -> None:
        for cut in range(0, self.END, 128):
            with pytest.raises(TruncatedError):
                shelf.read("tar", self.CONTENT[:cut])
        self.refused(self.CONTENT[: self.END], TruncatedError, "without its end mark; something is missing", tmp_path)
        self.refused(b"", TruncatedError, "without its end mark", tmp_path)

    @pytest.mark.parametrize("size", [END + 512, END + 1024, END + 5000])
    def test_padding_may_be_short(self, size: int) -> None:
        assert len(shelf.read("tar", self.CONTENT[:size])) == 3

    def test_a_wrong_checksum_is_an_error(self, tmp_path: Path) -> None:
        damaged = bytearray(self.CONTENT)
        damaged[1024] ^= 1
        self.refused(bytes(damaged), DamagedFileError, "header at byte 1024 has a wrong checksum", tmp_path)

    @pytest.mark.parametrize("content", [b"not an archive" * 100, b"PAR1" + bytes(1000), bytes(range(256)) * 8])
    def test_other_bytes_are_no_archive(self, content: bytes, tmp_path: Path) -> None:
        self.refused(content, UnknownFormatError, "not a tar file", tmp_path)

    def test_joined_archives_are_an_error(self, tmp_path: Path) -> None:
        self.refused(self.CONTENT + self.CONTENT, DamagedFileError, "something follows the end", tmp_path)

    def test_zeros_without_end_are_no_empty_archive(self, tmp_path: Path) -> None:
        assert shelf.read("tar", bytes(10240)) == []
        self.refused(bytes(3 << 20), DamagedFileError, "zeros follow the end of the archive at byte 0", tmp_path)

    def test_a_cut_gzip_file_is_an_error(self, tmp_path: Path) -> None:
        path = tmp_path / "x.tar.gz"
        zipped = gzip.compress(self.CONTENT)
        path.write_bytes(zipped[:-5])
        with pytest.raises(TruncatedError, match="gzip stream is cut off"):
            shelf.read("tar", path)
        path.write_bytes(zipped[:-8] + b"wrong" + zipped[-3:])
        with pytest.raises(DamagedFileError, match="gzip stream is damaged"):
            shelf.read("tar", path)

    def test_a_member_has_a_limit(self, tmp_path: Path) -> None:
        self.refused(encode_header(b"huge", 1 << 31), RecordSizeError, "member 'huge' has 2147483648 bytes", tmp_path)  # type: ignore[arg-type]

    def test_every_changed_bit_of_a_header_is_noticed(self) -> None:
        content = b"".join(encode_member("name.txt", b"content", "")) + bytes(1024)
        for bit in range(512 * 8):
            changed = bytearray(content)
            changed[bit // 8] ^= 1 << bit % 8
            try:
                found = shelf.names_in("tar", bytes(changed), layout="files")
            except FormatError:
                continue
            assert found == ["name.txt"], f"bit {bit}"  # a changed space of the checksum's field changes nothing


def test_wrong_options_are_refused() -> None:
    with pytest.raises(OptionError, match="layout 'rows' is none of: auto, files, samples"):
        shelf.source("tar", b"", layout="rows")
    with pytest.raises(OptionError, match="tar has no such options: column"):
        shelf.source("tar", b"", column="x")
    with pytest.raises(OptionError, match="suffix '/x' is not the end"):
        shelf.written("tar", [], suffix="/x")


def test_a_suffix_can_be_chosen() -> None:
    assert shelf.names_in("tar", shelf.written("tar", [b"", b""], suffix=".jpg")) == ["000000000.jpg", "000000001.jpg"]

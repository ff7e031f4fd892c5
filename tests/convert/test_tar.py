"""Tar files: as WebDataset and `tar` write them and read them, and as strict as a data set deserves."""

from __future__ import annotations

import gzip
import io
import itertools
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import _tf_example
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

FORMATS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}
thorough = settings(max_examples=100, deadline=None, derandomize=True)


def archive(files: list[tuple[str, bytes]], format: int = tarfile.PAX_FORMAT, **about: Any) -> bytes:
    """What Python's own writer makes of files."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=format) as tar:
        for name, content in files:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            for key, value in about.items():
                setattr(member, key, value)
            tar.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def files_of(content: bytes) -> list[tuple[str, bytes]]:
    """What Python's own reader finds."""
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        members = [(member.name, tar.extractfile(member)) for member in tar]
        return [(name, file.read()) for name, file in members if file is not None]


def sample(key: str, **files: bytes) -> bytes:
    features = {"__key__": [key.encode()]} | {name: [content] for name, content in files.items()}
    return _tf_example.encode(features)


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
    content = archive(files, FORMATS[format], mtime=1700000000.5 if format == "pax" else 1700000000, uid=1000, uname="me")
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
        found = dict(zip(shelf.names_in("tar", tmp_path / "packed"), shelf.read("tar", tmp_path / "packed"), strict=True))
        assert found == {f"folder/{name}": name.encode() for name in map(str, _below(folder)) if f"folder/{name}" in found}
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


class TestLayouts:
    SAMPLES = [("a/1.jpg", b"J1"), ("a/1.json", b"{}"), ("a/2.jpg", b"J2"), ("a/2.seg.png", b"P2"), ("a/2.json", b"[]")]

    def test_files_that_share_a_key_are_a_sample(self) -> None:
        records = shelf.read("tar", archive(self.SAMPLES))
        assert [_tf_example.parse(record) for record in records] == [
            {"__key__": [b"a/1"], "jpg": [b"J1"], "json": [b"{}"]},
            {"__key__": [b"a/2"], "jpg": [b"J2"], "json": [b"[]"], "seg.png": [b"P2"]},
        ]
        assert list(shelf.source("tar", archive(self.SAMPLES)).blocks())[0].names is None

    def test_samples_come_back(self) -> None:
        records = shelf.read("tar", archive(self.SAMPLES), layout="samples")
        content = shelf.written("tar", records, layout="samples")
        assert shelf.read("tar", content, layout="samples") == records
        assert sorted(files_of(content)) == sorted(self.SAMPLES)

    keys = st.from_regex(r"\A([a-z.]{1,3}/){0,2}[^./\x00-\x1f]{1,3}\Z")
    extensions = st.from_regex(r"\A[^/\x00]{0,4}\Z").filter(lambda text: text.isprintable() and text != "__key__")

    @thorough
    @given(st.lists(st.tuples(keys, st.dictionaries(extensions, st.binary(max_size=5), min_size=1)), max_size=5))
    def test_every_sample_comes_back(self, samples: list[tuple[str, dict[str, bytes]]]) -> None:
        distinct = [one for one, before in zip(samples, [("", {}), *samples], strict=False) if one[0] != before[0]]
        distinct = [one for index, one in enumerate(distinct) if not index or distinct[index - 1][0] != one[0]]
        records = [sample(key, **files) for key, files in distinct]
        assert shelf.read("tar", shelf.written("tar", records, layout="samples"), layout="samples") == records

    def test_a_record_is_a_file_if_one_asks_for_files(self) -> None:
        assert shelf.read("tar", archive(self.SAMPLES), layout="files") == [content for _, content in self.SAMPLES]
        assert shelf.names_in("tar", archive(self.SAMPLES), layout="files") == [name for name, _ in self.SAMPLES]

    def test_one_file_for_each_key_at_the_beginning_means_files(self) -> None:
        files = [("a.txt", b"1"), ("b.txt", b"2"), ("c", b"3"), ("c", b"4"), (".d", b"5"), (".d", b"6")]
        assert shelf.read("tar", archive(files)) == [content for _, content in files]

    def test_a_single_file_is_a_file(self) -> None:
        assert shelf.read("tar", [archive([("a.txt", b"1")])][0]) == [b"1"]

    def test_a_key_that_comes_twice_later_names_the_option(self) -> None:
        files = [("a.txt", b"1"), ("b.txt", b"2"), ("c.txt", b"3"), ("c.json", b"4")]
        with pytest.raises(OptionError, match=r"'c\.txt' and 'c\.json' share a key.*layout='files'.*layout='samples'"):
            shelf.read("tar", archive(files))
        with pytest.raises(OptionError, match="share a key"):
            shelf.source("tar", archive(files)).count()
        assert len(shelf.read("tar", archive(files), layout="samples")) == 3

    @pytest.mark.parametrize("name", ["README", "a/.hidden", "a.b/c", "x.__key__", b"x.\xff".decode("utf-8", "surrogateescape")])
    def test_a_file_that_fits_no_sample_is_refused(self, name: str) -> None:
        with pytest.raises(FormatError, match="cannot be part of a sample.*layout='files'"):
            shelf.read("tar", archive([("0.txt", b""), (name, b"")]), layout="samples")

    def test_an_extension_that_comes_twice_is_refused(self) -> None:
        with pytest.raises(FormatError, match=r"'a\.txt' comes twice"):
            shelf.read("tar", archive([("a.txt", b"1"), ("a.txt", b"2")]))

    @pytest.mark.parametrize(
        ("record", "reason"),
        [
            (b"anything", "not an example"),
            (_tf_example.encode({"txt": [b"x"]}), "__key__"),
            (_tf_example.encode({"__key__": [b"a"]}), "something besides"),
            (_tf_example.encode({"__key__": [b"a", b"b"], "txt": [b"x"]}), "__key__"),
            (_tf_example.encode({"__key__": [1], "txt": [b"x"]}), "__key__"),
            (sample("a.b", txt=b""), "not be read as key"),
            (sample("a/", txt=b""), "not be read as key"),
            (sample("", txt=b""), "not be read as key"),
            (_tf_example.encode({"__key__": [b"a"], "b/c": [b"x"]}), "not be read as key"),
            (_tf_example.encode({"__key__": [b"a"], "label": [1]}), "'label' is not one string"),
            (_tf_example.encode({"__key__": [b"a"], "txt": [b"x", b"y"]}), "'txt' is not one string"),
            (_tf_example.encode({"__key__": [b"a"], "txt": []}), "'txt' is not one string"),
            (sample("first", txt=b"again"), "which it would join"),
        ],
    )
    def test_a_record_that_would_not_come_back_is_refused(self, record: bytes, reason: str) -> None:
        with pytest.raises(FormatError, match=f"record 1 is not a sample: .*{reason}.*layout='files'"):
            shelf.written("tar", [sample("first", txt=b""), record], layout="samples")

    def test_features_in_another_order_are_refused(self) -> None:
        one, two = (_tf_example.encode({name: [b"x"]})[2:] for name in ("__key__", "txt"))
        swapped = b"\n" + bytes([len(one) + len(two)]) + two + one
        assert list(_tf_example.parse(swapped)) == ["txt", "__key__"]
        with pytest.raises(FormatError, match="order of their names"):
            shelf.written("tar", [swapped], layout="samples")


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


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # it leaves closing to the garbage collector
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
class TestWebdataset:
    """The package itself, where it is installed."""

    def test_what_it_writes_is_read(self, tmp_path: Path) -> None:
        webdataset = pytest.importorskip("webdataset")
        with webdataset.TarWriter(str(tmp_path / "x.tar")) as writer:
            for number in range(3):
                writer.write({"__key__": f"sample{number}", "txt": f"text {number}", "json": {"n": number}})
        found = [_tf_example.parse(record) for record in shelf.read("tar", tmp_path / "x.tar")]
        assert found[2] == {"__key__": [b"sample2"], "txt": [b"text 2"], "json": [b'{"n": 2}']}

    def test_it_reads_what_is_written(self, tmp_path: Path) -> None:
        webdataset = pytest.importorskip("webdataset")
        records = [sample(f"s{number}", txt=b"text %d" % number, cls=b"7") for number in range(3)]
        shelf.write("tar", tmp_path / "x.tar", records, layout="samples")
        data = webdataset.WebDataset(str(tmp_path / "x.tar"), shardshuffle=False)
        assert [(one["__key__"], one["txt"], one["cls"]) for one in data] == [
            (f"s{number}", b"text %d" % number, b"7") for number in range(3)
        ]
        shelf.write("tar", tmp_path / "files.tar", [b"1", b"2"])
        data = webdataset.WebDataset(str(tmp_path / "files.tar"), shardshuffle=False)
        assert [(one["__key__"], one["bin"]) for one in data] == [("000000000", b"1"), ("000000001", b"2")]


def test_wrong_options_are_refused() -> None:
    with pytest.raises(OptionError, match="layout 'rows' is none of: auto, files, samples"):
        shelf.source("tar", b"", layout="rows")
    with pytest.raises(OptionError, match="tar has no such options: column"):
        shelf.source("tar", b"", column="x")
    with pytest.raises(OptionError, match="suffix '/x' is not the end"):
        shelf.written("tar", [], suffix="/x")


def test_a_suffix_can_be_chosen() -> None:
    assert shelf.names_in("tar", shelf.written("tar", [b"", b""], suffix=".jpg")) == ["000000000.jpg", "000000001.jpg"]

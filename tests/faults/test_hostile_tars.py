"""Archives made to do harm: whatever they say, nothing outside the target is touched, and it is told harmlessly."""

from __future__ import annotations

import os
import random
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from octavo._convert import _foreign
from octavo._convert._tar_members import encode_header, encode_member
from octavo.cli._terminal import harmless
from octavo.errors import (
    AlreadyExistsError,
    DamagedFileError,
    FormatError,
    OctavoError,
    RecordSizeError,
    StorageError,
    TruncatedError,
    UnsupportedError,
)
from tests.convert import shelf

END = bytes(1024)


def member(name: str, content: bytes = b"harm") -> bytes:
    return b"".join(encode_member(name, content, "test"))


def special(name: str, kind: bytes, target: str = "", size: int = 0) -> bytes:
    """A member that is no file, as Python's own writer makes it."""
    about = tarfile.TarInfo(name)
    about.type, about.linkname, about.size = kind, target, size
    return about.tobuf(tarfile.GNU_FORMAT)


def pax(records: bytes, kind: bytes = b"x") -> bytes:
    return encode_header(b"pax", len(records), kind) + records + bytes(-len(records) % 512)


def pax_record(key: bytes, value: bytes) -> bytes:
    length = len(key) + len(value) + 3
    while len(b"%d" % length) + len(key) + len(value) + 3 != length:
        length += 1
    return b"%d %b=%b\n" % (length, key, value)


def with_size(field: bytes) -> bytes:
    """A file whose size is written like this."""
    header = bytearray(encode_header(b"file", 0))
    header[124:136] = field
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


@pytest.fixture
def yard(tmp_path: Path) -> Path:
    """A folder with something precious beside the target."""
    (tmp_path / "precious").write_bytes(b"precious")
    return tmp_path


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def unpack(content: bytes, folder: Path, *, overwrite: bool = False) -> None:
    """From the archive into a folder, as a conversion does it."""
    source = _foreign.open_source("tar", content, layout="files")
    sink = _foreign.open_sink("folder", str(folder), overwrite=overwrite)
    try:
        for block in source.blocks():
            sink.write(block)
        sink.close()
    except BaseException:
        sink.abort()
        raise


def refused(content: bytes, yard: Path, kind: type[OctavoError]) -> str:
    """The message of the refusal; nothing is there afterwards that was not before."""
    before = everything(yard)
    with pytest.raises(kind) as caught:
        unpack(content, yard / "target")
    assert everything(yard) == before
    assert not (yard / "target").exists()
    assert not (yard / "target.partial").exists()
    told = harmless(str(caught.value))
    assert told.isprintable()
    assert len(told) < 1000
    return told


OUTSIDE = [
    "/absolute",
    "//absolute",
    "../precious",
    "a/../../precious",
    "a/..",
    "..",
    ".",
    "./../precious",
    ".//../precious",
    "a/./b",
    "a//b",
    "../" * 300 + "precious",
    "a/" * 300 + "b",
    "x" * 256,
    "folder/" + "x" * 256 + "/y",
]


@pytest.mark.parametrize("name", OUTSIDE, ids=range(len(OUTSIDE)))
def test_names_that_lead_elsewhere_are_refused(name: str, yard: Path) -> None:
    refused(member("good") + member(name) + END, yard, FormatError)


def test_a_name_of_the_outside_is_refused_where_it_would_exist(yard: Path) -> None:
    refused(member(str(yard / "precious")) + END, yard, FormatError)
    assert (yard / "precious").read_bytes() == b"precious"


def test_names_of_a_hundred_kilobytes_are_refused_in_a_line(yard: Path) -> None:
    told = refused(member("x" * 100_000) + END, yard, FormatError)
    assert "too long" in told
    refused(member("x/" * 50_000 + "y") + END, yard, FormatError)


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (tarfile.SYMTYPE, "a symbolic link"),
        (tarfile.LNKTYPE, "a hard link"),
        (tarfile.CHRTYPE, "a character device"),
        (tarfile.BLKTYPE, "a block device"),
        (tarfile.FIFOTYPE, "a pipe"),
        (tarfile.GNUTYPE_SPARSE, "a sparse file"),
        (b"M", "the rest of a file of another volume"),
        (b"V", "the name of a volume"),
        (b"D", "a list of a folder's files"),
        (b"Z", "of the unknown type b'Z'"),
    ],
)
def test_what_is_no_file_is_refused_and_never_made(kind: bytes, what: str, yard: Path) -> None:
    told = refused(member("good") + special("evil", kind, "../precious") + END, yard, UnsupportedError)
    assert f"member 'evil' is {what}, which cannot be a record" in told


def test_a_link_and_a_file_behind_it_write_nothing(yard: Path) -> None:
    refused(special("door", tarfile.SYMTYPE, "..") + member("door/precious") + END, yard, UnsupportedError)
    refused(special("door", tarfile.LNKTYPE, "/etc/passwd") + member("door") + END, yard, UnsupportedError)


def test_links_in_the_target_are_not_followed(yard: Path) -> None:
    target = yard / "target"
    (yard / "outside").mkdir()
    target.mkdir()
    (target / "door").symlink_to(yard / "outside")
    (target / "file").symlink_to(yard / "precious")
    with pytest.raises(StorageError, match="links are not followed"):
        unpack(member("door/evil") + END, target, overwrite=True)
    unpack(member("file", b"new") + END, target, overwrite=True)
    assert (yard / "precious").read_bytes() == b"precious"
    assert os.listdir(yard / "outside") == []
    assert (target / "file").read_bytes() == b"new"
    assert not (target / "file").is_symlink()


def test_folders_make_nothing_and_lead_nowhere(yard: Path) -> None:
    folders = [special(name, tarfile.DIRTYPE) for name in ("../evil", "/evil", "plain", "x" * 90)]
    unpack(b"".join(folders) + member("file") + END, yard / "target")
    assert everything(yard) == {"precious": b"precious", "target/file": b"harm"}


CONTROL = ["\x1b[2J\x1b[31mred", "line\nbreak", "back\b\b\bspace", "\r>>> ok", "\u202etxt.exe", "\x9b1m", "tab\t"]


@pytest.mark.parametrize("name", CONTROL, ids=range(len(CONTROL)))
def test_control_characters_are_kept_in_names_and_told_harmlessly(name: str, yard: Path) -> None:
    unpack(member(name) + END, yard / "target")
    assert os.listdir(yard / "target") == [name]
    (yard / "target" / name).unlink()
    (yard / "target").rmdir()
    refused(special(name, tarfile.SYMTYPE) + END, yard, UnsupportedError)
    refused(member(name) + member(name) + END, yard, AlreadyExistsError)
    refused(member(f"../{name}") + END, yard, FormatError)
    refused(encode_header(name.encode(), 1 << 32) + END, yard, RecordSizeError)


def test_a_zero_byte_in_a_long_name_is_refused(yard: Path) -> None:
    told = refused(pax(pax_record(b"path", b"good\0../evil")) + member("x") + END, yard, DamagedFileError)
    assert "no possible name" in told


def test_a_file_that_is_called_like_a_folder_is_refused(yard: Path) -> None:
    told = refused(encode_header(b"folder/", 4) + b"harm".ljust(512, b"\0") + END, yard, DamagedFileError)
    assert "no possible name for a file: 'folder/'" in told


def test_names_that_come_twice_are_refused(yard: Path) -> None:
    refused(member("same", b"1") + member("same", b"2") + END, yard, AlreadyExistsError)
    refused(member("same") + member("same/inner") + END, yard, StorageError)
    refused(member("same/inner") + member("same") + END, yard, StorageError)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (with_size(b"77777777777\0") + END, RecordSizeError),
        (with_size(b"\x80" + b"\xff" * 11) + END, RecordSizeError),
        (with_size(b"\x80" + bytes(3) + (2_000_000_000).to_bytes(8, "big")) + END, TruncatedError),
        (with_size(b"00000002000\0") + END[:512], TruncatedError),
        (with_size(b"\xff" * 12) + END, DamagedFileError),
        (with_size(b"\xff" * 8 + b"\0\0\0\1") + END, DamagedFileError),
        (with_size(b"-0000000001\0") + END, DamagedFileError),
        (with_size(b"0x000000010\0") + END, DamagedFileError),
        (with_size(b"00000_00010\0") + END, DamagedFileError),
        (with_size(b"00000000009\0") + END, DamagedFileError),
        (with_size(b"0000 000010\0") + END, DamagedFileError),
        (pax(pax_record(b"size", b"-1")) + member("x") + END, DamagedFileError),
        (pax(pax_record(b"size", b"1e9")) + member("x") + END, DamagedFileError),
        (pax(pax_record(b"size", b"9" * 5000)) + member("x") + END, DamagedFileError),
        (pax(pax_record(b"size", b"9" * 18)) + member("x") + END, RecordSizeError),
        (pax(pax_record(b"size", b"2000000000")) + member("x") + END, TruncatedError),
    ],
    ids=range(16),
)
def test_impossible_sizes_are_refused(content: bytes, kind: type[OctavoError], yard: Path) -> None:
    refused(content, yard, kind)
    with pytest.raises(kind):
        _foreign.open_source("tar", content).count()


@pytest.mark.parametrize(
    "records",
    [
        b"nonsense",
        b"5 a=b\n",
        b"7 a=b\n",
        b"6 ab\n\n",
        b"99999 a=b\n",
        b"0 a=b\n",
        b"-6 a=b\n",
        b"6 a=b",
        b"6 =ab\n",
        b"999999999999 a=b\n",
        b"6 a=b\n\n",
        b" 6 a=b\n",
    ],
)
def test_nonsense_in_an_extended_header_is_refused(records: bytes, yard: Path) -> None:
    told = refused(pax(records) + member("x") + END, yard, DamagedFileError)
    assert "PAX header that cannot be read" in told


def test_sparse_files_in_every_dialect_are_refused(yard: Path) -> None:
    for key in (b"GNU.sparse.major", b"GNU.sparse.size", b"GNU.sparse.map", b"GNU.sparse.realsize"):
        refused(pax(pax_record(key, b"1")) + member("x") + END, yard, UnsupportedError)


def test_one_name_for_all_files_is_refused(yard: Path) -> None:
    refused(pax(pax_record(b"path", b"same"), b"g") + member("x") + END, yard, DamagedFileError)
    unpack(pax(pax_record(b"comment", b"a commit"), b"g") + member("x") + END, yard / "target")
    assert os.listdir(yard / "target") == ["x"]


def test_an_extended_header_without_a_file_is_refused(yard: Path) -> None:
    refused(pax(pax_record(b"path", b"lost")) + END, yard, DamagedFileError)
    refused(pax(pax_record(b"path", b"lost")), yard, TruncatedError)


def test_what_is_said_about_a_folder_is_not_said_about_the_next_file() -> None:
    content = pax(pax_record(b"path", b"folder/")) + special("x", tarfile.DIRTYPE) + member("file") + END
    assert shelf.names_in("tar", content) == ["file"]


def test_a_prefix_cannot_lead_out(yard: Path) -> None:
    header = bytearray(encode_header(b"precious", 4))
    header[345:347] = b".."
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    refused(bytes(header) + b"evil".ljust(512, b"\0") + END, yard, FormatError)


SOUND = member("a") + pax(pax_record(b"path", b"b" * 200)) + member("c") + special("d", b"5") + END
HEADERS = [at for at in range(len(SOUND)) if at // 512 in {0, 2, 4, 6}]


@pytest.mark.parametrize("places", [HEADERS, range(len(SOUND))], ids=["headers", "anywhere"])
def test_noise_is_refused_or_changes_what_no_checksum_covers(places: Sequence[int], yard: Path) -> None:
    noise = random.Random(7)
    refusals = 0
    for _ in range(300):
        changed = bytearray(SOUND)
        for _ in range(noise.randrange(1, 8)):
            changed[noise.choice(places)] = noise.randrange(256)
        told = ""
        try:
            names = shelf.names_in("tar", bytes(changed), layout="files")
        except OctavoError as error:
            told = harmless(str(error))
            refusals += 1
        assert told or places is not HEADERS or names == ["a", "b" * 200]
        assert told.isprintable()
    assert refusals > 100
    assert everything(yard) == {"precious": b"precious"}

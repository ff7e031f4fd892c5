"""`ffrecord.FileReader` over files that are deleted, moved or changed while they are open."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from octavo.compat.ffrecord import FileReader
from tests.naive import ffrecord as naive

RECORDS = [b"abc", b"", b"edf", bytes(range(256)), b"last"]
WAYS: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "renamed": lambda path: path.rename(f"{path}.old"),
    "read-only": lambda path: path.chmod(0o444),
    "linked": lambda path: Path(f"{path}.link").hardlink_to(path),
    "replaced": lambda path: os.replace(path.with_name("other"), path),
}


@pytest.fixture
def paths(write_file: Callable[..., Path]) -> list[Path]:
    write_file([b"other"] * 2, "other")
    return [write_file(RECORDS, "a.ffr"), write_file(RECORDS[::-1], "b.ffr")]


def first_line(caught: pytest.ExceptionInfo[BaseException]) -> str:
    return str(caught.value).splitlines()[0]


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("check_data", [True, False])
@pytest.mark.parametrize("count", [1, 2])
def test_open_files_stay_what_they_are(paths, how, check_data, count):
    reader = FileReader(paths[:count], check_data)
    WAYS[how](paths[0])
    assert [one.tobytes() for one in reader.read(range(5))] == RECORDS
    assert reader.read_one(4).tobytes() == b"last"
    reader.validate()
    assert reader.get_offsets(0).tolist() == [72, 75, 75, 78, 334, 338]
    assert reader.get_checksums(0).tolist() == list(naive.NaiveFile(naive.encode(RECORDS)).checksums)


def test_offsets_and_checksums_are_made_once(paths):
    reader = FileReader(paths)
    for get in (reader.get_offsets, reader.get_checksums):
        first = get(1)
        expected = first.tolist()
        first[:] = 0
        assert get(1).tolist() == get(-1).tolist() == expected
        with pytest.raises(IndexError):
            get(2)


def test_a_closed_reader_knows_what_it_was_asked_for_and_looks_up_the_rest(paths):
    reader = FileReader(paths, check_data=False)
    offsets = reader.get_offsets(0)
    reader.close()
    reader.validate()
    assert reader.get_checksums(1).tolist() == reader.get_checksums(0).tolist()[::-1]
    for path in paths:
        path.unlink()
    assert reader.get_offsets(0).tolist() == offsets.tolist()
    with pytest.raises(RuntimeError, match=r"^'fd > 0' failed\. Failed to open file .*a\.ffr\n"):
        reader.validate()


def test_the_metadata_of_another_file_is_not_taken_for_that_of_a_closed_one(paths):
    reader = FileReader(paths[0])
    reader.close()
    WAYS["replaced"](paths[0])
    for look in (reader.validate, lambda: reader.get_offsets(0)):
        with pytest.raises(RuntimeError, match=r"^'checksum == checksum_meta' failed\. .*\n.* 5 records .* 2$"):
            look()


@pytest.mark.parametrize("number", [9, -1])
def test_damage_that_comes_later_has_the_line_of_damage(write_file, number):
    path = write_file([bytes(100)] * 10)
    reader = FileReader(path)
    with path.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"?")
    for read in (reader.read_one, lambda number: reader.read([0, number])):
        with pytest.raises(RuntimeError, match="written to while it was open") as caught:
            read(number)
        assert first_line(caught) == "'checksum2 == checksum' failed. Sample 9: checksum mismached!"
    assert reader.read_one(8).tobytes() == bytes(100)


@pytest.mark.parametrize("check_data", [True, False])
def test_a_file_that_is_cut_off_later_has_the_line_of_short_reads(write_file, check_data):
    path = write_file([b"x" * 100] * 10)
    reader = FileReader(path, check_data)
    os.truncate(path, 400)
    for read in (reader.read_one, lambda number: reader.read([number])):
        with pytest.raises(RuntimeError, match="truncated while it was open") as caught:
            read(5)
        assert first_line(caught).startswith("'res == len_i' failed. Sample 5: ")


def test_parents_of_links_are_those_of_what_they_lead_to(working_folder, write_file):
    write_file([b"right"], "other/q.ffr")
    write_file([b"wrong"], "q.ffr")
    (working_folder / "other" / "deep").mkdir()
    (working_folder / "link").symlink_to("other/deep")
    for fname in ("link/../q.ffr", "link/.."):
        assert FileReader(fname).read_one(0).tobytes() == b"right"

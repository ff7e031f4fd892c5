"""`octavo ls`."""

from __future__ import annotations

import os

import pytest

from octavo import create
from tests.unit.layouts import LAYOUTS

RECORDS = [f"record {number}".encode() for number in range(50)]


def test_a_file_is_a_line(octavo, tmp_path):
    path = LAYOUTS["ffrecord"].write(tmp_path / "some", RECORDS)
    assert octavo("ls", "some.ffr").stdout == b"50  %d  ffrecord  some.ffr\n" % path.stat().st_size


def test_several_files_have_a_total(octavo, tmp_path):
    paths = [layout.write(tmp_path / name, RECORDS) for name, layout in LAYOUTS.items()]
    lines = [line.split() for line in octavo("ls", *[path.name for path in paths]).lines]
    assert [line[0] for line in lines] == ["50"] * len(paths) + [str(50 * len(paths))]
    assert [int(line[1]) for line in lines[:-1]] == [path.stat().st_size for path in paths]
    assert [line[2] for line in lines[:-1]] == [layout.format for layout in LAYOUTS.values()]
    assert [line[3] for line in lines[:-1]] == [path.name for path in paths]
    assert lines[-1][1:] == [str(sum(path.stat().st_size for path in paths)), "total"]


def test_ffrecord_files_are_counted_without_their_indexes(octavo, tmp_path):
    for at in range(20):
        LAYOUTS["ffrecord"].write(tmp_path / f"{at:02}", RECORDS[: at + 1])
    (tmp_path / "19.ffr").write_bytes((tmp_path / "19.ffr").read_bytes()[:24] + bytes(1000))
    rows = octavo("ls", ".", "--json").json
    assert [row["records"] for row in rows] == [*range(1, 21)]
    assert [row["bytes"] for row in rows[:3]] == [(tmp_path / f"{at:02}.ffr").stat().st_size for at in range(3)]


def test_json_is_a_list_without_a_total(octavo, tmp_path):
    first = LAYOUTS["tfrecord"].write(tmp_path / "first", RECORDS)
    second = LAYOUTS["ffrecord"].write(tmp_path / "second", [])
    assert octavo("ls", "--json", "first.tfrecord", "second.ffr").json == [
        {"path": "first.tfrecord", "records": 50, "bytes": first.stat().st_size, "format": "tfrecord", "error": None},
        {"path": "second.ffr", "records": 0, "bytes": second.stat().st_size, "format": "ffrecord", "error": None},
    ]


def test_files_that_cannot_be_opened_do_not_keep_others_from_being_listed(octavo, tmp_path):
    LAYOUTS["ffrecord"].write(tmp_path / "good", RECORDS)
    (tmp_path / "bad.ffr").write_bytes(b"nonsense" * 10)
    done = octavo("ls", "bad.ffr", "good.ffr", "missing.ffr", "no*match", check=1)
    assert [line.split()[-1] for line in done.lines] == ["good.ffr"]
    told = done.stderr.splitlines()
    assert len(told) == 3
    assert all(line.startswith("octavo: ") for line in told)
    rows = octavo("ls", "--json", "bad.ffr", "good.ffr", check=1).json
    assert [(row["path"], row["records"], row["error"] is None) for row in rows] == [
        ("good.ffr", 50, True),
        ("bad.ffr", None, False),
    ]


def test_names_are_shown_harmlessly(octavo, tmp_path):
    with create(
        os.path.join(os.fsencode(tmp_path), b"a\x1b[31m\nb\xff.ffr").decode("utf-8", "surrogateescape")
    ) as writer:
        writer.write(b"x")
    assert octavo("ls", ".").text.endswith("  ffrecord  a\\x1b[31m\\x0ab\\xff.ffr\n")
    assert octavo("ls", ".", "--json").json[0]["path"] == "a\x1b[31m\nb\udcff.ffr"


def test_files_below_the_working_directory_are_named_from_there(octavo, tmp_path):
    LAYOUTS["ffrecord"].write(tmp_path / "below" / "some", RECORDS)
    assert octavo("ls", "below").lines[0].endswith("  below/some.ffr")
    assert octavo("ls", tmp_path / "below").lines[0].endswith("  below/some.ffr")


def test_a_packed_folder_is_listed_by_its_paths(octavo, tmp_path):
    pack = pytest.importorskip("octavo._folder").pack
    (tmp_path / "tree" / "deep").mkdir(parents=True)
    (tmp_path / "tree" / "a.txt").write_bytes(b"12345")
    (tmp_path / "tree" / "deep" / "b.bin").write_bytes(bytes(1000))
    for name in ("tree.ffr", "tree.array_record"):
        pack(tmp_path / "tree", tmp_path / name)
        assert octavo("ls", "--packed", name).lines == ["   5  a.txt", "1000  deep/b.bin"]
        assert octavo("ls", "--packed", "--json", name).json == [
            {"path": "a.txt", "bytes": 5},
            {"path": "deep/b.bin", "bytes": 1000},
        ]


def test_what_is_not_a_packed_folder_is_told(octavo, tmp_path):
    LAYOUTS["ffrecord"].write(tmp_path / "some", RECORDS)
    assert "not a packed folder" in octavo("ls", "--packed", "some.ffr", check=1).stderr
    assert octavo("ls", "--packed", "some.ffr", "some.ffr", check=2).stdout == b""

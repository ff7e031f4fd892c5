"""`octavo manifest`: what it lists, and that the list opens as what it lists."""

from __future__ import annotations

import json

import pytest

RECORDS = [f"record {number}".encode() for number in range(90)]


@pytest.fixture
def shards(write_file):
    """Three files of records."""
    for number in range(3):
        write_file(RECORDS[30 * number : 30 * number + 30], f"data/x-0000{number}-of-00003.ffr")
    return "data/x@3.ffr"


def test_it_opens_as_what_it_lists(octavo, shards, tmp_path):
    assert octavo("manifest", shards, "data/all.octm").lines == ["data/all.octm: 90 records in 3 files"]
    assert octavo("count", "data/all.octm").text == "90\n"
    assert octavo("get", "data/all.octm", 89).lines == ["record 89"]
    assert octavo("diff", "data/all.octm", shards).lines == ["same: 90 records"]
    content = json.loads((tmp_path / "data" / "all.octm").read_text())
    assert content["paths"] == [f"x-0000{number}-of-00003.ffr" for number in range(3)]
    assert content["records"] == [30, 30, 30]


def test_it_can_be_moved_with_its_files(octavo, shards, tmp_path):
    octavo("manifest", shards, "data/all.octm")
    (tmp_path / "data").rename(tmp_path / "elsewhere")
    assert octavo("count", "elsewhere/all.octm").text == "90\n"


@pytest.mark.usefixtures("shards")
def test_several_paths_in_their_order(octavo):
    result = octavo("manifest", "data/x-00002-of-00003.ffr", "data/x-00000-of-00003.ffr", "some.octm", "--json").json
    assert (result["files"], result["records"]) == (2, 60)
    assert octavo("get", "some.octm", 0).lines == ["record 60"]


def test_it_is_written_anew(octavo, shards):
    octavo("manifest", shards, "all.octm")
    octavo("manifest", "data/x-00000-of-00003.ffr", "all.octm")
    assert octavo("count", "all.octm").text == "30\n"


@pytest.mark.usefixtures("shards")
@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["none.ffr", "all.octm"], 1, "none.ffr"),
        (["data/x@4.ffr", "all.octm"], 1, "missing"),
        (["data", "all.json"], 2, ".octm"),
        (["data", "-"], 2, "'-' is none"),
        (["-", "all.octm"], 2, "'-' is none"),
        (["data", "no/such/folder/all.octm"], 1, "cannot write"),
    ],
)
def test_what_cannot_be_leaves_nothing(octavo, tmp_path, arguments, status, told):
    result = octavo("manifest", *arguments, check=status)
    assert result.stdout == b""
    assert told in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["data"]

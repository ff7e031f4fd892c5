"""Exporting, the only thing that writes, and verifying."""

from __future__ import annotations

import json

import pytest

import octavo
from octavo.viewer import _export
from tests.settling import comes_true
from tests.viewer.server.test_find import StuckHalfway

RECORDS = [b"record %d." % at for at in range(3000)]


@pytest.fixture
def client(view, tmp_path):
    with octavo.create(tmp_path / "a.ffr") as writer:
        writer.write_many(RECORDS)
    (tmp_path / "out").mkdir()
    return view(tmp_path / "a.ffr", export_folder=tmp_path / "out")


@pytest.mark.parametrize("format", ["ffrecord", "array_record", "recordio", "tfrecord", "riegeli"])
def test_a_selection_becomes_a_file(client, tmp_path, format):
    answer = client.post("api/export", {"name": "chosen", "format": format, "numbers": [7, 5, 7, 2999]})
    assert answer.end["records"] == 4
    assert answer.end["left_out"] == []
    with octavo.open(answer.end["path"]) as reader:
        assert list(reader) == [RECORDS[7], RECORDS[5], RECORDS[7], RECORDS[2999]]
        assert reader.info.format == format
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_ranges_become_a_file(client):
    answer = client.post(
        "api/export", {"name": "chosen.ffr", "format": "ffrecord", "ranges": [[0, 2500], [2999, 3000]]}
    )
    assert answer.end["path"].endswith("chosen.ffr")
    assert answer.events[-2] == {"progress": [2501, 2501]}
    with octavo.open(answer.end["path"]) as reader:
        assert list(reader) == [*RECORDS[:2500], RECORDS[2999]]


def test_nothing_is_overwritten(client, tmp_path):
    (tmp_path / "out" / "taken.ffr").write_bytes(b"precious")
    for name in ("taken", "taken.ffr"):
        answer = client.post("api/export", {"name": name, "format": "ffrecord", "numbers": [0]})
        assert answer.status == 409
        assert "taken.ffr" in answer.json["error"]
    assert (tmp_path / "out" / "taken.ffr").read_bytes() == b"precious"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["taken.ffr"]


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        ".",
        "..",
        "../a",
        "/tmp/a",
        "a/b",
        "a\\b",
        ".hidden",
        "a\n",
        "a\x00b",
        "C:a",
        None,
        5,
        ["a"],
        "a*",
        "\u202ea",
        "a ",
        "a" * 250,
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(client, tmp_path, name):
    answer = client.post("api/export", {"name": name, "format": "ffrecord", "numbers": [0]})
    assert answer.status == 400
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    "asked",
    [
        {}, {"numbers": []}, {"numbers": [3000]}, {"numbers": [-1]}, {"numbers": ["1"]}, {"numbers": [True]},
        {"numbers": 5}, {"ranges": [[0, 3001]]}, {"ranges": [[5, 5]]}, {"ranges": [[0]]}, {"ranges": [5]},
        {"ranges": "all"},
        {"numbers": [1], "ranges": [[0, 1]]}, {"numbers": [0], "format": "zip"}, {"numbers": list(range(1000)) * 101},
        {"ranges": [[0, 3000]] * 334},
    ],
)  # fmt: skip
def test_what_is_no_selection_is_refused(client, tmp_path, asked):
    answer = client.post("api/export", {"name": "x", "format": "ffrecord"} | asked)
    assert answer.status == 400
    assert answer.json["error"]
    assert list((tmp_path / "out").iterdir()) == []


def test_a_folder_that_is_not_there_is_told(view, tmp_path):
    with octavo.create(tmp_path / "a.ffr") as writer:
        writer.write(b"one")
    client = view(tmp_path / "a.ffr", export_folder=tmp_path / "missing")
    answer = client.post("api/export", {"name": "x", "format": "ffrecord", "numbers": [0]})
    assert answer.status in {404, 500}
    assert "missing" in answer.json["error"]


def test_damaged_and_large_records_are_left_out_and_told(view, tmp_path, monkeypatch):
    monkeypatch.setattr(_export, "LARGE_BYTES", 1000)
    with octavo.create(tmp_path / "a.ffr") as writer:
        writer.write_many([*RECORDS[:20], b"large" * 1000])
    content = bytearray((tmp_path / "a.ffr").read_bytes())
    content[content.index(b"record 7.")] ^= 0xFF
    (tmp_path / "a.ffr").write_bytes(content)
    client = view(tmp_path / "a.ffr", export_folder=tmp_path)
    end = client.post("api/export", {"name": "x", "format": "ffrecord", "ranges": [[0, 21]]}).end
    assert (end["records"], sorted(end["left_out"])) == (19, [7, 20])
    with octavo.open(end["path"]) as reader:
        assert list(reader) == [*RECORDS[:7], *RECORDS[8:20]]


def test_an_export_that_nobody_waits_for_leaves_nothing(view, tmp_path, monkeypatch):
    monkeypatch.setattr(_export, "_BLOCK_RECORDS", 10)
    with octavo.create(tmp_path / "a.ffr") as writer:
        writer.write_many(bytes(1000) for _ in range(10_000))
    (tmp_path / "out").mkdir()
    source = StuckHalfway((tmp_path / "a.ffr").read_bytes())
    client = view(source, export_folder=tmp_path / "out")
    asked = {"name": "x", "format": "array_record", "ranges": [[0, 10_000]]}
    connection, response = client.begin("api/export", asked)
    assert json.loads(response.readline())["progress"]
    (copying,) = client.viewer._streams._running
    connection.sock.close()
    response.close()
    assert comes_true(copying._is_cancelled.is_set)
    source.goes_on.set()
    assert comes_true(lambda: not client.viewer._streams._running)
    assert list((tmp_path / "out").iterdir()) == []


def test_sound_files_are_verified(client):
    answer = client.post("api/verify", {})
    assert answer.end == {"record_count": 3000, "file_count": 1, "damaged_count": 0, "damage": [], "more": 0}
    assert answer.events[0]["progress"][1] == 3000


def test_damage_is_told_with_its_place(view, tmp_path):
    for shard in range(3):
        with octavo.create(tmp_path / f"a-{shard}.ffr") as writer:
            writer.write_many(RECORDS[:100])
    broken = tmp_path / "a-1.ffr"
    content = bytearray(broken.read_bytes())
    content[content.index(b"record 40.")] ^= 0xFF
    broken.write_bytes(content)
    (tmp_path / "a-2.ffr").write_bytes(b"nonsense")
    client = view(tmp_path / "a-*.ffr")
    about = client.get("api/about").json
    assert (about["record_count"], about["file_count"]) == (200, 2)
    assert [one["path"] for one in about["failures"]] == [str(tmp_path / "a-2.ffr")]
    end = client.post("api/verify", {}).end
    by_file = {one["file"]: one for one in end["damage"]}
    assert (by_file[1]["record"], by_file[1]["record_count"]) == (140, 1)
    assert by_file[None]["path"] == str(tmp_path / "a-2.ffr")
    assert client.cards("numbers=140")[0]["status"] == "damaged"


def test_another_file_of_the_same_name_is_not_called_sound(view, tmp_path):
    for name, count in (("a.ffr", 10), ("b.ffr", 20)):
        with octavo.create(tmp_path / name) as writer:
            writer.write_many(RECORDS[:count])
    client = view(tmp_path / "a.ffr")
    (tmp_path / "b.ffr").replace(tmp_path / "a.ffr")
    end = client.post("api/verify", {}).end
    (told,) = end["damage"]
    assert "start the viewer again" in told["reason"]
    assert end["more"] == 0

"""What the page says of the files."""

from __future__ import annotations

import pytest

import octavo


def write(path, records, **options):
    with octavo.create(path, **options) as writer:
        writer.write_many(records)
    return path


@pytest.mark.parametrize("suffix", [".array_record", ".riegeli", ".recordio"])
def test_chunks_are_shown_with_their_compression(view, tmp_path, suffix):
    client = view(write(tmp_path / f"a{suffix}", [b"a" * 1000] * 100, group_size=10))
    shown = client.get("api/chunks?file=0").json
    assert shown["chunk_count"] == shown["shown"] == 10
    chunks = shown["chunks"]
    assert [chunk["first_record"] for chunk in chunks] == list(range(0, 100, 10))
    assert {chunk["records"] for chunk in chunks} == {10}
    assert all(chunk["bytes"] < chunk["decoded_bytes"] >= 10_000 for chunk in chunks)
    offsets = [chunk["offset"] for chunk in chunks]
    assert offsets == sorted(offsets)
    assert offsets[-1] < shown["file_bytes"] == (tmp_path / f"a{suffix}").stat().st_size


@pytest.mark.parametrize("suffix", [".ffr", ".tfrecord"])
def test_formats_without_chunks_have_none(view, tmp_path, suffix):
    shown = view(write(tmp_path / f"a{suffix}", [b"one"])).get("api/chunks?file=0").json
    assert (shown["chunk_count"], shown["chunks"]) == (0, [])


def test_of_many_chunks_some_are_shown(view, tmp_path):
    client = view(write(tmp_path / "a.array_record", (b"%d" % at for at in range(10_001)), group_size=1))
    shown = client.get("api/chunks?file=0").json
    assert shown["chunk_count"] == 10_001
    assert 1000 < shown["shown"] == len(shown["chunks"]) <= 2000


def test_the_chunks_of_any_file_are_shown(view, tmp_path):
    for shard in range(3):
        write(tmp_path / f"a-{shard}.recordio", [b"x"] * (10 + shard), group_size=5)
    client = view(tmp_path / "a-*.recordio")
    shown = client.get("api/chunks?file=2").json
    assert (shown["file"], shown["path"]) == (2, str(tmp_path / "a-2.recordio"))
    assert [(chunk["first_record"], chunk["records"]) for chunk in shown["chunks"]] == [(21, 5), (26, 5), (31, 2)]
    assert client.get("api/chunks?file=3").status == 404
    assert client.get("api/chunks?file=x").status == 400


def test_shards_stand_side_by_side(view, tmp_path):
    for shard in range(20):
        write(tmp_path / f"a-{shard:02}.ffr", [b"x"] * shard)
    client = view(tmp_path / "a-*.ffr")
    shown = client.get("api/shards?start=18&count=10").json
    assert shown["total"] == 20
    assert [(one["number"], one["records"], one["first_record"]) for one in shown["shards"]] == [
        (18, 18, 153),
        (19, 19, 171),
    ]
    assert {one["format"] for one in shown["shards"]} == {"ffrecord"}
    facts = client.get("api/file").json
    assert facts["of_first_file"]
    assert facts["record_count"] == 190


def test_facts_name_format_codec_and_dialect(view, tmp_path):
    client = view(write(tmp_path / "a.recordio", [b"x" * 100] * 10, codec="gzip"))
    facts = dict(client.get("api/file").json["facts"])
    assert facts["Format"] == "recordio"
    assert facts["Codec"] == "gzip"
    assert facts["Dialect"] == "paddle-python"
    assert facts["Records"] == "10"


def test_sizes_are_measured_on_a_sample(view, tmp_path):
    client = view(write(tmp_path / "a.ffr", (bytes(at % 100) for at in range(50_000))))
    sizes = client.get("api/sizes").json
    assert sizes["measured"] <= 1000 < sizes["total"] == 50_000
    assert sum(one["count"] for one in sizes["bins"]) == sizes["measured"]


def test_about_names_what_is_looked_at(view, tmp_path):
    client = view(write(tmp_path / "a.ffr", [b"x"] * 5))
    about = client.get("api/about").json
    assert (about["title"], about["record_count"], about["file_count"]) == ("a.ffr", 5, 1)
    assert about["version"] == octavo.__version__
    assert {"image", "json", "hex"} <= {one["name"] for one in about["decoders"]}


@pytest.mark.parametrize("name", ["a.array_record", "a.riegeli", "a.recordio"])
def test_a_bomb_is_not_set_off(view, tmp_path, name):
    codec = {"codec": "gzip"} if name.endswith("recordio") else {"codec": "zstd"}
    records = [b"small", bytes(64 << 20), b"small too"]
    client = view(write(tmp_path / name, records, group_size=3, **codec))
    assert client.get("api/sizes").json["measured"] <= 2
    chunks = client.get("api/chunks?file=0").json["chunks"]
    assert chunks[0]["decoded_bytes"] is None or name != "a.recordio"
    assert "ok" not in {card["status"] for card in client.cards("numbers=1")}

"""Records as the page gets them."""

from __future__ import annotations

import io
import os
import struct
import sys
import wave

import pytest

import octavo
from octavo.viewer import _contents, _opened
from octavo.viewer.blocks import Decoder, Image, Note, Text

SUFFIXES = [".ffr", ".array_record", ".recordio", ".tfrecord", ".riegeli"]


def write(path, records, **options):
    with octavo.create(path, **options) as writer:
        writer.write_many(records)
    return path


def sound(seconds: float = 0.1) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(struct.pack("<h", 1000) * int(8000 * seconds))
    return out.getvalue()


@pytest.fixture
def reads(monkeypatch):
    """Batches that were read, as lists of numbers."""
    seen: list[list[int]] = []
    real = octavo.Reader._read_each

    def counted(self, numbers, most_bytes):
        seen.append(list(numbers))
        return real(self, numbers, most_bytes)

    monkeypatch.setattr(octavo.Reader, "_read_each", counted)
    return seen


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_screen_is_one_batch_and_comes_back_without_one(view, tmp_path, reads, suffix):
    client = view(write(tmp_path / f"a{suffix}", (b"record %d" % at for at in range(1000))))
    cards = client.cards("start=500&count=60")
    assert [card["number"] for card in cards] == list(range(500, 560))
    assert [card["summary"] for card in cards] == [f"record {at}" for at in range(500, 560)]
    assert {(card["status"], card["kind"]) for card in cards} == {("ok", "text")}
    assert reads == [list(range(500, 560))]
    assert client.cards("start=500&count=60") == cards
    assert len(reads) == 1
    client.cards("start=530&count=60")
    assert reads[1:] == [list(range(560, 590))]


def test_records_come_in_the_order_of_their_numbers_in_the_request(view, tmp_path):
    client = view(write(tmp_path / "a.ffr", (b"%d" % at for at in range(100))))
    assert [card["summary"] for card in client.cards("numbers=99,3,3,0")] == ["99", "3", "3", "0"]


def test_the_end_of_the_records_ends_a_screen(view, tmp_path):
    client = view(write(tmp_path / "a.ffr", [b"0", b"1", b"2"]))
    assert len(client.cards("start=1&count=60")) == 2
    assert client.cards("start=3&count=60") == []
    assert client.get("api/records?numbers=3").status == 404
    assert client.get("api/records?numbers=" + ",".join(["0"] * 501)).status == 400


def test_no_records_are_no_error(view, tmp_path):
    client = view(write(tmp_path / "a.ffr", []))
    assert client.get("api/about").json["record_count"] == 0
    assert client.cards("start=0&count=60") == []
    assert client.get("api/sizes").json["measured"] == 0
    assert client.get("api/sample?count=5&seed=1").json == {"numbers": []}
    assert client.post("api/verify", {}).end["record_count"] == 0


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_does_not_fit_comes_later(view, tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(_contents, "_SCREEN_BYTES", 10_000)
    client = view(write(tmp_path / f"a{suffix}", [bytes([at]) * 4000 for at in range(10)], **plain(suffix)))
    numbers = list(range(10))
    asked = 0
    while numbers:
        cards = client.cards("numbers=" + ",".join(map(str, numbers)))
        later = [card["number"] for card in cards if card["status"] == "later"]
        assert len(later) < len(numbers), "each answer brings something"
        numbers = later
        asked += 1
    assert asked > 1


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_large_records_are_not_read(view, tmp_path, monkeypatch, suffix):
    for module in (_opened, _contents):
        monkeypatch.setattr(module, "LARGE_BYTES", 50_000)
    content = bytes(range(256)) * 400
    client = view(write(tmp_path / f"a{suffix}", [b"small", content, b"small too"], **plain(suffix)))
    cards = client.cards("start=0&count=3")
    assert [card["status"] for card in cards] == ["ok", "large", "ok"]
    record = client.get("api/record/1").json
    assert record["status"] == "large"
    assert record["downloadable"] == (suffix == ".ffr")
    if suffix == ".ffr":
        assert [block["type"] for block in record["blocks"]] == ["note", "hex"]
        assert client.get("api/record/1/part?offset=1000&length=300").body == content[1000:1300]
        assert client.get("api/record/1/download").body == content
    else:
        assert "octavo get" in record["blocks"][0]["text"]
        assert client.get("api/record/1/download").status == 404


def plain(suffix: str) -> dict[str, object]:
    """Options for records that are not compressed, each by itself."""
    if suffix == ".ffr":
        return {}
    return {"codec": "none"} if suffix == ".tfrecord" else {"codec": "none", "group_size": 1}


def damaged(path, at):
    content = bytearray(path.read_bytes())
    place = content.index(b"record %d." % at)
    content[place] ^= 0xFF
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damaged_records_are_shown_in_place(view, tmp_path, suffix):
    records = [b"record %d." % at for at in range(100)]
    path = damaged(write(tmp_path / f"a{suffix}", records, **plain(suffix)), 40)
    client = view(path)
    cards = client.cards("start=0&count=100")
    assert [card["number"] for card in cards if card["status"] != "ok"] == [40]
    assert cards[40]["status"] == "damaged"
    assert "a" + suffix in cards[40]["reason"]
    assert cards[41]["summary"] == "record 41."
    record = client.get("api/record/40").json
    assert (record["status"], record["blocks"]) == ("damaged", [])
    assert client.get("api/record/40/download").status == 404


def test_a_damaged_chunk_costs_its_records_and_no_others(view, tmp_path):
    records = [b"record %d." % at for at in range(100)]
    path = damaged(write(tmp_path / "a.recordio", records, codec="none", group_size=10), 45)
    cards = view(path).cards("start=0&count=100")
    assert [card["number"] for card in cards if card["status"] == "damaged"] == list(range(40, 50))


def test_a_decoder_can_be_chosen(view, tmp_path):
    client = view(write(tmp_path / "a.ffr", [b'{"a": 1}']))
    assert client.get("api/record/0").json["kind"] == "json"
    chosen = client.get("api/record/0?as=hex").json
    assert (chosen["kind"], chosen["guess"]) == ("hex", "json")
    assert client.cards("start=0&count=1&as=text")[0]["kind"] == "text"
    assert client.get("api/record/0?as=nonsense").status == 400


def test_a_decoder_of_ones_own_is_asked_first(view, tmp_path):
    mine = Decoder(
        "mine", "Mine", lambda record: record.startswith(b"me"), lambda record: [Text(f"mine: {len(record)}")]
    )
    client = view(write(tmp_path / "a.ffr", [b"me too", b"not I"]), decoders=[mine])
    assert client.get("api/record/0").json["blocks"][0]["text"] == "mine: 6"
    assert client.get("api/record/1").json["kind"] == "text"


def test_a_decoder_that_fails_spoils_nothing(view, tmp_path):
    def fail(_record):
        raise ZeroDivisionError("oh dear")

    bad = Decoder("bad", "Bad", lambda _record: True, fail, fail)
    client = view(write(tmp_path / "a.ffr", [b"one"]), decoders=[bad])
    blocks = client.get("api/record/0").json["blocks"]
    assert blocks[0]["type"] == "note"
    assert "oh dear" in blocks[0]["text"]
    assert client.cards("start=0&count=1")[0]["status"] == "ok"


def test_media_are_served_in_ranges(view, tmp_path):
    content = sound()
    client = view(write(tmp_path / "a.ffr", [content]))
    (block,) = [block for block in client.get("api/record/0").json["blocks"] if block["type"] == "audio"]
    whole = client.get(block["src"])
    assert (whole.status, whole.headers["content-type"], whole.body) == (200, "audio/wav", content)
    assert "sandbox" in whole.headers["content-security-policy"]
    for asked, start, stop in (
        ("0-0", 0, 1),
        ("10-19", 10, 20),
        ("100-", 100, len(content)),
        ("-7", len(content) - 7, None),
    ):
        part = client.get(block["src"], Range=f"bytes={asked}")
        assert (part.status, part.body) == (206, content[start:stop]), asked
        assert part.headers["content-range"] == f"bytes {start}-{start + len(part.body) - 1}/{len(content)}"
    assert client.get(block["src"], Range=f"bytes={len(content)}-").status == 416
    for nonsense in ("bytes=-", "bytes=a-b", "lines=1-2", "bytes=1-2,4-5"):
        assert client.get(block["src"], Range=nonsense).status == 200
    assert client.get("api/record/0/media/1").status == 404


def test_what_a_decoder_calls_an_image_is_served_as_no_other_type(view, tmp_path):
    content = b"<html><script>alert(1)</script>"
    lying = Decoder("lying", "Lying", lambda _: True, lambda _: [Note("x"), Image(content, "image/png", 1, 1)])
    client = view(write(tmp_path / "a.ffr", [b"one"]), decoders=[lying])
    answer = client.get("api/record/0/media/0")
    assert (answer.body, answer.headers["content-type"]) == (content, "image/png")
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_hostile_content_is_downloaded_and_never_opened(view, tmp_path):
    content = b"<html><script>alert(1)</script></html>"
    answer = view(write(tmp_path / "a.ffr", [content])).get("api/record/0/download")
    assert answer.body == content
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == 'attachment; filename="record-0.txt"'


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (sound(), "record-0.wav"),
        (b"{}", "record-0.json"),
        (b"\x00\x01\x02", "record-0.bin"),
        (b"<svg onload=x>", "record-0.txt"),
    ],
)
def test_a_download_is_called_what_it_is(view, tmp_path, content, name):
    answer = view(write(tmp_path / "a.ffr", [content])).get("api/record/0/download")
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'


def test_the_files_of_a_packed_folder_have_their_names(view, tmp_path):
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_text("A")
    (folder / "deep" / "b.txt").write_text("B")
    octavo.pack(folder, tmp_path / "packed.ffr")
    client = view(tmp_path / "packed.ffr")
    assert {(card["name"], card["summary"]) for card in client.cards("start=0&count=2")} == {
        ("a.txt", "A"),
        ("deep/b.txt", "B"),
    }


def test_a_record_says_where_it_is(view, tmp_path):
    for shard in range(3):
        write(tmp_path / f"a-{shard}.ffr", [b"%d-%d" % (shard, at) for at in range(10)])
    client = view(tmp_path / "a-*.ffr")
    record = client.get("api/record/25").json
    assert record["file"] == {"number": 2, "path": str(tmp_path / "a-2.ffr"), "record": 5}
    assert record["blocks"][0]["text"] == "2-5"


def test_a_file_that_changes_is_told(view, tmp_path):
    path = write(tmp_path / "a.ffr", [b"x" * 100 for _ in range(5000)])
    client = view(path)
    client.cards("start=0&count=10")
    with path.open("r+b") as file:
        file.truncate(1000)
    for card in client.cards("start=4000&count=10"):
        assert card["status"] == "damaged"
        assert "a.ffr" in card["reason"]


def test_a_file_that_changes_does_not_cost_the_others(view, tmp_path):
    paths = [write(tmp_path / f"{shard}.ffr", [b"x" * 100 for _ in range(5000)]) for shard in range(3)]
    client = view(paths)
    client.cards("numbers=0,5000,10000")
    with paths[1].open("r+b") as file:
        file.truncate(1000)
    assert [card["status"] for card in client.cards("numbers=4000,9000,14000")] == ["ok", "damaged", "ok"]


def test_a_screen_of_damage_is_one_read(view, tmp_path, reads):
    records = [b"record %d." % at for at in range(500)]
    path = write(tmp_path / "a.ffr", records)
    content = bytearray(path.read_bytes())
    for at in range(0, 500, 7):
        content[content.index(b"record %d." % at)] ^= 0xFF
    path.write_bytes(content)
    cards = view(path).cards("start=0&count=500")
    assert [card["number"] for card in cards if card["status"] == "damaged"] == list(range(0, 500, 7))
    assert {card["status"] for card in cards} == {"ok", "damaged"}
    assert len(reads) == 1


@pytest.mark.skipif(sys.platform == "darwin", reason="names of files are UTF-8 there")
def test_a_name_that_is_no_text_is_shown(view, tmp_path):
    name = os.fsdecode(b"na\xffme.ffr")
    client = view(write(str(tmp_path / name), [b"one"]), export_folder=str(tmp_path / os.fsdecode(b"\xfe")))
    for address in ("api/about", "api/record/0", "api/shards", "api/chunks?file=0"):
        answer = client.get(address)
        assert answer.status == 200, address
        assert b"\\udcff" in answer.body, address

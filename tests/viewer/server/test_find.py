"""Searching and sampling."""

from __future__ import annotations

import gzip
import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import octavo
from octavo import _core
from octavo.viewer import _find
from tests.settling import comes_true
from tests.viewer.server.test_lifetime import Stuck

FORMATS = ["ffrecord", "array_record", "recordio", "tfrecord", "riegeli"]
KINDS = {"ffrecord": ["ffrecord"], "grouped": ["array_record"], "all": FORMATS}


class StuckHalfway(Stuck):
    """A source that answers what is asked of its first half: whoever goes through it is under way, and not done."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.goes_on.clear()
        self.read_to = 0

    def read_spans(self, spans):
        end = max(start + size for start, size in spans)
        self.read_to = max(self.read_to, end)
        if end <= self.size // 2:
            return [self.content[start : start + size] for start, size in spans]
        return super().read_spans(spans)


def write(path, records, **options):
    with octavo.create(path, **options) as writer:
        writer.write_many(records)
    return path


def found(answer) -> list[int]:
    return [number for event in answer.events for number in event.get("found", [])]


@pytest.fixture(scope="module")
def client(view, tmp_path_factory):
    records = [
        b"the quick brown fox", b"THE LAZY DOG", json.dumps({"name": "caf\u00e9", "says": 'a "word"'}).encode(),
        "caf\u00e9 au lait".encode(), b"\x00\x01fox\x02", b"x" * 1000, b"first\nsecond line\nthird", b"",
    ]  # fmt: skip
    return view(write(tmp_path_factory.mktemp("find") / "a.ffr", records))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"text": "fox"}, [0, 4]),
        ({"text": "fox", "text_only": True}, [0]),
        ({"text": "the"}, [0]),
        ({"text": "the", "ignore_case": True}, [0, 1]),
        ({"text": "caf\u00e9"}, [2, 3]),
        ({"text": "CAF\u00c9", "ignore_case": True}, [2, 3]),
        ({"text": 'a "word"'}, [2]),
        ({"text": "q.*n"}, []),
        ({"text": "q.*n", "mode": "regex"}, [0]),
        ({"text": "^second", "mode": "regex"}, [6]),
        ({"text": "fox|dog", "mode": "regex", "ignore_case": True}, [0, 1, 4]),
        ({"text": "(?i)LINE$", "mode": "regex"}, [6]),
        ({"text": "(?x) quick # or slow", "mode": "regex"}, [0]),
        ({"min_bytes": 100}, [5]),
        ({"max_bytes": 6}, [4, 7]),
        ({"max_bytes": 0}, [7]),
        ({"min_bytes": 1, "max_bytes": 6}, [4]),
        ({"text": "fox", "min_bytes": 7}, [0]),
        ({"text": "fox", "start": 1}, [4]),
        ({"text": "", "text_only": True}, [0, 1, 2, 3, 5, 6, 7]),
    ],
)
def test_records_are_found(client, query, expected):
    answer = client.post("api/find", query)
    assert found(answer) == expected
    assert answer.end == {"found": len(expected), "searched": 8, "complete": True, "damaged": 0, "skipped": 0}


def test_enough_is_enough(client):
    answer = client.post("api/find", {"text": "", "text_only": True, "limit": 2})
    assert found(answer) == [0, 1]
    assert not answer.end["complete"]


@pytest.mark.parametrize(
    "query",
    [
        {}, {"text": ""}, {"text": 5}, {"text": "x", "mode": "sql"}, {"text": "(", "mode": "regex"},
        {"text": "zzz)|(?:fox", "mode": "regex"}, {"min_bytes": -1},
        {"text": "x", "limit": 0}, {"text": "x", "limit": 10**9}, {"text": "x", "start": -1}, {"text": "x" * 20_000},
        {"text": "(a{1000}){1000}", "mode": "regex"}, {"text": "x", "ignore_case": 1}, {"min_bytes": 2**70},
        {"text": None}, {"text": "\ud800"}, {"text": "a\udfff", "mode": "regex"},
    ],
)  # fmt: skip
def test_a_question_that_makes_no_sense_is_refused(client, query):
    answer = client.post("api/find", query)
    assert answer.status == 400
    assert answer.json["error"]


@pytest.mark.parametrize("body", [b"", b"nonsense", b"[1]", b"[" * 100_000, b"\xff"])
def test_a_body_that_is_no_object_is_refused(client, body):
    answer = client.ask("POST", client.base + "api/find", body, {"content-type": "application/json"})
    assert answer.status == 400


def test_a_pattern_that_other_engines_choke_on_takes_no_time(view, tmp_path):
    client = view(write(tmp_path / "a.ffr", [b"a" * 5000 + b"b"] * 20))
    assert client.post("api/find", {"text": "(a*)*(a|aa)*c", "mode": "regex"}).end["found"] == 0


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    records=st.lists(st.binary(max_size=30), max_size=60),
    pattern=st.binary(min_size=1, max_size=2).map(lambda raw: raw.decode("latin-1")).filter(str.isascii),
    sizes=st.tuples(st.integers(0, 10), st.integers(0, 30)),
    format=st.sampled_from(FORMATS),
)
def test_the_engine_finds_what_a_loop_finds(tmp_path, records, pattern, sizes, format):
    path = write(tmp_path / "a", records, format=format)
    positions: list[int] = []
    with octavo.open(path, format=format) as reader:
        options = {"patterns": [pattern], "smallest": sizes[0], "largest": sizes[1]}
        _core.find(reader, lambda _done, found, *_: positions.extend(found), **options)
        by_size: list[int] = []
        _core.find(reader, lambda _done, found, *_: by_size.extend(found), smallest=sizes[0], largest=sizes[1])
    fits = [at for at, record in enumerate(records) if sizes[0] <= len(record) <= sizes[1]]
    assert by_size == fits
    assert positions == [at for at in fits if re.search(re.escape(pattern.encode()), records[at])]


@pytest.mark.parametrize("format", FORMATS)
def test_damage_does_not_end_a_search(view, tmp_path, format):
    group = {"group_size": 10} if format in {"array_record", "recordio", "riegeli"} else {}
    codec = {} if format == "ffrecord" else {"codec": "none"}
    path = write(tmp_path / "a", [b"record %d." % at for at in range(5000)], format=format, **codec, **group)
    content = bytearray(path.read_bytes())
    content[content.index(b"record 1234.")] ^= 0xFF
    path.write_bytes(content)
    answer = view(path, format=format).post("api/find", {"text": "record"})
    lost = list(range(1230, 1240)) if group else [1234]
    assert found(answer) == [at for at in range(5000) if at not in lost]
    (damage,) = [event["damage"] for event in answer.events if "damage" in event]
    assert (damage["record"], damage["count"]) == (lost[0], len(lost))
    assert damage["reason"]
    assert answer.end["complete"]
    assert answer.end["damaged"] == len(lost)


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_too_large_is_told_and_not_read(view, tmp_path, monkeypatch, format):
    monkeypatch.setattr(_find, "LARGE_BYTES", 3_000_000)
    group = {"group_size": 1} if format in {"array_record", "recordio", "riegeli"} else {}
    codec = {} if format == "ffrecord" else {"codec": "none"}
    records = [b"needle", b"needle" + bytes(8_000_000), b"needle too"]
    path = write(tmp_path / "a", records, format=format, **codec, **group)
    answer = view(path, format=format).post("api/find", {"text": "needle"})
    assert found(answer) == [0, 2]
    (skipped,) = [event["skipped"] for event in answer.events if "skipped" in event]
    assert (skipped["record"], skipped["count"]) == (1, 1)
    assert answer.end["skipped"] == 1
    if format == "ffrecord":
        assert found(view(path, format=format).post("api/find", {"min_bytes": 3_000_000})) == [1]


def test_whoever_stops_listening_ends_the_search(view, tmp_path):
    path = write(tmp_path / "a.ffr", (bytes(1_000_000) for _ in range(40)))
    source = StuckHalfway(path.read_bytes())
    client = view(source)
    connection, response = client.begin("api/find", {"text": "999999999", "start": 0})
    assert json.loads(response.readline())["progress"]
    (search,) = client.viewer._streams._running
    connection.sock.close()
    response.close()
    assert comes_true(search._is_cancelled.is_set)
    source.goes_on.set()
    assert comes_true(lambda: not client.viewer._streams._running)
    assert source.read_to < source.size


def test_too_much_at_once_is_refused(view, tmp_path):
    source = Stuck(write(tmp_path / "a.ffr", [b"one", b"two"]).read_bytes())
    client = view(source)
    source.goes_on.clear()
    begun = [client.begin("api/find", {"text": "999999999"}) for _ in range(2)]
    refused = client.post("api/find", {"text": "x"})
    assert refused.status == 400
    assert "running" in refused.json["error"]
    for connection, response in begun:
        response.close()
        connection.close()
    source.goes_on.set()


def test_a_sample_is_the_same_for_a_seed(client, view, tmp_path):
    big = view(write(tmp_path / "a.ffr", (b"%d" % at for at in range(10_000))))
    first = big.get("api/sample?count=100&seed=7").json["numbers"]
    assert len(set(first)) == 100
    assert all(0 <= number < 10_000 for number in first)
    assert big.get("api/sample?count=100&seed=7").json["numbers"] == first
    assert big.get("api/sample?count=100&seed=8").json["numbers"] != first
    assert sorted(client.get("api/sample?count=100&seed=7").json["numbers"]) == list(range(8))


def test_neighbours_of_damage_in_a_compressed_stream_are_found(view, tmp_path):
    # A record whose checksum was written wrong: the stream around it is intact.
    path = write(tmp_path / "a.tfrecord", [b"record %d." % at for at in range(500)], codec="none")
    content = bytearray(path.read_bytes())
    content[content.index(b"record 123.")] ^= 0xFF
    (tmp_path / "b.tfrecord.gz").write_bytes(gzip.compress(content))
    client = view(tmp_path / "b.tfrecord.gz")
    answer = client.post("api/find", {"text": "record"})
    assert found(answer) == [at for at in range(500) if at != 123]
    assert [(one["damage"]["record"], one["damage"]["count"]) for one in answer.events if "damage" in one] == [(123, 1)]
    assert [card["number"] for card in client.cards("start=0&count=500") if card["status"] != "ok"] == [123]

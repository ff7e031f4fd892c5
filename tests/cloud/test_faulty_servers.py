"""Servers that fail: a read gives the right bytes or says clearly that it cannot, and comes to an end."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import octavo
from octavo import errors
from tests.cloud import samples
from tests.cloud.conftest import Lead
from tests.cloud.deadline import within
from tests.cloud.servers import faults, s3
from tests.cloud.servers.http_server import Fault, HttpServer
from tests.cloud.servers.object_server import ObjectServer
from tests.cloud.servers.patience import little_patience

pytest.importorskip("obstore")

RECORDS = samples.make_records(1000, size=400)
NUMBERS = random.Random(5).sample(range(1000), 60)
LIMIT_S = 120.0
STALL_S = 5 * LIMIT_S  # who waits for its end is too late
ALWAYS = 1_000_000

PASSING: dict[str, Fault] = {
    "500": faults.status(500),
    "503": faults.status(503, retry_after="1"),
    "429": faults.status(429),
    "stall": faults.stall(STALL_S),
    "stall in body": faults.stall(STALL_S, in_body=True),
    "reset": faults.reset,
    "reset in body": faults.reset_in_body,
    "truncated body": faults.truncated_body,
}
"""What a client can hope to pass."""
WHILE_OPENING = ["503", "stall", "reset in body", "truncated body"]
LIES: dict[str, Fault] = {
    "200 for 206": faults.whole_object,
    "wrong Content-Range": faults.wrong_content_range,
    "bytes from elsewhere": faults.bytes_from_elsewhere,
    "too few bytes": faults.too_few_bytes,
    "too many bytes": faults.too_many_bytes,
}
"""Replies that are wrong and look right."""

SUBJECTS = [
    ("plain", samples.BY_NAME["ffrecord"]),
    ("plain", samples.BY_NAME["array_record-64"]),
    ("plain", samples.BY_NAME["tfrecord"]),
    ("watched", samples.BY_NAME["array_record-1"]),
]


class Subject(NamedTuple):
    """An object behind a server that can be made to fail."""

    server: HttpServer
    location: octavo.storage.InStore
    key: str


@pytest.fixture
def fault() -> str:
    """What the server will do; tests of several faults have this as a parameter."""
    return ""


@pytest.fixture
def patience(fault: str) -> dict[str, Any]:
    """Only a server that stalls is waited for, each time; others may be as slow as a busy machine makes them."""
    if fault.startswith("stall"):
        return little_patience("3s", retries=8)
    return little_patience("30s")


@pytest.fixture(params=SUBJECTS, ids=lambda pair: f"{pair[0]}-{pair[1]}")
def subject(request: pytest.FixtureRequest, folder: str, patience: dict[str, Any], tmp_path: Path) -> Subject:
    name, kind = request.param
    server: HttpServer = request.getfixturevalue(name)
    key = f"{folder}/records{kind.suffix}"
    if name == "plain":
        put = request.getfixturevalue("held").put
        store = server.as_object_server(put).store(**patience)
    else:
        put = request.getfixturevalue("moto").put
        store = s3.s3_at(server.endpoint).store(**patience)
    put(key, samples.content(kind, RECORDS, tmp_path))
    return Subject(server, octavo.storage.InStore(store, key), key)


Task = Callable[[octavo.Reader], list[bytes]]
TASKS: dict[str, tuple[Task, list[bytes]]] = {
    "few": (lambda reader: reader.read(NUMBERS[:8]), [RECORDS[number] for number in NUMBERS[:8]]),
    "batch": (lambda reader: reader.read(NUMBERS), [RECORDS[number] for number in NUMBERS]),
    "scan": (list, RECORDS),
}


@pytest.mark.parametrize("task", ["few", "scan"])
@pytest.mark.parametrize("fault", PASSING)
def test_a_read_gets_past_a_fault(subject: Subject, fault: str, task: str) -> None:
    run, expected = TASKS[task]
    with octavo.open(subject.location) as reader, subject.server.failing(PASSING[fault]) as matched:
        assert within(LIMIT_S, lambda: run(reader)) == expected
    assert matched


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("fault", WHILE_OPENING)
def test_opening_gets_past_a_fault(subject: Subject, fault: str, number: int) -> None:
    def open_and_read() -> list[bytes]:
        with octavo.open(subject.location) as reader:
            return reader.read_all()

    with subject.server.failing(PASSING[fault], after=number):
        assert within(LIMIT_S, open_and_read) == RECORDS


@pytest.mark.parametrize(("times", "task"), [(1, "batch"), (1, "scan"), (ALWAYS, "batch")])
@pytest.mark.parametrize("fault", LIES)
def test_a_reply_that_lies_gives_no_wrong_record(subject: Subject, fault: str, times: int, task: str) -> None:
    run, expected = TASKS[task]
    with octavo.open(subject.location) as reader, subject.server.failing(LIES[fault], times=times) as matched:
        assert_right_or_told(lambda: run(reader), expected, subject.key)
    assert matched


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("fault", LIES)
def test_a_reply_that_lies_while_opening_gives_no_wrong_record(subject: Subject, fault: str, number: int) -> None:
    def open_and_read() -> list[bytes]:
        with octavo.open(subject.location) as reader:
            return reader.read_all()

    with subject.server.failing(LIES[fault], after=number):
        assert_right_or_told(open_and_read, RECORDS, subject.key)


def assert_right_or_told(action: Callable[[], list[bytes]], expected: list[bytes], key: str) -> None:
    try:
        found = within(LIMIT_S, action)
    except errors.OctavoError as error:
        assert key in str(error)  # noqa: PT017 - an error is one of two good ends
    else:
        assert found == expected


@pytest.mark.parametrize("subject", SUBJECTS[-1:], indirect=True, ids=["watched"])
@pytest.mark.parametrize("patience", [little_patience("2s")], ids=["impatient"])
@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_stays_is_told_in_time(subject: Subject, fault: str) -> None:
    with octavo.open(subject.location) as reader, subject.server.failing(PASSING[fault], times=ALWAYS):
        with pytest.raises(errors.StorageError, match=subject.key) as raised:
            within(LIMIT_S, lambda: reader.read(NUMBERS))
        assert raised.value.path is not None
        assert len(str(raised.value)) < 1000
        with pytest.raises(errors.StorageError, match=subject.key):
            within(LIMIT_S, lambda: octavo.open(subject.location))


def test_a_reader_goes_on_after_a_failure(subject: Subject) -> None:
    with octavo.open(subject.location, cache_bytes=0) as reader:
        with subject.server.failing(faults.status(500), times=ALWAYS), pytest.raises(errors.StorageError):
            reader.read(NUMBERS)
        assert reader.read(NUMBERS) == [RECORDS[number] for number in NUMBERS]
        with subject.server.failing(faults.status(500), times=ALWAYS), pytest.raises(errors.StorageError):
            list(reader)
        assert list(reader) == RECORDS


@pytest.mark.parametrize("subject", SUBJECTS[:2], indirect=True, ids=["ffrecord", "array_record-64"])
def test_bytes_that_are_missing_are_missed_without_checksums(subject: Subject) -> None:
    with octavo.open(subject.location, check_data=False) as reader:
        for fault in (faults.too_few_bytes, faults.too_many_bytes):
            with subject.server.failing(fault, times=ALWAYS):
                assert_right_or_told(lambda: reader.read(NUMBERS), [RECORDS[n] for n in NUMBERS], subject.key)


@pytest.mark.parametrize("fault", ["500", "stall", "reset in body"])
def test_a_url_waits_as_long_as_its_environment_says(
    watched: HttpServer, lead: Lead, monkeypatch: pytest.MonkeyPatch, file_on_moto: str, fault: str
) -> None:
    url = lead(s3.s3_at(watched.endpoint)).url(file_on_moto)

    def open_and_read() -> list[bytes]:
        with octavo.open(url) as reader:
            return list(reader)

    stalls = fault == "stall"
    monkeypatch.setenv("AWS_TIMEOUT", "3s" if stalls else "30s")
    # With the 30 s that obstore waits otherwise, so many stalls are not passed in time.
    with watched.failing(PASSING[fault], times=6 if stalls else 2):
        assert within(LIMIT_S, open_and_read) == RECORDS


@pytest.fixture
def file_on_moto(moto: ObjectServer, folder: str, tmp_path: Path) -> str:
    key = f"{folder}/records.ffr"
    moto.put(key, samples.content(samples.BY_NAME["ffrecord"], RECORDS, tmp_path))
    return key

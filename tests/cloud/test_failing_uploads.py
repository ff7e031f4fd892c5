"""Uploads to a server that fails: repeated, or given up without a trace."""

from __future__ import annotations

import pytest

import octavo
from octavo import errors
from tests.cloud import samples
from tests.cloud.deadline import within
from tests.cloud.servers import faults, s3
from tests.cloud.servers.http_server import Fault, HttpServer, Request
from tests.cloud.servers.object_server import ObjectServer
from tests.cloud.servers.patience import little_patience

pytest.importorskip("obstore")

SMALL = samples.make_records(400, size=300)
LARGE = samples.make_records(300, size=100_000)
"""30 MB, more than one part of an upload."""
LIMIT_S = 240.0
ALWAYS = 1_000_000


def is_part(request: Request) -> bool:
    return request.method == "PUT" and "partNumber=" in request.target


def is_completion(request: Request) -> bool:
    return request.method == "POST" and "uploadId=" in request.target


def is_start(request: Request) -> bool:
    return request.method == "POST" and "uploads" in request.target and "uploadId" not in request.target


def is_put(request: Request) -> bool:
    return request.method == "PUT" and "partNumber=" not in request.target


STEPS = {"start": is_start, "part": is_part, "completion": is_completion}
PASSING: dict[str, Fault] = {
    "500": faults.status(500),
    "503": faults.status(503, retry_after="1"),
    "reset": faults.reset,
    "lost reply": faults.lost_reply,
}


def impatient(watched: HttpServer, folder: str) -> octavo.storage.InStore:
    store = s3.s3_at(watched.endpoint).store(**little_patience("20s"))  # parts are megabytes
    return octavo.storage.InStore(store, f"{folder}/records.array_record")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("fault", PASSING)
def test_an_upload_gets_past_a_fault(watched: HttpServer, folder: str, step: str, fault: str) -> None:
    location = impatient(watched, folder)
    with watched.failing(PASSING[fault], when=STEPS[step], times=2) as matched, octavo.create(location) as writer:
        writer.write_many(LARGE)
        within(LIMIT_S, writer.close)
    assert len(matched) > 2
    with octavo.open(location) as reader:
        assert list(reader) == LARGE


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("code", [403, 500])
def test_an_upload_that_fails_is_told_and_leaves_nothing(
    watched: HttpServer, moto: ObjectServer, folder: str, step: str, code: int
) -> None:
    location = impatient(watched, folder)

    def write() -> None:
        with octavo.create(location) as writer:
            writer.write_many(LARGE)

    with (
        watched.failing(faults.status(code), when=STEPS[step], times=ALWAYS),
        pytest.raises(errors.StorageError, match=folder),
    ):
        within(LIMIT_S, write)
    assert moto.keys(folder) == []
    assert folder not in " ".join(s3.unfinished_uploads(moto))


def test_an_upload_whose_end_is_not_heard_of_is_told(watched: HttpServer, moto: ObjectServer, folder: str) -> None:
    """The one case in which an object is there although its writer has failed; it is whole then."""
    location = impatient(watched, folder)
    writer = octavo.create(location)
    writer.write_many(LARGE)
    with (
        watched.failing(faults.lost_reply, when=is_completion, times=ALWAYS),
        pytest.raises(errors.StorageError, match=folder),
    ):
        within(LIMIT_S, writer.close)
    assert moto.keys(folder)
    with octavo.open(location) as reader:
        assert list(reader) == LARGE


@pytest.mark.parametrize("code", [403, 500])
def test_a_small_object_that_is_refused_is_told(
    watched: HttpServer, moto: ObjectServer, folder: str, code: int
) -> None:
    location = impatient(watched, folder)

    def write() -> None:
        with octavo.create(location) as writer:
            writer.write_many(SMALL)

    with (
        watched.failing(faults.status(code), when=is_put, times=ALWAYS),
        watched.failing(faults.status(code), when=is_part, times=ALWAYS),
        pytest.raises(errors.StorageError, match=folder),
    ):
        within(LIMIT_S, write)
    assert moto.keys(folder) == []
    assert folder not in " ".join(s3.unfinished_uploads(moto))

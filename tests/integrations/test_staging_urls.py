"""The same in an object store: parts wait below a hidden prefix, and are copied inside the store."""

from __future__ import annotations

import pickle
import uuid
from typing import Any

import pytest

import octavo
from octavo.errors import AlreadyExistsError, NotFoundError, OptionError, StorageError, UnsupportedError
from octavo.integrations import _staging_folder
from octavo.integrations._staging import Staging
from tests.integrations.staged_jobs import write

obstore = pytest.importorskip("obstore", reason="obstore is not installed: pip install 'octavo[cloud]'")


@pytest.fixture
def folder() -> str:
    return f"memory://staging/{uuid.uuid4().hex}"


def begin(folder: str, **options: Any) -> Staging:
    return Staging.begin(folder, **{"suffix": ".recordio", **options})


def keys(folder: str) -> list[str]:
    """Everything below it, hidden or not."""
    from octavo.storage import _urls

    store, key, _ = _urls.split(folder)
    return sorted(one["path"].removeprefix(f"{key}/") for page in obstore.list(store, key) for one in page)


def records(folder: str) -> list[bytes]:
    return octavo.open(folder).read_all()


def test_parts_appear_together(folder):
    staging = begin(f"{folder}/")
    parts = [write(staging, number, b"%d" % number, sidecar=True) for number in (5, 2)]
    with pytest.raises(NotFoundError):
        octavo.open(folder)
    assert staging.commit(pickle.loads(pickle.dumps(parts))) == [
        f"{folder}/part-0000{n}-of-00002.recordio" for n in (0, 1)
    ]
    assert len(keys(folder)) == 4
    assert records(folder) == [b"2", b"5"]
    assert octavo.open(folder).info.sidecar


def test_an_abort_leaves_nothing(folder):
    staging = begin(folder)
    write(staging, 0, b"a")
    assert len(keys(folder)) == 2
    staging.abort()
    staging.abort()
    assert keys(folder) == []


def test_a_task_that_outlives_its_job_leaves_nothing(folder):
    staging = begin(folder)
    path = staging.attempt(0)
    staging.abort()
    with octavo.create(path) as writer:  # the store does not mind
        writer.write(b"a")
    with pytest.raises(NotFoundError, match="job is over"):
        staging.part(0, path)
    with pytest.raises(NotFoundError, match="job is over"):
        staging.attempt(0)
    assert keys(folder) == []


def test_what_is_there_is_refused_kept_or_replaced(folder):
    first = begin(folder)
    first.commit([write(first, number, b"old %d" % number, sidecar=True) for number in range(2)])
    with pytest.raises(AlreadyExistsError, match="2 record files"):
        begin(folder)
    with pytest.raises(OptionError, match="cannot be appended"):
        begin(folder, mode="append", suffix=".tfrecord")
    more = begin(folder, mode="append")
    more.commit([write(more, 0, b"more")])
    assert records(folder) == [b"old 0", b"old 1", b"more"]
    new = begin(folder, mode="overwrite")
    parts = [write(new, number, b"new %d" % number) for number in range(2)]
    assert records(folder) == [b"old 0", b"old 1", b"more"]
    new.commit(parts)
    assert keys(folder) == ["part-00000-of-00002.recordio", "part-00001-of-00002.recordio"]
    assert records(folder) == [b"new 0", b"new 1"]


@pytest.mark.parametrize("mode", ["error", "append", "overwrite"])
def test_a_commit_can_be_repeated(folder, mode):
    staging = begin(folder, mode=mode)
    parts = [write(staging, number, b"%d" % number) for number in range(3)]
    paths = staging.commit(parts)
    later = begin(folder, mode="append")
    later.commit([write(later, 0, b"later")])
    assert staging.commit(parts) == paths
    staging.abort()
    assert sorted(records(folder)) == [b"0", b"1", b"2", b"later"]


@pytest.mark.parametrize("mode", ["error", "overwrite"])
@pytest.mark.parametrize("how", ["before the copy", "behind the copy"])
def test_a_commit_that_fails_is_undone_and_can_be_repeated(folder, mode, how, monkeypatch):
    if mode == "overwrite":
        first = begin(folder)
        first.commit([write(first, number, b"old %d" % number) for number in range(2)])  # as long as the new ones
    before = keys(folder)
    staging = begin(folder, mode=mode)
    parts = [write(staging, number, b"new %d" % number) for number in range(2)]
    place = _staging_folder.place

    def fail(path: str, final: str) -> None:
        if not final.endswith("/part-00001-of-00002.recordio") or "replaced" in path:
            return place(path, final)
        if how == "behind the copy":
            with octavo.create(final) as writer:
                writer.write(b"new 1")
        raise StorageError("the network is down")

    with monkeypatch.context() as patch:
        patch.setattr(_staging_folder, "place", fail)
        with pytest.raises(StorageError, match="network is down"):
            staging.commit(parts)
    assert [key for key in keys(folder) if not key.startswith(".")] == before
    if before:
        assert records(folder) == [b"old 0", b"old 1"]
    staging.commit(parts)
    assert records(folder) == [b"new 0", b"new 1"]
    assert len(keys(folder)) == 2


def test_an_answer_that_is_lost_at_the_end_of_a_commit_does_not_matter(folder, monkeypatch):
    staging = begin(folder)
    part = write(staging, 0, b"a")
    remove = _staging_folder.remove

    def lose_answer(path: str) -> None:
        remove(path)
        if path.endswith("/made"):
            raise StorageError("the answer was lost")

    monkeypatch.setattr(_staging_folder, "remove", lose_answer)
    staging.commit([part])
    assert keys(folder) == ["part-00000-of-00001.recordio"]


def test_web_servers_are_refused_at_once():
    with pytest.raises(UnsupportedError, match="only read from"):
        begin("http://127.0.0.1:9/out")

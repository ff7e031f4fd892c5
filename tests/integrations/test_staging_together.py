"""Jobs that write into one folder at the same time: what one was told to have written, no other takes away."""

from __future__ import annotations

import os
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import octavo
from octavo.errors import AlreadyExistsError, StorageError
from octavo.integrations import _staging_folder, _staging_journal
from octavo.integrations._staging import Part, Staging
from tests.integrations.staged_jobs import write


@pytest.fixture(params=["local", "memory", "store without conditions"])
def folder(request, tmp_path, monkeypatch) -> str:
    if request.param == "local":
        return str(tmp_path / "out")
    pytest.importorskip("obstore", reason="obstore is not installed: pip install 'octavo[cloud]'")
    if request.param == "store without conditions":
        import obstore

        async def copy(store: Any, key: str, other: str, *, overwrite: bool = True) -> None:
            if not overwrite:
                raise obstore.exceptions.NotSupportedError("S3 does not support copy-if-not-exists")
            await original(store, key, other)

        original = obstore.copy_async
        monkeypatch.setattr(obstore, "copy_async", copy)
    return f"memory://together/{uuid.uuid4().hex}"


def begin(folder: str, **options: Any) -> Staging:
    return Staging.begin(folder, **{"suffix": ".array_record", **options})


def job(folder: str, *contents: bytes, **options: Any) -> tuple[Staging, list[Part]]:
    staging = begin(folder, **options)
    return staging, [write(staging, number, content) for number, content in enumerate(contents)]


def records(folder: str) -> list[bytes]:
    return octavo.open(folder).read_all()


@pytest.mark.parametrize("mode", ["error", "overwrite"])
@pytest.mark.parametrize("contents", [[b"BBBB"], [b"BBBB", b"CCCC"]])  # the same names, and others
def test_the_later_of_two_jobs_is_refused(folder, mode, contents):
    (first, parts), (second, others) = job(folder, b"AAAA"), job(folder, *contents, mode=mode)
    first.commit(parts)
    with pytest.raises(AlreadyExistsError):
        second.commit(others)
    second.abort()
    assert records(folder) == [b"AAAA"]
    assert len(_staging_folder.files(folder)) == 1
    assert _staging_folder.hidden_places(folder) == []


@pytest.mark.parametrize("mode", ["error", "overwrite"])
@pytest.mark.parametrize("contents", [[b"BBBB"], [b"BBBB", b"CCCC"]])
def test_a_file_that_comes_in_the_midst_of_a_commit_is_not_replaced(folder, mode, contents, monkeypatch):
    staging, parts = job(folder, *contents, mode=mode)
    write_journal = _staging_journal.Journal.write

    def meanwhile(journal: Any) -> None:
        write_journal(journal)
        with octavo.create(f"{folder}/part-00000-of-00001.array_record") as writer:
            writer.write(b"AAAA")

    monkeypatch.setattr(_staging_journal.Journal, "write", meanwhile)
    with pytest.raises(StorageError):
        staging.commit(parts)
    monkeypatch.undo()
    staging.abort()
    assert records(folder) == [b"AAAA"]


def test_of_two_commits_at_the_same_instant_at_most_one_comes_through(folder, monkeypatch):
    (first, parts), (second, others) = job(folder, b"AAAA", b"A2"), job(folder, b"BBBB", b"B2")
    place = _staging_folder.place
    is_inside: list[bool] = []
    done: list[list[str]] = []

    def meanwhile(path: str, final: str) -> None:
        if not is_inside:
            is_inside.append(True)
            attempt(second, others)
        place(path, final)

    def attempt(staging: Staging, parts: list[Part]) -> None:
        try:
            done.append(staging.commit(parts))
        except AlreadyExistsError:
            staging.abort()

    monkeypatch.setattr(_staging_folder, "place", meanwhile)
    attempt(first, parts)
    assert len(done) == 1
    assert records(folder) in ([b"AAAA", b"A2"], [b"BBBB", b"B2"])


@pytest.mark.parametrize("mode", ["error", "overwrite"])
def test_a_file_of_another_name_that_comes_while_files_are_shown_is_not_mixed_with_them(folder, mode, monkeypatch):
    staging, parts = job(folder, b"BBBB", mode=mode)
    place = _staging_folder.place

    def meanwhile(path: str, final: str) -> None:
        place(path, final)
        with octavo.create(f"{folder}/other.array_record") as writer:
            writer.write(b"AAAA")

    monkeypatch.setattr(_staging_folder, "place", meanwhile)
    with pytest.raises(AlreadyExistsError, match=r"other\.array_record"):
        staging.commit(parts)
    staging.abort()
    assert records(folder) == [b"AAAA"]


@pytest.mark.parametrize("contents", [[b"BBBB"], [b"BBBB", b"CCCC"]])
def test_what_was_replaced_meanwhile_is_not_replaced_again(folder, contents):
    old, parts = job(folder, b"old")
    old.commit(parts)
    (first, parts), (second, others) = (job(folder, *one, mode="overwrite") for one in ([b"AAAA"], contents))
    first.commit(parts)
    with pytest.raises(AlreadyExistsError):
        second.commit(others)
    second.abort()
    assert records(folder) == [b"AAAA"]


def test_an_overwrite_removes_what_was_there_when_it_began(folder):
    old, parts = job(folder, b"old")
    old.commit(parts)
    (new, parts), (more, appended) = job(folder, b"new", mode="overwrite"), job(folder, b"more", mode="append")
    more.commit(appended)
    new.commit(parts)
    assert records(folder) == [b"new", b"more"]


def test_what_came_after_an_abort_is_not_taken_for_the_job_s_own(folder):
    (first, parts), (second, others) = job(folder, b"AAAA"), job(folder, b"BBBB")
    first.abort()
    second.commit(others)
    with pytest.raises(StorageError, match="aborted"):
        first.commit(parts)
    first.abort()
    assert records(folder) == [b"BBBB"]


def test_files_of_the_same_size_and_time_are_told_apart(tmp_path):
    (first, parts), (second, others) = job(str(tmp_path), b"AAAA"), job(str(tmp_path), b"BBBB", mode="overwrite")
    for part in (*parts, *others):
        os.utime(part.path, ns=(1, 1))
    parts, others = ([job.part(0, part.path) for part in found] for job, found in ((first, parts), (second, others)))
    first.commit(parts)
    with pytest.raises(AlreadyExistsError):
        second.commit(others)
    second.abort()
    with pytest.raises(StorageError, match="aborted"):
        second.commit(others)
    assert records(str(tmp_path)) == [b"AAAA"]


@pytest.mark.parametrize("mode", ["error", "overwrite"])
def test_of_many_commits_at_the_same_moment_one_comes_through(folder, mode):
    jobs = [job(folder, *[b"%d" % number] * (number + 1), mode=mode) for number in range(4)]

    def commit(number: int) -> bool:
        staging, parts = jobs[number]
        try:
            staging.commit(parts)
        except AlreadyExistsError:
            staging.abort()
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        (winner,) = [number for number, done in enumerate(pool.map(commit, range(4))) if done]
    assert records(folder) == [b"%d" % winner] * (winner + 1)
    assert _staging_folder.hidden_places(folder) == []


def test_other_files_that_end_alike_are_left_alone(folder):
    if "://" not in folder:
        os.makedirs(folder)
    for name in ("weights.bin", "part-1.bin"):
        _staging_folder.write(f"{folder}/{name}", b"mine")
    staging = begin(folder, mode="overwrite", suffix=".bin")
    staging.commit([write(staging, 0, b"a", format="recordio")])
    assert list(_staging_folder.files(folder)) == ["part-00000-of-00001.bin", "part-1.bin", "weights.bin"]


@pytest.mark.parametrize("suffix", [".records", ""])
def test_files_with_a_suffix_that_tells_no_format_are_seen(folder, suffix):
    def committed(*contents: bytes, mode: Any = "error") -> None:
        staging = begin(folder, suffix=suffix, mode=mode)
        parts = []
        for number, content in enumerate(contents):
            path = staging.attempt(number)
            with octavo.create(path, format="array_record") as writer:
                writer.write(content)
            parts.append(staging.part(number, path))
        staging.commit(parts)

    committed(b"old")
    with pytest.raises(AlreadyExistsError, match="1 record files"):
        committed(b"new")
    committed(b"more", mode="append")
    committed(b"new", b"newer", mode="overwrite")
    assert list(_staging_folder.files(folder)) == [f"part-0000{number}-of-00002{suffix}" for number in range(2)]

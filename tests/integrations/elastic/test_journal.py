"""What is read back: pages that are damaged, hostile, empty or gone, and jobs that are not the same."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import octavo
from octavo.errors import AlreadyExistsError, DamagedFileError, OptionError
from octavo.integrations.elastic import _journal, _pages, work
from octavo.integrations.elastic._outputs import HIDDEN
from tests.integrations.elastic.jobs import RECORDS, Job, copy_records

STAGED = f"{HIDDEN}/staged"


def pages(job):
    return sorted(Path(job.folder, HIDDEN, "journal").iterdir())


def test_a_damaged_journal_is_not_believed(job):
    work(job, copy_records)
    journal = f"{job.folder}/{HIDDEN}/journal"
    names = sorted(os.listdir(journal))
    os.rename(f"{journal}/{names[3]}", f"{journal}/kept")
    with pytest.raises(DamagedFileError, match="files are missing"):
        job.restart()
    with open(f"{journal}/{names[3]}", "w", encoding="utf-8") as file:
        file.write("{")
    with pytest.raises(DamagedFileError, match="no page of a journal"):
        job.restart()
    os.replace(f"{journal}/kept", f"{journal}/{names[3]}")
    job.restart()
    assert job.service.status().is_finished


@pytest.mark.parametrize(
    "change",
    [
        7,
        [1],
        [0, 0, []],
        ["a", 0, {}],
        [0, "b", {}],
        [0, True, {}],
        [0, -1, {}],
        [0, 99, {"state": "failed"}],
        [1, 0, {"state": "failed"}],
        [0, 0, {"zz": 1}],
        [0, 0, {"state": "nonsense"}],
        [0, 0, {"state": ["done"]}],
        [0, 0, {"state": "leased"}],
        [0, 0, {"state": "leased", "token": 7}],
        [0, 0, {"worker": None}],
        [0, 0, {"attempts": -1}],
        [0, 0, {"errors": [1]}],
        [0, 0, {"is_published": "no"}],
        [0, 0, {"state": "done", "token": "t", "outputs": 7}],
        [0, 0, {"state": "done", "token": "t", "outputs": [["../victim", "../stolen"]], "is_published": False}],
        [0, 0, {"state": "done", "token": "..", "outputs": [[f"{STAGED}/../victim", "x"]], "is_published": False}],
        [0, 0, {"state": "done", "token": "t", "outputs": [[f"{STAGED}/t/x", "../stolen"]], "is_published": False}],
        [0, 0, {"state": "done", "outputs": [[f"{STAGED}/t/x", "x"]], "is_published": False}],
    ],
)
def test_a_change_that_cannot_be_is_damage(job, tmp_path, change):
    Path(tmp_path, "victim").touch()
    os.makedirs(f"{job.folder}/{STAGED}/t")
    Path(job.folder, STAGED, "t", "x").touch()
    job.service.lease("token", "worker")
    last = pages(job)[-1]
    last.write_text(json.dumps({"changes": [change], "by": "me"}))
    with pytest.raises(DamagedFileError, match="no page of a journal") as caught:
        job.restart()
    assert caught.value.path == str(last)
    assert sorted(os.listdir(tmp_path)) == ["in.ffr", "job", "victim"]
    assert job.visible() == []


@pytest.mark.parametrize(
    "content",
    [b"[" * 100_000, b"\xff\xfe{", b"[]", b"{}", b'{"changes": {}}', b'{"job": [1], "changes": []}', b"9" * 5000],
)
def test_a_page_that_cannot_be_is_damage(job, content):
    pages(job)[0].write_bytes(content)
    with pytest.raises(DamagedFileError, match="no page of a journal") as caught:
        job.restart()
    assert caught.value.path == str(pages(job)[0])


def test_two_tasks_with_one_token_are_damage(job):
    entry = {"state": "leased", "token": "t", "attempts": 1}
    job.service.lease("token", "worker")
    pages(job)[-1].write_text(json.dumps({"changes": [[0, 0, entry], [0, 1, entry]], "by": "me"}))
    with pytest.raises(DamagedFileError, match="two tasks have the same token"):
        job.restart()


def test_a_journal_of_one_empty_page_can_be_begun(tmp_path, partitions):
    journal = tmp_path / "job" / HIDDEN / "journal"
    journal.mkdir(parents=True)
    Path(journal, "000000000000.json").touch()
    job = Job(tmp_path / "job", partitions)
    assert work(job, copy_records) == 4
    job.restart()
    assert job.service.status().is_finished


def test_a_journal_of_one_empty_page_is_none(tmp_path, partitions):
    journal = tmp_path / HIDDEN / "journal"
    journal.mkdir(parents=True)
    Path(journal, "000000000000.json").touch()
    with pytest.raises(AlreadyExistsError, match=r"such as in\.ffr"):
        Job(tmp_path, partitions)


@pytest.mark.parametrize("count", [1, 2])
def test_empty_last_pages_are_passed_over(job, count):
    job.service.lease("token", "worker")
    job.service.commit("token", 5, [])
    last = int(pages(job)[-1].stem)
    for number in range(last + 1, last + 1 + count):
        Path(job.folder, HIDDEN, "journal", f"{number:012d}.json").touch()
    job.restart()
    assert job.service.results(0) == {0: 5}
    assert work(job, copy_records) == 3


def test_an_empty_page_in_the_middle_is_damage(job):
    for token in "ab":
        job.service.lease(token, "worker")
        job.service.commit(token, 5, [])
    emptied = pages(job)[2]
    emptied.write_bytes(b"")
    with pytest.raises(DamagedFileError, match="it is empty, and others follow") as caught:
        job.restart()
    assert caught.value.path == str(emptied)


def test_pages_that_go_while_they_are_read_are_looked_for_again(job, monkeypatch):
    job.service.lease("token", "worker")
    job.service.commit("token", 5, [])
    real, old = _pages.read, job.service

    def read_late(path):
        monkeypatch.setattr(_journal, "read", real)
        old._journal.write_whole(old._ledger.everything())  # and so the pages before it go
        return real(path)

    monkeypatch.setattr(_journal, "read", read_late)
    job.restart()
    assert job.service.results(0) == {0: 5}


def test_a_page_that_is_listed_and_never_there_is_damage(job):
    os.symlink("nowhere", Path(job.folder, HIDDEN, "journal", "000000000001.json"))
    with pytest.raises(DamagedFileError, match="cannot be found"):
        job.restart()


def test_a_job_does_not_go_on_with_other_records(job, tmp_path):
    job.service.lease("token", "worker")
    job.service.commit("token", 5, [])
    before = os.stat(tmp_path / "in.ffr")
    with octavo.create(tmp_path / "in.ffr", overwrite=True) as writer:
        writer.write_many(record.upper() for record in RECORDS)
    os.utime(tmp_path / "in.ffr", ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    again = octavo.open(tmp_path / "in.ffr").partitions(max_records=25)
    with pytest.raises(OptionError, match="another job: files differ"):
        Job(job.folder, again)

"""Jobs whose folder is in an object store."""

from __future__ import annotations

import pytest

import octavo
from octavo.errors import AlreadyExistsError, ClosedError, OptionError, SourceChangedError, StorageError
from octavo.integrations.elastic import tasks, work
from octavo.integrations.elastic._pages import create
from octavo.integrations.elastic._service import HIDDEN, Service
from octavo.storage import _client, _folders
from octavo.storage._stored import stored
from tests.cloud.servers import s3
from tests.integrations.elastic.jobs import RECORDS, Job, copy_records

pytest.importorskip("obstore", reason="object stores are read by obstore: pip install 'octavo[cloud]'")
pytest.importorskip("moto", reason="S3 is tested on moto: 'make test EXTRAS=all' installs it")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with s3.moto(tmp_path_factory.mktemp("moto")) as running:
        yield running


@pytest.fixture
def job(server, request, monkeypatch):
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    folder = server.url(request.node.name)
    with octavo.create(f"{folder}/in/train.recordio", group_size=5) as writer:
        writer.write_many(RECORDS)
    return Job(f"{folder}/job", octavo.open(f"{folder}/in/train.recordio").partitions(max_records=25))


def visible(server, request):
    keys = server.keys(f"{request.node.name}/job")
    return [key for key in keys if HIDDEN not in key]


def test_tasks_are_committed_and_their_objects_published(job, server, request):
    assert work(job, copy_records) == 4
    job.restart()
    assert job.service.status().is_finished
    assert octavo.open(f"{job.folder}/copy@4.array_record").read_all() == [record.upper() for record in RECORDS]
    assert len(visible(server, request)) == 4
    assert not [key for key in server.keys(f"{request.node.name}/job") if "staged" in key]


def test_the_next_dispatcher_publishes_what_the_last_one_has_accepted(job, server, request, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Service, "_publish", lambda _: None)  # as if it had died before that
        with (task := next(worker := tasks(job))) as records:
            copy_records(task, records)
            assert task.commit(25)
        worker.close()
    assert visible(server, request) == []
    job.restart()
    assert visible(server, request) == [f"{request.node.name}/job/copy-00000-of-00004.array_record"]


def test_a_commit_too_late_leaves_no_object(job, server, request):
    with (task := next(worker := tasks(job))) as records:
        copy_records(task, records)
        job.now += 1000
        assert work(job, copy_records) == 4
        assert task.commit(99) is False
    worker.close()
    assert job.service.results(0)[0] == 25
    assert not [key for key in server.keys(f"{request.node.name}/job") if "staged" in key]


def test_a_copy_that_was_not_removed_any_more_is_ours(job, monkeypatch):
    def die_between(source, target):
        _client.call("copy", stored(source).place, stored(target).key)
        raise StorageError("the store is gone")

    with monkeypatch.context() as patch:
        patch.setattr(_folders, "publish", die_between)
        with (task := next(worker := tasks(job))) as records:
            assert task.commit(copy_records(task, records))
        worker.close()
    job.restart()
    assert job.service.status().unpublished == 0
    assert len(octavo.open(f"{job.folder}/copy-00000-of-00004.array_record")) == 25


def test_an_object_of_somebody_else_is_not_replaced(job):
    foreign = f"{job.folder}/copy-00000-of-00004.array_record"
    _client.call("write_whole", stored(foreign).place, b"mine")
    with (task := next(worker := tasks(job))) as records:
        assert task.commit(copy_records(task, records))
    worker.close()
    assert job.service.status().unpublished == 1
    assert bytes(_client.call("read_whole", stored(foreign).place)[0]) == b"mine"


def test_a_job_does_not_go_on_with_other_objects(job):
    source = job.partitions[0].paths[0]
    with octavo.create(source, group_size=5, overwrite=True) as writer:
        writer.write_many(record.upper() for record in RECORDS)
    with pytest.raises(OptionError, match="another job: files differ"):
        Job(job.folder, octavo.open(source).partitions(max_records=25))


def test_two_dispatchers_cannot_both_go_on(job):
    old = job.service
    job.restart()
    with pytest.raises(SourceChangedError, match="another dispatcher has taken over"):
        old.lease("token", "worker")
    with pytest.raises(ClosedError, match="another dispatcher has taken over"):
        old.status()
    assert work(job, copy_records) == 4


def test_a_page_that_was_put_twice_is_ours(job, monkeypatch):
    def answer_lost(path, content):
        create(path, content)
        create(path, content)  # the store's client asks again, and is told that it is there

    monkeypatch.setattr("octavo.integrations.elastic._journal.create", answer_lost)
    assert work(job, copy_records) == 4


def test_a_folder_with_records_is_refused(job):
    with pytest.raises(AlreadyExistsError, match=r"such as train\.recordio"):
        Job(job.folder.replace("/job", "/in"), job.partitions)

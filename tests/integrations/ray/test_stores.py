"""Data sets that are read from an object store and written to it."""

from __future__ import annotations

import pytest
import ray

import octavo
from octavo.errors import AlreadyExistsError, RecordTypeError, UnsupportedError
from octavo.integrations.ray import read_records, write_records
from tests.cloud.servers import s3

pytest.importorskip("obstore", reason="object stores are read by obstore: pip install 'octavo[cloud]'")
pytest.importorskip("moto", reason="S3 is tested on moto: 'make test EXTRAS=all' installs it")
pytestmark = pytest.mark.filterwarnings(r"ignore::DeprecationWarning:ray\.data\.context")

RECORDS = [f"record {number}".encode() for number in range(500)]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with s3.moto(tmp_path_factory.mktemp("moto")) as running:
        yield running


@pytest.fixture
def environment(server, monkeypatch):
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return {"runtime_env": {"env_vars": server.environment}}  # for the workers, which were started before


@pytest.mark.usefixtures("_in_order")
def test_there_and_back(server, environment):
    with octavo.create(server.url("in/train.array_record"), group_size=10) as writer:
        writer.write_many(RECORDS)
    dataset = read_records(server.url("in/train.array_record"), override_num_blocks=2, ray_remote_args=environment)
    paths = write_records(dataset, server.url("out"), format="recordio", ray_remote_args=environment)
    assert paths == [server.url(f"out/part-0000{number}-of-00002.recordio") for number in range(2)]
    assert server.keys("out") == [f"out/part-0000{number}-of-00002.recordio" for number in range(2)]
    assert octavo.open(server.url("out/*.recordio")).read_all() == RECORDS
    with pytest.raises(AlreadyExistsError):
        write_records(dataset, server.url("out"), format="recordio", ray_remote_args=environment)

    failing = ray.data.from_items([{"record": b"a"}, {"record": None}])
    with pytest.raises(RecordTypeError, match="null is no record"):
        write_records(failing, server.url("failed"), format="recordio", ray_remote_args=environment)
    assert server.keys("failed") == []


def test_what_only_this_process_has_is_refused_at_once():
    with octavo.create("memory://nobody/x.recordio") as writer:
        writer.write(b"a")
    with pytest.raises(UnsupportedError, match="tasks run in others"):
        read_records("memory://nobody/x.recordio")

"""Tests with a dispatcher in Ray share a cluster; the others need none, but the package imports Ray."""

from __future__ import annotations

import pytest

pytest.importorskip("ray", reason="needs Ray: pip install 'octavo[ray]'")

import octavo
from tests.integrations import ray_cluster
from tests.integrations.elastic.jobs import RECORDS, Job
from tests.integrations.ray_cluster import pytest_runtest_teardown  # noqa: F401 - a hook of this folder


@pytest.fixture
def _cluster():
    ray_cluster.ensure()


@pytest.fixture
def partitions(tmp_path):
    with octavo.create(tmp_path / "in.ffr") as writer:
        writer.write_many(RECORDS)
    return octavo.open(tmp_path / "in.ffr").partitions(max_records=25)


@pytest.fixture
def job(tmp_path, partitions):
    return Job(tmp_path / "job", partitions)

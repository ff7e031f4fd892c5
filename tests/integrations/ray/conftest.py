"""Tests of Ray Data share a cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

pytest.importorskip("ray.data", reason="needs Ray Data: pip install 'octavo[ray]'")

import ray

from tests.integrations import ray_cluster
from tests.integrations.ray_cluster import pytest_runtest_teardown  # noqa: F401 - a hook of this folder


@pytest.fixture(autouse=True)
def _cluster() -> Iterator[None]:
    ray_cluster.ensure()
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # it tells of every data set that it runs
    before = ray.data.DataContext.get_current().copy()
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.data.DataContext._set_current(before)


@pytest.fixture
def _in_order() -> None:
    ray.data.DataContext.get_current().execution_options.preserve_order = True


@pytest.fixture
def _small_blocks() -> None:
    ray.data.DataContext.get_current().target_max_block_size = 1 << 18

"""Runners that the tests of Beam use, and a file system that is none of this machine."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.beam.samples import FN_API
from tests.integrations.beam.servers import running
from tests.settling import collect_leftovers


@pytest.fixture
def options() -> Callable[..., Any]:
    """Makes options of a pipeline that runs in this process."""
    return lambda *more: _options("--runner", FN_API, *more)


@pytest.fixture
def processes() -> Callable[..., Any]:
    """Makes options of a pipeline whose workers are processes."""
    return lambda *more: _options(
        "--runner", FN_API, "--direct_running_mode=multi_processing", "--direct_num_workers=2", *more
    )


@pytest.fixture
def prism(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Makes options of a pipeline on Prism, Beam's portable runner, which is started for the test."""
    pytest.importorskip("apache_beam")
    with running("prism", "--job_port={port}", "--serve_http=false", "--log_level=warn", folder=tmp_path) as port:
        endpoint = f"--job_endpoint=localhost:{port}"
        yield lambda *more: _options("--runner=PortableRunner", endpoint, "--environment_type=LOOPBACK", *more)


@functools.cache
def _dask_cluster() -> Any:
    """A Dask cluster of two worker processes, which the tests of this folder share, for it takes seconds to start."""
    pytest.importorskip("apache_beam")
    distributed = pytest.importorskip("distributed", reason="pip install 'apache-beam[dask]'")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # workers that are killed, and clients after the end
    # None is no dashboard, and all the same its port, which another cluster of this machine may have.
    return distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0")


def _end_dask_cluster() -> None:
    if not _dask_cluster.cache_info().currsize:
        return
    import distributed

    cluster = _dask_cluster()
    _dask_cluster.cache_clear()
    for client in list(distributed.client._global_clients.values()):  # the runner leaves its clients open
        client.close()
    cluster.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """End the cluster behind the last test of the folder: others count the threads and descriptors of this process."""
    try:
        return (yield)
    finally:  # behind the fixtures, which may need it
        if nextitem is None or nextitem.path.parent != item.path.parent:
            _end_dask_cluster()
            collect_leftovers()


@pytest.fixture
def dask() -> Callable[..., Any]:
    """Makes options of a pipeline on a Dask cluster."""
    address = f"--dask_client_address={_dask_cluster().scheduler_address}"
    return lambda *more: _options("--runner=apache_beam.runners.dask.dask_runner.DaskRunner", address, *more)


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A file system that has nothing to do with this machine's."""
    pytest.importorskip("apache_beam")
    from tests.integrations.beam.shelf import Shelf

    monkeypatch.setattr(Shelf, "files", {})
    monkeypatch.setattr(Shelf, "bytes_read", 0)
    return Shelf


@pytest.fixture
def no_logging() -> Iterator[None]:
    """Keeps pytest from keeping errors that were logged, and with them all that their frames hold."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def _options(*arguments: str) -> Any:
    pipeline_options = pytest.importorskip("apache_beam.options.pipeline_options")
    return pipeline_options.PipelineOptions(list(arguments))

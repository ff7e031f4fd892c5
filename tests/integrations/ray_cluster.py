"""A cluster of Ray on this machine, which the tests of a folder share, for it takes seconds to start."""

from __future__ import annotations

import logging

import pytest

from tests.settling import collect_leftovers


def ensure() -> None:
    """Start it, if it does not run."""
    import ray

    for attempts_left in (2, 1, 0):
        if ray.is_initialized():
            return
        try:
            _start()
        except Exception:  # Ray waits half a minute for its own processes, and no longer
            ray.shutdown()
            if not attempts_left:
                raise


def _start() -> None:
    import ray

    ray.init(
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=150 << 20,
        log_to_driver=False,
        logging_level=logging.ERROR,
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """Stop it behind the last test of a folder, so that no test of another one runs beside it."""
    import ray

    try:
        return (yield)
    finally:  # behind the fixtures, which may need it
        if nextitem is None or nextitem.path.parent != item.path.parent:
            ray.shutdown()
            collect_leftovers()

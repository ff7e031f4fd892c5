"""What tests of every folder share.

`HYPOTHESIS_PROFILE=thorough` lets hypothesis look longer, and elsewhere every time.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.conformance.reader_suite", "tests.property.access_paths")

from tests import loader_workers  # noqa: E402 - after the registration above
from tests.naive import ffrecord as naive  # noqa: E402
from tests.settling import collect_leftovers  # noqa: E402

# A shell that starts this in the background lets it and its children ignore Ctrl-C, which some tests send to theirs.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Servers of tests are on this machine, and a proxy that the environment names does not lead back to it.
_DIRECT = [host for name in ("NO_PROXY", "no_proxy") for host in os.environ.get(name, "").split(",") if host]
if "*" not in _DIRECT:
    _DIRECT = list(dict.fromkeys([*_DIRECT, "127.0.0.1", "localhost", "::1"]))
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = ",".join(_DIRECT)

_SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.data_too_large]

# The same examples every time: what fails here fails because of a change.
settings.register_profile(
    "quick", max_examples=40, deadline=None, derandomize=True, suppress_health_check=_SLOW_IS_FINE
)
settings.register_profile("thorough", max_examples=2000, deadline=None, suppress_health_check=_SLOW_IS_FINE)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(autouse=True)
def _workers_of_loaders_end() -> Iterator[None]:
    loader_workers.watch()
    yield
    loader_workers.end_all()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """What the tests of a folder have left open is collected behind them, and not in the middle of another's."""
    try:
        yield
    finally:
        if nextitem is None or nextitem.path.parent != item.path.parent:
            collect_leftovers()


@pytest.fixture
def write_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes records into a file of the test's own folder, without octavo."""

    def write(records: Iterable[bytes], name: str = "records.ffr", *, legacy: bool = False) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(naive.encode(list(records), legacy=legacy))
        return path

    return write


@pytest.fixture
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's own folder, which is the working directory as well."""
    monkeypatch.chdir(tmp_path)
    return tmp_path

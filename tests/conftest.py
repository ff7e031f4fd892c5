"""What tests of every folder share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.conformance.reader_suite", "tests.property.access_paths")

from tests import loader_workers  # noqa: E402 - after the registration above
from tests.naive import ffrecord as naive  # noqa: E402


@pytest.fixture(autouse=True)
def _workers_of_loaders_end() -> Iterator[None]:
    loader_workers.watch()
    yield
    loader_workers.end_all()


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

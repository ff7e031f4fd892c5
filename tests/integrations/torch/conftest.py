"""What the tests of `octavo.torch` share. Only the tests import PyTorch: they are skipped where it is absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integrations.torch.records import loader_threads, write_numbers


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The numbers 0 to 39."""
    return write_numbers(tmp_path / "numbers.ffr", 40)


@pytest.fixture
def no_thread_is_left():
    """Threads of loaders end with their loops."""
    before = loader_threads()
    yield
    assert loader_threads() == before

"""The injector, built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.injected import preloaded


@pytest.fixture(scope="session")
def injector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that makes faults."""
    return preloaded.build(tmp_path_factory.mktemp("injector"))

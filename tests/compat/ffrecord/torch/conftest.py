"""What the tests of `ffrecord.torch` share. Only the fixtures import PyTorch: tests are skipped where it is absent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The numbers 0 to 39."""
    from tests.compat.ffrecord.torch.datasets import write_numbers

    return write_numbers(tmp_path / "numbers.ffr", 40)


@pytest.fixture(params=["old", "new"])
def dataset(request: pytest.FixtureRequest, path: Path) -> Any:
    """The same as a data set, in both styles."""
    from tests.compat.ffrecord.torch.datasets import STYLES

    return STYLES[request.param](path)

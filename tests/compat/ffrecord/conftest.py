"""What tests of packed folders share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compat.ffrecord.folders import TREE, lay_out


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder to pack."""
    return lay_out(tmp_path / "tree", TREE)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Where it is packed to."""
    return tmp_path / "out.ffr"

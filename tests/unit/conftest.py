"""What tests of this folder share."""

from __future__ import annotations

from typing import cast

import pytest

from tests.unit.layouts import CHUNKED, LAYOUTS, Layout


@pytest.fixture(scope="session", params=LAYOUTS.values(), ids=list(LAYOUTS))
def layout(request: pytest.FixtureRequest) -> Layout:
    """Every way in which files store records."""
    return cast("Layout", request.param)


@pytest.fixture(scope="session", params=CHUNKED.values(), ids=list(CHUNKED))
def chunked(request: pytest.FixtureRequest) -> Layout:
    """Every way in which files store records in chunks."""
    return cast("Layout", request.param)

"""What tests of this folder share."""

from __future__ import annotations

from typing import cast

import pytest

from tests.unit.layouts import CHUNKED, LAYOUTS, STORED, Layout


@pytest.fixture(scope="session", params=LAYOUTS.values(), ids=list(LAYOUTS))
def layout(request: pytest.FixtureRequest) -> Layout:
    """Every way in which files store records."""
    return cast("Layout", request.param)


@pytest.fixture(scope="session", params=STORED.values(), ids=list(STORED))
def stored(request: pytest.FixtureRequest) -> Layout:
    """Every way in which readers get at records, which fewer formats differ in: for tests of which there are many."""
    return cast("Layout", request.param)


@pytest.fixture(scope="session", params=CHUNKED.values(), ids=list(CHUNKED))
def chunked(request: pytest.FixtureRequest) -> Layout:
    """Every way in which files store records in pieces, each with a checksum where it stands."""
    return cast("Layout", request.param)

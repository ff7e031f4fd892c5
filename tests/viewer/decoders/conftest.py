"""What the tests of decoders share."""

from __future__ import annotations

import pytest

from octavo.viewer.decoders import Decoders


@pytest.fixture(scope="session")
def decoders():
    return Decoders()

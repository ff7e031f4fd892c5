"""Codecs as test parameters: those that the naive twin needs a package for are skipped without it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from tests.naive.compression import AVAILABLE, CODEC_BYTES

needs_cramjam = pytest.mark.skipif(len(AVAILABLE) < len(CODEC_BYTES), reason="cramjam is not installed")


def as_parameters(codecs: Iterable[str] = CODEC_BYTES) -> list[Any]:
    return [pytest.param(codec, marks=() if codec == "none" else needs_cramjam) for codec in codecs]

"""Chunked files with damage in any place: an error or the right records, and recovery of everything that is intact."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import isolation
from tests.faults.programs import damaged


@pytest.mark.parametrize("damages", damaged.DAMAGES)
@pytest.mark.parametrize("transpose", [False, True], ids=["simple", "transposed"])
@pytest.mark.parametrize("group_size", [1, 7, 256])
@pytest.mark.parametrize("codec", ["none", "zstd", "brotli", "snappy"])
def test_damage_is_an_error_or_does_not_matter(quick_path: Path, codec: str, group_size: int, transpose, damages: str):
    options = {"codec": codec, "group_size": group_size, "transpose": transpose}
    seed = len(codec) * 1000 + group_size
    isolation.check(damaged.survive, folder=quick_path, options=options, damages=damages, seed=seed)

"""Files without an index, cut at every length and changed in every byte: no wrong record, and none lost in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import isolation, samples
from tests.faults.programs import damaged_streams


@pytest.mark.parametrize("damages", damaged_streams.DAMAGES)
@pytest.mark.parametrize("stream", samples.STREAMS)
def test_every_damage_is_noticed_and_costs_no_other_chunk(quick_path: Path, stream: str, damages: str):
    isolation.check(damaged_streams.survive, folder=quick_path, stream=stream, damages=damages, timeout_s=60)


@pytest.mark.parametrize("stream", samples.COMPRESSED)
def test_every_damage_of_a_compressed_file_is_noticed(quick_path: Path, stream: str):
    isolation.check(damaged_streams.survive, folder=quick_path, stream=stream, damages="spoil", timeout_s=60)

"""Files without an index, cut at every length and changed in every byte: no wrong record, and none lost in silence."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.faults import isolation, samples
from tests.faults.programs import damaged_streams
from tests.naive import recordio


@pytest.mark.parametrize("damages", damaged_streams.DAMAGES)
@pytest.mark.parametrize("stream", samples.STREAMS)
def test_every_damage_is_noticed_and_costs_no_other_chunk(quick_path: Path, stream: str, damages: str):
    isolation.check(damaged_streams.survive, folder=quick_path, stream=stream, damages=damages)


@pytest.mark.parametrize("stream", samples.COMPRESSED)
def test_every_damage_of_a_compressed_file_is_noticed(quick_path: Path, stream: str):
    isolation.check(damaged_streams.survive, folder=quick_path, stream=stream, damages="spoil")


@pytest.mark.parametrize("dialect", recordio.DIALECTS)
def test_chunk_inside_a_record_does_not_come_out_of_a_torn_one(quick_path: Path, dialect: str):
    """Nobody can tell whether the size in a header is wrong or the rest is missing; so append may refuse."""
    path = quick_path / "torn.recordio"
    before = recordio.encode_chunk([b"before"], dialect)
    last = recordio.encode_chunk([b"x" * 30, recordio.encode_chunk([b"decoy"], dialect), b"y" * 30], dialect)
    for size in range(1, len(last)):
        content = before + last[:size]
        path.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", errors.TornAppendWarning)
            reader = octavo.open(path)
        found: list[bytes] = []
        try:
            found.extend(reader)
        except errors.FormatError:
            assert len(reader) == 2
        assert found == [b"before"], f"cut at {size}"
        assert not octavo.verify(path).ok, f"cut at {size}"
        try:
            with octavo.append(path) as writer:
                writer.write(b"after")
        except errors.FormatError:
            assert path.read_bytes() == content, f"cut at {size}"
        else:
            assert octavo.open(path).read_all() == [b"before", b"after"], f"cut at {size}"
            assert reader.info.torn_bytes == size, f"cut at {size}"

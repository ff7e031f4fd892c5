"""Containers that are not record files take the memory of their largest record, whatever they hold or claim to hold."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from octavo._convert._tar_members import encode_header
from tests.faults import isolation
from tests.faults.programs import containers


@pytest.mark.parametrize("kind", containers.LARGE_ALLOWED)
def test_large_records_pass_one_at_a_time(kind: str, quick_path: Path) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    isolation.check(containers.pass_large, kind=kind, path=quick_path / f"large.{kind}")


@pytest.mark.parametrize("kind", containers.SMALL_ALLOWED)
def test_many_records_pass_block_by_block(kind: str, quick_path: Path) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    isolation.check(containers.pass_small, kind=kind, path=quick_path / f"small.{kind}")


def _zipped(path: Path, first: bytes, zeros: int) -> Path:
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(first)
        for _ in range(zeros >> 20):
            file.write(bytes(1 << 20))
    return path


@pytest.mark.parametrize(
    ("first", "reason", "most_mb"),
    [
        (b"", "zeros follow the end of the archive", 32),
        (encode_header(b"huge", (1 << 33) - 1), "has 8589934591 bytes", 32),
        (encode_header(b"long", 2_000_000_000), "ends 1", 700),  # it gets what is there, and no more
        (encode_header(b"pax", 300 << 20, b"x"), "says more about a file", 32),
    ],
    ids=["zeros", "size", "short", "pax"],
)
def test_a_bomb_is_refused_in_little_memory(first: bytes, reason: str, most_mb: int, quick_path: Path) -> None:
    path = _zipped(quick_path / "bomb.tar.gz", first, 300 << 20)
    isolation.check(containers.refuse, kind="tar", path=path, reason=reason, most_bytes=most_mb << 20)
    assert path.stat().st_size < 3 << 20


def test_a_line_of_zeros_is_refused(quick_path: Path) -> None:
    path = _zipped(quick_path / "bomb.jsonl.gz", b"", 100 << 20)
    isolation.check(containers.refuse, kind="jsonl", path=path, reason="line 1: ", most_bytes=400 << 20)

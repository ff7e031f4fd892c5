"""Streams that decode to another size than they say, or to far more than anybody would guess."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import octavo
from octavo.errors import FormatError
from tests.faults.lies import codecs
from tests.faults.programs import bounded_bombs
from tests.faults.test_hostile_bounds import measure


def test_stream_that_holds_another_size_than_it_says_is_an_error_in_little_memory(quick_path: Path):
    measure(bounded_bombs.explode, quick_path, least_cases=40)


@pytest.mark.parametrize("codec", ["frames", "gzip", "tfrecord"])
def test_what_stands_beside_a_bomb_is_read_in_little_memory(quick_path: Path, codec: str):
    measure(bounded_bombs.stand_beside_a_bomb, quick_path, codec=codec)


@pytest.mark.parametrize("codec", ["zstd", "brotli"])
def test_file_of_kilobytes_that_claims_gigabytes_is_refused(codec: str):
    content = codecs.bomb(codec, 1 << 30, beside=[b"beside"])
    with pytest.raises(FormatError):
        octavo.open(content, format="array_record")


@pytest.mark.parametrize("suffix", ["array_record", "riegeli"])
def test_honest_record_of_zeros_comes_back(tmp_path: Path, suffix: str):
    path, zeros = tmp_path / f"zeros.{suffix}", bytes(200 << 20)
    with octavo.create(path, codec="zstd") as writer:
        writer.write(zeros)
        writer.flush()
        octavo.recover(f"{path}.partial", tmp_path / f"saved.{suffix}")
        writer.write(b"beside")
    assert octavo.open(path)[0] == zeros
    assert octavo.open(path)[1] == b"beside"
    assert octavo.open(tmp_path / f"saved.{suffix}")[0] == zeros
    assert path.stat().st_size < 2 << 20


def test_who_trusts_a_file_may_read_it_all_the_same(tmp_path: Path):
    path = tmp_path / "bomb.array_record"
    path.write_bytes(codecs.bomb("zstd", 200 << 20, beside=[b"beside"]))
    code = "import octavo, sys; print(len(octavo.open(sys.argv[1])[0]))"
    for trust, expected in (("none", 0), ("100000", 0), ("", 1), ("no number", 1)):
        environment = {**os.environ, "OCTAVO_MAX_EXPANSION": trust}
        done = subprocess.run([sys.executable, "-c", code, path], env=environment, capture_output=True, check=False)
        assert done.returncode == expected, done.stderr
        assert not expected or b"OCTAVO_MAX_EXPANSION=none" in done.stderr

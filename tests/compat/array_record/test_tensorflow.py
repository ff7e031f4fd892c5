"""`tf.data` over the drop-in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compat.array_record.samples import numbered, run_program, write

pytest.importorskip("tensorflow")


def test_a_generator_gives_all_records_in_order(tmp_path: Path):
    path = write(tmp_path / "data.array_record", numbered(100))
    run_program("tensorflow_generator", path)

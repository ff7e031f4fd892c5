"""TensorFlow Datasets writes and reads ArrayRecord files through the drop-in after `octavo.compat.activate`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compat.array_record.samples import run_program

pytest.importorskip("tensorflow_datasets")


def test_a_data_set_is_written_and_read(tmp_path: Path):
    run_program("tfds_data_set", tmp_path)

"""TensorFlow, where it is installed: what it writes, and what it reads."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

COMPRESSIONS = {"none": "", "gzip": "GZIP", "zlib": "ZLIB"}


def tensorflow() -> Any:
    """The package; a test that asks for it is skipped where it is not installed."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # it tells of every device that it does not find
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("tensorflow", reason="tensorflow is not installed")


def write(path: Path, records: Iterable[bytes], codec: str = "none") -> None:
    io = tensorflow().io
    with io.TFRecordWriter(str(path), io.TFRecordOptions(compression_type=COMPRESSIONS[codec])) as writer:
        for record in records:
            writer.write(record)


def read(path: Path, codec: str = "none") -> list[bytes]:
    dataset = tensorflow().data.TFRecordDataset(str(path), compression_type=COMPRESSIONS[codec])
    return list(dataset.as_numpy_iterator())

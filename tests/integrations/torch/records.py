"""Numbered records, and hooks where started processes can import them."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import octavo


def write_numbers(path: Path, count: int, first: int = 0, **options: Any) -> Path:
    """A file whose record k is the number first + k, in 8 bytes."""
    with octavo.create(path, **options) as writer:
        writer.write_many((first + k).to_bytes(8, "little") for k in range(count))
    return path


def write_rows(path: Path, count: int, width: int = 16) -> Path:
    """A file whose record k is `width` floats of the value k."""
    with octavo.create(path) as writer:
        writer.write_many(np.full(width, k, np.float32) for k in range(count))
    return path


def number(record: bytes) -> int:
    return int.from_bytes(record, "little")


def negative(record: bytes) -> int:
    return -number(record)


def as_floats(record: bytes) -> np.ndarray[Any, Any]:
    return np.frombuffer(record, np.float32)


def process_and_number(record: bytes) -> np.ndarray[Any, Any]:
    """Much else besides, so that workers send it through shared memory."""
    return np.array([os.getpid(), number(record)] + [0] * 1000)


def warnings_are_errors(_worker: int) -> None:
    warnings.simplefilter("error")


def lists(batches: Iterable[Any]) -> list[list[int]]:
    return [batch.tolist() for batch in batches]


def loader_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("octavo-loader")]

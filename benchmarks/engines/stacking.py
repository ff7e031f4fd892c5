"""What is done with the records of a batch in training, the same for all engines."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]


def decode(record: bytes) -> Bytes:
    """A record as an array."""
    return np.frombuffer(record, np.uint8)


def stack_arrays(records: list[bytes]) -> Bytes:
    """A batch as one array."""
    return np.stack([np.frombuffer(record, np.uint8) for record in records])


def stack(records: list[bytes]) -> Any:
    """A batch as one tensor."""
    return importlib.import_module("torch").from_numpy(stack_arrays(records))

"""Imports of the originals' names, for tests that redirect them, and of what does not go together."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import ModuleType

from octavo import compat

DROP_INS = {"array_record", "ffrecord", "recordio"}


@contextlib.contextmanager
def originals_out_of_sight() -> Iterator[None]:
    """Originals that other tests have imported would be taken for a program's own; afterwards imports are as before."""
    kept = _take_modules()
    try:
        with _triton_out_of_sight():
            yield
    finally:
        compat.deactivate()
        _take_modules()
        sys.modules.update(kept)


@contextlib.contextmanager
def _triton_out_of_sight() -> Iterator[None]:
    """PyTorch's optimizers import triton, which ends a process that has imported TensorFlow before; they do without."""
    is_dangerous = "tensorflow" in sys.modules and "triton" not in sys.modules
    if is_dangerous:
        sys.modules["triton"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if is_dangerous:
            del sys.modules["triton"]


def _take_modules() -> dict[str, ModuleType]:
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in DROP_INS}

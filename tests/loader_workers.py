"""Ending the workers of PyTorch's loaders with the test that has started them.

A loader that is collected as part of a cycle, and has a worker that was never asked for anything, closes the pipes to
it twice (`multiprocessing.Queue`, Python 3.11): once as garbage, and again when its `__del__` ends the workers. By then
the numbers of these descriptors may be anybody's, for example those of the next test.
"""

from __future__ import annotations

import contextlib
import sys
import weakref
from typing import Any

_KINDS = (
    ("torch.utils.data.dataloader", "_MultiProcessingDataLoaderIter"),
    ("torchdata.stateful_dataloader.stateful_dataloader", "_StatefulMultiProcessingDataLoaderIter"),
)
_started: weakref.WeakSet[Any] = weakref.WeakSet()
_watched: set[str] = set()


def watch() -> None:
    """Take note of all iterations with workers from now on, as far as their libraries are imported."""
    for module, name in _KINDS:
        kind = getattr(sys.modules.get(module), name, None)
        if kind is not None and module not in _watched:
            _watched.add(module)
            kind.__init__ = _noting(kind.__init__)


def _noting(original: Any) -> Any:
    def start(self: Any, *arguments: Any, **options: Any) -> None:
        _started.add(self)
        original(self, *arguments, **options)

    return start


def end_all() -> None:
    """End the workers of iterations that nobody has ended."""
    for iteration in list(_started):
        with contextlib.suppress(AttributeError):  # one that did not even begin
            iteration._shutdown_workers()
    _started.clear()

"""ElasticDL's own package, where it is installed: what the drop-in is compared with."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

import pytest

MODULES = ("header", "chunk", "writer", "reader", "file_index", "file", "global_variables")
NAMES = {
    "header": ("Header", "Compressor"),
    "chunk": ("Chunk",),
    "writer": ("Writer",),
    "reader": ("RangeReader",),
    "file_index": ("FileIndex",),
    "file": ("File",),
}
# Of the original, which calls its checksum by an old name.
QUIET = pytest.mark.filterwarnings("ignore:crc32c.crc32 will be eventually removed:DeprecationWarning")


def original() -> Any:
    """The classes of the original, or a skipped test."""
    reason = "no pyrecordio that is written in Python is installed"
    first = pytest.importorskip("recordio.recordio.header", reason=reason)
    if first.__name__.startswith("octavo"):
        pytest.skip("what is installed as recordio is the drop-in itself")
    return _classes("recordio.recordio")


def drop_in() -> Any:
    return _classes("octavo.compat.recordio.recordio")


def _classes(package: str) -> SimpleNamespace:
    modules = {module: importlib.import_module(f"{package}.{module}") for module in NAMES}
    return SimpleNamespace(
        **{name: getattr(modules[module], name) for module, names in NAMES.items() for name in names}
    )

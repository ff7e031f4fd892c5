"""What somebody is told who has not installed the framework."""

from __future__ import annotations

import importlib
import sys

import pytest


@pytest.mark.parametrize("missing", ["pyspark.sql.datasource", "pyarrow"])
def test_the_extra_is_named(monkeypatch, missing):
    for name in [name for name in sys.modules if name.startswith("octavo.integrations.spark")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=r"pip install 'octavo\[spark\]'"):
        importlib.import_module("octavo.integrations.spark")

"""What somebody is told who has not installed the framework."""

from __future__ import annotations

import importlib
import sys

import pytest


def test_the_extra_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("octavo.integrations.grain")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "grain", None)
    with pytest.raises(ImportError, match=r"pip install 'octavo\[grain\]'"):
        importlib.import_module("octavo.integrations.grain")

"""What somebody is told who has not installed the framework."""

from __future__ import annotations

import importlib
import sys

import pytest


def test_the_extra_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("octavo.integrations.beam")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "apache_beam", None)
    with pytest.raises(ImportError, match=r"pip install 'octavo\[beam\]'"):
        importlib.import_module("octavo.integrations.beam")

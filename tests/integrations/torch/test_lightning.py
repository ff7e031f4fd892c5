"""Lightning's Trainer, in a process of its own."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(importlib.util.find_spec("lightning") is None, reason="lightning is not installed")
def test_the_suite_for_lightning_passes():
    # Lightning imports triton, which ends a process that has imported TensorFlow before.
    suite = Path(__file__).with_name("lightning_suite.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(suite)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "skipped" not in ran.stdout

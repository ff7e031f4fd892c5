"""The example: workers and the dispatcher are killed, and every record is committed once."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples" / "elastic_tasks.py"


@pytest.mark.slow
def test_killed_workers_commit_every_record_once():
    ended = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert len(re.findall(r"worker \d+ is killed, and another starts", ended.stdout)) == 4
    assert "the dispatcher is killed, too" in ended.stdout
    assert "48 files with 12000 records; tasks given up: 0" in ended.stdout
    assert "every record of 2 epochs was committed exactly once: True" in ended.stdout

"""`Loader`: twenty epochs leave nothing behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

from tests.integrations.torch.loader_epochs import OPTIONS
from tests.integrations.torch.records import write_rows

ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize("name", OPTIONS)
def test_twenty_epochs_leave_nothing_behind(tmp_path, name):
    path = write_rows(tmp_path / "rows.ffr", 4096, width=256)  # 4 MiB an epoch
    program = [sys.executable, "-m", "tests.integrations.torch.loader_epochs", str(path), name]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-4000:]

"""PyTorch's DataLoader with worker processes of every kind over the drop-in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compat.array_record.samples import numbered, run_program, write

pytest.importorskip("torch")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_twenty_epochs_leave_nothing_behind(method: str, tmp_path: Path):
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("the system does not list descriptors")
    path = write(tmp_path / "data.array_record", numbered(200))
    run_program("torch_workers", method, 20, path)

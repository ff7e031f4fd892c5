"""What importing costs, and what it says where PyTorch is absent."""

from __future__ import annotations

import subprocess
import sys

import pytest


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("name", ["octavo.torch", "octavo.integrations.torch"])
def test_the_extra_is_named_where_pytorch_is_absent(name):
    ran = run(f"import sys; sys.modules['torch'] = None; import {name}")
    assert ran.returncode == 1
    assert ran.stderr.rstrip().endswith("ImportError: octavo.torch needs PyTorch: pip install 'octavo[torch]'")


def test_octavo_alone_imports_no_pytorch():
    ran = run("import sys, octavo, octavo.shuffle, octavo.integrations; sys.exit('torch' in sys.modules)")
    assert ran.returncode == 0, ran.stderr


def test_both_names_have_the_same_things():
    pytest.importorskip("torch")
    import octavo.integrations.torch as long
    import octavo.torch as short

    assert (
        long.__all__
        == short.__all__
        == [
            "BatchSampler",
            "Loader",
            "RecordDataset",
            "Sampler",
            "collate",
            "sampler_state",
        ]
    )
    assert all(getattr(long, name) is getattr(short, name) for name in long.__all__)

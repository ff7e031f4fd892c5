"""The training examples: each is killed in the middle of an epoch, resumed, and ends as if nothing had happened."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
FRAMEWORKS = {
    "train_torch.py": ["torch"],
    "train_torch_workers.py": ["torch", "torchdata"],
    "train_grain.py": ["grain", "jax"],
    "train_tensorflow.py": ["tensorflow"],
}


def run(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=500, check=False)


def needs(*modules: str) -> None:
    for module in ("numpy", "sklearn", *modules):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: 'make test EXTRAS=all' installs it")


def test_every_training_example_is_run():
    assert {path.name for path in EXAMPLES.glob("train_*.py")} == {*FRAMEWORKS, "train_torch_elastic.py"}


@pytest.mark.slow
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_killed_run_ends_with_the_losses_of_one_left_alone(name):
    needs(*FRAMEWORKS[name])
    ended = run(EXAMPLES / name)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "killed after step 45, resumed at step 41: " in ended.stdout
    assert "the losses of all 87 steps are equal: True" in ended.stdout


@pytest.mark.slow
def test_four_ranks_that_become_three_use_every_sample_once():
    needs("torch")
    ended = run(EXAMPLES / "train_torch_elastic.py")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "on 4 ranks: 640 samples until the last checkpoint; then on 3: 1157" in ended.stdout
    assert "used exactly once: True" in ended.stdout


def write_program(folder: Path, train: str) -> Path:
    """A program like the examples, whose losses are the lines of a function."""
    path = folder / "program.py"
    head = f"import os, sys\nsys.path.insert(0, {str(EXAMPLES)!r})\nimport digits\n"
    path.write_text(f"{head}{train}\ndigits.compare_runs(train, suffix='.ffr')\n", encoding="utf-8")
    return path


def test_a_run_that_forgets_where_it_was_is_told(tmp_path):
    needs()
    train = """
def train(data, checkpoint, after_step):
    losses = [1.0] * 40 if os.path.exists(checkpoint) else []
    for step in range(87 - len(losses)):
        losses.append(1.0 / (step + 1))
        open(checkpoint, "w").close()
        after_step(losses)
    return losses
"""
    ended = run(write_program(tmp_path, train))
    assert ended.returncode == 1
    assert "the losses of all 87 steps are equal: False" in ended.stdout


def test_a_run_that_starts_over_is_told(tmp_path):
    needs()
    train = """
def train(data, checkpoint, after_step):
    losses = []
    for step in range(87):
        losses.append(1.0)
        after_step(losses)
    return losses
"""
    ended = run(write_program(tmp_path, train))
    assert ended.returncode == 1
    assert "resumed at step 1:" in ended.stdout


def test_a_run_that_survives_its_killing_is_told(tmp_path):
    needs()
    train = """
def train(data, checkpoint, after_step):
    after_step([1.0])
    return [1.0]
"""
    ended = run(write_program(tmp_path, train))
    assert ended.returncode == 1
    assert "training ended with status 0" in ended.stderr


def test_the_records_are_the_digits(tmp_path, monkeypatch):
    needs()
    import numpy as np
    from sklearn.datasets import load_digits

    import octavo

    monkeypatch.syspath_prepend(str(EXAMPLES))
    digits = __import__("digits")
    digits.write(str(tmp_path / "digits.array_record"))
    found = load_digits()
    images, labels = zip(*map(digits.decode, octavo.open(tmp_path / "digits.array_record")), strict=True)
    assert np.array_equal(np.stack(images) * 16, found.data)
    assert list(labels) == found.target.tolist()

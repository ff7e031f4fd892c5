"""What the training examples share: scikit-learn's handwritten digits as records, and a process that is killed.

Each example trains a small network twice. One run is left alone. The other is killed in the middle of an epoch, without
any warning, and started again: it reads its last checkpoint and goes on. Both must end with the same losses, bit for
bit. `compare_runs` does all that; what is worth copying into your own program is the `train` function of an example.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

import octavo

BATCH_SIZE = 64
EPOCHS = 3  # of 29 batches
SAVE_EVERY = 10  # batches
KILLED_AFTER = 45  # batches: in the second epoch, and some of them after the last checkpoint
LEARNING_RATE = 0.1

DIGIT = np.dtype([("number", "<u2"), ("label", "u1"), ("pixels", "u1", 64)])
"""A record: which digit of the data set it is, what it shows, and 8 x 8 pixels from 0 to 16."""

AfterStep: TypeAlias = Callable[[list[float]], None]
Train: TypeAlias = Callable[[str, str, AfterStep], list[float]]


def write(path: str) -> None:
    """Writes the data set. The suffix chooses the format."""
    from sklearn.datasets import load_digits  # noqa: PLC0415 - the processes that train need not wait for it

    found = load_digits()
    digits = np.zeros(len(found.target), DIGIT)
    digits["number"], digits["label"], digits["pixels"] = range(len(digits)), found.target, found.data
    with octavo.create(path) as writer:
        writer.write_many(digit.tobytes() for digit in digits)


def decode(record: bytes) -> tuple[npt.NDArray[np.float32], int]:
    """An image, and which digit it shows."""
    digit = np.frombuffer(record, DIGIT)[0]
    return digit["pixels"].astype(np.float32) / 16, int(digit["label"])


def compare_runs(train: Train, suffix: str) -> None:
    """Trains with and without a kill; exits with 1 if that makes any difference.

    Args:
        train: Takes the path of the data set, that of the checkpoint, and what to call after each step with the losses
            so far. Goes on from the checkpoint if there is one, and returns the losses of all steps since the first.
        suffix: The suffix of the data set, which chooses its format.
    """
    if len(sys.argv) > 1:
        _train_here(train, *sys.argv[1:])
        return
    with tempfile.TemporaryDirectory() as folder:
        data, alone, killed = (os.path.join(folder, name) for name in (f"digits{suffix}", "alone", "killed"))
        write(data)
        expected = train(data, alone, lambda _: None)
        run_again(data, killed, str(KILLED_AFTER), is_killed=True)
        run_again(data, killed, "0")
        losses, resumed_at = json.loads(Path(f"{killed}.losses").read_text(encoding="ascii"))
    print(f"left alone: {len(expected)} steps, loss {expected[0]!r} to {expected[-1]!r}")
    print(f"killed after step {KILLED_AFTER}, resumed at step {resumed_at}: loss {losses[0]!r} to {losses[-1]!r}")
    print(f"the losses of all {len(losses)} steps are equal: {losses == expected}")
    sys.exit(losses != expected or resumed_at == 1)


def run_again(*arguments: str, is_killed: bool = False) -> None:
    """Runs the program that is running in a new process, with other arguments."""
    ended = subprocess.run([sys.executable, sys.argv[0], *arguments], check=False)
    if ended.returncode != (-signal.SIGKILL if is_killed else 0):
        sys.exit(f"training ended with status {ended.returncode}")


def die() -> None:
    """As if the machine had: nothing is flushed, closed or said."""
    os.kill(os.getpid(), signal.SIGKILL)


def _train_here(train: Train, data: str, checkpoint: str, killed_after: str) -> None:
    steps_here: list[int] = []

    def after_step(losses: list[float]) -> None:
        steps_here.append(len(losses))
        if len(losses) == int(killed_after):
            die()

    losses = train(data, checkpoint, after_step)
    Path(f"{checkpoint}.losses").write_text(json.dumps((losses, steps_here[0])), encoding="ascii")

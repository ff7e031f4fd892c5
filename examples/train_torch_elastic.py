"""PyTorch on four ranks, killed in the middle of an epoch and resumed on three: every sample of the epoch is used once.

To keep it short, the ranks take turns in one process: each has a loader of its own, and gradients add up over them.
Under torchrun every process has one loader, which asks torch.distributed for rank and world size.

Run it as `python examples/train_torch_elastic.py` where octavo[torch] and scikit-learn are installed.
"""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
from typing import Any

import digits
import numpy as np
import torch
from torch import nn

from octavo.torch import Loader

BATCH_SIZE = 16  # of each rank
SAVE_EVERY = 5
KILLED_AFTER = 13


def decode(record: bytes) -> tuple[int, Any, int]:
    """Which sample it is, the image, and which digit it shows."""
    return int(np.frombuffer(record, digits.DIGIT)[0]["number"]), *digits.decode(record)


def train(data: str, checkpoint: str, world_size: int, killed_after: int) -> None:
    """Trains one epoch, and notes which samples were used."""
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    optimizer = torch.optim.SGD(network.parameters(), lr=digits.LEARNING_RATE)
    loaders = [
        Loader(data, batch_size=BATCH_SIZE, seed=7, decode=decode, rank=rank, world_size=world_size)
        for rank in range(world_size)
    ]
    used: list[int] = []
    if os.path.exists(checkpoint):
        saved = torch.load(checkpoint)
        network.load_state_dict(saved["network"])
        used = saved["used"]
        for loader in loaders:
            loader.load_state_dict(saved["loader"])  # one state for all ranks, however many there are

    def save() -> None:
        state = {"network": network.state_dict(), "loader": loaders[0].state_dict(), "used": used}
        torch.save(state, f"{checkpoint}.new")
        os.replace(f"{checkpoint}.new", checkpoint)

    for step, batches in enumerate(itertools.zip_longest(*loaders), 1):
        batches_left = [batch for batch in batches if batch is not None]  # in the last step some ranks may have none
        optimizer.zero_grad()
        for numbers, images, labels in batches_left:
            nn.functional.cross_entropy(network(images), labels).div(len(batches_left)).backward()
            used += numbers.tolist()
        optimizer.step()
        if step % SAVE_EVERY == 0:
            save()
        if step == killed_after:
            digits.die()
    save()


def main() -> None:
    """Four ranks, a kill, three ranks."""
    if len(sys.argv) > 1:
        data, checkpoint, world_size, killed_after = sys.argv[1:]
        train(data, checkpoint, int(world_size), int(killed_after))
        return
    with tempfile.TemporaryDirectory() as folder:
        data, checkpoint = os.path.join(folder, "digits.array_record"), os.path.join(folder, "checkpoint")
        digits.write(data)
        digits.run_again(data, checkpoint, "4", str(KILLED_AFTER), is_killed=True)
        before = len(torch.load(checkpoint)["used"])
        digits.run_again(data, checkpoint, "3", "0")
        used = torch.load(checkpoint)["used"]
    is_right = sorted(used) == list(range(len(used)))
    print(f"on 4 ranks: {before} samples until the last checkpoint; then on 3: {len(used) - before}")
    print(f"every sample of the epoch was used exactly once: {is_right}")
    sys.exit(not is_right)


if __name__ == "__main__":
    main()

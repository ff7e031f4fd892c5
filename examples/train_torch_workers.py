"""PyTorch with worker processes, StatefulDataLoader over octavo's data set and sampler, killed in mid-epoch.

Run it as `python examples/train_torch_workers.py` where octavo[torch], torchdata and scikit-learn are installed.
"""

from __future__ import annotations

import os

import digits
import torch
from torch import nn
from torchdata.stateful_dataloader import StatefulDataLoader

from octavo.torch import BatchSampler, RecordDataset


def train(data: str, checkpoint: str, after_step: digits.AfterStep) -> list[float]:
    """Goes on from the checkpoint, if there is one; returns the losses of all steps."""
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    optimizer = torch.optim.SGD(network.parameters(), lr=digits.LEARNING_RATE, momentum=0.9)
    dataset = RecordDataset(data, decode=digits.decode)
    sampler = BatchSampler(dataset, digits.BATCH_SIZE, seed=7)
    loader = StatefulDataLoader(dataset, batch_sampler=sampler, num_workers=2)
    first_epoch, losses = 0, list[float]()

    if os.path.exists(checkpoint):
        saved = torch.load(checkpoint)
        network.load_state_dict(saved["network"])
        optimizer.load_state_dict(saved["optimizer"])
        loader.load_state_dict(saved["loader"])
        first_epoch, losses = saved["epoch"], saved["losses"]

    for epoch in range(first_epoch, digits.EPOCHS):
        for images, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(network(images), labels)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if len(losses) % digits.SAVE_EVERY == 0:
                state = {
                    "network": network.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "loader": loader.state_dict(),
                    "epoch": epoch,
                    "losses": losses,
                }
                torch.save(state, f"{checkpoint}.new")
                os.replace(f"{checkpoint}.new", checkpoint)  # whole or not at all, whenever the process dies
            after_step(losses)
    return losses


if __name__ == "__main__":
    digits.compare_runs(train, suffix=".ffr")

"""JAX with Grain reading from octavo, killed in the middle of an epoch.

Run it as `python examples/train_grain.py` where octavo[grain], jax and scikit-learn are installed.
"""

from __future__ import annotations

import json
import os
from typing import Any

import digits
import grain
import jax
import jax.numpy as jnp
import numpy as np

from octavo.integrations.grain import DataSource


def loss_of(network: Any, images: Any, labels: Any) -> Any:
    """Cross entropy of one hidden layer's answers."""
    hidden = jax.nn.relu(images @ network["w1"] + network["b1"])
    chances = jax.nn.log_softmax(hidden @ network["w2"] + network["b2"])
    return -jnp.take_along_axis(chances, labels[:, None], axis=1).mean()


@jax.jit  # type: ignore[untyped-decorator,unused-ignore]  # JAX may be absent
def step(network: Any, images: Any, labels: Any) -> Any:
    """The network after one batch, and the loss before."""
    loss, slopes = jax.value_and_grad(loss_of)(network, images, labels)
    return jax.tree.map(lambda weight, slope: weight - digits.LEARNING_RATE * slope, network, slopes), loss


def train(data: str, checkpoint: str, after_step: digits.AfterStep) -> list[float]:
    """Goes on from the checkpoint, if there is one; returns the losses of all steps."""
    keys = jax.random.split(jax.random.key(0))
    network = {
        "w1": jax.random.normal(keys[0], (64, 32)) / 8,
        "b1": jnp.zeros(32),
        "w2": jax.random.normal(keys[1], (32, 10)) / 6,
        "b2": jnp.zeros(10),
    }
    dataset = grain.MapDataset.source(DataSource(data)).shuffle(seed=7).map(digits.decode)
    batches = iter(dataset.batch(digits.BATCH_SIZE).repeat(digits.EPOCHS).to_iter_dataset())
    losses: list[float] = []

    if os.path.exists(checkpoint):
        saved = np.load(checkpoint)
        network = {name: jnp.asarray(saved[name]) for name in network}
        batches.set_state(json.loads(saved["batches"].item()))
        losses = saved["losses"].tolist()

    for images, labels in batches:
        network, loss = step(network, images, labels)
        losses.append(float(loss))
        if len(losses) % digits.SAVE_EVERY == 0:
            with open(f"{checkpoint}.new", "wb") as file:
                np.savez(file, **network, batches=json.dumps(batches.get_state()), losses=losses)
            os.replace(f"{checkpoint}.new", checkpoint)  # whole or not at all, whenever the process dies
        after_step(losses)
    return losses


if __name__ == "__main__":
    digits.compare_runs(train, suffix=".array_record")

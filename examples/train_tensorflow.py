"""TensorFlow and Keras with a tf.data.Dataset from octavo, killed in the middle of an epoch.

Run it as `python examples/train_tensorflow.py` where octavo[tensorflow] and scikit-learn are installed.
"""

from __future__ import annotations

from typing import Any

import digits
import keras
import tensorflow as tf

from octavo.integrations.tensorflow import dataset

STEPS = 87


def decode(records: Any) -> tuple[Any, Any]:
    """A batch of records as images, and which digits they show; see `digits.DIGIT` for what is where."""
    content = tf.io.decode_raw(records, tf.uint8)
    return tf.cast(content[:, 3:], tf.float32) / 16, content[:, 2]


def train(data: str, checkpoint: str, after_step: digits.AfterStep) -> list[float]:
    """Goes on from the checkpoint, if there is one; returns the losses of all steps."""
    keras.utils.set_random_seed(0)
    tf.config.experimental.enable_op_determinism()
    network = keras.Sequential([keras.Input((64,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(10)])
    optimizer = keras.optimizers.SGD(digits.LEARNING_RATE, momentum=0.9)
    optimizer.build(network.trainable_variables)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    records = dataset(data, shuffle=True, seed=7, batch=digits.BATCH_SIZE, epochs=digits.EPOCHS)
    batches = iter(records.map(decode).prefetch(2))
    losses = tf.Variable(tf.zeros(STEPS))
    saved = tf.train.Checkpoint(network=network, optimizer=optimizer, batches=batches, losses=losses)
    manager = tf.train.CheckpointManager(saved, checkpoint, max_to_keep=1)  # names a checkpoint once it is whole
    manager.restore_or_initialize()

    @tf.function(reduce_retracing=True)  # type: ignore[untyped-decorator,unused-ignore]  # TensorFlow is taken as Any
    def step(images: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(labels, network(images))
        optimizer.apply_gradients(
            zip(tape.gradient(loss, network.trainable_variables), network.trainable_variables, strict=True)
        )
        return loss

    for images, labels in batches:
        loss = step(images, labels)
        done = int(optimizer.iterations)
        losses[done - 1].assign(loss)
        if done % digits.SAVE_EVERY == 0:
            manager.save()
        after_step([float(loss) for loss in losses[:done]])
    return [float(loss) for loss in losses]


if __name__ == "__main__":
    digits.compare_runs(train, suffix=".tfrecord")

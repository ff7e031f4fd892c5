"""Records in TensorFlow: a `tf.data.Dataset` of strings, whole batches of which are read at once.

>>> from octavo.integrations.tensorflow import dataset
>>> for batch in dataset("train.array_record", shuffle=True, seed=7, batch=64):  # strings, for tf.io.parse_example
...     print(batch.shape)
(64,)
(36,)

The pipeline counts batches, and Python reads the batch of a number. So the order is octavo's, and what TensorFlow's
checkpoints hold is a number; but records are read in the process that has made the data set, and nowhere else.
"""

try:
    import tensorflow as tf  # noqa: F401 - to say now what is missing
except ModuleNotFoundError as error:
    message = "octavo.integrations.tensorflow needs TensorFlow: pip install 'octavo[tensorflow]'"
    raise ImportError(message) from error

from octavo.integrations.tensorflow._dataset import dataset

__all__ = ["dataset"]

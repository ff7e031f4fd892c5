"""A chunk of a RecordIO file as a data set of TensorFlow."""

from octavo.compat.recordio.tensorflow_op.python.tf_recordio_dataset import RecordIODataset

__all__ = ["RecordIODataset"]

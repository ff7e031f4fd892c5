"""A RecordIO file as a data set of PyTorch."""

from octavo.compat.recordio.torch_dataset.torch_dataset import TorchDataset

__all__ = ["TorchDataset"]

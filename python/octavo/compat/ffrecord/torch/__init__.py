"""`ffrecord.torch`: data sets that are asked for a whole batch at a time, and the loader that does so."""

try:
    import torch  # noqa: F401 - to say now what is missing
except ModuleNotFoundError as error:
    message = "octavo.compat.ffrecord.torch needs PyTorch: pip install 'octavo[torch]'"
    raise ImportError(message) from error

from octavo.compat.ffrecord.torch.dataloader import DataLoader
from octavo.compat.ffrecord.torch.dataset import ConcatDataset, Dataset, Subset
from octavo.compat.ffrecord.torch.registry import ReaderRegistry

__all__ = ["ConcatDataset", "DataLoader", "Dataset", "ReaderRegistry", "Subset"]

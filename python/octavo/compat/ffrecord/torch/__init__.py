"""`ffrecord.torch`: data sets that are asked for a whole batch at a time, and the loader that does so."""

from octavo.compat.ffrecord.torch.dataloader import DataLoader
from octavo.compat.ffrecord.torch.dataset import ConcatDataset, Dataset, Subset
from octavo.compat.ffrecord.torch.registry import ReaderRegistry

__all__ = ["ConcatDataset", "DataLoader", "Dataset", "ReaderRegistry", "Subset"]

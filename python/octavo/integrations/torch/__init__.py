"""Records in PyTorch: a data set, samplers that know where they stand, and a loader of threads.

>>> from octavo.torch import Loader
>>> loader = Loader("train.ffr", batch_size=64, decode=len)
>>> for batch in loader:
...     print(batch.shape)
torch.Size([64])
torch.Size([36])
"""

try:
    import torch  # noqa: F401 - to say now what is missing
except ModuleNotFoundError as error:
    message = "octavo.torch needs PyTorch: pip install 'octavo[torch]'"
    raise ImportError(message) from error

from octavo.integrations.torch._collate import collate
from octavo.integrations.torch._dataset import RecordDataset
from octavo.integrations.torch._loader import Loader
from octavo.integrations.torch._sampler import BatchSampler, Sampler, sampler_state

__all__ = ["BatchSampler", "Loader", "RecordDataset", "Sampler", "collate", "sampler_state"]

"""Which record comes when: shuffled epochs, shared among ranks, that go on exactly where they stopped.

>>> from octavo import shuffle
>>> order = shuffle.Permutation(1_000_000_000_000, seed=7)  # computed, never stored
>>> order.index(order[123])
123
>>> sampler = shuffle.Sampler(10, batch_size=4, seed=7)
>>> [len(batch) for batch in sampler]
[4, 4, 2]

No framework is needed here; `octavo.torch` puts the same orders behind PyTorch's names.
"""

from octavo.shuffle._mixture import Mixture
from octavo.shuffle._permutation import Permutation
from octavo.shuffle._sampler import Sampler

__all__ = ["Mixture", "Permutation", "Sampler"]

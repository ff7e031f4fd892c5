"""Lightning's Trainer over an `ffrecord.torch.DataLoader` that is not skippable. Run by `test_lightning.py`."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

torch = pytest.importorskip("torch")
lightning = pytest.importorskip("lightning.pytorch")

from lightning.pytorch.utilities.data import _update_dataloader  # noqa: E402

from octavo.compat.ffrecord.torch import DataLoader  # noqa: E402
from tests.compat.ffrecord.torch.datasets import OldStyle, as_list  # noqa: E402

# Lightning has advice on small runs, and uses what newer releases of torch deprecate: its own business.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore:.*LeafSpec:FutureWarning")


class Model(lightning.LightningModule):  # type: ignore[misc,name-defined] # lightning is not checked
    """Learns nothing, and remembers what it was shown."""

    def __init__(self, dataset: Any = None) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.dataset = dataset
        self.seen: list[int] = []

    def train_dataloader(self) -> DataLoader:
        return DataLoader(self.dataset, batch_size=8, shuffle=True, skippable=False)

    def training_step(self, batch: Any, _: int) -> Any:
        self.seen += batch.tolist()
        return (self.weight * batch).sum()

    def predict_step(self, batch: Any, _: int) -> Any:
        return batch

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.1)


def trainer(**options: Any) -> Any:
    quiet = {
        "logger": False,
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
    }
    return lightning.Trainer(accelerator="cpu", devices=1, **quiet, **options)


@pytest.mark.parametrize("num_workers", [0, 2])
def test_a_model_is_shown_every_sample_of_every_epoch(path, num_workers):
    model = Model()
    loader = DataLoader(OldStyle(path), batch_size=8, shuffle=True, num_workers=num_workers, skippable=False)
    trainer(max_epochs=2).fit(model, loader)
    assert sorted(model.seen) == sorted(list(range(40)) * 2)


def test_a_loader_made_by_the_model_is_used(path):
    model = Model(OldStyle(path))
    trainer(max_epochs=1).fit(model)
    assert sorted(model.seen) == list(range(40))


def test_a_loader_is_made_anew_for_overfitting(path):
    model = Model()
    loader = DataLoader(OldStyle(path), batch_size=8, num_workers=2, skippable=False)
    trainer(max_epochs=2, overfit_batches=2).fit(model, loader)
    assert model.seen == list(range(16)) * 2


def test_predictions_come_for_every_sample(path):
    loader = DataLoader(OldStyle(path), batch_size=16, drop_last=True, skippable=False)
    predicted = trainer().predict(Model(), loader)
    assert torch.cat(predicted).tolist() == list(range(40))


@pytest.mark.parametrize("batch_size", [4, None])
def test_a_distributed_sampler_can_be_put_in(path, batch_size):
    dataset = OldStyle(path)
    sampler = torch.utils.data.DistributedSampler(dataset, num_replicas=2, rank=1, shuffle=False)
    loader = DataLoader(dataset, batch_size, num_workers=2, collate_fn=as_list, timeout=60, skippable=False)
    replaced = _update_dataloader(loader, sampler)
    assert type(replaced) is DataLoader
    assert replaced.skippable is False
    assert (replaced.batch_size, replaced.num_workers, replaced.timeout) == (batch_size, 2, 60)
    assert [*itertools.chain(*replaced)] == list(range(1, 40, 2))

"""A Trainer of Lightning that goes on from a checkpoint shows what it would have shown. Run by `test_lightning.py`."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
lightning = pytest.importorskip("lightning.pytorch")
torchdata = pytest.importorskip("torchdata.stateful_dataloader")

from octavo import shuffle  # noqa: E402
from octavo.torch import BatchSampler, Loader, RecordDataset  # noqa: E402
from tests.integrations.torch.records import number  # noqa: E402

# Lightning has advice on small runs, and uses what newer releases of torch deprecate: its own business.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore:.*LeafSpec:FutureWarning")
SAMPLER = shuffle.Sampler(40, batch_size=8, seed=3)
WHOLE = [(epoch, batch) for epoch in range(3) for batch in SAMPLER]


class Model(lightning.LightningModule):  # type: ignore[misc,name-defined] # lightning is not checked
    """Learns nothing, and remembers what it was shown in which epoch."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.seen: list[tuple[int, list[int]]] = []

    def training_step(self, batch: Any, _: int) -> Any:
        self.seen.append((self.current_epoch, batch.tolist()))
        return (self.weight * batch).sum()

    def validation_step(self, batch: Any, _: int) -> None:
        self.seen.append((self.current_epoch, batch.tolist()))

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Save(lightning.Callback):  # type: ignore[misc,name-defined] # the same
    """Saves a checkpoint after every step."""

    def __init__(self, folder: Any) -> None:
        self.folder = folder

    def on_train_batch_end(self, trainer: Any, *_: Any) -> None:
        trainer.save_checkpoint(self.folder / f"{trainer.global_step}")


def trainer(**options: Any) -> Any:
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
    return lightning.Trainer(accelerator="cpu", devices=1, **quiet, **options)


def loader_of(path: Any) -> Any:
    return Loader(path, batch_size=8, seed=3, decode=number)


def stateful_loader_of(path: Any) -> Any:
    dataset = RecordDataset(path, decode=number)
    return torchdata.StatefulDataLoader(dataset, batch_sampler=BatchSampler(dataset, 8, seed=3))


def usual_loader_of(path: Any) -> Any:
    dataset = RecordDataset(path, decode=number)
    return torch.utils.data.DataLoader(dataset, batch_sampler=BatchSampler(dataset, 8, seed=3))


def seen_from(checkpoint: Any, loader: Any) -> list[tuple[int, list[int]]]:
    model = Model()
    trainer(max_epochs=3, enable_checkpointing=False).fit(model, loader, ckpt_path=checkpoint, weights_only=False)
    return model.seen


@pytest.mark.parametrize(
    ("make", "steps"),
    [
        (loader_of, [3, 5, 7]),
        (
            stateful_loader_of,
            [3, 7],
        ),  # torchdata takes an epoch for unfinished after its last batch
        (usual_loader_of, [5]),  # has no state
    ],
)
def test_a_checkpoint_after_a_step(path, tmp_path, make, steps):
    whole = Model()
    trainer(max_epochs=3, enable_checkpointing=False, callbacks=[Save(tmp_path)]).fit(whole, make(path))
    assert whole.seen == WHOLE
    for step in steps:
        assert seen_from(tmp_path / f"{step}", make(path)) == WHOLE[step:]


@pytest.mark.parametrize("make", [loader_of, stateful_loader_of, usual_loader_of])
def test_a_checkpoint_at_the_end_of_an_epoch(path, tmp_path, make):
    keep = lightning.callbacks.ModelCheckpoint(tmp_path, filename="end")
    trainer(max_epochs=1, callbacks=[keep]).fit(Model(), make(path))
    assert seen_from(tmp_path / "end.ckpt", make(path)) == WHOLE[5:]


def test_a_loader_serves_for_validation_and_few_batches(path):
    model = Model()
    trainer(enable_checkpointing=False).validate(model, loader_of(path), verbose=False)
    assert model.seen == WHOLE[:5]
    model = Model()
    trainer(max_epochs=1, overfit_batches=2, enable_checkpointing=False).fit(model, loader_of(path))
    assert model.seen == WHOLE[:2]

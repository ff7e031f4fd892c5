"""Ranks of torch.distributed: two processes that talk to each other."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from octavo.torch import BatchSampler, Loader, RecordDataset, Sampler  # noqa: E402
from tests.integrations.torch.records import lists, number  # noqa: E402

pytestmark = pytest.mark.skipif(
    not (torch.distributed.is_available() and torch.distributed.is_gloo_available()), reason="needs gloo"
)


def one_rank(rank: int, world_size: int, folder: Path, path: Path) -> None:
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder / 'meeting'}", rank=rank, world_size=world_size
    )
    dataset = RecordDataset(path, decode=number)
    loaders = {
        "loader": Loader(path, batch_size=3, decode=number),
        "batches": torch.utils.data.DataLoader(dataset, batch_sampler=BatchSampler(dataset, 3)),
        "samples": torch.utils.data.DataLoader(dataset, batch_size=3, sampler=Sampler(dataset)),
        "told otherwise": Loader(path, batch_size=3, decode=number, rank=0, world_size=1),
    }
    found: list[dict[str, list[list[int]]] | None] = [None] * world_size
    torch.distributed.all_gather_object(found, {name: lists(loader) for name, loader in loaders.items()})
    if rank == 0:
        torch.save(found, folder / "found")
    torch.distributed.destroy_process_group()


def test_ranks_share_an_epoch_without_being_told(tmp_path, path):
    torch.multiprocessing.start_processes(one_rank, args=(2, tmp_path, path), nprocs=2, start_method="spawn")
    first, second = torch.load(tmp_path / "found")
    for name in ("loader", "batches", "samples"):
        assert first[name] == first["loader"]
        assert sorted(itertools.chain(*first[name], *second[name])) == list(range(40))
        assert len(first[name]) == len(second[name]) == 7
    assert sorted(itertools.chain(*first["told otherwise"])) == list(range(40))
    assert first["told otherwise"] == second["told otherwise"]

"""What both READMEs of FFRecord begin with: samples are written, then read."""

from __future__ import annotations

import importlib
import pickle
from pathlib import Path
from typing import Any

import pytest

from tests.compat.documents import worlds
from tests.compat.documents.page import Page
from tests.naive import ffrecord as naive


def writing(page: Page, block: int) -> None:
    page.give(pickle=pickle)
    page.run(block)
    assert Path("test.ffr").read_bytes() == naive.encode([pickle.dumps(number) for number in range(100)])


def reading(page: Page, block: int) -> None:
    page.give(pickle=pickle)
    assert page.run(block) == "Number of samples: 100\n"
    assert [pickle.loads(data) for data in page.names["data"]] == [3, 6, 0, 10]
    assert page.names["sample"] == 10
    with pytest.raises(RuntimeError, match="FileReader has been closed"):
        page.names["reader"].read([0])


def data_set(page: Page, block: int, count: int) -> Any:
    """Runs the block that defines a data set and reads four samples of `train.ffr`, which has that many."""
    worlds.ffrecord_samples("train.ffr", count)
    importlib.import_module("ffrecord.torch")
    page.give(ffrecord=importlib.import_module("ffrecord"), pickle=pickle)
    page.run(block)
    assert page.names["samples"] == [3, 4, 1, 0]
    dataset = page.names["dataset"]
    assert len(dataset) == count
    assert page.names["CustomDataset"]("train.ffr", transform=str)[[7, 7, 2]] == ["7", "7", "2"]
    return dataset


def training(page: Page, block: int) -> list[list[int]]:
    """Runs the block that trains, and returns the samples of every batch. Their numbers restart with every epoch."""
    page.give(trained=[])
    page.run(block)
    assert page.names["trained"][0][0] == 0
    return [batch.tolist() for _, batch in page.names["trained"]]

"""The older README of FFRecord: data sets define `process`."""

from __future__ import annotations

import itertools

from tests.compat.documents import ffrecord_readmes
from tests.compat.documents.extract import fenced
from tests.compat.documents.page import Document, Page

DOCUMENT = Document(
    "001",
    "ffrecord",
    fenced,
    not_python={0: "a drawing of the file", 1: "a command that installs", 4: "a drawing of the data's way"},
)
_SAMPLES = 100


@DOCUMENT.step(2)
def writing(page: Page) -> None:
    ffrecord_readmes.writing(page, 2)


@DOCUMENT.step(3)
def reading(page: Page) -> None:
    ffrecord_readmes.reading(page, 3)


@DOCUMENT.step(5, needs=("torch",))
def a_data_set_with_process(page: Page) -> None:
    ffrecord_readmes.data_set(page, 5, _SAMPLES)


@DOCUMENT.step(6, needs=("torch",))
def training(page: Page) -> None:
    batches = ffrecord_readmes.training(page, 6)
    assert [len(batch) for batch in batches] == [16] * 6 + [4]
    together = list(itertools.chain(*batches))
    assert sorted(together) == list(range(_SAMPLES))
    assert together != sorted(together), "the loader was asked to shuffle"

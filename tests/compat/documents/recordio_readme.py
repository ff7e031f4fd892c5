"""The README of RecordIO, late 2018. What its blocks must do is told in the spec: no version ran all of them."""

from __future__ import annotations

from pathlib import Path

from tests.compat.documents.extract import fenced
from tests.compat.documents.page import Document, Page

DOCUMENT = Document("000", "recordio", fenced, not_python={3: "commands that build the package"})

# From the originals, default codec and dialect: `abc` and `edf`, `abc` and `def`.
_WRITTEN = bytes.fromhex("0403020102000000 81d224f8 02000000 10000000 0e34 03000000616263 03000000656466")
_WRITTEN_BY_FILE = bytes.fromhex("0403020102000000 88d8c74e 02000000 10000000 0e34 03000000616263 03000000646566")


@DOCUMENT.step(0)
def writing(page: Page) -> None:
    page.run(0)
    assert Path("demo.recordio").read_bytes() == _WRITTEN


@DOCUMENT.step(1)
def reading(page: Page) -> None:
    printed = page.run(1)
    assert printed.splitlines() == [
        "Total file records: 2",
        "Total chunk records: 2",
        "record value: abc",
        "record value: edf",
    ]


@DOCUMENT.step(2)
def both_with_one_class(page: Page) -> None:
    page.run(2)
    assert Path("demo.recordio").read_bytes() == _WRITTEN_BY_FILE
    assert page.names["record"] == "def"
    visited = []
    iterator = page.names["recordio"].File("demo.recordio", "r").iterator()
    while iterator.has_next():
        visited.append(iterator.next())
    assert visited == ["abc", "def"]

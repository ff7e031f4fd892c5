"""The guide of ArrayRecord: files are written, read, and read together."""

from __future__ import annotations

import glob
from pathlib import Path

import pytest

import octavo
from tests.compat.documents.extract import directives
from tests.compat.documents.page import Document, Page

DOCUMENT = Document(
    "002", "array_record", directives, not_python={0: "a command that installs", 1: "a command that installs"}
)


@DOCUMENT.step(2)
def writing(page: Page) -> None:
    page.run(2)
    with octavo.open("output.array_record") as reader:
        assert reader.info.group_size == 1
        assert reader.read_all() == [b"Record %d" % number for number in range(10000)]


@DOCUMENT.step(3)
def reading(page: Page) -> None:
    page.run(3)
    assert page.names["record"] == b"Record 9999"
    assert page.names["records"] == [b"Record 0", b"Record 1", b"Record 100"]
    with pytest.raises(RuntimeError):
        page.names["reader"].read([0])


@DOCUMENT.step(4)
def reading_several_files(page: Page) -> None:
    """The pattern also finds the file that was written two blocks before, and puts nothing in order."""
    page.run(4)
    shards = sorted(Path().glob("output.array_record-*-of-00005"))
    assert len(shards) == 5
    with octavo.open(shards) as written:
        assert written.read_all() == [b"File %05d, Record %d" % divmod(number, 100) for number in range(500)]
    with octavo.open(glob.glob("output.array_record*")) as expected:
        assert page.names["total_records"] == len(expected) == 10500
        assert page.names["record_1000"] == expected[150]
        assert page.names["batch"] == expected[[10, 100, 200]]

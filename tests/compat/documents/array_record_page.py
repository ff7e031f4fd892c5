"""The page of ArrayRecord on PyPI, as far as it needs no framework; `array_record_frameworks` has the others."""

from __future__ import annotations

import functools
import json
import re

import octavo
from tests.compat.documents import array_record_frameworks, worlds
from tests.compat.documents.extract import ranged
from tests.compat.documents.layouts import ARRAY_RECORD_PAGE
from tests.compat.documents.page import Document, Page

DOCUMENT = Document(
    "004",
    "array_record",
    functools.partial(ranged, ranges=ARRAY_RECORD_PAGE),
    not_python={0: "commands that install", 7: "a drawing of the file", 12: "commands that build and test the package"},
)
array_record_frameworks.add_steps(DOCUMENT)


@DOCUMENT.step(1)
def basic_usage(page: Page) -> None:
    assert page.run(1) == "Dataset contains 1000 records\n"
    written = [b"Record %d" % number for number in range(1000)]
    with octavo.open("dataset.array_record") as reader:
        assert reader.read_all() == written
    assert page.names["record_100"] == written[100]
    assert page.names["batch"] == [written[number] for number in (10, 50, 100, 500)]
    assert page.names["record"] == written[999]


@DOCUMENT.step(2)
def options(page: Page) -> None:
    """Nothing is written or read in this block: that the options work is seen afterwards."""
    page.run(2)
    names = page.names
    assert len(names["ds"]) == 1000
    assert names["ds"][999] == b"Record 999"
    sequential = names["array_record_data_source"].ArrayRecordDataSource(
        "dataset.array_record", reader_options=names["reader_options"]
    )
    assert list(sequential)[-1] == b"Record 999"

    for number in range(20000):
        names["writer"].write(b"%d" % number)
    names["writer"].close()
    with octavo.open("compressed.array_record") as reader:
        assert (len(reader), reader.info.group_size, reader.info.codec) == (20000, 10000, "brotli")


@DOCUMENT.step(8)
def benchmarking(page: Page) -> None:
    worlds.array_records("your_data.array_record", (b"%d" % number for number in range(1500)))
    printed = page.run(8)
    assert re.fullmatch(r"Sequential access: \d+\.\d\ds\nRandom access: \d+\.\d\ds\n", printed), printed


@DOCUMENT.step(9)
def structured_data(page: Page) -> None:
    page.run(9)
    with octavo.open("ml_dataset.array_record") as reader:
        assert [json.loads(record) for record in reader] == [
            {"features": [1.0, 2.0, 3.0], "label": 0, "metadata": {"id": "sample_1"}},
            {"features": [4.0, 5.0, 6.0], "label": 1, "metadata": {"id": "sample_2"}},
        ]
        assert (reader.info.writer_options or "").startswith("group_size:1000,")


@DOCUMENT.step(11)
def several_kinds_of_data(page: Page) -> None:
    page.give(json=json)  # the page imports it two blocks before
    page.run(11)
    sample = {"text": "a", "image_bytes": b"\x00\xff", "audio_features": [0.5], "labels": [1, 2]}
    page.names["store_multimodal_data"]("multimodal.array_record", [sample, sample])
    with octavo.open("multimodal.array_record") as reader:
        assert [json.loads(record) for record in reader] == 2 * [
            {"text": "a", "image_data": "AP8=", "audio_features": [0.5], "labels": [1, 2]}
        ]

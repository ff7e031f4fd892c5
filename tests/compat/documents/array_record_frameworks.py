"""The blocks of ArrayRecord's page on PyPI that use a framework, each in a process of its own."""

from __future__ import annotations

import csv
import json
from typing import Any

import octavo
from tests.compat.documents import worlds
from tests.compat.documents.page import Document, Page
from tests.naive import tfrecord

_RECORDS = [b"%d" % number for number in range(100)]
_BATCHES = [32, 32, 32, 4]


def add_steps(document: Document) -> None:
    """The page's document lists them with its others."""
    # Beam reads TFRecord files only with one of the packages that compute their checksums.
    document.step(3, needs=("apache_beam", "google_crc32c"), process="beam")(converting_with_beam)
    document.step(4, needs=("tensorflow",), process="tensorflow")(tensorflow)
    document.step(5, needs=("grain",), process="grain")(grain)
    document.step(6, needs=("torch",), process="torch")(torch)
    document.step(10, needs=("apache_beam",), process="beam")(processing_with_beam)


def tensorflow(page: Page) -> None:
    worlds.array_records("data.array_record", _RECORDS)
    page.run(4)
    batches = list(page.names["dataset"].as_numpy_iterator())
    assert [len(batch) for batch in batches] == _BATCHES
    assert [record for batch in batches for record in batch] == _RECORDS


def grain(page: Page) -> None:
    worlds.array_records("data.array_record", _RECORDS)
    page.give(process_record=int)
    page.run(5)
    assert len(page.names["batch"]) == _BATCHES[-1]
    batches = list(page.names["dataset"])
    assert [len(batch) for batch in batches] == _BATCHES
    numbers = [int(number) for batch in batches for number in batch]
    assert sorted(numbers) == list(range(100))
    assert numbers != sorted(numbers), "grain was asked to shuffle"


def torch(page: Page) -> None:
    worlds.array_records("data.array_record", _RECORDS)
    page.run(6)
    assert page.names["dataset"][42] == b"42"
    batches = list(page.names["dataloader"])
    assert [len(batch) for batch in batches] == _BATCHES
    assert {record for batch in batches for record in batch} == set(_RECORDS)


def converting_with_beam(page: Page) -> None:
    from tests.compat.documents import clouds

    clouds.stand_in()
    sources = {f"part-{shard}": [b"%d-%d" % (shard, number) for number in range(30)] for shard in range(3)}
    for name, records in sources.items():
        clouds.put(f"gs://source-bucket/tfrecords/{name}.tfrecord", tfrecord.encode(records))
    page.run(3)
    converted = clouds.objects("gs://dest-bucket")
    assert list(converted) == [f"arrayrecords/{name}.tfrecord.arrayrecord" for name in sources]
    for path, records in zip(converted.values(), sources.values(), strict=True):
        with octavo.open(path, format="array_record") as reader:
            assert sorted(reader) == sorted(records)
            assert reader.info.group_size == 1


def processing_with_beam(page: Page) -> None:
    from tests.compat.documents import clouds

    clouds.stand_in()
    for shard in range(2):
        lines = [f"{number},name {number}\n" for number in range(50 * shard, 50 * shard + 50)]
        clouds.put(f"gs://bucket/data/{shard}.csv", "".join(lines).encode())
    page.give(json=json, parse_csv_line=parse_csv_line, process_record=process_record)
    page.run(10)
    shards = clouds.objects("gs://output-bucket")
    assert list(shards) == [f"processed/data-{shard:05d}-of-00100.array_record" for shard in range(100)]
    with octavo.open(list(shards.values())) as reader:
        records = sorted(map(json.loads, reader), key=lambda record: int(record["number"]))
    assert records == [{"number": number, "name": f"NAME {number}"} for number in range(100)]


def parse_csv_line(line: str) -> list[str]:
    """What the page leaves to its reader: from a line to fields."""
    return next(csv.reader([line]))


def process_record(fields: list[str]) -> dict[str, Any]:
    """The same: from fields to what is stored."""
    number, name = fields
    return {"number": int(number), "name": name.upper()}

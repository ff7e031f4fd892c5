"""Records of every format, read from every server."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from pathlib import Path

import pytest

import octavo
from tests.cloud import samples
from tests.cloud.conftest import Lead
from tests.cloud.servers.object_server import ObjectServer

pytest.importorskip("obstore")

RECORDS = samples.make_records(700, size=300)


def test_every_way_of_reading_gives_the_records(
    readable: ObjectServer, kind: samples.Kind, folder: str, tmp_path: Path
) -> None:
    key = f"{folder}/records{kind.suffix}"
    readable.put(key, samples.content(kind, RECORDS, tmp_path))
    numbers = random.Random(1).choices(range(-700, 700), k=100)
    with octavo.open(readable.url(key)) as reader:
        assert len(reader) == 700
        assert reader[3] == RECORDS[3]
        assert reader[-1] == RECORDS[-1]
        assert reader.read(numbers) == [RECORDS[number] for number in numbers]
        assert reader[100:600:7].read_all() == RECORDS[100:600:7]
        assert reader.read_range(640, 700) == RECORDS[640:]
        assert list(reader) == RECORDS
        assert reader.info.paths == (readable.url(key),)


def test_a_store_and_a_key_are_a_location(
    writable: ObjectServer, kind: samples.Kind, folder: str, tmp_path: Path
) -> None:
    key = f"{folder}/records{kind.suffix}"
    writable.put(key, samples.content(kind, RECORDS, tmp_path))
    with octavo.open(octavo.storage.InStore(writable.store(), key)) as reader:
        assert reader.read([699, 0, 350]) == [RECORDS[699], RECORDS[0], RECORDS[350]]
        copy = pickle.loads(pickle.dumps(reader))
    with copy:
        assert copy[350] == RECORDS[350]


READ_PARTS = """
import pickle, sys
parts = pickle.load(sys.stdin.buffer)
pickle.dump([list(part.open()) for part in parts], sys.stdout.buffer)
"""


@pytest.mark.parametrize("in_store", [False, True], ids=["url", "store"])
def test_parts_are_read_by_another_process(
    moto: ObjectServer, lead: Lead, kind: samples.Kind, folder: str, tmp_path: Path, *, in_store: bool
) -> None:
    key = f"{folder}/records{kind.suffix}"
    moto.put(key, samples.content(kind, RECORDS, tmp_path))
    location = octavo.storage.InStore(moto.store(), key) if in_store else lead(moto).url(key)
    with octavo.open(location) as reader:
        parts = pickle.dumps(reader.partitions(3))
    done = subprocess.run([sys.executable, "-c", READ_PARTS], input=parts, capture_output=True, timeout=60, check=True)
    found = pickle.loads(done.stdout)
    assert len(found) == 3
    assert [record for part in found for record in part] == RECORDS


def test_places_of_several_kinds_are_one_reader(
    moto: ObjectServer, readable: ObjectServer, folder: str, tmp_path: Path
) -> None:
    content = samples.content(samples.BY_NAME["tfrecord"], RECORDS, tmp_path)
    key = f"{folder}/records.tfrecord"
    moto.put(key, content)
    readable.put(key, content)
    locations = [
        readable.url(key),
        octavo.storage.InStore(moto.store(), key),
        tmp_path / "records.tfrecord",
        content,
    ]
    with octavo.open(locations) as reader:
        assert reader.read([5, 705, 1405, 2105]) == [RECORDS[5]] * 4

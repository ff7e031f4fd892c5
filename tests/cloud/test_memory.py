"""`memory://`: objects of this process, for tests and for trying things out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo import errors
from tests.cloud import samples

obstore = pytest.importorskip("obstore")

RECORDS = samples.make_records(300, size=300)


@pytest.fixture(params=samples.BY_NAME)
def kind(request: pytest.FixtureRequest) -> samples.Kind:
    return samples.BY_NAME[request.param]


def test_records_are_there_after_the_writer_is_closed(kind: samples.Kind, folder: str) -> None:
    url = f"memory://{folder}/records{kind.suffix}"
    with octavo.create(url, **kind.options) as writer:
        writer.write_many(RECORDS)
        with pytest.raises(errors.NotFoundError):
            octavo.open(url)
    with octavo.open(url) as reader:
        assert list(reader) == RECORDS
        assert reader.read([250, 3]) == [RECORDS[250], RECORDS[3]]
    with octavo.open(f"memory://{folder}/rec*") as reader:
        assert len(reader) == 300
    assert octavo.verify(url).ok


def test_a_store_of_memory_is_a_place_like_any_other(folder: str) -> None:
    from obstore.store import MemoryStore

    store = MemoryStore()
    with octavo.create(octavo.storage.InStore(store, "records.ffr")) as writer:
        writer.write_many(RECORDS)
    assert [one["path"] for page in obstore.list(store) for one in page] == ["records.ffr"]
    with octavo.open(octavo.storage.InStore(store, "records.ffr")) as reader:
        assert list(reader) == RECORDS
    with pytest.raises(errors.NotFoundError, match="absent"):
        octavo.open(octavo.storage.InStore(store, f"{folder}/absent.ffr"))


def test_a_store_of_a_folder_is_a_place_like_any_other(tmp_path: Path, kind: samples.Kind) -> None:
    from obstore.store import LocalStore

    location = octavo.storage.InStore(LocalStore(tmp_path), f"deep/records{kind.suffix}")
    with octavo.create(location, **kind.options) as writer:
        writer.write_many(RECORDS)
    with octavo.open(location) as reader:
        assert list(reader) == RECORDS
    with octavo.open(tmp_path / f"deep/records{kind.suffix}") as reader:
        assert list(reader) == RECORDS


def test_files_of_obstore_and_fsspec_are_file_objects(tmp_path: Path, kind: samples.Kind) -> None:
    from obstore.store import MemoryStore

    content = samples.content(kind, RECORDS, tmp_path)
    store = MemoryStore()
    obstore.put(store, "records", content)
    told: Any = "riegeli" if kind.name == "riegeli" else None  # nothing but its name tells it from ArrayRecord
    with octavo.open(obstore.open_reader(store, "records"), format=told) as reader:
        assert reader.read([250, 3]) == [RECORDS[250], RECORDS[3]]
        assert list(reader) == RECORDS
    fsspec = pytest.importorskip("fsspec")
    path = f"memory://records{kind.suffix}"
    with fsspec.open(path, "wb") as file:
        file.write(content)
    with fsspec.open(path, "rb") as file, octavo.open(file, format=told) as reader:
        assert list(reader) == RECORDS

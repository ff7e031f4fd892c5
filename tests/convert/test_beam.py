"""`octavo.integrations.beam.convert`: the plan of `octavo.convert`, carried out by Beam."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

pytest.importorskip("apache_beam", reason="Beam is tested where it is installed: 'make test EXTRAS=all'")

import octavo
from octavo.errors import ChecksumError, RecordTypeError, StorageError, UnsupportedError
from octavo.integrations.beam import convert
from tests.convert.adversary import RECORDS, names, read
from tests.integrations.beam.samples import FN_API
from tests.settling import collect_leftovers

HERE = ["--runner", FN_API]
PROCESSES = [*HERE, "--direct_running_mode=multi_processing", "--direct_num_workers=2"]


@pytest.fixture(scope="module", autouse=True)
def _nothing_is_left_open() -> Iterator[None]:
    yield
    collect_leftovers()


def same(one, other):
    """Whether two files have the same bytes."""
    with open(one, "rb") as first, open(other, "rb") as second:
        return first.read() == second.read()


@pytest.mark.parametrize("arguments", [HERE, PROCESSES], ids=["threads", "processes"])
def test_files_and_report_are_those_of_one_process(source, arguments):
    octavo.convert(source, "source@3.array_record")
    here = octavo.convert("source@3.array_record", "here@4.ffr")
    there = convert("source@3.array_record", "there@4.ffr", pipeline_args=arguments)
    assert (there.digest, there.format, there.verified, there.kept_count) == (here.digest, "ffrecord", True, 0)
    assert all(same(one, other) for one, other in zip(here.paths, there.paths, strict=True))
    assert len(names()) == 8
    assert convert("source@3.array_record", "there@4.ffr", pipeline_args=arguments).kept_count == 4


def test_other_containers(source):
    convert(source, "lines/", format="jsonl", pipeline_args=HERE)
    convert("lines/source.jsonl", "back/", format="tfrecord", pipeline_args=HERE)
    assert read("back/source.tfrecord") == RECORDS


def test_an_object_store(source):
    pytest.importorskip("obstore")
    folder = f"memory://{uuid.uuid4().hex}"
    convert(source, f"{folder}/out@3.ffr", pipeline_args=HERE)
    convert(f"{folder}/out@3.ffr", f"{folder}/back/", format="tfrecord", pipeline_args=HERE)
    assert read(f"{folder}/back") == RECORDS


def test_a_store_that_cannot_be_handed_on_is_refused(source):
    obstore = pytest.importorskip("obstore")
    target = octavo.storage.InStore(obstore.store.MemoryStore(), "out.ffr")
    with pytest.raises(UnsupportedError, match="URLs"):
        convert(source, target, pipeline_args=HERE)


def test_a_damaged_record_is_told_as_it_is_here(source):
    octavo.convert(source, "damaged.ffr")
    with open("damaged.ffr", "r+b") as file:
        file.seek(-7, 2)
        file.write(b"?")
    with pytest.raises(ChecksumError, match=r"damaged\.ffr: record 999"):
        convert("damaged.ffr", "out.tfrecord", pipeline_args=HERE)


def test_a_runner_that_does_not_exist_is_an_error_of_ours(source):
    with pytest.raises(StorageError, match="pipeline failed"):
        convert(source, "out.ffr", pipeline_args=["--runner=no.such.Runner"])
    assert names() == []


def test_arguments_are_a_list(source):
    with pytest.raises(RecordTypeError, match="list"):
        convert(source, "out.ffr", pipeline_args="--runner=DirectRunner")

"""Subclasses as users write them: every name that the original leaves free is theirs."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

from octavo.compat.array_record.python.array_record_data_source import ArrayRecordDataSource
from octavo.compat.array_record.python.array_record_module import ArrayRecordReader, ArrayRecordWriter
from tests.compat.array_record.samples import numbered, write, write_shards

OWN_NAMES = [
    "_records", "_counted", "_is_apart", "_stamps", "_position", "_scan", "_path", "_options", "_kwargs", "_failure",
    "_is_open", "_writer", "_writer_options", "_is_in_row", "_lock",
]  # fmt: skip


def _take_all_names(mine: Any) -> None:
    for name in OWN_NAMES:
        setattr(mine, name, "mine")


class Source(ArrayRecordDataSource):
    """Has attributes, methods and a length of its own."""

    def __init__(self, paths: Any) -> None:
        super().__init__(paths)
        _take_all_names(self)

    def __len__(self) -> int:
        return 15

    def _open(self) -> str:
        return "mine"

    _opened = _close = _start_with = _read_apart = _are_too_many = _open

    def __getitems__(self, record_keys: Any) -> Any:
        return [self[key] for key in record_keys]


class Reader(ArrayRecordReader):
    """The same for a reader, with a constructor that takes something else."""

    def __init__(self, tag: int, path: str) -> None:
        super().__init__(path)
        _take_all_names(self)
        self.tag = tag

    def _opened(self) -> str:
        return "mine"

    _go_to = _read_next = _read_numbers = _read_range = _gone = _failed = _fail = _let_go = _opened


class Writer(ArrayRecordWriter):
    """The same for a writer."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        _take_all_names(self)

    def _fail(self) -> str:
        return "mine"

    _give_up = _fail


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_source(tmp_path: Path, protocol: int):
    source = Source(write_shards(tmp_path, 2, 10))
    wanted = [*numbered(10, "file 0"), *numbered(5, "file 1")]
    assert [source[0], source[12], source[:2]] == [wanted[0], wanted[12], wanted[:2]]
    assert list(source) == wanted
    twin: Any = pickle.loads(pickle.dumps(source, protocol))
    assert (twin._records, list(twin)) == ("mine", wanted)


def test_a_reader(tmp_path: Path):
    reader = Reader(3, str(write(tmp_path / "file", numbered(10))))
    assert [reader.read(), reader.read()] == numbered(10)[:2]
    assert (reader.read([5]), reader.read([5, 1]), reader.read(2, 3)) == (
        [numbered(10)[5]],
        [numbered(10)[5], numbered(10)[1]],
        [numbered(10)[2]],
    )
    twins: list[Any] = [pickle.loads(pickle.dumps(reader, protocol)) for protocol in range(6)]
    for twin in (*twins, copy.copy(reader), copy.deepcopy(reader)):
        assert (twin.tag, twin._records, twin.read()) == (3, "mine", numbered(10)[2])
    reader.close()


def test_a_writer(tmp_path: Path):
    writer = Writer(str(tmp_path / "file"))
    writer.write(b"0")
    writer.close()
    assert ArrayRecordReader(str(tmp_path / "file")).read_all() == [b"0"]

"""`ArrayRecordDataSource` over whole files: keys, batches, options, pickling."""

from __future__ import annotations

import copy
import gc
import hashlib
import os
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import octavo
from octavo.compat.array_record.python import _files, array_record_data_source
from octavo.compat.array_record.python.array_record_data_source import ArrayRecordDataSource
from tests.compat.array_record.samples import (
    flip,
    numbered,
    opened_records,
    run_program,
    write,
    write_shards,
)
from tests.settling import open_descriptors, settles

UNSUPPORTED = (
    "Unsupported path format was used. Path format must be a Sequence, String, pathlib.Path or FileInstruction."
)
WRONG_KEY = r"^Record key should be in \[0, num_records\)$"
RECORDS = [record for file in range(3) for record in numbered(10, f"file {file}")]


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    return write_shards(tmp_path, 3, 10)


@pytest.fixture
def source(paths: list[str]) -> ArrayRecordDataSource:
    return ArrayRecordDataSource(paths)


def test_records_are_numbered_from_file_to_file(source: ArrayRecordDataSource):
    assert len(source) == 30
    assert [source[key] for key in range(30)] == RECORDS
    assert list(source) == RECORDS
    assert list(reversed(source)) == RECORDS[::-1]
    assert RECORDS[17] in source


@pytest.mark.parametrize("key", [4, np.int64(4), np.uint8(4), np.array(4), True], ids=repr)
def test_a_key_is_anything_that_stands_for_an_integer(source: ArrayRecordDataSource, key: Any):
    assert source[key] == RECORDS[int(key)]


@pytest.mark.parametrize("key", [-1, -30])
def test_negative_keys_count_from_the_end(source: ArrayRecordDataSource, key: int):
    assert source[key] == RECORDS[key]
    assert source.__getitems__([0, key]) == [RECORDS[0], RECORDS[key]]


@pytest.mark.parametrize("key", [30, -31, 2**70, -(2**70)])
def test_a_key_out_of_range_is_a_value_error(source: ArrayRecordDataSource, key: int):
    for use in (lambda: source[key], lambda: source[[0, key]], lambda: source.__getitems__([key])):
        with pytest.raises(ValueError, match=WRONG_KEY):
            use()


@pytest.mark.parametrize("key", [1.0, "1", None, ["1"], [1.5]], ids=repr)
def test_what_is_no_key_is_a_type_error(source: ArrayRecordDataSource, key: Any):
    with pytest.raises(TypeError):
        source[key]


@pytest.mark.parametrize(
    "keys", [[], [10], [25, 3, 3, 11], (2, 0), range(8, 22), np.array([29, 1]), [np.int64(5), 6]], ids=repr
)
def test_many_keys_give_a_list_in_their_order(source: ArrayRecordDataSource, keys: Any):
    wanted = [RECORDS[key] for key in keys]
    assert source[keys] == wanted
    assert source.__getitems__(keys) == wanted


@pytest.mark.parametrize("key", [slice(5, 12), slice(None), slice(-3, None), slice(None, None, -7), slice(9, 2)])
def test_a_slice_gives_a_list(source: ArrayRecordDataSource, key: slice):
    assert source[key] == RECORDS[key]


@pytest.mark.parametrize("kind", [str, Path, lambda path: [path], lambda path: (Path(path),)])
def test_one_path_may_be_given_in_every_form(paths: list[str], kind: Any):
    assert list(ArrayRecordDataSource(kind(paths[1]))) == RECORDS[10:20]


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ([], "Paths sequence can not be of 0 length"),
        ((), "Paths sequence can not be of 0 length"),
        (5, UNSUPPORTED),
        ({"x"}, UNSUPPORTED),
        ([5], "All elements in a path sequence must be of type: String, pathlib.Path, or FileInstruction."),
        (b"bytes", "All elements in a path sequence must be of type: String, pathlib.Path, or FileInstruction."),
    ],
)
def test_what_are_no_paths_is_a_value_error(wrong: Any, text: str):
    with pytest.raises(ValueError, match=r".") as caught:
        ArrayRecordDataSource(wrong)
    assert str(caught.value) == text


def test_a_file_that_cannot_be_opened_is_an_error_at_once(paths: list[str], tmp_path: Path):
    missing = str(tmp_path / "missing")
    with pytest.raises(RuntimeError) as caught:
        ArrayRecordDataSource([*paths, missing])
    assert str(caught.value) == f"open() failed: No such file or directory; opening {missing}"


def test_a_damaged_record_is_the_originals_error(tmp_path: Path):
    path = flip(write(tmp_path / "file", [b"0" * 100] * 3, "group_size:1,uncompressed"), 120)
    source = ArrayRecordDataSource(path)
    assert source[1] == b"0" * 100
    for use in (lambda: source[0], lambda: source[:2], lambda: source.__getitems__([1, 0]), lambda: list(source)):
        with pytest.raises(RuntimeError, match=r"^Corrupted Riegeli/records file: chunk data hash mismatch"):
            use()


def test_names_that_no_file_has_may_be_patterns(paths: list[str], tmp_path: Path):
    for name in ("shard.array_record@3", "shard.array_record-*", Path("shard.array_record-0000?-of-00003")):
        source = ArrayRecordDataSource(tmp_path / name)
        assert list(source) == RECORDS
        assert repr(source) == repr(ArrayRecordDataSource(paths))
    with pytest.raises(
        RuntimeError, match=r"^open\(\) failed: No such file or directory; opening .*other@3\n.*missing"
    ):
        ArrayRecordDataSource(tmp_path / "other@3")
    write(tmp_path / "shard.array_record@3", [b"literal"])
    assert list(ArrayRecordDataSource(tmp_path / "shard.array_record@3")) == [b"literal"]


@pytest.mark.parametrize(
    "options",
    [
        None,
        {},
        {"readahead_buffer_size": "0", "max_parallelism": "0"},
        {"readahead_buffer_size": "64MB", "max_parallelism": "8"},
        {"index_storage_option": "offloaded"},
        {"index_storage_option": "in_memory", "footer_prefetch_bytes": "1 MiB"},
        {"max_parallelism": 4},
    ],
)
def test_reader_options_do_not_change_what_is_read(paths: list[str], options: Any):
    source = ArrayRecordDataSource(paths, reader_options=options)
    assert list(source) == RECORDS
    assert list(pickle.loads(pickle.dumps(source))) == RECORDS


def test_an_offloaded_index_is_asked_for_in_the_core(paths: list[str]):
    source = ArrayRecordDataSource(paths, {"index_storage_option": "offloaded"})
    source[0]
    records = opened_records(source)
    assert isinstance(records, octavo.Reader)
    assert records._options["offload_index"] is True


@pytest.mark.parametrize("options", [{"foo": "1"}, {"max_parallelism": "x"}, {"readahead_buffer_size": "2GB"}])
def test_wrong_reader_options_are_value_errors(paths: list[str], options: dict[str, str]):
    with pytest.raises(ValueError, match=r"^Unknown option foo|invalid value"):
        ArrayRecordDataSource(paths, options)[0]


def test_a_pool_size_of_older_versions_is_accepted(paths: list[str]):
    assert ArrayRecordDataSource(paths, None, 4)[3] == RECORDS[3]
    assert ArrayRecordDataSource(paths, reader_pool_size=4)[3] == RECORDS[3]


def test_leaving_a_block_closes_the_files_and_reading_opens_them_again(paths: list[str]):
    with ArrayRecordDataSource(paths) as source:
        assert source[12] == RECORDS[12]
        opened = opened_records(source)
        records = iter(source)
        assert next(records) == RECORDS[0]
    assert isinstance(opened, octavo.Reader)
    assert opened.closed
    assert source[12] == RECORDS[12]
    assert list(records) == RECORDS[1:]


def test_a_source_names_its_files(paths: list[str], source: ArrayRecordDataSource):
    assert source.paths == paths
    assert ArrayRecordDataSource(f"{paths[0]}[0:3]").paths == paths[:1]


def test_the_representation_is_a_hash_of_the_names(paths: list[str], source: ArrayRecordDataSource):
    digest = hashlib.sha1("".join(paths).encode()).hexdigest()
    assert repr(source) == f"ArrayRecordDataSource(hash_of_paths={digest})"


def test_a_pickle_has_names_and_numbers_and_no_files(paths: list[str], source: ArrayRecordDataSource):
    source[3]
    state = source.__getstate__()
    assert sorted(state) == ["_num_records", "_paths", "_prefix_sums", "_read_instructions", "_reader_options_string"]
    assert (state["_num_records"], state["_paths"], state["_prefix_sums"]) == (30, paths, [10, 20, 30])
    for twin in (pickle.loads(pickle.dumps(source)), copy.copy(source), copy.deepcopy(source)):
        assert len(twin) == 30
        assert opened_records(twin) is None, "opened when a record is asked for"
        assert twin[29] == RECORDS[29]
        assert repr(twin) == repr(source)


class Lengths(ArrayRecordDataSource):
    """As users and Grain do it."""

    def __init__(self, paths: Any, power: int = 1) -> None:
        super().__init__(paths)
        self.power = power

    def __getitem__(self, record_key: Any) -> Any:
        return len(super().__getitem__(record_key)) ** self.power


def test_a_subclass_may_make_something_else_of_records(paths: list[str]):
    source: Any = Lengths(paths, power=2)
    assert source[3] == len(RECORDS[3]) ** 2
    assert list(source) == [len(record) ** 2 for record in RECORDS]
    assert source.__getitems__([3]) == [RECORDS[3]], "which the original does not send through __getitem__ either"
    twin = pickle.loads(pickle.dumps(source))
    assert (type(twin), twin.power, twin[3]) == (Lengths, 2, source[3])


def test_files_are_opened_once_however_many_threads_begin(paths: list[str], monkeypatch: pytest.MonkeyPatch):
    opened = []

    def count(*arguments: Any) -> Any:
        opened.append(arguments)
        return _files.open_files(*arguments)

    source = pickle.loads(pickle.dumps(ArrayRecordDataSource(paths)))
    monkeypatch.setattr(array_record_data_source, "open_files", count)
    start = threading.Barrier(8)
    found: list[bytes] = []

    def read(key: int) -> None:
        start.wait()
        found.append(source[key])

    threads = [threading.Thread(target=read, args=[key]) for key in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(RECORDS[:8])
    assert len(opened) == 1


def test_forked_children_read_whatever_their_parent_does(paths: list[str]):
    run_program("forked_source", *paths, timeout_s=60)


def test_a_source_that_is_dropped_leaves_no_descriptor(paths: list[str]):
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("the system does not list descriptors")
    gc.collect()
    before = open_descriptors()
    for _ in range(20):
        source = ArrayRecordDataSource(paths)
        source.__getitems__(range(30))
        del source
    settles(open_descriptors, before)

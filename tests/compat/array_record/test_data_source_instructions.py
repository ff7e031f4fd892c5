"""`ArrayRecordDataSource` over parts of files: file instructions, and names with a range."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import octavo
from octavo.compat.array_record.python import array_record_data_source
from octavo.compat.array_record.python.array_record_data_source import ArrayRecordDataSource, FileInstruction
from tests.compat.array_record.samples import numbered, opened_records, write, write_shards

FILES, EACH = 4, 12
RECORDS = [numbered(EACH, f"file {file}") for file in range(FILES)]


@dataclasses.dataclass
class Instruction:
    """As TensorFlow Datasets gives them."""

    filename: str
    skip: int
    take: int
    examples_in_shard: int = EACH


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_shards(tmp_path_factory.mktemp("shards"), FILES, EACH)


def test_anything_with_four_attributes_is_an_instruction():
    assert isinstance(Instruction("file", 1, 2), FileInstruction)
    assert not isinstance("file", FileInstruction)


def test_an_instruction_is_a_part_of_a_file(paths: list[str]):
    source = ArrayRecordDataSource(Instruction(paths[0], skip=2, take=3))
    assert len(source) == 3
    assert list(source) == RECORDS[0][2:5]
    assert source._paths == [paths[0]]


@pytest.mark.parametrize("kind", [str, Path])
def test_a_name_with_a_range_is_a_part_of_a_file(paths: list[str], kind: Any):
    source = ArrayRecordDataSource(kind(f"{paths[1]}[2:5]"))
    assert (len(source), list(source)) == (3, RECORDS[1][2:5])


def test_instructions_and_paths_may_be_mixed(paths: list[str]):
    source = ArrayRecordDataSource([f"{paths[1]}[10:12]", Instruction(paths[0], 3, 1), paths[2], paths[0]])
    wanted = [*RECORDS[1][10:12], RECORDS[0][3], *RECORDS[2], *RECORDS[0]]
    assert list(source) == wanted
    assert source[[-1, 2]] == [wanted[-1], wanted[2]]
    assert source[1:20:3] == wanted[1:20:3]
    assert [source[np.int64(3)], source[-3]] == [wanted[3], wanted[-3]]
    assert list(pickle.loads(pickle.dumps(source))) == wanted


def test_files_of_instructions_are_not_opened_before_they_are_read(tmp_path: Path):
    source = ArrayRecordDataSource([Instruction(str(tmp_path / "later"), 1, 2), f"{tmp_path}/later[0:1]"])
    assert len(source) == 3
    write(tmp_path / "later", numbered(5))
    assert list(source) == [*numbered(5)[1:3], numbered(5)[0]]


def test_records_that_follow_each_other_are_read_without_a_detour(paths: list[str]):
    source = ArrayRecordDataSource([Instruction(paths[0], 5, 7), Instruction(paths[1], 0, 12), f"{paths[2]}[0:3]"])
    assert source[0] == RECORDS[0][5]
    assert isinstance(opened_records(source), octavo.Reader)
    assert list(source) == [*RECORDS[0][5:], *RECORDS[1], *RECORDS[2][:3]]


PARTS = st.lists(
    st.tuples(st.integers(0, FILES - 1), st.integers(0, EACH), st.integers(0, EACH)).map(
        lambda part: (part[0], min(part[1:]), max(part[1:]))
    ),
    min_size=1,
    max_size=6,
)


@given(parts=PARTS, data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100, deadline=None)
def test_any_parts_are_one_list(paths: list[str], parts: list[tuple[int, int, int]], data: st.DataObject):
    source = ArrayRecordDataSource([f"{paths[file]}[{start}:{end}]" for file, start, end in parts])
    wanted = [record for file, start, end in parts for record in RECORDS[file][start:end]]
    assert len(source) == len(wanted)
    assert list(source) == wanted
    keys = data.draw(st.lists(st.integers(-len(wanted), len(wanted) - 1), max_size=20)) if wanted else []
    assert source.__getitems__(keys) == [wanted[key] for key in keys]
    assert [source[key] for key in keys] == [wanted[key] for key in keys]
    for key in (len(wanted), -len(wanted) - 1):
        with pytest.raises(ValueError, match=r"^Record key should be in \[0, num_records\)$"):
            source[key]


def test_a_part_that_reaches_beyond_its_file_fails_where_it_does(paths: list[str]):
    source = ArrayRecordDataSource([Instruction(paths[0], 10, 5), paths[1]])
    assert len(source) == 17
    assert [source[1], source[5]] == [RECORDS[0][11], RECORDS[1][0]]
    for use in (lambda: source[2], lambda: source[[0, 2]], lambda: source.__getitems__([2])):
        with pytest.raises(RuntimeError, match=r"^index 12 out of bound 12$"):
            use()


def test_a_part_that_begins_before_its_file_is_no_part_of_another(paths: list[str]):
    source = ArrayRecordDataSource([Instruction(paths[0], 0, EACH), Instruction(paths[1], -1, 3)])
    assert source[EACH + 1] == RECORDS[1][0]
    for use in (lambda: source[EACH], lambda: source[[0, EACH]], lambda: list(source)):
        with pytest.raises(TypeError, match=r"^read\(\): incompatible function arguments"):
            use()


def test_an_instruction_that_is_a_path_is_an_instruction(paths: list[str]):
    class Both(Instruction):
        def __fspath__(self) -> str:
            return paths[1]

    assert list(ArrayRecordDataSource(Both(paths[0], 1, 2))) == RECORDS[0][1:3]


def test_positions_are_told_as_in_the_original(paths: list[str]):
    source = ArrayRecordDataSource([Instruction(paths[0], 2, 3), Instruction(paths[1], 0, 4)])
    assert [source._reader_idx_and_position(key) for key in (0, 2, 3, 6)] == [(0, 2), (0, 4), (1, 0), (1, 3)]
    assert source._split_keys_per_reader([6, 0, 3]) == {0: [(2, 1)], 1: [(3, 0), (0, 2)]}
    for key in (-1, 7):
        with pytest.raises(ValueError, match=r"^Record key should be in"):
            source._reader_idx_and_position(key)


@pytest.fixture
def torn(paths: list[str], tmp_path: Path) -> ArrayRecordDataSource:
    """One whole file, one that is missing, and a part of another."""
    return ArrayRecordDataSource([f"{paths[0]}[0:12]", f"{tmp_path}/missing[0:10]", f"{paths[2]}[3:5]"])


def test_where_a_file_is_missing_the_others_are_read(torn: ArrayRecordDataSource):
    assert torn[3] == RECORDS[0][3]
    assert torn[np.int64(22)] == RECORDS[2][3]
    assert torn[-1] == RECORDS[2][4]
    assert torn[[23, 0]] == [RECORDS[2][4], RECORDS[0][0]]
    assert torn[np.array([1])] == [RECORDS[0][1]]
    assert torn[:3] == RECORDS[0][:3]
    assert torn.__getitems__([]) == []
    twin = pickle.loads(pickle.dumps(torn))
    assert twin[1] == RECORDS[0][1]


def test_where_a_file_is_missing_its_records_are_an_error(torn: ArrayRecordDataSource):
    for use in (lambda: torn[12], lambda: torn.__getitems__([0, 12]), lambda: torn[10:15], lambda: list(torn)):
        with pytest.raises(RuntimeError, match=r"^open\(\) failed: No such file or directory; opening .*missing$"):
            use()
    with pytest.raises(ValueError, match=r"^Record key"):
        torn[24]
    with pytest.raises(TypeError):
        torn["1"]


def test_where_a_file_is_missing_a_block_still_ends_well(torn: ArrayRecordDataSource, tmp_path: Path):
    with torn:
        assert torn[0] == RECORDS[0][0]
        with pytest.raises(RuntimeError):
            torn[12]
    write(tmp_path / "missing", numbered(10))
    assert torn[12] == numbered(10)[0]


def test_a_pattern_is_no_name_of_a_part(paths: list[str]):
    source = ArrayRecordDataSource(f"{Path(paths[0]).parent}/shard.array_record@{FILES}[0:3]")
    with pytest.raises(RuntimeError, match=r"^open\(\) failed: No such file or directory; opening .*@4$"):
        source[0]


class TestVeryManyFiles:
    """What is too much to be opened for one record is opened file by file."""

    @pytest.fixture(autouse=True)
    def few_are_many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(array_record_data_source, "_MOST_JOINED_FILES", 2)

    def test_a_record_costs_the_opening_of_its_file(self, paths: list[str]):
        source = ArrayRecordDataSource([Instruction(path, 0, EACH) for path in paths])
        assert source[EACH + 1] == RECORDS[1][1]
        assert [reader is not None for reader in source._readers] == [False, True, False, False]

    def test_every_way_of_reading_gives_the_same(self, paths: list[str]):
        wanted = [record for records in RECORDS for record in records[1:]]
        source = ArrayRecordDataSource([Instruction(path, 1, EACH - 1) for path in paths])
        keys = [3, 40, -1, 3, 12, 25]
        assert list(source) == wanted
        assert source[5:30:7] == wanted[5:30:7]
        assert source[keys] == source.__getitems__(keys) == [wanted[key] for key in keys]
        with pytest.raises(ValueError, match=r"Record key should be in \[0, num_records\)"):
            source[len(wanted)]

    def test_many_records_count_as_many_files_do(self, paths: list[str], monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(array_record_data_source, "_MOST_JOINED_RECORDS", EACH)
        source = ArrayRecordDataSource([Instruction(path, 0, EACH) for path in paths[:2]])
        assert source[0] == RECORDS[0][0]
        assert source._readers[1] is None

    def test_files_that_were_counted_are_open_already(self, paths: list[str]):
        source = ArrayRecordDataSource(paths)
        assert source[0] == RECORDS[0][0]
        assert None not in source._readers
        assert pickle.loads(pickle.dumps(source))[-1] == RECORDS[-1][-1]

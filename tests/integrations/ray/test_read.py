"""`read_records`: rows, columns, tasks and blocks."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

import octavo
from octavo.errors import ChecksumError, NotFoundError, OptionError, RecordTypeError, UnsupportedError
from octavo.integrations.ray import RecordDatasource, read_records

RECORDS = [f"record {number} ".encode() * (number % 7) for number in range(900)]
FORMATS = ["ffrecord", "array_record", "riegeli", "recordio", "tfrecord"]
pytestmark = pytest.mark.filterwarnings(r"ignore::DeprecationWarning:ray\.data\.context")


def write(path, records=RECORDS, **options):
    with octavo.create(path, **options) as writer:
        writer.write_many(records)
    return path


def rows(dataset, column="record"):
    return [row[column] for row in dataset.take_all()]


@pytest.mark.usefixtures("_in_order")
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_read_in_order(tmp_path, format):
    path = write(tmp_path / "records", format=format)
    assert rows(read_records(path, format=format, override_num_blocks=4)) == RECORDS


def test_the_column_is_large_binary(tmp_path):
    schema = read_records(write(tmp_path / "x.ffr"), column="content").schema()
    assert schema.names == ["content"]
    assert schema.types == [pa.large_binary()]


def test_rows_are_counted_without_reading(tmp_path):
    write(tmp_path / "x.tfrecord")
    dataset = read_records(tmp_path / "x.tfrecord", override_num_blocks=3)
    (tmp_path / "x.tfrecord").unlink()
    assert dataset.count() == 900


@pytest.mark.usefixtures("_in_order")
def test_numbers_and_paths_stand_beside_their_records(tmp_path):
    first = write(tmp_path / "a.array_record", RECORDS[:500], group_size=30)
    empty = write(tmp_path / "b.array_record", [])
    last = write(tmp_path / "c.array_record", RECORDS[500:], group_size=30)
    dataset = read_records([first, empty, last], numbers=True, include_paths=True, override_num_blocks=3)
    assert dataset.schema().names == ["record", "number", "path"]
    for number, row in enumerate(dataset.take_all()):
        assert row == {"record": RECORDS[number], "number": number, "path": str(first if number < 500 else last)}


@pytest.mark.usefixtures("_in_order")
def test_a_slice_of_a_reader_keeps_to_its_records(tmp_path):
    reader = octavo.open(write(tmp_path / "x.array_record"))[100:300]
    dataset = read_records(reader, numbers=True, override_num_blocks=3)
    assert rows(dataset) == RECORDS[100:300]
    assert rows(dataset, "number") == list(range(100, 300))


def test_tasks_are_partitions_with_exact_rows(tmp_path):
    source = RecordDatasource(write(tmp_path / "x.array_record", group_size=100))
    tasks = source.get_read_tasks(4)
    partitions = octavo.open(tmp_path / "x.array_record").partitions(4)
    assert [task.metadata.num_rows for task in tasks] == [len(part) for part in partitions]
    assert [task.metadata.input_files for task in tasks] == [part.paths for part in partitions]
    blocks = [pa.concat_tables(task()) for task in tasks]
    assert [block.num_rows for block in blocks] == [len(part) for part in partitions]
    assert pa.concat_tables(blocks)["record"].to_pylist() == RECORDS


@pytest.mark.parametrize("name", ["x.array_record", "x.riegeli", "x.tfrecord"])
def test_the_size_is_exact_where_the_file_knows_it(tmp_path, name):
    source = RecordDatasource(write(tmp_path / name))
    assert source.estimate_inmemory_data_size() == sum(map(len, RECORDS)) + 8 * len(RECORDS)


@pytest.mark.parametrize("name", ["x.ffr", "x.recordio"])
def test_the_size_is_judged_by_some_records_elsewhere(tmp_path, name):
    source = RecordDatasource(write(tmp_path / name, [b"x" * 100] * 5000))
    assert source.estimate_inmemory_data_size() == 5000 * 108


def test_a_task_holds_no_records(tmp_path):
    from ray import cloudpickle

    for task in RecordDatasource(write(tmp_path / "x.ffr", [bytes(1000)] * 500)).get_read_tasks(2):
        assert len(cloudpickle.dumps(task)) < 4000


def test_blocks_stay_small(tmp_path):
    source = RecordDatasource(write(tmp_path / "x.ffr", [bytes(1 << 20)] * 40))
    (task,) = source.get_read_tasks(1)
    sizes = [block.nbytes for block in task()]
    assert sum(sizes) >= 40 << 20
    assert max(sizes) < 17 << 20


def test_a_row_limit_is_kept(tmp_path):
    tasks = RecordDatasource(write(tmp_path / "x.ffr")).get_read_tasks(2, per_task_row_limit=5)
    assert [sum(len(block) for block in task()) for task in tasks] == [5, 5]
    assert len(read_records(tmp_path / "x.ffr").limit(7).take_all()) == 7


@pytest.mark.parametrize("format", FORMATS)
def test_no_records_are_no_rows_with_a_schema(tmp_path, format):
    dataset = read_records(write(tmp_path / "empty", [], format=format), format=format)
    assert dataset.schema().names == ["record"]
    assert dataset.count() == 0
    assert dataset.take_all() == []


def test_more_tasks_than_records(tmp_path):
    path = write(tmp_path / "x.ffr", RECORDS[:3])
    assert sorted(rows(read_records(path, override_num_blocks=8))) == sorted(RECORDS[:3])


def test_what_ray_is_told_about_tasks(tmp_path):
    path = write(tmp_path / "x.ffr", RECORDS[:10])
    dataset = read_records(path, ray_remote_args={"num_cpus": 0.5}, concurrency=1)
    assert sorted(rows(dataset)) == sorted(RECORDS[:10])


def test_a_source_can_be_pickled(tmp_path):
    source = pickle.loads(pickle.dumps(RecordDatasource(write(tmp_path / "x.ffr"))))
    assert sum(task.metadata.num_rows for task in source.get_read_tasks(3)) == 900


def test_a_damaged_record_is_an_error_of_ours(tmp_path):
    path = write(tmp_path / "x.ffr")
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    with pytest.raises(ChecksumError, match=r"x\.ffr"):
        read_records(path).take_all()
    assert len(rows(read_records(path, check_data=False))) == 900


def test_refusals_come_at_once(tmp_path):
    path = write(tmp_path / "x.ffr")
    with pytest.raises(NotFoundError):
        read_records(tmp_path / "nothing.ffr")
    with pytest.raises(UnsupportedError, match="opened elsewhere"):
        read_records(path.read_bytes())
    with pytest.raises(RecordTypeError, match="column is a text"):
        read_records(path, column=3)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="'path' already"):
        read_records(path, column="path", include_paths=True)
    with pytest.raises(OptionError, match="override_num_blocks"):
        read_records(path, override_num_blocks=0)
    with pytest.raises(OptionError, match="the reader is open already"):
        read_records(octavo.open(path), check_data=False)

"""Streams that are left, closed, shared between threads and sent elsewhere."""

from __future__ import annotations

import gc
import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import octavo
from tests.unit.layouts import LAYOUTS

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'octavo[arrow]'")

from octavo.integrations import arrow  # noqa: E402 - after the skip above
from tests.integrations.arrow import memory  # noqa: E402
from tests.settling import open_descriptors, settles  # noqa: E402

RECORDS = [b"%d" % number * 500 for number in range(2000)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return LAYOUTS["ffrecord"].write(tmp_path / "records", RECORDS)


needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs Linux's /proc")


@needs_proc
def test_abandoned_streams_leave_nothing_behind(path):
    memory.check("abandon_streams", path)


@needs_proc
def test_capsules_that_nobody_takes_are_released(path):
    opened = arrow.scan(path)
    descriptors = open_descriptors()
    for _ in range(1000):
        opened.__arrow_c_stream__()
    gc.collect()
    settles(open_descriptors, descriptors)


def test_batches_outlive_the_stream_and_its_reader(path):
    with arrow.scan(path, batch_size=100) as stream:
        batch = next(iter(stream))
    del stream
    gc.collect()
    assert batch.column(0).to_pylist() == RECORDS[:100]


def test_a_reader_of_pyarrow_outlives_the_stream(path):
    reader = arrow.scan(path, batch_size=100).reader()
    gc.collect()
    assert reader.read_all().num_rows == 2000


@needs_proc
def test_a_scan_holds_one_batch_at_a_time(tmp_path):
    with octavo.create(tmp_path / "large.ffr") as writer:
        writer.write_many(bytes(1 << 20) for _ in range(200))
    memory.check("scan_in_batches", tmp_path / "large.ffr")


def test_closing_a_stream_closes_what_it_has_opened(path):
    stream = arrow.scan(path, batch_size=100)
    begun = iter(stream)
    next(begun)
    stream.close()
    stream.close()
    with pytest.raises(octavo.errors.ClosedError):
        next(begun)
    with pytest.raises(octavo.errors.ClosedError):
        stream.to_table()


def test_closing_a_stream_leaves_a_reader_that_was_given_open(path):
    reader = octavo.open(path)
    with arrow.scan(reader[10:]) as stream:
        next(iter(stream))
    assert reader[0] == RECORDS[0]


def test_streams_are_pickled_as_their_location(path):
    stream = arrow.scan(octavo.open(path)[500:], batch_size=100, numbers=True)
    copy = pickle.loads(pickle.dumps(stream))
    assert len(pickle.dumps(stream)) < 10_000
    assert copy.to_table() == stream.to_table()


def test_one_stream_is_read_by_many_threads_at_once(path):
    stream = arrow.scan(path, batch_size=64)
    with ThreadPoolExecutor(8) as pool:
        tables = list(pool.map(lambda _: pa.table(stream), range(16)))
    assert all(table["record"].to_pylist() == RECORDS for table in tables)


def test_a_reader_may_be_passed_from_thread_to_thread(path):
    reader = pa.RecordBatchReader.from_stream(arrow.scan(path, batch_size=100))
    found: list[bytes] = []

    def read_some() -> None:
        for _ in range(5):
            found.extend(reader.read_next_batch().column(0).to_pylist())

    for _ in range(4):
        thread = threading.Thread(target=read_some)
        thread.start()
        thread.join()
    assert found == RECORDS


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:.*use of fork\\(\\) may lead to deadlocks:DeprecationWarning")
def test_a_forked_child_goes_on_where_its_parent_was(path):
    begun = iter(arrow.scan(path, batch_size=1000))
    next(begun)
    child = os.fork()
    if child == 0:
        os._exit(0 if next(begun).column(0).to_pylist() == RECORDS[1000:] else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert next(begun).column(0).to_pylist() == RECORDS[1000:]

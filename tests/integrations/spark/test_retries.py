"""Tasks that fail and are tried again: every record is there once."""

from __future__ import annotations

import collections
import os
from pathlib import Path

import pytest

import octavo
from tests.unit.layouts import GROUPED

RECORDS = [b"record %d" % number for number in range(200)]


def failing_once(marker: Path, how: str):
    """Rows as they are; but the first attempt of the second task ends after some of them."""

    def rows(batches):
        import signal

        from pyspark import TaskContext

        for number, batch in enumerate(batches):
            yield batch
            if number == 2 and TaskContext.get().partitionId() == 1 and not marker.exists():
                marker.touch()
                if how == "killed":
                    os.kill(os.getpid(), signal.SIGKILL)
                raise RuntimeError("the first attempt")

    return rows


@pytest.fixture
def records(spark, tmp_path):
    path = GROUPED.write(tmp_path / "records", RECORDS)
    return spark.read.format("octavo").option("partitions", 3).option("batch_size", 7).load(str(path))


def test_a_task_that_failed_while_reading_is_read_again(records, tmp_path):
    failing = failing_once(tmp_path / "failed", "raised")
    counts = collections.Counter(bytes(row.record) for row in records.mapInArrow(failing, "record binary").collect())
    assert (tmp_path / "failed").exists()
    assert counts == collections.Counter(RECORDS)


@pytest.mark.parametrize(("how", "mode"), [("raised", "append"), ("killed", "overwrite")])
def test_a_task_that_failed_while_writing_is_written_again(records, tmp_path, how, mode):
    failing = failing_once(tmp_path / "failed", how)
    out = tmp_path / "out"
    records.mapInArrow(failing, "record binary").write.format("octavo").mode(mode).save(str(out))
    assert (tmp_path / "failed").exists()
    assert octavo.open(out).read_all() == RECORDS
    assert len(os.listdir(out)) == 3

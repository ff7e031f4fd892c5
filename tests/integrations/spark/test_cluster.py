"""A small cluster of processes of its own, in which an executor is killed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import octavo
from tests.unit.layouts import GROUPED

MASTER = "local-cluster[2,1,1024]"  # two executors of one core and 1024 MiB
RECORDS = [b"record %d" % number for number in range(200)]


def killing_once(marker: Path):
    """Rows as they are; but the executor of the second task is killed after some of them, the first time."""

    def executor() -> int:
        """The Java machine that this process works for."""
        process = os.getppid()
        while b"CoarseGrainedExecutorBackend" not in Path(f"/proc/{process}/cmdline").read_bytes():
            process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        return process

    def rows(batches):
        import signal

        from pyspark import TaskContext

        for number, batch in enumerate(batches):
            yield batch
            if number == 2 and TaskContext.get().partitionId() == 1 and not marker.exists():
                marker.touch()
                os.kill(executor(), signal.SIGKILL)

    return rows


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="executors are found through /proc")
def test_an_executor_that_is_killed_while_it_reads_and_writes_changes_nothing(spark, tmp_path):
    path = GROUPED.write(tmp_path / "records", RECORDS)
    frame = spark.read.format("octavo").option("partitions", 3).option("batch_size", 7).load(str(path))
    killing = killing_once(tmp_path / "killed")
    frame.mapInArrow(killing, "record binary").write.format("octavo").mode("append").save(str(tmp_path / "out"))
    assert (tmp_path / "killed").exists()
    assert octavo.open(tmp_path / "out").read_all() == RECORDS
    assert len(os.listdir(tmp_path / "out")) == 3

"""A worker process dies in the middle of a task, once: the output is what it would have been."""

from __future__ import annotations

import collections
import os
import signal

import pytest

import octavo
from octavo.integrations.ray import RecordDatasink, read_records

RECORDS = [f"record {number}".encode() + bytes(3000) for number in range(2000)]
pytestmark = [
    pytest.mark.filterwarnings(r"ignore::DeprecationWarning:ray\.data\.context"),
    pytest.mark.usefixtures("_small_blocks"),
]


@pytest.fixture
def records(tmp_path):
    with octavo.create(tmp_path / "in.array_record", group_size=10) as writer:
        writer.write_many(RECORDS)
    return str(tmp_path / "in.array_record")


def dies_once(marker):
    """What a task calls at the place where its process is to die; the marker tells that it has."""

    def die():
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    return die


def test_mid_read(records, tmp_path):
    die = dies_once(str(tmp_path / "died"))

    def dying(batch):  # in the task that reads, which has given blocks away by then
        if any(number == 800 for number in batch["number"]):
            die()
        return batch

    dataset = read_records(records, numbers=True, override_num_blocks=2).map_batches(dying, batch_size=100)
    found = collections.Counter(record for batch in dataset.iter_batches() for record in batch["record"])
    assert (tmp_path / "died").exists()
    assert found == collections.Counter(RECORDS)


def test_mid_write(records, tmp_path):
    die = dies_once(str(tmp_path / "died"))

    class Dying(RecordDatasink):
        def write(self, blocks, ctx):
            return super().write(self.until_killed(blocks), ctx)

        def until_killed(self, blocks):
            for number, block in enumerate(blocks):
                if number == 1:  # the file has been begun
                    assert self._staging is not None
                    assert os.listdir(self._staging.hidden)
                    die()
                yield block

    sink = Dying(tmp_path / "out", format="recordio")
    read_records(records, override_num_blocks=2).write_datasink(sink)
    assert (tmp_path / "died").exists()
    assert collections.Counter(octavo.open(tmp_path / "out")) == collections.Counter(RECORDS)
    assert sorted(os.listdir(tmp_path / "out")) == [f"part-0000{number}-of-00002.recordio" for number in range(2)]


def test_after_its_file_was_written_but_before_it_was_reported(records, tmp_path):
    die = dies_once(str(tmp_path / "died"))

    class Dying(RecordDatasink):
        def write(self, blocks, ctx):
            parts = super().write(blocks, ctx)
            die()
            return parts

    read_records(records, override_num_blocks=2).write_datasink(Dying(tmp_path / "out", format="ffrecord"))
    assert (tmp_path / "died").exists()
    assert collections.Counter(octavo.open(tmp_path / "out")) == collections.Counter(RECORDS)
    assert len(os.listdir(tmp_path / "out")) == 2

"""Workers that are killed and replaced while they go through a data set: every record is committed exactly once.

    pip install 'octavo[ray]'
    python examples/elastic_tasks.py

A dispatcher hands out the partitions of a RecordIO file. Workers copy the records of each partition into a file of its
own and commit it. Meanwhile some are killed without warning, and so is the dispatcher, once; others are started. At the
end, the files that were published have every record of every epoch once, neither more nor less.
"""

from __future__ import annotations

import collections
import os
import random
import signal
import sys
import tempfile
import time
from typing import Any

import ray

import octavo
from octavo.integrations import elastic

RECORDS = 6000
EPOCHS = 2
WORKERS = 3
KILL_AFTER = (5, 15, 25, 35)  # of 48 tasks


@ray.remote(num_cpus=0.5, max_restarts=0)
class Worker:
    """One that can be killed at any instant."""

    def process(self) -> int:
        return os.getpid()

    def run(self, dispatcher: elastic.Dispatcher) -> int:
        return elastic.work(dispatcher, copy_slowly)


def copy_slowly(task: elastic.Task, records: octavo.Reader) -> int:
    """What is done with a task: its result is a number, and its output a file."""
    with task.create("copy.array_record") as writer:
        for record in records:
            writer.write(record)
            time.sleep(0.0005)
    return len(records)


class Crew:
    """The workers that are there."""

    def __init__(self, dispatcher: elastic.Dispatcher, size: int) -> None:
        self._dispatcher = dispatcher
        self._workers: list[tuple[Any, Any, Any]] = []
        workers = [Worker.remote() for _ in range(size)]  # type: ignore[attr-defined]  # Ray has added it
        ray.get([worker.process.remote() for worker in workers])  # they begin together
        for worker in workers:
            self.add(worker)

    def add(self, worker: Any) -> None:
        self._workers.append((worker, worker.process.remote(), worker.run.remote(self._dispatcher)))

    def replace_one(self) -> int:
        """Kill one of those that run, and start another, which takes its time."""
        random.shuffle(self._workers)
        (started,), _ = ray.wait([process for _, process, _ in self._workers])
        self._workers = [one for one in self._workers if one[1] != started]
        process: int = ray.get(started)
        os.kill(process, signal.SIGKILL)
        self.add(Worker.remote())  # type: ignore[attr-defined]
        return process

    def finish(self) -> None:
        ray.get([run for _, _, run in self._workers])


def tasks_done(dispatcher: elastic.Dispatcher) -> int:
    """In all epochs so far."""
    return sum(len(dispatcher.results(epoch)) for epoch in range(EPOCHS))


def main() -> int:
    """Run the whole thing; the exit status tells whether it held."""
    with tempfile.TemporaryDirectory() as folder:
        return run(folder)


def run(folder: str) -> int:
    """Write records, dispatch them, kill, and count."""
    records = [f"record {number}".encode() for number in range(RECORDS)]
    with octavo.create(f"{folder}/train.recordio", group_size=50) as writer:
        writer.write_many(records)

    dispatcher = elastic.start(
        f"{folder}/train.recordio", f"{folder}/out", max_records=250, epochs=EPOCHS, seed=7, lease_s=1, max_attempts=10
    )
    crew = Crew(dispatcher, WORKERS)
    for kill_after in KILL_AFTER:
        while (done := tasks_done(dispatcher)) < kill_after:
            time.sleep(0.02)
        print(f"{done} tasks are done: worker {crew.replace_one()} is killed, and another starts")
        if kill_after == KILL_AFTER[1]:
            os.kill(dispatcher.call("process"), signal.SIGKILL)
            print("the dispatcher is killed, too")
    crew.finish()

    status = dispatcher.wait(timeout_s=60)
    tasks = status.done
    copies = octavo.open([f"{folder}/out/copy-epoch-{epoch}@{tasks}.array_record" for epoch in range(EPOCHS)])
    found = collections.Counter(copies)
    counted = sum(sum(dispatcher.results(epoch).values()) for epoch in range(EPOCHS))
    is_exact = found == collections.Counter(records * EPOCHS) and counted == RECORDS * EPOCHS
    print(f"{len(copies.paths)} files with {len(copies)} records; tasks given up: {len(dispatcher.failures())}")
    print(f"every record of {EPOCHS} epochs was committed exactly once: {is_exact and status.is_finished}")
    dispatcher.stop()
    return 0 if is_exact and status.is_finished else 1


if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, log_to_driver=False)
    try:
        sys.exit(main())
    finally:
        ray.shutdown()

"""A dispatcher without an engine, and something to do."""

from __future__ import annotations

import os
import threading

from octavo.integrations.elastic._service import Service, Settings

RECORDS = [f"record {number}".encode() for number in range(100)]


class Job:
    """A dispatcher in this process, with a clock that tests turn."""

    def __init__(self, folder, partitions, **options):
        self.folder = str(folder)
        self.partitions = partitions
        self.settings = Settings(
            self.folder,
            **{"epochs": 1, "lease_s": 1000.0, "timeout_s": None, "max_attempts": 3, "seed": None} | options,
        )
        self.now = 0.0
        self._one_at_a_time = threading.RLock()
        self.restart()

    def restart(self):
        self.service = Service(self.partitions, self.settings, lambda: self.now)
        self.service.begin()

    def call(self, method, *arguments):
        with self._one_at_a_time:
            return getattr(self.service, method)(*arguments)

    def visible(self):
        return sorted(name for name in os.listdir(self.folder) if not name.startswith("."))


def copy_records(task, records):
    with task.create("copy.array_record") as writer:
        writer.write_many(record.upper() for record in records)
    return len(records)

"""A reader in a forked child: where its parent is, also while other threads of the parent read."""

from __future__ import annotations

import os
import sys
import threading
import warnings

from octavo.compat.array_record.python.array_record_module import ArrayRecordReader

path = sys.argv[1]
warnings.simplefilter("ignore")  # forking with threads is what this is about

for taken in (0, 1, 2, 50):
    reader = ArrayRecordReader(path)
    records = reader.read_all()
    assert [reader.read() for _ in range(taken)] == records[:taken]
    other = ArrayRecordReader(path)
    stop = threading.Event()

    def read_over_and_over(other: ArrayRecordReader = other, stop: threading.Event = stop) -> None:
        while not stop.is_set():
            other.seek(0)
            for _ in range(3):
                other.read()

    threads = [threading.Thread(target=read_over_and_over) for _ in range(3)]
    for thread in threads:
        thread.start()
    children = []
    for _ in range(5):
        child = os.fork()
        if child == 0:
            right = [reader.read() for _ in range(len(records) - taken)] == records[taken:]
            right = right and ArrayRecordReader(path).read() == records[0]
            right = right and reader.read([0, 3]) == [records[0], records[3]]
            os._exit(0 if right else 1)
        children.append(child)
    statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    stop.set()
    for thread in threads:
        thread.join()
    assert statuses == [0] * 5, statuses
    assert [reader.read() for _ in range(len(records) - taken)] == records[taken:]

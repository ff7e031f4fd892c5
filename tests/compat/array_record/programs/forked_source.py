"""A data source in forked children: opened before the fork, opened after it, and while a thread is opening it."""

from __future__ import annotations

import os
import pickle
import sys
import threading
import warnings

from octavo.compat.array_record.python.array_record_data_source import ArrayRecordDataSource

paths = sys.argv[1:]
warnings.simplefilter("ignore")  # forking with threads is what this is about

opened = ArrayRecordDataSource(paths)
records = list(opened)
stop = threading.Event()


def open_over_and_over() -> None:
    while not stop.is_set():
        pickle.loads(pickle.dumps(opened))[0]


threads = [threading.Thread(target=open_over_and_over) for _ in range(3)]
for thread in threads:
    thread.start()
statuses = []
for _ in range(20):
    child = os.fork()
    if child == 0:
        right = opened.__getitems__(range(len(opened))) == records and opened[3] == records[3]
        fresh = pickle.loads(pickle.dumps(opened))
        right = right and [fresh[key] for key in range(len(fresh))] == records
        os._exit(0 if right else 1)
    statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop.set()
for thread in threads:
    thread.join()
assert statuses == [0] * 20, statuses

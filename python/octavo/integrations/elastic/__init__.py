"""Tasks for workers that come and go, on Ray: every record is worked on at least once and committed exactly once.

A dispatcher, which is an actor of Ray, hands partitions of a data set to whoever asks, takes back what was not
reported in time, and keeps what was committed in a folder, so that it goes on after its own death, too.

>>> from octavo.integrations import elastic
>>> dispatcher = elastic.start("train.recordio", "out", max_records=1000)  # doctest: +SKIP
>>> for task in elastic.tasks(dispatcher):                                 # in each worker; doctest: +SKIP
...     with task as records:
...         task.commit(sum(map(len, records)))
"""

from octavo.integrations.elastic._answers import Failure, Status
from octavo.integrations.elastic._dispatcher import Dispatcher, connect, start
from octavo.integrations.elastic._task import Task, tasks, work

__all__ = ["Dispatcher", "Failure", "Status", "Task", "connect", "start", "tasks", "work"]

"""Conversion: records from one container into another.

`_plan` says which records go into which file (no files are touched there), `_open_any` and `_output` are the two ends,
`_places` is where files are written: here or in an object store. `_journal` remembers what is finished and `_existing`
judges what is there, `_run` does the work, or `_tasks` has it done by other processes. `_conversion` puts all of it
together, `_order` makes one of what was asked for, `_convert` is the public function.
"""

from typing import Literal, TypeAlias

Container: TypeAlias = Literal[
    "ffrecord", "array_record", "riegeli", "recordio", "tfrecord", "jsonl", "tar", "parquet", "folder"
]

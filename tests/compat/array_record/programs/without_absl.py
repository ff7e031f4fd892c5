"""The data source where absl is not installed: the same values, and the standard library's logging."""

from __future__ import annotations

import logging
import sys
import tempfile

sys.modules["absl"] = None  # type: ignore[assignment]  # to the import system: there is none

from octavo.compat.array_record.python import _absl, array_record_data_source, array_record_module  # noqa: E402

assert _absl.flags is None
assert _absl.flag_value(_absl.defined_flag("grain_num_threads_fetching_records")) == 64
assert isinstance(_absl.logging, logging.Logger)

logged: list[str] = []


class Handler(logging.Handler):
    """Keeps what is logged."""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it."""
        logged.append(record.getMessage())


logging.getLogger().addHandler(Handler())
with tempfile.TemporaryDirectory() as folder:
    with array_record_module.ArrayRecordWriter(f"{folder}/file", "group_size:2") as writer:
        writer.write(b"x")
        writer.write(b"y")
    assert array_record_data_source.ArrayRecordDataSource(f"{folder}/file")[1] == b"y"
assert len(logged) == 1, logged
assert "was created with group size 2" in logged[0], logged

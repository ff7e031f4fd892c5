"""All files of a data source behind one reader, so that a batch is read at once, wherever its records are."""

from __future__ import annotations

import errno
import operator
import os
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import octavo
from octavo.compat.array_record.python import _status
from octavo.compat.array_record.python._instructions import ReadInstruction
from octavo.errors import NotFoundError, RecordIndexError


class _Run(NamedTuple):
    """Records of one file that follow each other, by their numbers in a reader of several files."""

    start: int
    length: int
    file_start: int
    file_end: int


def join(reader: octavo.Reader, instructions: Sequence[ReadInstruction]) -> octavo.Reader | ScatteredRecords:
    """The records of all instructions, given a reader of their files: a view of it, if one covers them."""
    files = list(pairwise(reader._file_starts))  # noqa: SLF001 - part of octavo
    if len(files) != len(instructions):
        # A name that no file has was taken for a pattern; but an instruction is about one file.
        missing = next(one.filename for one in instructions if not os.path.lexists(one.filename))
        error = NotFoundError(f"{missing}: no file has this name", path=missing, errno=errno.ENOENT)
        raise RuntimeError(_status.of_reading(error, missing))
    runs = [
        _Run(file_start + instruction.start, instruction.num_records, file_start, file_end)
        for instruction, (file_start, file_end) in zip(instructions, files, strict=True)
    ]
    if all(run.file_start <= run.start <= run.start + run.length <= run.file_end for run in runs):
        filled = [run for run in runs if run.length] or runs[:1]
        if all(before.start + before.length == after.start for before, after in pairwise(filled)):
            return reader[filled[0].start : filled[-1].start + filled[-1].length]
    return ScatteredRecords(reader, runs)


class ScatteredRecords:
    """Records that lie in several places of a reader."""

    def __init__(self, reader: octavo.Reader, runs: Sequence[_Run]) -> None:
        self._reader = reader
        self._runs = runs
        self._ends = list(accumulate(run.length for run in runs))
        self._shifts = [run.start - (end - run.length) for run, end in zip(runs, self._ends, strict=True)]

    def __len__(self) -> int:
        return self._ends[-1]

    def __getitem__(self, key: Any) -> bytes | list[bytes]:
        try:
            number = operator.index(key)
        except TypeError:
            return self.read(key)
        return self._reader[self._position(number)]

    def read(self, keys: Iterable[Any]) -> list[bytes]:
        """Records with these numbers, in this order."""
        return self._reader.read([self._position(operator.index(key)) for key in keys])

    def close(self) -> None:
        """Let go of the files."""
        self._reader.close()

    def _position(self, number: int) -> int:
        """Where in the reader a record is."""
        ordinal = number + len(self) if number < 0 else number
        if not 0 <= ordinal < len(self):
            raise RecordIndexError(f"record {number} is out of range: there are {len(self)} records", record=number)
        which = bisect_right(self._ends, ordinal)
        position = ordinal + self._shifts[which]
        run = self._runs[which]
        if position < run.file_start:
            raise TypeError(f"read(): incompatible function arguments: record {position - run.file_start} of a file")
        if position >= run.file_end:
            raise RuntimeError(f"index {position - run.file_start} out of bound {run.file_end - run.file_start}")
        return position

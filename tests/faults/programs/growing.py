"""Appends that fail: the file is what it was, or what the last flush made of it."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable

import octavo
from octavo.errors import ClosedError, OctavoError, StorageError
from tests.faults import samples
from tests.faults.programs import sandbox
from tests.faults.programs.outcome import error_of, say

OLD = samples.records(300)
ROOM_BYTES = 4 << 20
RECORD_BYTES = 64 << 10
GROUP_SIZE = 7


def _write(writer: octavo.Writer, size: int) -> None:
    for number in range(size // RECORD_BYTES):
        writer.write(samples.sized(number, RECORD_BYTES))


def _fail_while_flushing(writer: octavo.Writer) -> None:
    for _ in range(100):
        _write(writer, ROOM_BYTES // 8)
        writer.flush()


def _fail_while_closing(writer: octavo.Writer) -> None:
    _write(writer, 2 * ROOM_BYTES)
    writer.close()


FAILURES: dict[str, Callable[[octavo.Writer], None]] = {"flush": _fail_while_flushing, "close": _fail_while_closing}


def fill_the_disk(folder: str, failure: str, suffix: str) -> None:
    """A disk with room for four megabytes."""
    sandbox.mount_disk(folder, ROOM_BYTES)
    _expect_failure(os.path.join(folder, f"out{suffix}"), failure)


def exceed_the_file_size(folder: str, failure: str, suffix: str) -> None:
    """A process that may not make larger files."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM_BYTES, ROOM_BYTES))
    _expect_failure(os.path.join(folder, f"out{suffix}"), failure)


def _expect_failure(path: str, failure: str) -> None:
    samples.write_plainly(path, OLD, group_size=GROUP_SIZE)
    writer = octavo.append(path)
    error = error_of(StorageError, lambda: FAILURES[failure](writer))
    say(error.errno)
    if not writer.closed:
        assert error_of(StorageError, writer.close).errno == error.errno
    assert writer.closed
    error_of(ClosedError, lambda: writer.write(b"more"))
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
    # A torn file would be a warning here, and so an error. What could not be written was cut off again.
    found = octavo.open(path).read_all()
    assert found[: len(OLD)] == OLD
    new = found[len(OLD) :]
    portion = ROOM_BYTES // 8 // RECORD_BYTES
    assert (len(new) > 0) == (failure == "flush"), f"{len(new)} new records"
    assert len(new) % portion == 0, f"{len(new)} new records"
    assert new == [samples.sized(number % portion, RECORD_BYTES) for number in range(len(new))]


def grow_without_rights(path: str, user: int) -> None:
    """As a user who may read the file and not write it."""
    if os.geteuid() == 0:
        os.setuid(user)
    error_of(OctavoError, lambda: octavo.append(path))
    assert octavo.open(path).read_all() == OLD


def grow_for_a_while(path: str, flushes: int) -> None:
    """Flush after flush of records of mixed sizes, some of them larger than what is written at a time."""
    with octavo.append(path) as writer:
        say("growing")
        for number in range(flushes):
            writer.write_many(new_records(number))
            writer.flush()


def new_records(flush: int) -> list[bytes]:
    """What goes into that flush."""
    return [samples.sized(flush, 3000, seed=1)] * 5 + [samples.sized(flush, 700_000, seed=2)] * (
        3 if flush % 5 == 0 else 0
    )


def hold_open(path: str) -> None:
    """An append at work, until somebody lets it finish."""
    with octavo.append(path) as writer:
        writer.write(b"of the first")
        say("writing")
        sandbox.wait_for_file(path + ".go")

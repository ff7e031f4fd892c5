"""Writers whose disk fills up, whose rights are missing, and who are killed."""

from __future__ import annotations

import itertools
import os
import random
import resource
import shutil
import time
from collections.abc import Callable, Iterator

import octavo
from octavo.errors import ClosedError, OctavoError, PermissionDeniedError, StorageError
from tests.faults import samples
from tests.faults.programs import sandbox
from tests.faults.programs.outcome import error_of, say

ROOM_BYTES = 4 << 20
RECORD_BYTES = 64 << 10


def _write_beyond(writer: octavo.Writer, room_bytes: int) -> None:
    for number in range(2 * room_bytes // RECORD_BYTES):
        writer.write(samples.sized(number, RECORD_BYTES))


def _fail_while_flushing(writer: octavo.Writer) -> None:
    for _ in range(100):
        _write_beyond(writer, ROOM_BYTES // 10)
        writer.flush()


def _fail_while_closing(writer: octavo.Writer) -> None:
    _write_beyond(writer, ROOM_BYTES)
    writer.close()


def _fail_while_assembling(writer: octavo.Writer) -> None:
    """What was flushed fits, but not beside the file that is made of it."""
    _write_beyond(writer, ROOM_BYTES * 2 // 5)
    writer.flush()
    writer.close()


FAILURES: dict[str, Callable[[octavo.Writer], None]] = {
    "flush": _fail_while_flushing,
    "close": _fail_while_closing,
    "close after flush": _fail_while_assembling,
}


def fill_the_disk(folder: str, failure: str, *, has_older: bool, name: str = "out.ffr") -> None:
    """A disk with room for four megabytes."""
    sandbox.mount_disk(folder, ROOM_BYTES + (64 << 10))
    _expect_failure(folder, name, failure, has_older=has_older)


def exceed_the_file_size(folder: str, failure: str, *, has_older: bool, name: str = "out.ffr") -> None:
    """A process that may not make larger files; the signal for that is one that Python ignores."""
    most = ROOM_BYTES // 3 if failure == "close after flush" else ROOM_BYTES
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    _expect_failure(folder, name, failure, has_older=has_older)


def _expect_failure(folder: str, name: str, failure: str, *, has_older: bool) -> None:
    path = os.path.join(folder, name)
    if has_older:
        samples.write_plainly(path, [b"older"])
    writer = octavo.create(path) if name.endswith(".ffr") else octavo.create(path, codec="none")
    error = error_of(StorageError, lambda: FAILURES[failure](writer))
    say(error.errno)
    assert error.path == path
    if not writer.closed:
        assert error_of(StorageError, writer.flush).errno == error.errno
        assert error_of(StorageError, writer.close).errno == error.errno
    assert writer.closed
    assert os.listdir(folder) == ([name] if has_older else []), os.listdir(folder)
    if has_older:
        assert octavo.open(path).read_all() == [b"older"]
    error_of(ClosedError, lambda: writer.write(b"more"))


def fail_inside_with(folder: str) -> None:
    """The error of the write comes out of the block, and not one of its cleaning up."""
    sandbox.mount_disk(folder, ROOM_BYTES)

    def write() -> None:
        with octavo.create(os.path.join(folder, "out.ffr")) as writer:
            _fail_while_flushing(writer)

    say(error_of(StorageError, write).errno)
    assert os.listdir(folder) == []


def write_on_a_read_only_disk(folder: str) -> None:
    """No file can be made there."""
    sandbox.mount_read_only_disk(folder)
    say(error_of(StorageError, lambda: octavo.create(os.path.join(folder, "out.ffr"))).errno)
    assert os.listdir(folder) == []


def write_without_rights(folder: str, user: int) -> None:
    """As a user who may not write to the folder."""
    if os.geteuid() == 0:
        os.setuid(user)
    say(error_of(PermissionDeniedError, lambda: octavo.create(os.path.join(folder, "out.ffr"))).errno)
    assert os.listdir(folder) == []


def lose_the_folder(folder: str) -> None:
    """Somebody removes the folder under the writer."""
    writer = octavo.create(os.path.join(folder, "out.ffr"))
    writer.write(b"record")
    writer.flush()
    shutil.rmtree(folder)
    error_of(OctavoError, writer.close)
    assert not os.path.exists(folder)


def leave_without_closing(path: str) -> None:
    """Ends while a writer is open."""
    writer = octavo.create(path)
    writer.write(b"record")
    writer.flush()


def hold_open(path: str) -> None:
    """A writer at work, until it is told to finish by the end of its input."""
    with octavo.create(path) as writer:
        writer.write(b"of the first")
        say("writing")
        while not os.path.exists(path + ".go"):
            time.sleep(0.005)
        writer.write(b"of the first, too")


def write_again_and_again(path: str, seconds: float) -> None:
    """One of several who write the same file; those who find it taken try again."""
    deadline = time.monotonic() + seconds
    published = 0
    while time.monotonic() < deadline:
        try:
            with octavo.create(path) as writer:
                writer.write_many(samples.records(3))
            published += 1
        except OctavoError:
            continue
    say(published)


# Writers that are killed.


def generation(number: int) -> Iterator[list[bytes]]:
    """The records of one file, in the portions after which they are flushed."""
    chosen = random.Random(number)
    numbers = itertools.count()
    for _ in range(chosen.randint(0, 5)):
        yield [
            samples.sized(next(numbers), chosen.randint(20, 20_000), seed=number) for _ in range(chosen.randint(1, 60))
        ]


def write_until_killed(path: str, first: int) -> None:
    """File after file under one name; says which portion was flushed and which file published as soon as it is."""
    for number in itertools.count(first):
        with octavo.create(path) as writer:
            for flushed, portion in enumerate(generation(number), 1):
                writer.write_many(portion)
                writer.flush()
                os.write(1, b"flushed %d %d\n" % (number, flushed))
        os.write(1, b"published %d 0\n" % number)

"""Writers whose disk fills up, whose rights are missing, and who are killed."""

from __future__ import annotations

import itertools
import os
import random
import resource
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator

import octavo
from octavo.errors import (
    ClosedError,
    InterruptedWriteWarning,
    OctavoError,
    PermissionDeniedError,
    StorageError,
)
from tests.faults import samples
from tests.faults.programs import sandbox
from tests.faults.programs.outcome import error_of, say

ROOM_BYTES = 4 << 20
RECORD_BYTES = 64 << 10


class Promises:
    """A writer, and what it was given and has promised to keep."""

    def __init__(self, writer: octavo.Writer) -> None:
        self.writer = writer
        self.given: list[bytes] = []
        self.kept_count = 0

    def write_beyond(self, room_bytes: int) -> None:
        for number in range(2 * room_bytes // RECORD_BYTES):
            self.given.append(samples.sized(number, RECORD_BYTES))
            self.writer.write(self.given[-1])

    def flush(self) -> None:
        self.writer.flush()
        self.kept_count = len(self.given)


def _fail_while_flushing(promises: Promises) -> None:
    for _ in range(100):
        promises.write_beyond(ROOM_BYTES // 10)
        promises.flush()


def _fail_while_closing(promises: Promises) -> None:
    promises.write_beyond(ROOM_BYTES)
    promises.writer.close()


def _fail_while_assembling(promises: Promises) -> None:
    """What was flushed fits, but not beside the file that is made of it."""
    promises.write_beyond(ROOM_BYTES * 2 // 5)
    promises.flush()
    promises.writer.close()


FAILURES: dict[str, Callable[[Promises], None]] = {
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
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    _expect_failure(folder, name, failure, has_older=has_older)


def _expect_failure(folder: str, name: str, failure: str, *, has_older: bool) -> None:
    path = os.path.join(folder, name)
    if has_older:
        samples.write_plainly(path, [b"older"])
    writer = octavo.create(path) if name.endswith(".ffr") else octavo.create(path, codec="none")
    promises = Promises(writer)
    error = error_of(StorageError, lambda: FAILURES[failure](promises))
    say(error.errno)
    assert error.path == path
    if not writer.closed:
        assert error_of(StorageError, writer.flush).errno == error.errno
        assert error_of(StorageError, writer.close).errno == error.errno
    assert writer.closed
    left = [name] * has_older + [name + ".partial"] * (promises.kept_count > 0)
    assert sorted(os.listdir(folder)) == left, os.listdir(folder)
    if has_older:
        assert octavo.open(path).read_all() == [b"older"]
    if promises.kept_count:
        _expect_kept(path + ".partial", promises)
    error_of(ClosedError, lambda: writer.write(b"more"))


def _expect_kept(side_file: str, promises: Promises) -> None:
    """What was flushed is there, and nothing that was not written."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    with tempfile.TemporaryDirectory() as elsewhere:
        saved = os.path.join(elsewhere, os.path.basename(side_file).removesuffix(".partial"))
        octavo.recover(side_file, saved)
        records = octavo.open(saved).read_all()
    assert len(records) >= promises.kept_count
    assert records == promises.given[: len(records)]


def fail_inside_with(folder: str) -> None:
    """The error of the write comes out of the block, and not one of its cleaning up."""
    sandbox.mount_disk(folder, ROOM_BYTES)

    def write() -> None:
        with octavo.create(os.path.join(folder, "out.ffr")) as writer:
            _fail_while_flushing(Promises(writer))

    error = error_of(StorageError, write)
    say(error.errno)
    assert os.listdir(folder) == ["out.ffr.partial"]
    assert "octavo.recover saves it" in error.__notes__[0]


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
    warnings.simplefilter("ignore", InterruptedWriteWarning)  # another one may have been killed here
    for number in itertools.count(first):
        with octavo.create(path) as writer:
            for flushed, portion in enumerate(generation(number), 1):
                writer.write_many(portion)
                writer.flush()
                os.write(1, b"flushed %d %d\n" % (number, flushed))
        os.write(1, b"published %d 0\n" % number)

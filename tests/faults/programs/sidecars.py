"""Files beside which an index lies, or is written by somebody who dies."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import random
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import octavo
from octavo.errors import OctavoError
from tests.faults import samples
from tests.faults.lies import sidecar as lies
from tests.faults.programs import fuzzed, killed, lied_to
from tests.naive import recordio, tfrecord

NOISE = 400
# A compressed file has points a megabyte apart.
LARGE = [samples.sized(number, 150_000) for number in range(20)]
SMALL = samples.records(30)
GROUP_SIZE = 4


def records_of(stream: str) -> list[bytes]:
    return LARGE if stream in samples.COMPRESSED else SMALL


def write(path: str, stream: str) -> None:
    """A file with its index."""
    samples.write_stream(path, records_of(stream), stream, group_size=GROUP_SIZE)
    octavo.write_index(path)


def _entries_of(path: str, stream: str) -> tuple[list[int], list[int], list[int]]:
    """The lines of the true index, found without octavo."""
    content = Path(path).read_bytes()
    if stream in samples.RECORDIO:
        headers = recordio.NaiveFile(content).headers
        return [header.end - header.offset for header in headers], [0] * len(headers), [one.count for one in headers]
    frames = tfrecord.NaiveFile(content).frames
    return [one.end - one.offset for one in frames], [one.length for one in frames], [1] * len(frames)


def _told(path: str, stream: str, sound: bytes) -> Iterator[tuple[str, bytes]]:
    yield from lies.fields(sound)
    if stream in samples.COMPRESSED:
        yield from lies.points(sound)
    else:
        yield from lies.entries(sound, *_entries_of(path, stream))
    yield from lies.noise(sound, fuzzed.mutated, NOISE // 3 if stream in samples.COMPRESSED else NOISE)


def _read(path: str, records: list[bytes]) -> None:
    """All of it is right, or an error; one record is right, or another one of the file, or an error.

    Who says that there are other records in a chunk moves the numbers of those behind it.
    """
    reader = octavo.open(path)
    wholes: tuple[Callable[[], list[bytes]], ...] = (
        reader.read_all,
        lambda: list(itertools.islice(reader, 1000)),
        lambda: list(itertools.islice(reversed(reader), 1000))[::-1],
    )
    for whole in wholes:
        with contextlib.suppress(OctavoError):
            assert whole() == records, "read something else"
    for number in range(0, len(records), 3):
        with contextlib.suppress(OctavoError):
            assert reader[number] in records, "one record that is none"
    with contextlib.suppress(OctavoError):
        assert {*reader.read([1, len(records) - 1, 0])} <= {*records}, "some records that are none"


def believe(path: str, stream: str) -> None:
    """Opens the file beside one lie after the other: its records, or an error where one was believed."""
    lied_to.limit_memory()
    write(path, stream)
    index = Path(f"{path}.octx")
    records, believed = records_of(stream), 0
    for name, lie in _told(path, stream, index.read_bytes()):
        index.write_bytes(lie)
        try:
            with octavo.open(path) as reader:
                believed += reader.info.sidecar
                assert reader.info.sidecar or len(reader) == len(records), "not scanned as if it were not there"
                assert name != "the truth" or reader.info.sidecar
            _read(path, records)
        except BaseException as failure:
            failure.add_note(name)
            raise
    assert believed > 0, "no lie was good enough"
    lied_to.check_memory()


def append_beside(path: str, stream: str) -> None:
    """Whatever is said beside the file, what is appended to it can be read by those who do not look there."""
    write(path, stream)
    index = Path(f"{path}.octx")
    content, sound = Path(path).read_bytes(), index.read_bytes()
    for name, lie in lies.fields(sound):
        Path(path).write_bytes(content)
        index.write_bytes(lie)
        try:
            with octavo.append(path) as writer:
                writer.write(b"more")
            assert octavo.open(path, sidecar=False).read_all() == [*records_of(stream), b"more"]
            assert octavo.open(path).read_all() == [*records_of(stream), b"more"]
        except BaseException as failure:
            failure.add_note(name)
            raise


# Writers that die.


def kill_indexers(folder: str, count: int) -> None:
    """Writes the index of one file again and again, each time by somebody who is killed at any moment."""
    path = os.path.join(folder, "records.tfrecord")
    chosen = random.Random(5)
    samples.write_plainly(path, samples.records(20_000))
    for _ in range(count):
        child = killed.start(lambda: _index_forever(path))
        time.sleep(chosen.uniform(0, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _index_forever(path: str) -> None:
    while True:
        octavo.write_index(path)


def index_at_once(path: str, records: int) -> None:
    """Some write the index, some remove it, some open the file; for a while."""
    deadline = time.monotonic() + 0.5

    def until_then(work: Callable[[], object]) -> None:
        while time.monotonic() < deadline:
            with contextlib.suppress(OctavoError, FileNotFoundError):
                work()
        os._exit(0)

    def read() -> None:
        reader = octavo.open(path)
        if (len(reader), reader[records - 1]) != (records, samples.record(records - 1)):
            os._exit(3)

    works = (lambda: octavo.write_index(path), lambda: os.unlink(f"{path}.octx"), read)
    children = [killed.start(functools.partial(until_then, work)) for work in works * 2]
    assert _statuses(children) == [0] * len(children)


def _statuses(children: Iterable[int]) -> list[int]:
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]

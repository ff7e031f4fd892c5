"""Files that lie about their size, and things that are no files, in a process with little memory."""

from __future__ import annotations

import contextlib
import functools
import os
import resource

import octavo
from octavo._open import IoMode
from octavo.errors import OctavoError
from tests.faults.programs.outcome import error_of

MEMORY_BYTES = 600 << 20
LARGE_BYTES = 330 << 20


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def open_a_liar(path: str, good: str, io: IoMode, *, check_data: bool) -> None:
    """Alone, and beside a good file, where its index is read late."""
    _limit_memory()
    error = error_of(OctavoError, lambda: octavo.open(path, io=io, check_data=check_data))
    assert error.path == path
    error = error_of(OctavoError, lambda: octavo.open([good, path], io=io, check_data=check_data)[-1])
    assert error.path == path
    assert octavo.open(good).read_all() == [b"good"]


def read_large_records(path: str, io: IoMode) -> None:
    """There is memory for one large record at most; for errors and other records there always is."""
    _limit_memory()
    reader = octavo.open(path, io=io, check_data=False)
    with contextlib.suppress(OctavoError, MemoryError):
        reader[1]
    with contextlib.suppress(OctavoError, MemoryError):
        reader.read_batch([1, 1])
    assert reader[0] == b"good"
    assert reader.read([0, 0]) == [b"good", b"good"]


def open_no_file(path: str, io: IoMode) -> None:
    """Whatever is opened there, it must not wait for somebody at the other end."""
    locations: tuple[str | list[str], ...] = (path, [path], [path, path], os.path.dirname(path))
    for location in locations:
        error_of(OctavoError, functools.partial(_read, location, io))


def _read(location: str | list[str], io: IoMode) -> list[bytes]:
    return octavo.open(location, io=io).read_all()


def verify_no_file(path: str) -> None:
    """As above, through the other ways in."""
    error_of(OctavoError, lambda: octavo.verify(path))
    error_of(OctavoError, lambda: octavo.append(path))


def create_beside_a_pipe(path: str) -> None:
    """The side file's name is taken by something that is no file."""
    try:
        with octavo.create(path) as writer:
            writer.write(b"record")
    except OctavoError:
        assert not os.path.lexists(path)
    else:
        assert octavo.open(path).read_all() == [b"record"]


def open_beside(path: str, records: int) -> None:
    """Beside the file stands something that is no index of it."""
    _limit_memory()
    reader = octavo.open(path)
    assert not reader.info.sidecar
    assert len(reader) == records
    assert len(reader.read_all()) == records

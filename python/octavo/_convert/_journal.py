"""What a conversion remembers while it runs, so that it can go on after an interruption: `TARGET.converting`.

The first line says what is converted into what, each further line that one file is finished. A line is written when its
file is whole, verified and durable. Lines are JSON; a torn last line counts for nothing. The journal goes away when all
is done: docs/spec/partial.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from typing import IO, TYPE_CHECKING, Any

from octavo import _core
from octavo.errors import AlreadyExistsError, StorageError, of_os_error

if TYPE_CHECKING:
    from typing import Self

SUFFIX = ".converting"


class Journal:
    """The journal of one conversion; threads may share it."""

    def __init__(self, target: str, plan: dict[str, Any]) -> None:
        self.path = target.rstrip("/\\") + SUFFIX
        self._plan = _hash(json.dumps(plan, sort_keys=True))
        self._lock = threading.Lock()
        self._file: IO[bytes] | None = None
        self.finished: dict[str, _core.Digest] = {}
        """Files that need not be written again."""

    @property
    def exists(self) -> bool:
        """Whether an earlier conversion left its journal."""
        return os.path.exists(self.path)

    def open(self, *, overwrite: bool) -> Self:
        """Go on where the last conversion stopped, or begin."""
        try:
            self._file = open(self.path, "a+b")  # noqa: SIM115 - closed by `close` and `remove`
        except OSError as error:
            raise of_os_error(error, f"{self.path}: cannot write: {error.strerror}", self.path) from error
        try:
            self._take_lock()
            self._file.seek(0)
            lines = self._file.read().split(b"\n")[:-1]  # what follows the last line end was not finished
            if not self._resume(lines, overwrite=overwrite):
                self._file.truncate(0)
                self._append({"octavo": "convert", "plan": self._plan})
        except BaseException:
            self._file.close()
            raise
        return self

    def _take_lock(self) -> None:
        with contextlib.suppress(ImportError):  # on Windows the locks of the files being written must do
            import fcntl  # noqa: PLC0415 - not everywhere

            assert self._file is not None  # noqa: S101 - called by `open` alone
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                message = f"{self.path}: another conversion into this target is running"
                raise StorageError(message, path=self.path, errno=error.errno) from error

    def _resume(self, lines: list[bytes], *, overwrite: bool) -> bool:
        entries = [entry for line in lines if (entry := _parse(line))]
        if not entries:
            return False
        if entries[0].get("plan") != self._plan:
            if overwrite:
                return False
            message = (
                f"{self.path}: an interrupted conversion of something else, or with other options, is there; "
                "run that one again, or overwrite it"
            )
            raise AlreadyExistsError(message, path=self.path)
        for entry in entries[1:]:
            with contextlib.suppress(KeyError, TypeError, ValueError):  # an entry that means nothing is none
                if entry["stamp"] is not None and _stamp(entry["path"]) == entry["stamp"]:
                    self.finished[entry["path"]] = _core.Digest(*entry["digest"])
        return True

    def finish(self, path: str, digest: _core.Digest) -> None:
        """One file is whole, and was verified."""
        sums = [digest.record_count, digest.record_bytes, digest.ordered, digest.unordered]
        with self._lock:
            self._append({"path": path, "stamp": _stamp(path), "digest": sums})
            self.finished[path] = digest

    def _append(self, entry: dict[str, Any]) -> None:
        assert self._file is not None  # noqa: S101 - the journal is open
        self._file.write(json.dumps(entry).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def remove(self) -> None:
        """All is done, or nothing is worth keeping."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.path)
        self.close()

    def close(self) -> None:
        """Let go of the journal; it stays for the next time."""
        if self._file is not None:
            self._file.close()


def _hash(text: str) -> str:
    import hashlib  # noqa: PLC0415 - takes long to import, for those who convert nothing

    return hashlib.sha256(text.encode()).hexdigest()


def _parse(line: bytes) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError):
        entry = json.loads(line)
        if isinstance(entry, dict):
            return entry
    return None


def _stamp(path: str) -> list[int] | None:
    """By what a file is recognised."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns]

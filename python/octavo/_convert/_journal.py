"""What is finished of a conversion, so that it can go on after it was interrupted.

`TARGET.converting` says in its first line what is converted into what, each further line that one file is finished. A
line is written when its file is whole and durable, and says whether it was read back. Lines are JSON; a torn last line
counts for nothing. The journal goes away when all is done: docs/spec/partial.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import threading
from typing import TYPE_CHECKING, Any

from octavo import _core
from octavo._convert._places import InObjectStore, Local, Place
from octavo._convert._publish import let_go, open_locked, refusals, sync_folder
from octavo.errors import AlreadyExistsError, StorageError
from octavo.storage import _client

if TYPE_CHECKING:
    from typing import Self

_HEAD = b'{"octavo": "convert", "plan": "'  # what all journals begin with


class Journal:
    """The journal of one conversion; threads may share it."""

    _place: Place = Local()

    def __init__(self, target: str, plan: dict[str, Any]) -> None:
        self.path = self._place.journal(target)
        self._plan = _hash(json.dumps(plan, sort_keys=True))
        self._lock = threading.Lock()
        self._descriptor = -1
        self.resumed = False
        """Whether it is that of an earlier conversion, which was the same."""
        self.finished: dict[str, _core.Digest] = {}
        """Files that need not be written again."""
        self.known: set[str] = set()
        """Files that were finished at some time, whatever has become of them."""

    @property
    def exists(self) -> bool:
        """Whether an earlier conversion left its journal, or another one is running."""
        return os.path.lexists(self.path)

    def open(self, *, overwrite: bool, verify: bool) -> Self:
        """Go on where the last conversion stopped, or begin. Files that were not read back count if that is no wish."""
        with refusals(self.path, "write"):
            self._descriptor = self._locked()
            was_empty = False
            try:
                content = self._content()
                was_empty = not content
                self.resumed = self._resume(content, overwrite=overwrite, verify=verify)
                if self.resumed:
                    self._cut(content.rindex(b"\n") + 1)  # what follows was not finished
                else:
                    self._cut(0)
                    self._append({"octavo": "convert", "plan": self._plan})
                    self._sync_name()
            except BaseException:
                with contextlib.suppress(StorageError):  # a store that cannot be reached keeps what it has
                    if was_empty:
                        self.remove()
                self.close()
                raise
        return self

    def _locked(self) -> int:
        try:
            return open_locked(self.path)
        except BlockingIOError as error:
            message = f"{self.path}: another conversion into this target is running"
            raise StorageError(message, path=self.path, errno=error.errno) from error

    def _content(self) -> bytes:
        status = os.fstat(self._descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise StorageError(f"{self.path}: cannot write: not a regular file", path=self.path)
        with open(self._descriptor, "rb", closefd=False) as file:
            head = file.read(len(_HEAD))
            return head + file.read() if head == _HEAD else head  # of what is not ours nothing else matters

    def _resume(self, content: bytes, *, overwrite: bool, verify: bool) -> bool:
        if not content.startswith(_HEAD) and not _HEAD.startswith(content) and not overwrite:
            message = f"{self.path}: a file of this name is needed for a while, and this one is not ours; move it away"
            raise AlreadyExistsError(message, path=self.path)
        entries = [_parse(line) for line in content.split(b"\n")[:-1]]
        if not entries:
            return False
        if entries[0].get("plan") != self._plan:
            if overwrite:
                return False
            raise self.of_another()
        for entry in entries[1:]:
            with contextlib.suppress(KeyError, TypeError, ValueError):  # an entry that means nothing is none
                path, digest = entry["path"], _core.Digest(*entry["digest"])
                self.known.add(path)
                is_same = entry["stamp"] is not None and self._place.stamp(path) == entry["stamp"]
                if is_same and (entry["verified"] or not verify):
                    self.finished[path] = digest
        return True

    def of_another(self) -> AlreadyExistsError:
        """What to raise where the finished files are not of this conversion."""
        message = (
            f"{self.path}: an interrupted conversion of something else, or with other options, is there; "
            "run that one again, or overwrite it"
        )
        return AlreadyExistsError(message, path=self.path)

    def finish(self, path: str, digest: _core.Digest, *, verified: bool) -> None:
        """One file is whole."""
        sums = [digest.record_count, digest.record_bytes, digest.ordered, digest.unordered]
        with self._lock, refusals(self.path, "write"):
            self._append({"path": path, "stamp": self._place.stamp(path), "verified": verified, "digest": sums})
            self.finished[path] = digest

    def _cut(self, size: int) -> None:
        """Keep so much of what is there."""
        os.ftruncate(self._descriptor, size)

    def _sync_name(self) -> None:
        sync_folder(os.path.dirname(self.path))

    def _append(self, entry: dict[str, Any]) -> None:
        """At once and without a buffer: what failed is not tried again when the file is closed."""
        rest = json.dumps(entry).encode() + b"\n"
        end = os.lseek(self._descriptor, 0, os.SEEK_END)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
            os.fsync(self._descriptor)
        except OSError:
            os.ftruncate(self._descriptor, end)  # half a line would spoil the next one
            raise

    def remove(self) -> None:
        """All is done, or nothing is worth keeping."""
        if sys.platform == "win32":  # where open files cannot be removed
            self.close()
        try:
            with refusals(self.path, "remove"), contextlib.suppress(FileNotFoundError):
                os.remove(self.path)
        finally:
            self.close()

    def close(self) -> None:
        """Let go of the journal; it stays for the next time."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            let_go(descriptor)


class StoredJournal(Journal):
    """A journal in an object store: an object that is replaced as a whole. There, no lock keeps others away."""

    def __init__(self, place: InObjectStore, target: str, plan: dict[str, Any]) -> None:
        self._place = place
        super().__init__(target, plan)
        self._object = place.file(self.path)
        self._lines = b""

    @property
    def exists(self) -> bool:
        """Whether an earlier conversion left its journal, or another one is running."""
        return self._object.is_there()

    def _locked(self) -> int:
        return -1  # nothing is held open

    def _content(self) -> bytes:
        self._lines = self._object.content() or b""
        return self._lines

    def _cut(self, size: int) -> None:
        self._lines = self._lines[:size]

    def _sync_name(self) -> None:
        pass

    def _append(self, entry: dict[str, Any]) -> None:
        lines = self._lines + json.dumps(entry).encode() + b"\n"
        _client.call("write_whole", self._object.place, lines)
        self._lines = lines

    def remove(self) -> None:
        """All is done, or nothing is worth keeping."""
        _client.call("delete", self._object.place)


def journal_of(place: Place, target: str, plan: dict[str, Any]) -> Journal:
    """The journal of a conversion into a target of a place."""
    return StoredJournal(place, target, plan) if isinstance(place, InObjectStore) else Journal(target, plan)


def _hash(text: str) -> str:
    import hashlib  # noqa: PLC0415 - takes long to import, for those who convert nothing

    return hashlib.sha256(text.encode()).hexdigest()


def _parse(line: bytes) -> dict[str, Any]:
    with contextlib.suppress(ValueError, RecursionError):
        entry = json.loads(line)
        if isinstance(entry, dict):
            return entry
    return {}

"""Objects of object stores as sources of records."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from octavo._side_files import INDEX
from octavo.errors import NotFoundError, RecordTypeError, UnsupportedError
from octavo.storage import _client, _urls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from obstore.store import ObjectStore
    from typing_extensions import Buffer

    from octavo.storage._remote import Place, Status

Known: TypeAlias = "tuple[str, str, int, int]"
"""Format, way of storing, number of records and size, as a manifest tells them."""


@dataclasses.dataclass(frozen=True)
class InStore:
    """A location in a store of obstore: `octavo.open(InStore(store, "train/*.array_record"))`.

    The key may be a pattern, a sharded name or a folder, as the rest of a URL may.
    """

    store: ObjectStore
    """The store, with whatever credentials, retries and timeouts it was made with."""
    key: str
    """What is meant in it."""

    def __post_init__(self) -> None:
        if not isinstance(self.key, str):
            message = f"a key is text, not {type(self.key).__name__}"
            raise RecordTypeError(message)

    def __repr__(self) -> str:
        """Without the store, some of which cannot be shown."""
        return f"InStore({_urls.name_of(self.store) + self.key!r})"


class StoredObject:
    """One object as a source of spans. It is looked at when it is first needed, and must not change from then on."""

    is_remote = True

    def __init__(
        self, root: str | ObjectStore, key: str, *, status: Status | None = None, known: Known | None = None
    ) -> None:
        self._root = root
        self.key = key
        self._status = status
        self.known = known
        before = _urls.shown(root) if isinstance(root, str) else _urls.name_of(root)
        self.name = before + (quote(key) if before.startswith("http") else key)  # as it is typed

    @property
    def place(self) -> Place:
        """Where it is. A URL's store is asked for every time, so that it follows its environment."""
        from octavo.storage._remote import Place  # noqa: PLC0415 - obstore is optional

        store = _urls.split(self._root + "x")[0] if isinstance(self._root, str) else self._root
        return Place(store, self.key, self.name)

    @property
    def status(self) -> Status:
        """Its size, tag and time of modification."""
        if self._status is None:
            status: Status = _client.call("stat", self.place)
            self._status = status
        return self._status

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return self.status.size

    def read_spans(self, spans: list[tuple[int, int]]) -> Sequence[Buffer]:
        """The bytes of each (offset, length), all requested at once."""
        return self.read_together([(self, spans)])[0]

    @staticmethod
    def read_together(asked: list[tuple[StoredObject, list[tuple[int, int]]]]) -> Sequence[Sequence[Buffer]]:
        """The same for several objects."""
        questions = [(one.place, one.status, spans) for one, spans in asked]
        answer: Sequence[Sequence[Buffer]] = _client.call("fetch", questions)
        return answer

    def refuse_writing(self) -> None:
        """Raise if its store can only be read from."""
        if type(self.place.store).__name__ == "HTTPStore":
            message = f"{self.name}: web servers are only read from"
            raise UnsupportedError(message, path=self.name)

    def is_in_store_of(self, other: StoredObject) -> bool:
        """Whether both are found by the same root."""
        return self._root is other._root or (isinstance(self._root, str) and self._root == other._root)

    @property
    def has_url(self) -> bool:
        """Whether its name leads to it, also for others."""
        return isinstance(self._root, str)

    def content(self) -> bytes | None:
        """All of a small object; None if it is not there."""
        found = _client.call("read_whole", self.place)
        return None if found is None else bytes(found[0])

    def is_there(self) -> bool:
        """Whether there is such an object."""
        try:
            _client.call("stat", self.place)
        except NotFoundError:
            return False
        return True

    def listed(self, folder: str, *, recursive: bool = False) -> tuple[list[tuple[str, Status]], list[str]]:
        """Keys in a folder of its store, with what is said of each; and its folders, unless all below it is listed."""
        found: tuple[list[tuple[str, Status]], list[str]] = _client.call(
            "listed", self.place._replace(key=folder.rstrip("/")), recursive=recursive
        )
        return found

    def in_folder(self, path: str) -> StoredObject:
        """The object at a path that begins at the folder of this one."""
        folder = self.key.rpartition("/")[0]
        return StoredObject(self._root, f"{folder}/{path}" if folder else path)

    def with_known(self, known: Known, e_tag: str | None) -> StoredObject:
        """The same object, with what a manifest says of it: it is looked at when a record of it is wanted."""
        from octavo.storage._remote import Status  # noqa: PLC0415 - obstore is optional

        return StoredObject(self._root, self.key, status=Status(known[3], e_tag, float("nan")), known=known)

    def anew(self) -> StoredObject:
        """The object that has its name now."""
        return StoredObject(self._root, self.key)

    def beside(self, suffix: str) -> StoredObject:
        """The object whose name goes on with this."""
        return StoredObject(self._root, self.key + suffix)

    def sidecar(self) -> tuple[bytes, bool] | None:
        """The index beside it, unless it is that of another object; and whether it is its own beyond doubt."""
        found = _client.call("read_whole", self.beside(INDEX).place)
        if found is None:
            return None
        content, status, about = found
        if about is not None:
            return (content, True) if about == self.status.e_tag else None
        # Times of stores are seconds: what is of the same one may be earlier. Of a listed object nobody knows it.
        if status.modified < self.status.modified:
            return None
        return content, status.modified > self.status.modified

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle with what is known of it: elsewhere it must be the same object."""
        if type(self._root).__name__ == "MemoryStore":
            message = f"{self.name}: a store in the memory of this process cannot be pickled"
            raise UnsupportedError(message, path=self.name)
        return _again, (self._root, self.key, self._status, self.known)

    def __repr__(self) -> str:
        """Say which one."""
        return f"<octavo.storage.StoredObject {self.name}>"


def _again(root: str | ObjectStore, key: str, status: Status | None, known: Known | None) -> StoredObject:
    return StoredObject(root, key, status=status, known=known)


def stored(location: str | InStore) -> StoredObject:
    """The one object that a URL or a key names, whatever is in that name."""
    if isinstance(location, InStore):
        return StoredObject(location.store, location.key.lstrip("/"))
    _, key, root = _urls.split(location)
    return StoredObject(root, key)

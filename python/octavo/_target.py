"""What a user types for "where the records shall be": a path, a URL, a place in a store, or a file object."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeAlias, cast

from octavo._arguments import as_path
from octavo._location import PathLocation, as_text, is_remote
from octavo.errors import RecordTypeError
from octavo.storage import InStore, StoredObject
from octavo.storage._sinks import FileTarget, Sink, Upload, WritableFile, refuse_text
from octavo.storage._stored import stored

TargetLocation: TypeAlias = PathLocation | WritableFile


@dataclasses.dataclass(frozen=True)
class Target:
    """One file to write."""

    name: str
    """What it is called: a path where it is local."""
    object: StoredObject | None = None
    """Where it is, if it is in an object store."""
    file: WritableFile | None = None
    """What is written to, if it is a file object."""

    @property
    def is_local(self) -> bool:
        """Whether the name is a path."""
        return self.object is None and self.file is None

    def sink(self, *, overwrite: bool) -> Sink | None:
        """Where the bytes go; None for a local file, which the core writes itself."""
        if self.object is not None:
            return Upload(self.object, overwrite=overwrite)
        return None if self.file is None else FileTarget(self.file)


def target_of(location: Any, what: str) -> Target:
    """The file that a location names, which is `what`."""
    if is_remote(location):
        one = stored(location if isinstance(location, InStore) else as_text(location))
        if not one.key or one.key.endswith("/"):
            message = f"{one.name}: this names a folder; name an object in it"
            raise RecordTypeError(message)
        return Target(one.name, object=one)
    if hasattr(location, "write") and not hasattr(location, "__fspath__"):
        refuse_text(location)
        file = cast("WritableFile", location)
        return Target(FileTarget(file).name, file=file)
    return Target(as_path(location, what))

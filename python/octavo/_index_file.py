"""The index beside one file, wherever that file is."""

from __future__ import annotations

from octavo import _core
from octavo._side_files import INDEX
from octavo.storage import StoredObject, _client


def write_index_of(file: str | StoredObject, format: str | None) -> str:
    """Write `NAME.octx` beside a file; returns its name."""
    if isinstance(file, str):
        return _core.write_index(file, format=format)
    content = _core.encode_index(file, format=format)
    index = file.beside(INDEX)
    _client.call("write_whole", index.place, content, about=file.status.e_tag)
    return index.name

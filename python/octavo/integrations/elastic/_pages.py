"""Small files that are created once, by whoever comes first: in a folder, or in an object store."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets

from octavo._convert._publish import refusals, sync_folder
from octavo.errors import AlreadyExistsError
from octavo.storage import _client, _urls
from octavo.storage._stored import stored

_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}


def create(path: str, content: bytes) -> None:
    """Create a file, whole and durable.

    Raises:
        AlreadyExistsError: Somebody else has.
    """
    if _urls.is_url(path):
        _client.call("write_whole", stored(path).place, content, overwrite=False)
        return
    scratch = f"{path}.{secrets.token_hex(4)}"
    with refusals(path, "write"):
        try:
            with open(scratch, "xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            _rename_to_new(scratch, path)
        except FileExistsError as error:
            raise AlreadyExistsError(f"{path}: is there already", path=path) from error
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(scratch)
        sync_folder(os.path.dirname(path))


def read(path: str) -> bytes | None:
    """All of it; None, if it is not there."""
    if _urls.is_url(path):
        return stored(path).content()
    with refusals(path, "read"), contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
        return file.read()
    return None


def _rename_to_new(path: str, new: str) -> None:
    """Give a file a name that no other has; a plain rename would replace what is there."""
    try:
        os.link(path, new)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.replace(path, new)

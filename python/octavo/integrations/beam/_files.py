"""Files on any file system of Beam: those of this machine by name, all others as file objects."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.filesystems import FileSystems

from octavo._location import absolute
from octavo.storage import FileObject

MIME_TYPE = "application/octet-stream"


def is_local(path: str) -> bool:
    """Whether a path is one of this machine, which octavo reads and writes best by itself."""
    return FileSystems.get_scheme(path) is None


def meant_here(path: str) -> str:
    """A path of this machine from the root on, so that workers with another working directory find what was meant."""
    return os.path.join(os.getcwd(), path) if is_local(path) else path


@contextlib.contextmanager
def input_of(path: str) -> Iterator[str | FileObject]:
    """What to open for one file: its name, whatever is in it, or a file object."""
    if is_local(path):
        yield absolute(path)
        return
    # As it is: what a compressed file is made of is octavo's business.
    with FileSystems.open(path, MIME_TYPE, CompressionTypes.UNCOMPRESSED) as file:
        source = FileObject(file)
        source.name = path  # streams of Beam do not know their names, and messages should
        yield source

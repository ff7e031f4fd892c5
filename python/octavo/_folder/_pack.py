"""`octavo.pack`: all files of a folder into one."""

from __future__ import annotations

import dataclasses
import errno
import os
import stat

from octavo._arguments import Progress, as_path, check_progress, check_switches
from octavo._core import encode_folder_table
from octavo._folder._names import shown
from octavo._folder._survey import Survey, read_file
from octavo._folder._tree import Structure
from octavo._location import PathLocation, is_remote
from octavo._open import create
from octavo._side_files import WRITTEN
from octavo.errors import AlreadyExistsError, NotFoundError, OctavoError, StorageError, of_os_error


@dataclasses.dataclass(frozen=True)
class PackReport:
    """What `octavo.pack` did."""

    target: str
    """The packed folder."""
    file_count: int
    """Files in it."""
    folder_count: int
    """Folders in it, empty ones too, without the one that was packed."""
    file_bytes: int
    """Size of all files together."""
    total_bytes: int
    """Size of the packed folder."""


def pack(
    folder: str | os.PathLike[str],
    target: PathLocation,
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> PackReport:
    """Pack all files of a folder, and of the folders in it, into one file that `octavo.Folder` opens.

    The target appears when it is whole. A `.ffr` file is the same, byte for byte, as `ffrecord.pack_folder` makes it;
    another suffix gives the same records in another format, such as `.array_record`, where they are compressed.

    Links are followed. What cannot be packed is an error, and no target is there then: links that lead in a circle or
    to nothing, pipes, sockets and devices, files that are written to meanwhile. Modes, owners and times are not kept.
    If the target lies in the folder, it is left out. One file at a time is in memory, whole.

    Args:
        folder: What to pack.
        target: Where the packed folder will be, a path or a URL.
        overwrite: Whether a file of the target's name may be replaced.
        progress: Called after each file with the number of files done and of all files.
    """
    check_switches(overwrite=overwrite)
    check_progress(progress)
    source = _folder_to_pack(folder)
    _check_free(target, overwrite=overwrite)
    with create(target, overwrite=overwrite) as writer:
        survey = Survey(writer.path + suffix for suffix in ("", *WRITTEN))
        table = encode_folder_table(_structure(survey, source))
        total, file_bytes = len(survey.files), 0
        for done, path in enumerate(survey.files, 1):
            content = _content(path)
            writer.write(content)
            file_bytes += len(content)
            if progress is not None:
                progress(done, total)
        writer.write(table)
    written = writer._file()  # noqa: SLF001 - part of the package
    packed_bytes = os.path.getsize(written) if isinstance(written, str) else written.size
    return PackReport(writer.path, total, survey.folder_count, file_bytes, packed_bytes)


def _check_free(target: PathLocation, *, overwrite: bool) -> None:
    if is_remote(target):
        return  # the upload looks for itself
    path = as_path(target, "a file to write")
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        message = f"{shown(path)}: this is no file, and must not become one"  # a device would be replaced by a file
        raise StorageError(message, path=path, errno=errno.EINVAL)
    if os.path.lexists(path) and not overwrite:
        message = f"{shown(path)}: exists already; overwrite=True (--force) replaces it"
        raise AlreadyExistsError(message, path=path, errno=errno.EEXIST)


def _folder_to_pack(folder: str | os.PathLike[str]) -> str:
    path = as_path(folder, "a folder to pack") if folder != "" else ""  # not the working directory
    try:
        if path and stat.S_ISDIR(os.stat(path).st_mode):
            return path
    except (FileNotFoundError, NotADirectoryError, ValueError):
        pass
    except OSError as error:
        raise _told(error, path) from error
    if os.path.lexists(path):
        message = f"{shown(path)}: only folders are packed, and this is none"
        raise StorageError(message, path=path, errno=errno.ENOTDIR)
    message = f"{shown(path)}: there is no such folder" if path else "the path of the folder to pack is empty"
    raise NotFoundError(message, path=path, errno=errno.ENOENT)


def _structure(survey: Survey, path: str) -> Structure:
    try:
        return survey.folder(path)
    except OSError as error:
        raise _told(error, path) from error


def _content(path: str) -> bytes:
    try:
        return read_file(path)
    except OctavoError:
        raise
    except OSError as error:
        raise _told(error, path) from error


def _told(error: OSError, path: str) -> StorageError:
    where = error.filename if isinstance(error.filename, str) else path
    return of_os_error(error, f"{shown(where)}: cannot pack: {error.strerror}", where)

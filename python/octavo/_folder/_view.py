"""`octavo.Folder`: the files of a packed folder by their paths."""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from typing import Any, TypeAlias

from octavo._arguments import Progress, check_progress, check_switches
from octavo._closing import Closing
from octavo._core import parse_folder_table
from octavo._folder._contents import contents
from octavo._folder._extract import ExtractReport, Selection, extract
from octavo._folder._names import shown
from octavo._folder._sizes import Sizes
from octavo._folder._tree import Structure, count_files, entries, names_in, node_at, table_in
from octavo._location import Location
from octavo._open import open as open_records
from octavo._reader import Reader
from octavo.errors import DamagedFileError, FormatError, OptionError, PathNotFoundError, RecordTypeError

FolderPath: TypeAlias = str | os.PathLike[str]


class Folder(Closing, Mapping[str, bytes]):
    """A packed folder: a mapping of paths to the contents of files.

    Paths are relative to the folder, with slashes. The length is the number of files, and they come in stored order.
    Folders can be shared between threads, survive `fork`, and open their files again when they are pickled. Two of them
    are equal if they are the same object.

    Args:
        location: One file that `octavo.pack` or `ffrecord.pack_folder` has written; see `octavo.open`.
        check_data: Verify the checksum of the table and of every file that is read.

    Raises:
        FormatError: The location holds records, but is not a packed folder.
    """

    def __init__(self, location: Location, *, check_data: bool = True) -> None:
        check_switches(check_data=check_data)
        if isinstance(location, str | os.PathLike) and os.path.isdir(location):
            message = f"{shown(os.fsdecode(location))} is a folder, but not a packed one: octavo.pack makes one of it"
            raise FormatError(message, path=os.fsdecode(location))
        self._face(open_records(location, check_data=check_data))

    def _face(self, reader: Reader) -> None:
        try:
            self._structure = _structure_of(reader)
        except BaseException:
            reader.close()
            raise
        self._reader = reader
        self._sizes = Sizes(reader)
        self._file_count: int | None = None

    def __getitem__(self, path: FolderPath) -> bytes:
        """The content of a file."""
        return self._reader[self._record(path)]

    def read(self, paths: Iterable[FolderPath]) -> list[bytes]:
        """The contents of files, in this order, read at once."""
        return self._reader.read([self._record(path) for path in _several(paths)])

    def __iter__(self) -> Iterator[str]:
        """Paths of all files, in stored order."""
        return self.files()

    def files(self, path: FolderPath = "") -> Iterator[str]:
        """Paths of all files in a folder and below it, in stored order."""
        return (below for below, node in self._entries(path) if isinstance(node, int))

    def __len__(self) -> int:
        if self._file_count is None:
            self._file_count = count_files(self._structure)
        return self._file_count

    def __contains__(self, path: object) -> bool:
        """Whether there is a file at this path."""
        return isinstance(path, str | os.PathLike) and self.is_file(path)

    def items(self) -> ItemsView[str, bytes]:
        """Paths and contents, in stored order; iterating reads many files at once."""
        return _Items(self)

    def values(self) -> ValuesView[bytes]:
        """Contents, in stored order; iterating reads many files at once."""
        return _Values(self)

    def exists(self, path: FolderPath) -> bool:
        """Whether there is a file or a folder at this path."""
        return self._at(path) is not None

    def is_file(self, path: FolderPath) -> bool:
        """Whether there is a file at this path."""
        return isinstance(self._at(path), int)

    def is_dir(self, path: FolderPath) -> bool:
        """Whether there is a folder at this path; the whole has the path ''."""
        return isinstance(self._at(path), dict)

    def size(self, path: FolderPath) -> int:
        """Bytes of a file. The index of an FFRecord file tells it; in other formats the file is read."""
        known = self._known_size(path)
        return len(self[path]) if known is None else known

    def listdir(self, path: FolderPath = "") -> list[str]:
        """Names of the files and folders in a folder, in stored order."""
        return list(self._folder(path))

    def walk(self, path: FolderPath = "") -> Iterator[tuple[str, list[str], list[str]]]:
        """A folder and all below it, from above: path, names of the folders in it, names of the files in it."""
        top = "/".join(names_in(_checked(path))), *_split(self._folder(path))
        folders = ((below, *_split(node)) for below, node in self._entries(path) if not isinstance(node, int))
        return itertools.chain([top], folders)

    def extract(
        self,
        target: str | os.PathLike[str],
        paths: Iterable[FolderPath] | None = None,
        *,
        overwrite: bool = False,
        progress: Progress | None = None,
    ) -> ExtractReport:
        """Write files below a folder, under the paths that they have here.

        Nothing is ever written anywhere else. All names are judged before the first is written: one that the system
        gives a meaning is a `FormatError`. Links in the target are not followed. A file appears when it is whole.

        Args:
            target: The folder to write into; made if it is not there.
            paths: Files, and folders with all below them; everything if it is not given.
            overwrite: Whether files that exist may be replaced. Without it nothing is written if one of them does.
            progress: Called after each file with the number of files done and of all files.
        """
        check_switches(overwrite=overwrite)
        check_progress(progress)
        selection = Selection()
        for path in [""] if paths is None else _several(paths):
            node = self._at(path)
            if node is None:
                raise self._missing(path, "is not in")
            selection.add("/".join(names_in(path)), node)
        return extract(self._reader, selection, target, overwrite=overwrite, progress=progress)

    def close(self) -> None:
        """Let go of the files. Names can still be listed."""
        self._reader.close()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._reader.closed

    def __eq__(self, other: object) -> bool:
        return self is other  # a mapping would read all files to find out

    __hash__ = object.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, (type(self), self._reader)

    def __repr__(self) -> str:
        return "<octavo.Folder, closed>" if self.closed else f"<octavo.Folder of {len(self)} files in {self._where()}>"

    def _entries(self, path: FolderPath) -> Iterator[tuple[str, Structure | int]]:
        folder = self._folder(path)
        return entries(folder, "".join(f"{name}/" for name in names_in(path)))

    def _at(self, path: FolderPath) -> Structure | int | None:
        return node_at(self._structure, names_in(_checked(path)))

    def _known_size(self, path: FolderPath) -> int | None:
        return self._sizes.of(self._record(path))

    def _record(self, path: FolderPath) -> int:
        node = self._at(path)
        if isinstance(node, int):
            return node
        raise self._missing(path, "is not in" if node is None else "is a folder, not a file, in")

    def _folder(self, path: FolderPath) -> Structure:
        node = self._at(path)
        if isinstance(node, dict):
            return node
        raise self._missing(path, "is not in" if node is None else "is a file, not a folder, in")

    def _missing(self, path: FolderPath, how: str) -> PathNotFoundError:
        text = os.fspath(path)
        message = f"{shown(text) or repr(text)} {how} {self._where()}"
        return PathNotFoundError(message, path=text, errno=errno.ENOENT)

    def _where(self) -> str:
        return shown(self._reader.paths[0])


class _Items(ItemsView[str, bytes]):
    _mapping: Folder

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        folder = self._mapping
        files = [(path, node) for path, node in folder._entries("") if isinstance(node, int)]  # noqa: SLF001 - its own view
        return ((path, bytes(content)) for path, content in contents(folder._reader, files))  # noqa: SLF001


class _Values(ValuesView[bytes]):
    _mapping: Folder

    def __iter__(self) -> Iterator[bytes]:
        return (content for _, content in _Items(self._mapping))


def _reopen(kind: type[Folder], reader: Reader) -> Folder:
    folder = kind.__new__(kind)
    folder._face(reader)  # noqa: SLF001 - part of the class
    return folder


def _structure_of(reader: Reader) -> Structure:
    """What the last record says, which is never unpickled: a pickle can call anything."""
    where = reader.paths[-1]
    table = table_in(reader[-1]) if len(reader) else None
    if table is None:
        message = f"{shown(where)} is not a packed folder: its last record is no table of files"
        raise FormatError(message, path=where)
    if len(reader.paths) > 1:
        message = f"a packed folder is one file, and these are {len(reader.paths)}: open each of them by itself"
        raise OptionError(message, path=where)
    try:
        return parse_folder_table(table, len(reader) - 1)
    except DamagedFileError as error:
        message = f"{shown(where)} is not a packed folder that can be read: {error}"
        raise DamagedFileError(message, path=where) from error


def _split(folder: Structure) -> tuple[list[str], list[str]]:
    folders = [name for name, node in folder.items() if isinstance(node, dict)]
    return folders, [name for name, node in folder.items() if not isinstance(node, dict)]


def _checked(path: object) -> FolderPath:
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if isinstance(text, str):
        return path  # type: ignore[return-value]
    message = f"what is in a folder is named by a path, not {type(path).__name__}"
    raise RecordTypeError(message)


def _several(paths: Iterable[FolderPath]) -> Iterable[FolderPath]:
    if isinstance(paths, str | bytes | os.PathLike) or not isinstance(paths, Iterable):
        message = f"several paths are asked for in a list, not as {type(paths).__name__}"
        raise RecordTypeError(message)
    return paths

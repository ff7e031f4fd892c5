"""`PackedFolder` and `pack_folder`: the files of a folder as records of one file, found by their paths."""

from __future__ import annotations

import errno
import os
import sys
from collections import OrderedDict
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from octavo._core import encode_folder_table, parse_folder_table
from octavo._location import absolute
from octavo.compat.ffrecord._fnames import check_suffix
from octavo.compat.ffrecord.fileio import FileReader, FileWriter
from octavo.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from octavo.compat.ffrecord._fnames import FileName
    from octavo.compat.ffrecord.fileio import Record

Structure: TypeAlias = OrderedDict[str, Any]  # an int for a file, a Structure for a folder
Names: TypeAlias = list[str | Path]  # inside the class, `list` is a method

_MAGIC = b"piouhjgbr"  # what the record with the structure begins with
_MOST_LEVELS = 256  # a structure with more is refused when it is read


class PackedFolder:
    """A folder that `pack_folder` has packed. Paths are relative to it, with slashes."""

    def __init__(self, ffr_file: FileName | Sequence[FileName], check_data: bool = True) -> None:  # noqa: FBT001, FBT002 - as the original has it
        self.reader = FileReader(ffr_file, check_data)
        try:
            self.structure = _structure_of(self.reader, ffr_file)
        except BaseException:
            self.reader.close()
            raise

    def num_files(self) -> int:
        """How many files there are in all folders."""
        return self.reader.n - 1

    def read_one(self, path: FileName) -> Record:
        """The content of one file."""
        return self.reader.read_one(self._file_at(path))

    def read(self, paths: FileName | Sequence[FileName]) -> Record | list[Record]:
        """The contents of files, in this order; of a single path, its content."""
        if isinstance(paths, list | tuple):
            return self.reader.read([self._file_at(path) for path in paths])
        if isinstance(paths, str | os.PathLike):
            return self.read_one(paths)
        message = f"paths must be a list, a tuple or a single path, not {type(paths).__name__}"
        raise AssertionError(message)

    def list(
        self,
        path: FileName | None = None,
        list_file: bool = True,  # noqa: FBT001, FBT002 - as the original has it
        list_dir: bool = True,  # noqa: FBT001, FBT002
        recursive: bool = False,  # noqa: FBT001, FBT002
    ) -> Names:
        """What is in a folder, in stored order: names, and below the first level paths relative to the folder."""
        folder = self.structure if path is None else self._folder_at(path)
        names: Names = []
        _collect(folder, None, names, files=list_file, folders=list_dir, recursive=recursive)
        return names

    def exists(self, path: FileName) -> bool:
        """Whether there is a file or a folder at this path."""
        return self._at(path) is not None

    def is_file(self, path: FileName) -> bool:
        """Whether there is a file at this path."""
        return isinstance(self._at(path), int)

    def is_dir(self, path: FileName) -> bool:
        """Whether there is a folder at this path."""
        return isinstance(self._at(path), dict)

    def _at(self, path: FileName) -> Structure | int | None:
        node: Structure | int | None = self.structure
        for part in _parts(path):
            node = node.get(part) if isinstance(node, dict) else None
        return node

    def _file_at(self, path: FileName) -> int:
        node = self._at(path)
        if isinstance(node, int):
            return node
        message = f"{path} does not exist" if node is None else f"{path} is not a file but a directory"
        raise AssertionError(message)

    def _folder_at(self, path: FileName) -> Structure:
        node = self._at(path)
        if isinstance(node, dict):
            return node
        message = f"{path} does not exist" if node is None else f"{path} is not a directory but a file"
        raise AssertionError(message)


def pack_folder(folder: FileName, out_file: FileName, verbose: bool = False) -> None:  # noqa: FBT001, FBT002 - as the original has it
    """Pack all files of a folder, and of the folders in it, into one file that `PackedFolder` opens.

    Links are followed. Where a file cannot be read, this raises and leaves no `out_file`.
    """
    if not os.path.isdir(folder):
        message = "'folder' must be a directory"
        raise AssertionError(message)
    survey = _Survey(check_suffix(out_file))
    table = encode_folder_table(survey.folder(absolute(os.fsdecode(folder))))
    count = len(survey.files)
    with FileWriter(out_file, count + 1) as writer:
        for index, path in enumerate(survey.files):
            if verbose:
                print(f"{index:0{len(str(count))}}/{count} {_printable(path)}")  # noqa: T201 - asked for
            with open(path, "rb") as file:
                writer.write_one(file.read())
        writer.write_one(table)


def _printable(path: str) -> str:
    """The path, with what the output cannot show in its place as an escape: names are any bytes."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return path.encode(encoding, "backslashreplace").decode(encoding)


def _structure_of(reader: FileReader, ffr_file: FileName | Sequence[FileName]) -> Structure:
    """What the last record says, which is never unpickled: a pickle can call anything."""
    record = bytes(reader.read_one(reader.n - 1)) if reader.n else b""
    if len(record) <= len(_MAGIC) or not record.startswith(_MAGIC):
        message = f"{ffr_file} is not a packed folder"
        raise ValueError(message)
    try:
        return parse_folder_table(record[len(_MAGIC) :], reader.n - 1)
    except FormatError as error:
        message = f"{ffr_file} is not a packed folder\n{error}"
        raise ValueError(message) from error


def _parts(path: FileName) -> list[str]:
    """The names that a path is made of; '..' is one like any other, and so is a leading slash with all that follows."""
    text = path.as_posix() if isinstance(path, PurePath) else os.fspath(path)
    if text.startswith("/"):
        return [text]
    return [part for part in text.split("/") if part not in {"", "."}]


def _collect(
    folder: Structure, prefix: Path | None, names: Names, *, files: bool, folders: bool, recursive: bool
) -> None:
    for name, node in folder.items():
        is_folder = isinstance(node, dict)
        if folders if is_folder else files:
            names.append(name if prefix is None else prefix / name)
        if is_folder and recursive:
            below = Path(name) if prefix is None else prefix / name
            _collect(node, below, names, files=files, folders=folders, recursive=recursive)


class _Survey:
    """The files of a folder, numbered as they come."""

    def __init__(self, out_file: str) -> None:
        self.files: list[str] = []
        self._out = os.stat(out_file) if os.path.exists(out_file) else None
        self._above: list[os.stat_result] = []

    def folder(self, path: str) -> Structure:
        """What is in a folder, sorted by name, with all folders in it."""
        status = os.stat(path)
        if any(os.path.samestat(status, above) for above in self._above):
            raise OSError(errno.ELOOP, "a link leads back to a folder that it is in", path)
        if len(self._above) > _MOST_LEVELS:
            raise OSError(errno.ENAMETOOLONG, f"folders are nested deeper than {_MOST_LEVELS} levels", path)
        structure: Structure = OrderedDict()
        self._above.append(status)
        with os.scandir(path) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_dir():
                    structure[entry.name] = self.folder(entry.path)
                elif not self._is_out_file(entry):
                    structure[entry.name] = self._file(entry)
        self._above.pop()
        return structure

    def _is_out_file(self, entry: os.DirEntry[str]) -> bool:
        """Whether this is the file of an earlier packing, which is about to be written over."""
        return self._out is not None and entry.inode() == self._out.st_ino and os.path.samestat(self._out, entry.stat())

    def _file(self, entry: os.DirEntry[str]) -> int:
        if not entry.is_file():
            os.stat(entry.path)  # a link to nothing says so itself
            raise OSError(errno.EINVAL, "not a regular file", entry.path)  # reading a pipe might never end
        self.files.append(entry.path)
        return len(self.files) - 1

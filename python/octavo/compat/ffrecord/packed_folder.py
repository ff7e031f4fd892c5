"""`PackedFolder` and `pack_folder`: the files of a folder as records of one file, found by their paths."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from octavo._core import encode_folder_table, parse_folder_table
from octavo._folder._survey import Survey, read_file
from octavo._folder._tree import Structure, entries, names_in, node_at, table_in
from octavo._location import absolute
from octavo.compat.ffrecord._fnames import check_suffix
from octavo.compat.ffrecord.fileio import FileReader, FileWriter
from octavo.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from octavo.compat.ffrecord._fnames import FileName
    from octavo.compat.ffrecord.fileio import Record

Names: TypeAlias = list[str | Path]  # inside the class, `list` is a method


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
        found = entries(folder, recursive=recursive)
        paths = [path for path, node in found if (list_dir if isinstance(node, dict) else list_file)]
        return [Path(path) if "/" in path else path for path in paths]

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
        return node_at(self.structure, names_in(path))

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
    survey = Survey([check_suffix(out_file)])
    table = encode_folder_table(survey.folder(absolute(os.fsdecode(folder))))
    count = len(survey.files)
    with FileWriter(out_file, count + 1) as writer:
        for index, path in enumerate(survey.files):
            if verbose:
                print(f"{index:0{len(str(count))}}/{count} {_printable(path)}")  # noqa: T201 - asked for
            writer.write_one(read_file(path))
        writer.write_one(table)


def _printable(path: str) -> str:
    """The path, with what the output cannot show in its place as an escape: names are any bytes."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return path.encode(encoding, "backslashreplace").decode(encoding)


def _structure_of(reader: FileReader, ffr_file: FileName | Sequence[FileName]) -> Structure:
    """What the last record says, which is never unpickled: a pickle can call anything."""
    table = table_in(bytes(reader.read_one(reader.n - 1))) if reader.n else None
    if table is None:
        message = f"{ffr_file} is not a packed folder"
        raise ValueError(message)
    try:
        return parse_folder_table(table, reader.n - 1)
    except FormatError as error:
        message = f"{ffr_file} is not a packed folder\n{error}"
        raise ValueError(message) from error

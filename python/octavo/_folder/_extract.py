"""`Folder.extract`: files of a packed folder as files again."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable

from octavo._arguments import Progress
from octavo._folder._contents import contents
from octavo._folder._names import judge
from octavo._folder._target import TargetFolder
from octavo._folder._tree import Structure, entries
from octavo._reader import Reader


@dataclasses.dataclass(frozen=True)
class ExtractReport:
    """What `Folder.extract` did."""

    target: str
    """The folder that was written to."""
    file_count: int
    """Files that were written."""
    folder_count: int
    """Folders below the target that they are in, and empty ones."""
    file_bytes: int
    """Size of all these files together."""


@dataclasses.dataclass
class Selection:
    """What is to be extracted: everything once, in the order asked for."""

    files: dict[str, int] = dataclasses.field(default_factory=dict)
    """Paths and records."""
    empty_folders: dict[str, None] = dataclasses.field(default_factory=dict)
    """Folders that would not be there for the sake of their files."""

    def add(self, path: str, node: Structure | int) -> None:
        """Take a file, or a folder with all below it. The path of the whole is empty."""
        if isinstance(node, int):
            self.files[path] = node
            return
        if not node and path:
            self.empty_folders[path] = None
        for inner, what in entries(node, f"{path}/" if path else ""):
            if isinstance(what, int):
                self.files[inner] = what
            elif not what:
                self.empty_folders[inner] = None


def extract(
    reader: Reader,
    selection: Selection,
    target: str | os.PathLike[str],
    *,
    overwrite: bool,
    progress: Progress | None,
) -> ExtractReport:
    """Write the selection below the target, and nothing anywhere else."""
    files, empty_folders = list(selection.files.items()), list(selection.empty_folders)
    judge(path for path, _ in files)
    judge(empty_folders)
    with TargetFolder(target, overwrite=overwrite) as out:
        if not out.was_empty:  # better now than half-way
            _check_free(out, (path for path, _ in files))
        file_bytes = 0
        for done, (path, content) in enumerate(contents(reader, files), 1):
            file_bytes += out.write(path, content)
            if progress is not None:
                progress(done, len(files))
        for path in empty_folders:
            out.make_folder(path)
        return ExtractReport(out.path, len(files), out.folder_count, file_bytes)


def _check_free(out: TargetFolder, paths: Iterable[str]) -> None:
    for path in paths:
        out.check_free(path)

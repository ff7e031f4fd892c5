"""Folders to pack, and tables by the hands of somebody else."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.naive import ffrecord as naive

MAGIC = b"piouhjgbr"
TREE = {
    ".hidden": b"",
    "001.txt": b"one",
    "B.txt": b"two",
    "a dir/001.txt": b"three",
    "a dir/nested/deep/file": b"four",
    "empty/": None,
    "z/only/x": b"five",
    "z/\udcff\udcfe": b"not UTF-8",
    "é": b"six",
}


def lay_out(folder: Path, tree: Mapping[str, bytes | None]) -> Path:
    for name, content in tree.items():
        path = folder / name
        (path if content is None else path.parent).mkdir(parents=True, exist_ok=True)
        if content is not None:
            path.write_bytes(content)
    return folder


def packed(path: Path, files: list[bytes], structure: Any, protocol: int = 4) -> Path:
    """A packed folder by the hands of somebody else."""
    path.write_bytes(naive.encode([*files, MAGIC + pickle.dumps(structure, protocol)]))
    return path


class Touching:
    """Its pickle makes a file when it is loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")

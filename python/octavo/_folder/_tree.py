"""What a packed folder holds: its table as nested dictionaries, and the ways through them.

No depth of nesting is a depth of calls here: tables come from anybody.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, TypeAlias

Structure: TypeAlias = OrderedDict[str, Any]
"""An int for a file, the number of its record; a Structure for a folder."""

_MAGIC = b"piouhjgbr"  # what the record with the table begins with


def table_in(record: bytes) -> bytes | None:
    """The table in the last record of a packed folder; None if it is the last record of something else."""
    return record[len(_MAGIC) :] if record.startswith(_MAGIC) and len(record) > len(_MAGIC) else None


def names_in(path: str | os.PathLike[str]) -> list[str]:
    """The names that a path is made of; '..' is one like any other, and so is a leading slash with all that follows."""
    text = path.as_posix() if isinstance(path, PurePath) else os.fspath(path)
    if text.startswith("/"):
        return [text]
    return [name for name in text.split("/") if name not in {"", "."}]


def node_at(folder: Structure, names: list[str]) -> Structure | int | None:
    """What is there: a folder, the record of a file, or nothing."""
    node: Structure | int | None = folder
    for name in names:
        node = node.get(name) if isinstance(node, dict) else None
    return node


def entries(folder: Structure, above: str = "", *, recursive: bool = True) -> Iterator[tuple[str, Structure | int]]:
    """Paths and what is there, in stored order: each folder, then what is in it. Paths begin with `above`."""
    waiting = [(above, iter(folder.items()))]
    while waiting:
        prefix, rest = waiting[-1]
        for name, node in rest:
            path = prefix + name
            yield path, node
            if recursive and isinstance(node, dict):
                waiting.append((path + "/", iter(node.items())))
                break
        else:
            waiting.pop()


def count_files(folder: Structure) -> int:
    """How many files are in a folder and in those below it."""
    count, waiting = 0, [folder]
    while waiting:
        nodes = waiting.pop().values()
        inner = [node for node in nodes if isinstance(node, OrderedDict)]
        count += len(nodes) - len(inner)
        waiting += inner
    return count

"""Packed folders: which names may be written, the tree of a table, and the table as a pickle.

A table that octavo takes is one that Python's unpickler makes the same folder of, if nothing but `OrderedDict` can be
found by it.
"""

from __future__ import annotations

import io
import os
import pickle
import re
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from fuzz.python.comparing import REFUSED, DisagreementError, Refused, agree, answer_of
from octavo._core import encode_folder_table, parse_folder_table
from octavo._folder import _names, _tree
from octavo.errors import DamagedFileError, FormatError, OptionError

_MAGIC = b"piouhjgbr"
_FILES = 40
_LEVELS = 256
_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$"} | {
    f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"
}


def _table(structure: OrderedDict[str, Any]) -> bytes:
    return encode_folder_table(structure)[len(_MAGIC) :]


SEEDS = (
    b"a/b/c.txt\na/d\ne",
    "é/ü.png\nCON\ncom¹.txt\nLPT1 .x\nnul\0".encode(),
    b"../x\n/abs\na//b\n.\n..\n\x80\xff",
    b"x" * 255 + b"\n" + b"y" * 256 + b"\n" + b"a/" * 300,
    b"a<b\na:b\na\\b\nend.\nend \nCOM",
    _table(OrderedDict()),
    _table(OrderedDict(a=0, b=OrderedDict(c=1, d=OrderedDict()), e=2)),
    pickle.dumps(OrderedDict(a=0, b=OrderedDict(c=1)), protocol=2),
    pickle.dumps(OrderedDict(a=0, b=1), protocol=0),
)
WORDS = (
    *(
        b"/",
        b"..",
        b".",
        b"\n",
        b"\0",
        b"con",
        b"NUL.",
        b"com\xc2\xb9",
        b"\xed\xb2\x80",
        b"\xc3",
        b"\xa9",
        b":",
        b" ",
        b"$",
    ),
    *(
        b"ccollections\nOrderedDict\n",
        b"\x8c\x0bcollections",
        b"\x93",
        b"(",
        b"u.",
        b"s",
        b"R",
        b")",
        b"\x94",
        b"h\x00",
        b"K\x01",
    ),
    *(b"\x80\x04\x95", b"\x88", b"e", b"]", b"}", b"K\xff", b"M\x00\x01", b"J\xff\xff\xff\xff"),
)


def check(data: bytes) -> None:
    """Take the bytes for a table, and for a list of paths."""
    _check_table(data)
    paths = data.decode("utf-8", "surrogateescape").split("\n")[:_FILES]
    for path in paths:
        _check_path(path)
    refused = [path for path in paths if _flaw_of_path(path)]
    found = answer_of(lambda: _names.judge(paths), FormatError)
    agree("judgement", isinstance(found, Refused), bool(refused))
    _check_tree(paths)


def _check_table(table: bytes) -> None:
    found = answer_of(lambda: parse_folder_table(table, _FILES), DamagedFileError)
    if isinstance(found, Refused):
        return
    agree("folder, by pickle", found, _Unpickler(io.BytesIO(table)).load())
    agree("kinds", list(map(type, _nodes(found))), [type(one) for one in _nodes(_Unpickler(io.BytesIO(table)).load())])
    numbers = [one for one in _nodes(found) if not isinstance(one, OrderedDict)]
    agree("numbers of files", all(type(one) is int and 0 <= one < _FILES for one in numbers), True)  # noqa: FBT003
    agree("table written again", parse_folder_table(_table(found), _FILES), found)


class _Unpickler(pickle.Unpickler):  # it finds one class
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) != ("collections", "OrderedDict"):
            raise DisagreementError(module, name)
        return OrderedDict


def _nodes(folder: OrderedDict[str, Any]) -> Iterator[Any]:
    for node in folder.values():
        yield node
        if isinstance(node, OrderedDict):
            yield from _nodes(node)


def _check_path(path: str) -> None:
    expected: list[str] | Refused = REFUSED if _flaw_of_path(path) else path.split("/")
    agree("parts", answer_of(lambda: _names.parts_of(path), FormatError), expected)
    for name in path.split("/"):
        agree("flaw", _names.flaw(name, on_windows=False) is None, not _flaw(name))
        agree("flaw on Windows", _names.flaw(name, on_windows=True) is None, _is_fine_on_windows(name))
    if expected is not REFUSED:
        # What may be written stays below, and is written under the name it has.
        agree("path below", os.path.normpath(os.path.join("/target", path)), f"/target/{path}")
        agree("path and back", os.fsdecode(os.fsencode(path)), path)
    shown = _names.shown(path)
    agree("what is shown", shown.isprintable() and len(shown) <= 10 * 203, True)  # noqa: FBT003


def _flaw_of_path(path: str) -> bool:
    names = path.split("/")
    return len(names) > _LEVELS + 1 or any(map(_flaw, names))  # an absolute path has an empty name in front


def _flaw(name: str) -> bool:
    try:
        encoded = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return True
    is_other = encoded.decode("utf-8", "surrogateescape") != name
    return name in {"", ".", ".."} or "\0" in name or "/" in name or is_other or len(encoded) > 255  # noqa: PLR2004


def _is_fine_on_windows(name: str) -> bool:
    is_odd = (
        name in {"", ".", ".."} or name.endswith((".", " ")) or any(one in '<>:"/\\|?*' or one < " " for one in name)
    )
    # Letters that are an i to some take part, to be safe; other letters than ASCII's are none of a device.
    bare = re.sub("[A-Z]", lambda capital: capital[0].lower(), re.sub("[ıİ]", "i", name.partition(".")[0].rstrip(" ")))
    return not is_odd and bare not in _DEVICES and sum(1 + (one > "\uffff") for one in name) <= 255  # noqa: PLR2004


def _check_tree(paths: list[str]) -> None:
    """A folder of these files, gone through."""
    folder: OrderedDict[str, Any] = OrderedDict()
    for number, path in enumerate(paths):
        names = [name for name in path.split("/")[:20] if name and name != "."]
        node = folder
        for name in names[:-1]:
            inner = node.setdefault(name, OrderedDict())
            node = inner if isinstance(inner, OrderedDict) else OrderedDict()
        if names:
            node.setdefault(names[-1], number)
    expected = list(_walk(folder, ""))
    agree("entries", list(_tree.entries(folder)), expected)
    agree("number of files", _tree.count_files(folder), sum(isinstance(node, int) for _, node in expected))
    for path, node in expected[:_FILES]:
        if not path.startswith("/"):
            agree("what is there", _tree.node_at(folder, _tree.names_in(path)), node)
    found = answer_of(lambda: encode_folder_table(folder), OptionError)
    stored = {name for path, _ in expected for name in path.split("/")}
    agree("whether it can be stored", isinstance(found, Refused), any(name == ".." or "\0" in name for name in stored))
    if isinstance(found, Refused):
        return
    record = found
    agree("table", _tree.table_in(record), record[len(_MAGIC) :])
    agree("table, by pickle", pickle.loads(record[len(_MAGIC) :]), folder)  # noqa: S301 - octavo's own
    agree("table, read", parse_folder_table(record[len(_MAGIC) :], len(paths)), folder)


def _walk(folder: OrderedDict[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    for name, node in folder.items():
        yield above + name, node
        if isinstance(node, OrderedDict):
            yield from _walk(node, f"{above}{name}/")

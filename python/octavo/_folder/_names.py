"""Which names may be written below a folder, and how names are shown.

The names in packed folders and tars are anybody's choice. One that leads elsewhere, or means something to the system,
is refused by name before anything is written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from octavo.errors import FormatError

MOST_LEVELS = 256
"""How deep a folder may lie in others, as in the tables of packed folders."""

_MOST_UNITS = 255  # of bytes, on Windows of UTF-16 units: what file systems take for a name
_SHOWN_CHARACTERS = 200

# https://learn.microsoft.com/windows/win32/fileio/naming-a-file: also with a suffix, and with spaces before it.
_DEVICE = re.compile(r"(?is)(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3]) *(\..*)?")
_WINDOWS_MEANS = re.compile(r'[\x00-\x1f<>:"\\|?*]')


def parts_of(path: str) -> list[str]:
    """The names that a relative path with slashes is made of, if each of them can be written; else a `FormatError`."""
    if path.startswith("/"):
        message = f"{shown(path)}: the path is absolute, and would leave the folder it is to be written to"
        raise FormatError(message, path=path)
    parts = path.split("/")
    if len(parts) > MOST_LEVELS + 1:
        message = f"{shown(path)}: the path has more than {MOST_LEVELS} folders"
        raise FormatError(message, path=path)
    for name in parts:
        if found := flaw(name):
            message = f"{shown(path)}: '{shown(name)}' cannot be the name of a file here: it {found}"
            raise FormatError(message, path=path)
    return parts


def judge(paths: Iterable[str]) -> None:
    """Refuse all of these paths if one of them cannot be written."""
    last = None
    for path in paths:
        above, _, name = path.rpartition("/")
        # What is in a folder mostly comes together, and only names that are new need be looked at.
        if not above or above != last or flaw(name):
            parts_of(path)
        last = above


def flaw(name: str, *, on_windows: bool = os.name == "nt") -> str | None:
    """Why a name cannot be that of a file in a folder; None if it can."""
    if not name:
        return "is empty"
    if name in {".", ".."}:
        return "has a meaning of its own"
    if found := re.search("[/\0]", name):
        return "has a '/'" if found[0] == "/" else "has a zero byte"
    return _flaw_on_windows(name) if on_windows else _flaw_as_bytes(name)


def _flaw_as_bytes(name: str) -> str | None:
    try:
        encoded = os.fsencode(name)
    except UnicodeEncodeError:
        return "has characters that names of this system cannot have"
    if os.fsdecode(encoded) != name:
        # Halves of surrogates that stand for bytes, where these bytes are text: two names, but one file.
        return f"is the same to this system as '{shown(os.fsdecode(encoded))}'"
    return "is too long" if len(encoded) > _MOST_UNITS else None


def _flaw_on_windows(name: str) -> str | None:
    if found := _WINDOWS_MEANS.search(name):
        return f"has a '{shown(found[0])}', which Windows gives a meaning"
    if name[-1] in ". ":
        return "ends with a dot or a space, which Windows leaves out"
    if _DEVICE.fullmatch(name):
        return "is the name of a device"
    return "is too long" if len(name.encode("utf-16-le", "surrogatepass")) > 2 * _MOST_UNITS else None


def shown(text: str) -> str:
    """A name or path for a message: nothing in it moves a cursor or turns text around, and it is not endless."""
    if len(text) > _SHOWN_CHARACTERS:
        text = text[:_SHOWN_CHARACTERS] + "..."
    return text if text.isprintable() else repr(text)[1:-1]

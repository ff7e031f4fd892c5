r"""Lines of `octavo digest`: 32 digits, the number of records, a path. They are what `octavo digest --check` reads.

A path that a terminal would not show as it is, is written byte by byte (`\x0a`), and its line begins with a
backslash, as those of sha256sum do.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from octavo.cli._terminal import harmless
from octavo.errors import FormatError

_LINE = re.compile(r"(?P<escaped>\\?)(?P<digest>[0-9a-f]{32})  (?P<count>[0-9]{1,20})  (?P<path>.+)", re.DOTALL)
_ESCAPE = re.compile(rb"\\x([0-9a-f]{2})")
_PLAIN = range(0x20, 0x7F)


class Line(NamedTuple):
    """One of them."""

    digest: str
    record_count: int
    path: str

    def __str__(self) -> str:
        if harmless(self.path) == self.path:
            return f"{self.digest}  {self.record_count}  {self.path}"
        plain = (chr(one) if one in _PLAIN and one != ord("\\") else f"\\x{one:02x}" for one in os.fsencode(self.path))
        return f"\\{self.digest}  {self.record_count}  {''.join(plain)}"


def parse(content: bytes, name: str) -> list[Line]:
    """The lines of a file of that name; an error if one is anything else."""
    lines = content.removesuffix(b"\n").split(b"\n") if content else []
    return [_parse_line(os.fsdecode(line), f"{name}: line {number}") for number, line in enumerate(lines, 1)]


def _parse_line(text: str, where: str) -> Line:
    found = _LINE.fullmatch(text)
    if found is None:
        raise FormatError(f"{where} is none that 'octavo digest' prints")
    path = os.fsencode(found["path"])
    if found["escaped"]:
        path = _ESCAPE.sub(lambda escape: bytes([int(escape[1], 16)]), path)
    return Line(found["digest"], int(found["count"]), os.fsdecode(path))

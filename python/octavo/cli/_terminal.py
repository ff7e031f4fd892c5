"""The way to the outside: results to standard output, everything else to standard error.

Names and records come from files of anybody's making. `harmless` shows control characters as escapes, so that no file
can move the cursor, change colours or forge lines; whatever is printed as text goes through it.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

# C0, DEL and C1 controls, and what turns the direction of text around. Surrogates are bytes of names that are no text.
_HARMFUL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")

Advance = Callable[[int, int], None]


def harmless(text: str) -> str:
    """The text, with every character that a terminal would obey, or that an output cannot show, as an escape."""
    text = _HARMFUL.sub(lambda found: "".join(map(_escape, found[0])), text)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


@functools.cache  # there are few of them, and a record may have millions
def _escape(character: str) -> str:
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF:  # noqa: PLR2004 - where os.fsdecode puts bytes that are no UTF-8
        return f"\\x{number - 0xDC00:02x}"
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"  # noqa: PLR2004 - the range of \x


def result(text: str = "") -> None:
    """A line of the result."""
    sys.stdout.write(harmless(text) + "\n")


def emit_json(value: Any) -> None:
    """The result as one JSON value; keys keep their order."""
    sys.stdout.write(json_text(value, indent=2) + "\n")


def json_text(value: Any, indent: int | None = None) -> str:
    """A value as JSON that no terminal obeys: json leaves DEL as it is, which can stand within strings only."""
    return json.dumps(value, indent=indent).replace("\x7f", "\\u007f")


def emit_bytes(data: Any) -> None:
    """Bytes of the result, as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def say(*lines: str) -> None:
    """Lines about the work, not of its result. A line end within one is shown as an escape: it may be a file's."""
    with contextlib.suppress(OSError):  # that results cannot be written is told at the end
        sys.stdout.flush()  # where both go to one place, what was printed first comes first
    if sys.stderr is not None:  # closed by whoever has started this, who does not want to know
        sys.stderr.write("".join(f"{harmless(line)}\n" for line in lines))


@contextlib.contextmanager
def progress(what: str, unit: str = "records") -> Iterator[Advance]:
    """A bar on standard error, with rate and remaining time, if that is a terminal: call it with (done, total)."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console  # noqa: PLC0415 - takes long to import, and is for terminals only
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(harmless(what), total=None, rate="")

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)
            if speed := bar.tasks[0].speed:
                bar.update(task, rate=_rate(speed, unit))

        yield advance


def _rate(speed: float, unit: str) -> str:
    for prefix, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if speed >= size:
            return f"{speed / size:.1f} {prefix}{'B' if unit == 'bytes' else ' ' + unit}/s"
    return f"{speed:.0f} {'B' if unit == 'bytes' else unit}/s"

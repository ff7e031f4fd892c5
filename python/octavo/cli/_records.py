"""Showing records, as `head`, `get` and `cat` do: which ones, in which form, and how much of each.

Records are read in blocks, so that memory is bounded by the largest of them. Where one is damaged, all before it have
been shown.
"""

from __future__ import annotations

import base64
import dataclasses
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Literal, TypeAlias

import typer

from octavo import _record_text
from octavo._core import Batch
from octavo._reader import Reader
from octavo._sound_blocks import sound_blocks
from octavo._tf_example import SequenceExample
from octavo._wording import plural
from octavo.cli import _forms, _terminal
from octavo.errors import FormatError, OctavoError, OptionError

Form: TypeAlias = Literal["auto", "text", "json", "example", "hex", "base64", "raw"]

As = Annotated[
    Form,
    typer.Option(
        "--as",
        help="text, json, base64: a line a record. example: tf.train.Example, a line a feature. hex: a dump. raw: the "
        "bytes. auto: text, example or hex, whichever fits.",
    ),
]
MostBytes = Annotated[
    int | None,
    typer.Option(
        "--bytes",
        min=1,
        help="Show at most so many bytes of each record; of an example, of each value.",
        show_default=False,
    ),
]
Full = Annotated[bool, typer.Option("--full", help="Show all of each record.")]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter", help=r"With --as raw: what to write behind each record; \n, \t, \0 and \xNN are known."
    ),
]

Numbered: TypeAlias = tuple[Sequence[int], Batch]

_ESCAPE = re.compile(rb"\\(?:x(?P<hex>[0-9a-fA-F]{2})|(?P<letter>.?))", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"0": b"\0", b"\\": b"\\"}
_LINES_AT_ONCE = 256
_CHARACTERS_AT_ONCE = 1 << 20
_BLOCK_RECORDS = 4096
_BLOCK_BYTES = 4 << 20


def blocks_in_order(reader: Reader, part: slice) -> Iterator[Numbered]:
    """The records of a slice, some at a time."""
    view = reader[part]
    return _blocks(range(len(reader))[part], lambda at, most: view._read_block(at, most, _BLOCK_BYTES))  # noqa: SLF001 - part of the package


def blocks_of(reader: Reader, numbers: Sequence[int]) -> Iterator[Numbered]:
    """The records with these numbers, some at a time."""
    return _blocks(numbers, lambda at, most: reader._read_first(numbers[at : at + most], _BLOCK_BYTES))  # noqa: SLF001 - part of the package


def _blocks(numbers: Sequence[int], read: Callable[[int, int], Batch]) -> Iterator[Numbered]:
    at = 0
    for batch in sound_blocks(len(numbers), _BLOCK_RECORDS, read):
        yield numbers[at : at + len(batch)], batch
        at += len(batch)


@dataclasses.dataclass(frozen=True)
class Look:
    """What records are to look like; made from the options of a command, before it opens anything."""

    form: Form
    as_array: bool
    """Whether all of them are one JSON value, whatever the form."""
    most_bytes: int | None
    """Of each record; None for all."""
    value_bytes: int | None
    """Of each value of an example that is bytes; None for a few, or for all where `most_bytes` is None."""
    delimiter: bytes
    """What stands behind each raw record."""

    def show(self, blocks: Iterable[Numbered]) -> None:
        """Print records and their numbers."""
        if self.as_array:
            _print_array(blocks)
        elif self.form == "raw":
            self._print_raw(blocks)
        else:
            lines_of = _LINES[self.form]
            _print_lines(line for number, record in _each(blocks) for line in lines_of(number, record, self))

    def _print_raw(self, blocks: Iterable[Numbered]) -> None:
        for _, batch in blocks:
            if self.most_bytes is None and not self.delimiter:
                _terminal.emit_bytes(batch.data)
            else:
                _terminal.emit_bytes(b"".join(bytes(view[: self.most_bytes]) + self.delimiter for view in batch))


def look(
    form: Form,
    *,
    json: bool,
    most_bytes: int | None,
    delimiter: str | None,
    full: bool = False,
    usual_bytes: int | None = None,
) -> Look:
    """What the options of a command say; `usual_bytes` are shown of a record in the forms that people read."""
    if delimiter is not None and (json or form != "raw"):
        raise OptionError("--delimiter is for --as raw: in all other forms each record has lines of its own")
    if most_bytes is not None and (json or form == "json"):
        raise OptionError("--bytes is not for JSON: half of a record is something else")
    if most_bytes is not None and full:
        raise OptionError("--bytes and --full contradict each other")
    value_bytes = most_bytes
    if most_bytes is None and not full and form in {"auto", "hex", "example"}:
        most_bytes = usual_bytes
    return Look(form, json, most_bytes, value_bytes, _unescape(delimiter or ""))


def _each(blocks: Iterable[Numbered]) -> Iterator[tuple[int, bytes]]:
    for numbers, batch in blocks:
        for record_number, view in zip(numbers, batch, strict=True):
            yield record_number, bytes(view)


def _print_lines(lines: Iterator[str]) -> None:
    """Many at once, which is quicker; what comes before an error is printed."""
    some: list[str] = []
    length = 0
    try:
        for line in lines:
            some.append(line)
            length += len(line)
            if len(some) == _LINES_AT_ONCE or length >= _CHARACTERS_AT_ONCE:  # a line may be a record of any size
                sys.stdout.write("\n".join([*some, ""]))
                some.clear()
                length = 0
    finally:
        sys.stdout.write("\n".join([*some, ""]) if some else "")


def _print_array(blocks: Iterable[Numbered]) -> None:
    """One JSON array, with a record a line. It is whole also where a damaged record ends it: the exit status tells."""
    separator = "["
    try:
        for record_number, record in _each(blocks):
            sys.stdout.write(f"{separator}\n  {_forms.json_line(record_number, record)}")
            separator = ","
    except OctavoError:
        _end_array(separator)
        raise
    _end_array(separator)


def _end_array(separator: str) -> None:
    sys.stdout.write("[]\n" if separator == "[" else "\n]\n")


def _unescape(delimiter: str) -> bytes:
    try:
        return _ESCAPE.sub(_unescaped, os.fsencode(delimiter))
    except KeyError as error:
        raise OptionError(f"--delimiter is {delimiter!r}; known are \\n, \\r, \\t, \\0, \\xNN and \\\\") from error


def _unescaped(escape: re.Match[bytes]) -> bytes:
    return bytes.fromhex(escape["hex"].decode()) if escape["hex"] else _ESCAPED[escape["letter"]]


def _heading(record_number: int, record: bytes, kind: str) -> str:
    return (
        f"record {record_number}: {kind}, {plural(len(record), 'byte')}" if record else f"record {record_number}: empty"
    )


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _left_out(record: bytes, most_bytes: int | None) -> Iterator[str]:
    if most_bytes is not None and len(record) > most_bytes:
        yield f"  ... {plural(len(record) - most_bytes, 'byte')} more (--bytes shows more)"


def _auto(record_number: int, record: bytes, look: Look) -> Iterator[str]:
    """A line of text as it is; whatever takes more than a line has a heading."""
    if (text := _record_text.text_of(record)) is not None and record:
        shown = text if look.most_bytes is None else record[: look.most_bytes].decode("utf-8", "ignore")
        lines = _forms.text_lines(shown)
        if len(lines) > 1:
            yield _heading(record_number, record, "text")
            lines = [f"  {line}" for line in lines]
        yield from lines
        yield from _left_out(record, look.most_bytes)
    elif (example := _forms.example_of(record)) is not None:
        yield from _example_lines(record_number, record, example, look)
    else:
        yield from _hex(record_number, record, look)


def _hex(record_number: int, record: bytes, look: Look) -> Iterator[str]:
    yield _heading(record_number, record, "hex")
    yield from _indented(_record_text.dump_lines(record, look.most_bytes))
    yield from _left_out(record, look.most_bytes)


def _example(record_number: int, record: bytes, look: Look) -> Iterator[str]:
    example = _forms.example_of(record, most_values=sys.maxsize)
    if example is None:
        message = f"record {record_number} is no tf.train.Example with features; '--as auto' shows what it is"
        raise FormatError(message, record=record_number)
    return _example_lines(record_number, record, example, look)


def _example_lines(record_number: int, record: bytes, example: _forms.Example, look: Look) -> Iterator[str]:
    kind = "tf.train.SequenceExample" if isinstance(example, SequenceExample) else "tf.train.Example"
    yield _heading(record_number, record, kind)
    yield from _indented(_forms.example_lines(example, full=look.most_bytes is None, value_bytes=look.value_bytes))


# Lines of a record, from its number, its bytes, and how they are to look.
_LINES: dict[Form, Callable[[int, bytes, Look], Iterable[str]]] = {
    "auto": _auto,
    "text": lambda _, record, look: [_forms.text_line(record[: look.most_bytes])],
    "json": lambda record_number, record, _: [_forms.json_line(record_number, record)],
    "example": _example,
    "hex": _hex,
    "base64": lambda _, record, look: [base64.b64encode(record[: look.most_bytes]).decode()],
}

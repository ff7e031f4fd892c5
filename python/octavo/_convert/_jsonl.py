"""JSON lines: a record that is JSON is a line as it is, any other is put into an envelope (docs/guide/containers.md).

A line means itself, or what is in its envelope. The sink writes a record as it is only where the line would mean just
that record, so what is written is what is read, for all bytes.
"""

from __future__ import annotations

import binascii
import bisect
import contextlib
import io
import itertools
import json
from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple

from octavo._convert import _json_text as json_text
from octavo._convert._blocks import in_blocks
from octavo._convert._input import Given, Inputs, check_size
from octavo._convert._publish import Target, open_zipped_output, write_pieces
from octavo._convert._source import Block
from octavo.errors import FormatError

TEXT, BASE64 = "octavo.text", "octavo.base64"
_ENVELOPES = {TEXT, BASE64}

_TEXT_START, _BASE64_START, _END = b'{"octavo.text":"', b'{"octavo.base64":"', b'"}'
_BOM = b"\xef\xbb\xbf"
_READ_BYTES = 1 << 20
_QUICK_BYTES = 8 << 20  # longer lines are looked through in little memory, and not so quickly
_FIRST = frozenset(b"%c" % byte for byte in b'{["-0123456789tfnNI')  # what values begin with
_SURELY_FITS = 256 << 20  # a line is six times its record at most, where every character is an escape
_BASE64_PIECE = 3 << 18  # a multiple of three bytes: pieces can be joined


def _envelopes_alone(pairs: list[tuple[str, object]]) -> list[tuple[str, object]] | None:
    return pairs if len(pairs) == 1 and pairs[0][0] in _ENVELOPES else None


# Of what is only looked at, nothing else is kept: neither objects nor numbers, which may have thousands of digits.
_parser = json.JSONDecoder(object_pairs_hook=_envelopes_alone, parse_int=bool, parse_float=bool)
_fields = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)  # numbers as they are written


class _Mark(NamedTuple):
    """Where a line begins that is a record, or stands before one."""

    record: int
    input: int
    offset: int
    line: int


class JsonlSource:
    """Lines of files, one after the other."""

    def __init__(self, inputs: Given, *, column: str | None = None) -> None:
        self._inputs = Inputs(inputs)
        self._column = column
        self._marks = [_Mark(0, 0, 0, 1)]
        self.record_count: int | None = None
        self.total_bytes = self._inputs.total_bytes
        self._position = 0

    def count(self) -> int:
        """How many records there are. Reads everything the first time, and remembers where they are."""
        if self.record_count is None:
            records, marks = 0, []
            for mark, lines in self._pieces(self._marks[0]):
                marks.append(mark._replace(record=records))
                records += sum(map(bool, map(bytes.strip, lines)))
            self._marks = marks or self._marks
            self.record_count = records
        return self.record_count

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[Block]:
        """Records `start` to `stop`, in order."""
        lines = self._lines(start)
        chosen = lines if stop is None else itertools.islice(lines, max(stop - start, 0))
        records = (self._record(line, number, path) for line, number, path in chosen)
        return in_blocks(records, lambda: self._position)

    def close(self) -> None:
        """Nothing stays open between blocks."""

    def _lines(self, start: int) -> Iterator[tuple[bytes, int, str]]:
        """Lines that are records, with their numbers in their files."""
        mark = self._marks[bisect.bisect_right(self._marks, start, key=lambda mark: mark.record) - 1]
        left_out = start - mark.record
        for at, lines in self._pieces(mark):
            path = self._inputs.names[at.input]
            for number, line in enumerate(lines, at.line):
                if not line.strip():
                    continue
                if left_out:
                    left_out -= 1
                else:
                    yield line, number, path

    def _pieces(self, first: _Mark) -> Iterator[tuple[_Mark, list[bytes]]]:
        """Some lines at a time, and where the first of them is; from a mark to the last file's end."""
        offset, line = first.offset, first.line
        for number in range(first.input, len(self._inputs.names)):
            with self._inputs.open(number, offset) as opened:
                for lines, size in _split(opened.file, self._inputs.names[number], line):
                    self._position = opened.position
                    if offset == 0:
                        lines[0] = lines[0].removeprefix(_BOM)
                    yield _Mark(0, number, offset, line), lines
                    offset, line = offset + size, line + len(lines)
            offset, line = 0, 1

    def _record(self, line: bytes, number: int, path: str) -> bytes:
        line = line.removesuffix(b"\r")
        try:
            return meaning(line) if self._column is None else _field(line, self._column)
        except json_text.NotJsonError as error:
            reason = str(error)
        except UnicodeDecodeError as error:
            reason = f"not UTF-8: {error.reason} at byte {error.start}"
        raise FormatError(f"{path}: line {number}: {reason}", path=path)


def _split(file: IO[bytes], path: str, number: int) -> Iterator[tuple[list[bytes], int]]:
    """Lines without their ends, a megabyte of them at a time, and the bytes that they take; the first is `number`."""
    begun = io.BytesIO()  # a line that goes on; unlike a join it needs the memory once
    while piece := file.read(_READ_BYTES):
        lines = piece.split(b"\n")
        begun.write(lines[0])
        check_size(begun.tell(), f"line {number}", path)
        if len(lines) > 1:
            rest = lines.pop()
            size = begun.tell() + len(piece) - len(lines[0]) - len(rest)
            lines[0] = begun.getvalue()
            number += len(lines)
            begun = io.BytesIO()
            begun.write(rest)
            yield lines, size
        del lines
    if begun.tell():
        yield [begun.getvalue()], begun.tell()


def meaning(line: bytes) -> bytes:
    """The record that a line stands for: the very line, but for an envelope.

    Raises:
        NotJsonError: It is not JSON.
        UnicodeDecodeError: It is not UTF-8.
    """
    is_envelope = line.startswith(_BASE64_START) and line.endswith(_END)  # as the sink writes it
    if is_envelope and len(line) >= len(_BASE64_START) + len(_END):  # no quote is both
        record = _from_base64(memoryview(line)[len(_BASE64_START) : -len(_END)])
        if record is not None:
            return record
    if len(line) > _QUICK_BYTES:
        return _meaning_of_long(line)
    try:
        value = _parser.decode(line.decode())
    except RecursionError:
        return _meaning_of_long(line)
    except json.JSONDecodeError as error:
        raise json_text.NotJsonError(f"not JSON: {error.msg} at column {error.pos + 1}") from None
    found = None
    if type(value) is list and len(value) == 1 and type(value[0]) is tuple and isinstance(value[0][1], str):
        with contextlib.suppress(UnicodeEncodeError):  # half a surrogate pair
            content = value[0][1].encode()
            found = content if value[0][0] == TEXT else _from_base64(content)
    return line if found is None else found


def _meaning_of_long(line: bytes) -> bytes:
    """The same for any length and depth, in little memory, and not so quick."""
    json_text.check_utf8(line)
    if line.lstrip(b" \t\r")[:1] == b"{":
        first_two = list(itertools.islice(json_text.members(line), 2))
        if len(first_two) < 2:  # noqa: PLR2004 - then all of the line was looked through
            envelope = _content(line, *first_two[0]) if first_two else None
            return line if envelope is None else envelope
    json_text.check_end(line, json_text.end_of_value(line))
    return line


def _content(line: bytes, key: bytes, start: int, end: int) -> bytes | None:
    if line[start : start + 1] != b'"':
        return None
    if json_text.is_key(key, TEXT):
        return json_text.unescaped(line, start, end)
    if json_text.is_key(key, BASE64):
        body = memoryview(line)[start + 1 : end - 1]
        found = _from_base64(body)
        spelled_otherwise = None if found is not None else json_text.unescaped(line, start, end)
        return found if spelled_otherwise is None else _from_base64(spelled_otherwise)
    return None


def _from_base64(text: bytes | memoryview) -> bytes | None:
    """What the text stands for, if it is the one spelling of it. What else is taken differs from Python to Python."""
    try:
        found = binascii.a2b_base64(text, strict_mode=True)
    except binascii.Error:
        return None
    last = len(found) - 1 - (len(found) - 1) % 3 if found else 0
    is_usual = len(text) == -(-len(found) // 3) * 4 and text[-4:] == binascii.b2a_base64(found[last:], newline=False)
    return found if is_usual else None


def _field(line: bytes, column: str) -> bytes:
    """The field of an object: a string's text, or the JSON text of whatever else it is."""
    if len(line) <= _QUICK_BYTES:
        try:
            value = _fields.decode(line.decode())
        except (RecursionError, json.JSONDecodeError):
            value = None  # looked at again, for the reason
        found = value.get(column) if type(value) is dict else None
        with contextlib.suppress(UnicodeEncodeError):
            if isinstance(found, str):
                return found.encode()
            if isinstance(found, bool):
                return b"true" if found else b"false"
    return _field_as_written(line, column)


def _field_as_written(line: bytes, column: str) -> bytes:
    json_text.check_utf8(line)
    found = None
    for key, start, end in json_text.members(line):
        if json_text.is_key(key, column):
            found = start, end  # of several the last counts, as parsers have it
    if found is None:
        raise json_text.NotJsonError(f"there is no field {column!r}")
    start, end = found
    if line[start : start + 1] != b'"':
        return line[start:end]
    text = json_text.unescaped(line, start, end)
    if text is None:
        raise json_text.NotJsonError(f"field {column!r} has half a surrogate pair, which UTF-8 cannot hold")
    return text


class JsonlSink:
    """A file of lines; compressed if its name ends in `.gz`."""

    def __init__(self, target: Target, *, overwrite: bool = False) -> None:
        self._output = open_zipped_output(target, overwrite=overwrite)

    def write(self, block: Block) -> None:
        """Add records."""
        write_pieces(self._output, itertools.chain.from_iterable(map(self._line, block.records)))

    def close(self) -> None:
        """Finish: the file appears, whole and durable."""
        with contextlib.closing(self._output):
            self._output.commit()

    def abort(self) -> None:
        """Give up: nothing is left."""
        self._output.close()

    def _line(self, record: bytes) -> Iterable[bytes]:
        """Pieces of the line that means this record."""
        pieces = (record, b"\n") if _is_its_own_line(record) else _envelope(record)
        return pieces if len(record) <= _SURELY_FITS else self._measured(pieces)

    def _measured(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The same; a line that could not be read again is refused."""
        size = 0
        for piece in pieces:
            size += len(piece)
            check_size(size, "a line", self._output.name)
            yield piece


def _is_its_own_line(record: bytes) -> bool:
    if record[:1] not in _FIRST or b"\n" in record or b"\r" in record or record[-1] in b" \t":
        return False
    try:
        return meaning(record) is record
    except ValueError:  # not JSON, or not even text
        return False


def _envelope(record: bytes) -> Iterator[bytes]:
    try:
        json_text.check_utf8(record)
    except UnicodeDecodeError:
        yield _BASE64_START
        view = memoryview(record)
        for start in range(0, len(view), _BASE64_PIECE):
            yield binascii.b2a_base64(view[start : start + _BASE64_PIECE], newline=False)
    else:
        yield _TEXT_START
        yield from json_text.escaped(record)
    yield _END + b"\n"

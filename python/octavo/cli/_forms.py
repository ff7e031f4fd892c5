"""What a record looks like: as text, as a dump, as JSON, as an example of TensorFlow. Bytes in, harmless lines out."""

from __future__ import annotations

import base64
import codecs
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from octavo import _tf_example
from octavo._record_text import short_float, text_of
from octavo._tf_example import SequenceExample, Values
from octavo._wording import number, plural
from octavo.cli._render import table
from octavo.cli._terminal import harmless, json_text
from octavo.errors import FormatError

_PIECE_BYTES = 1 << 16
_MOST_DIGITS = 1000  # of a number in JSON; Python refuses more than 4300, and would refuse all records for one
_MOST_TRIED = 1_000_000  # values of what may be an example: bytes that are none must not take seconds to be found out
_SHOWN_VALUES = 8
_SHOWN_BYTES = 32  # of one value of an example

Example = dict[str, Values] | SequenceExample


def example_of(record: bytes, most_values: int = _MOST_TRIED) -> Example | None:
    """The record as an example with at least one feature; None if it is none."""
    try:
        features = _tf_example.parse(record, most_values=most_values)
    except FormatError:
        pass
    else:
        return features or None
    try:
        sequence = _tf_example.parse_sequence(record, most_values=most_values)
    except FormatError:
        return None
    return sequence if sequence.context or sequence.feature_lists else None


def text_line(record: bytes) -> str:
    """The record in one line: ends of lines and bytes that are no text as escapes, tabs as they are."""
    if len(record) <= _PIECE_BYTES:
        return _piece_of_line(record.decode("utf-8", "backslashreplace"))
    return "".join(map(_piece_of_line, _pieces(record)))


def _pieces(record: bytes) -> Iterator[str]:
    """The record as text, little at a time: escapes are many times as long as what they stand for."""
    decode = codecs.getincrementaldecoder("utf-8")("backslashreplace").decode
    for at in range(0, len(record), _PIECE_BYTES):
        yield decode(record[at : at + _PIECE_BYTES], at + _PIECE_BYTES >= len(record))


def _piece_of_line(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text  # as most are
    return _with_tabs(text.replace("\n", "\\n").replace("\r", "\\r"))


def text_lines(text: str) -> list[str]:
    """Text in its own lines."""
    lines = text.split("\n")
    return [_with_tabs(line) for line in (lines if lines[-1] else lines[:-1])]


def _with_tabs(line: str) -> str:
    return "\t".join(harmless(part) for part in line.split("\t"))


def json_line(record_number: int, record: bytes) -> str:
    """One line of JSON: number and size of the record, and what it is (`json`, `text`, `example`, `base64`)."""
    return f'{{"record": {record_number}, "bytes": {len(record)}, {_json_member(record)}}}'


def _json_member(record: bytes) -> str:
    text = text_of(record)
    if text is not None:
        return f'"json": {_one_line_of_json(text)}' if _is_json(text) else f'"text": {json_text(text)}'
    example = example_of(record)
    if isinstance(example, SequenceExample):
        lists = {name: [_json_values(step) for step in steps] for name, steps in example.feature_lists.items()}
        sequence = {"context": _json_features(example.context), "feature_lists": lists}
        return f'"sequence_example": {json_text(sequence)}'
    if example is not None:
        return f'"example": {json_text(_json_features(example))}'
    return f'"base64": "{base64.b64encode(record).decode()}"'


def _is_json(text: str) -> bool:
    """Whether the text is an object or an array: a number or a word by itself is rather text."""
    if text.lstrip(" \t\r\n")[:1] not in ("{", "["):
        return False
    try:
        # Numbers stay as they are written, so they need not be understood.
        json.loads(text, parse_int=_accept, parse_float=_accept, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _accept(digits: str) -> None:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(digits)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)  # NaN and the like are no JSON


def _one_line_of_json(text: str) -> str:
    """The same JSON, as it is written, in one line of ASCII: beyond that there is something only within its strings."""
    line = text.strip(" \t\r\n").replace("\r", " ").replace("\n", " ").replace("\t", " ")
    return line if line.isascii() else re.sub(r"[^\x00-\x7f]+", lambda found: json.dumps(found[0])[1:-1], line)


def _json_features(features: Mapping[str, Values]) -> dict[str, list[Any]]:
    return {name: _json_values(values) for name, values in features.items()}


def _json_values(values: Values) -> list[Any]:
    return [_json_value(value) for value in values]


def _json_value(value: bytes | float) -> Any:
    if isinstance(value, float):
        return short_float(value) if math.isfinite(value) else _float_text(value)
    if isinstance(value, int):
        return value
    text = text_of(value)
    return {"base64": base64.b64encode(value).decode()} if text is None else text


def _float_text(value: float) -> str:
    """As protobuf's JSON has it."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def example_lines(example: Example, *, full: bool, value_bytes: int | None = None) -> list[str]:
    """A line for each feature: name, kind and number of values, and the first of them.

    Args:
        example: The features.
        full: Whether all values are shown, and all of each.
        value_bytes: How many bytes of each value that is bytes are shown, if not the usual few.
    """
    if not isinstance(example, SequenceExample):
        return table(
            [_feature_row(name, values, full=full, value_bytes=value_bytes) for name, values in example.items()]
        )
    rows = [_feature_row(name, values, full=full, value_bytes=value_bytes) for name, values in example.context.items()]
    for name, steps in example.feature_lists.items():
        shown = steps if full else steps[:_SHOWN_VALUES]
        texts = [f"[{_values_text(step, full=full, value_bytes=value_bytes)}]" for step in shown]
        rows.append((name, f"list [{number(len(steps))}]", _joined(texts, len(steps))))
    return table(rows)


def _feature_row(name: str, values: Values, *, full: bool, value_bytes: int | None) -> tuple[str, str, str]:
    if not values:
        return name, "empty", ""
    kind = {bytes: "bytes", float: "float", int: "int64"}[type(values[0])]
    return name, f"{kind} [{number(len(values))}]", _values_text(values, full=full, value_bytes=value_bytes)


def _values_text(values: Values, *, full: bool, value_bytes: int | None) -> str:
    shown = values if full else values[:_SHOWN_VALUES]
    return _joined([_value_text(value, full=full, value_bytes=value_bytes) for value in shown], len(values))


def _joined(texts: list[str], count: int) -> str:
    left_out = [f"... {number(count - len(texts))} more"] if count > len(texts) else []
    return ", ".join(texts + left_out)


def _value_text(value: bytes | float, *, full: bool, value_bytes: int | None) -> str:
    if isinstance(value, float):
        return str(short_float(value)) if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return str(value)
    text = text_of(value)
    if full or len(value) <= (value_bytes or _SHOWN_BYTES):
        return _quoted(value if text is None else text)
    start = value[: value_bytes or _SHOWN_BYTES // (2 if text is None else 1)]
    return f"{_quoted(start if text is None else start.decode('utf-8', 'ignore'))}... {plural(len(value), 'byte')}"


def _quoted(value: str | bytes) -> str:
    """Text in quotes, other bytes in angle brackets."""
    return f"<{value.hex(' ')}>" if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False)

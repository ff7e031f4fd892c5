"""safetensors: a header in JSON, then the bytes of the tensors.

The format: https://huggingface.co/docs/safetensors
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Final, NoReturn

from octavo._wording import number, plural, size
from octavo.viewer.blocks import Block, Decoder, Facts, Note, Section, Summary, Table
from octavo.viewer.decoders._arrays import Array, count_of, preview
from octavo.viewer.decoders._bounds import TABLE_ROWS
from octavo.viewer.decoders._elements import SAFETENSORS
from octavo.viewer.decoders._wording import cut, extent

_LENGTH_BYTES = 8
_MOST_HEADER_BYTES = 1 << 20  # JSON can take twenty times that as values
_MOST_DIGITS = 20
_MOST_DIMENSIONS = 64
_METADATA = "__metadata__"
_LOOKED_AT_BYTES = 4 << 10
_PREVIEWS = 16
_SUMMARY_TENSORS = 8
_METADATA_ROWS = 100


@dataclasses.dataclass(frozen=True, slots=True)
class _Tensor:
    name: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


def recognises(record: bytes) -> bool:
    """Whether a header of JSON fits in it that speaks of tensors."""
    length = int.from_bytes(record[:_LENGTH_BYTES], "little")
    if not 2 <= length <= len(record) - _LENGTH_BYTES or not record.startswith(b"{", _LENGTH_BYTES):  # noqa: PLR2004 - {}
        return False
    end = _LENGTH_BYTES + length
    if record[max(_LENGTH_BYTES, end - 256) : end].rstrip(b" ")[-1:] != b"}":
        return False
    head = record[_LENGTH_BYTES : min(end, _LENGTH_BYTES + _LOOKED_AT_BYTES)]
    return b'"data_offsets"' in head or b'"__metadata__"' in head


def decode(record: bytes) -> list[Block]:
    """All tensors in a table, what else the header says, and first values of the first tensors."""
    length, tensors, metadata = _read(record)
    data = memoryview(record)[_LENGTH_BYTES + length :]
    rows = tuple((one.name, one.dtype, extent(*one.shape), size(one.end - one.start)) for one in tensors[:TABLE_ROWS])
    blocks: list[Block] = []
    if metadata:
        pairs = list(metadata.items())[:_METADATA_ROWS]
        blocks.append(Facts(tuple((name, str(value)) for name, value in pairs), "metadata"))
    left_out = len(tensors) - len(rows)
    blocks.append(Table(("name", "type", "shape", "bytes"), rows, plural(len(tensors), "tensor"), left_out))
    if len(tensors) > _PREVIEWS:
        blocks.append(Note(f"values of the first {_PREVIEWS} tensors are shown"))
    blocks.extend(Section(one.name, tuple(_values(one, data))) for one in tensors[:_PREVIEWS])
    return blocks


def _values(tensor: _Tensor, data: memoryview) -> list[Block]:
    element = SAFETENSORS.get(tensor.dtype)
    if element is None:
        return [Note(f"values of type {tensor.dtype} are not shown")]
    shown = preview(Array(element, tensor.shape, data[tensor.start : tensor.end]))
    stored = tensor.end - tensor.start
    if tensor.end > len(data) or count_of(tensor.shape) * element.size != stored:
        note = f"its shape and place ({number(tensor.start)} to {number(tensor.end)}) do not fit what is stored"
        return [Note(note, "warning"), *shown]
    return shown


def _read(record: bytes) -> tuple[int, list[_Tensor], dict[str, Any]]:
    """Length of the header, the tensors in the order of their bytes, and metadata."""
    length = int.from_bytes(record[:_LENGTH_BYTES], "little")
    if len(record) < _LENGTH_BYTES or length > len(record) - _LENGTH_BYTES:
        raise ValueError(f"a header of {number(length)} bytes does not fit into {plural(len(record), 'byte')}")
    if length > _MOST_HEADER_BYTES:
        raise ValueError(f"a header of {size(length)} is too long to be shown")
    text = record[_LENGTH_BYTES : _LENGTH_BYTES + length].decode()
    header = json.loads(text, parse_int=_integer, parse_float=_no_number, parse_constant=_no_number)
    if not isinstance(header, dict):
        raise ValueError("the header is not an object")  # noqa: TRY004 - of the content, not of an argument
    metadata = header.pop(_METADATA, {})
    tensors = [_tensor(name, fields) for name, fields in header.items()]
    return length, sorted(tensors, key=lambda one: one.start), metadata if isinstance(metadata, dict) else {}


def _tensor(name: str, fields: Any) -> _Tensor:
    try:
        dtype, shape, (start, end) = fields["dtype"], tuple(fields["shape"]), fields["data_offsets"]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"tensor {cut(name, 80)!r} is not described by dtype, shape and data_offsets") from error
    numbers = (*shape, start, end)
    if not all(type(value) is int and value >= 0 for value in numbers) or start > end or len(shape) > _MOST_DIMENSIONS:
        raise ValueError(f"tensor {cut(name, 80)!r} has no sound shape and place")
    return _Tensor(name, str(dtype), shape, start, end)


def _integer(digits: str) -> int:
    return int(digits) if len(digits) <= _MOST_DIGITS else _no_number(digits)


def _no_number(digits: str) -> NoReturn:
    raise ValueError(f"the header has {cut(digits, 40)} where only integers of 64 bits belong")


def summarise(record: bytes) -> Summary:
    """How many tensors there are, and what the first ones are."""
    _, tensors, _ = _read(record)
    lines = [f"{one.name}: {one.dtype}, {extent(*one.shape)}" for one in tensors[:_SUMMARY_TENSORS]]
    if len(tensors) > _SUMMARY_TENSORS:
        lines.append(f"… {number(len(tensors) - _SUMMARY_TENSORS)} more")
    values = sum(count_of(one.shape) for one in tensors)
    return Summary(f"{plural(len(tensors), 'tensor')}, {plural(values, 'value')}", "\n".join(lines))


DECODER: Final = Decoder("safetensors", "safetensors", recognises, decode, summarise)

"""Records of one size, which together are one tensor: nothing is decoded, and nothing is copied but the bytes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex

import torch

from octavo import Reader
from octavo.errors import OptionError, RecordSizeError, RecordTypeError
from octavo.integrations.torch._decode import number_in_files
from octavo.shuffle._arguments import whole


@dataclasses.dataclass(frozen=True)
class FixedSize:
    """What every record is."""

    dtype: torch.dtype
    shape: tuple[int, ...]

    @classmethod
    def of_options(cls, reader: Reader, dtype: Any, shape: SupportsIndex | Sequence[SupportsIndex] | None) -> FixedSize:
        """The size that `dtype` and `shape` ask for, which the first record must have; without a shape it tells it."""
        element = _torch_dtype(dtype)
        record_bytes = len(reader[0]) if len(reader) else None
        if shape is not None:
            size = cls(element, _checked_shape(shape))
        elif record_bytes is None:
            size = cls(element, ())
        elif record_bytes % element.itemsize:
            first = number_in_files(reader, 0)
            message = f"record {first} has {record_bytes} bytes, which are no whole number of elements of {element}"
            raise RecordSizeError(message, record=first, actual=record_bytes)
        else:
            size = cls(element, (record_bytes // element.itemsize,))
        if record_bytes not in (None, size.record_bytes):
            raise size.mismatch(number_in_files(reader, 0), record_bytes)
        return size

    @property
    def record_bytes(self) -> int:
        """Bytes of one record."""
        return math.prod(self.shape) * int(self.dtype.itemsize)

    def mismatch(self, record: int | None, actual: int | None) -> RecordSizeError:
        """The error of a record that has another size."""
        message = (
            f"record {record} has {actual} bytes, but a tensor of {self.dtype} and shape {self.shape} "
            f"has {self.record_bytes}"
        )
        return RecordSizeError(message, record=record, expected=self.record_bytes, actual=actual)

    def read(self, reader: Reader, numbers: Sequence[SupportsIndex], *, pinned: bool = False) -> torch.Tensor:
        """These records as one new tensor, a row for each."""
        rows = torch.empty((len(numbers), *self.shape), dtype=self.dtype, pin_memory=pinned)
        try:
            reader.read_into(numbers, rows)
        except RecordSizeError as error:
            raise self.mismatch(error.record, error.actual) from None
        return rows


class Rows(tuple[torch.Tensor, ...]):  # noqa: SLOT001 - there is the tensor, too
    """The samples of a batch, for whoever wants to see them; and the tensor that they are the rows of."""

    tensor: torch.Tensor | None = None


def rows_of(tensor: torch.Tensor) -> Rows:
    """The rows of a tensor, as samples."""
    rows = Rows(tensor.unbind())
    rows.tensor = tensor
    return rows


def fixed_size(reader: Reader, dtype: Any, shape: Any, decode: object) -> FixedSize | None:
    """The size of all records, if the user says that they have one."""
    if dtype is None:
        if shape is not None:
            raise OptionError("shape is for records of one size, whose dtype must be given, too")
        return None
    if decode is not None:
        raise OptionError("records become tensors by dtype or by decode; give one of them")
    return FixedSize.of_options(reader, dtype, shape)


def _torch_dtype(dtype: Any) -> torch.dtype:
    if isinstance(dtype, torch.dtype):
        return dtype
    try:
        import numpy as np  # noqa: PLC0415 - torch works without it

        return torch.from_numpy(np.empty(0, dtype)).dtype
    except (ImportError, TypeError, ValueError):
        message = f"dtype is {dtype!r}; allowed are types of PyTorch, and those of NumPy that PyTorch knows"
        raise OptionError(message) from None


def _checked_shape(shape: Any) -> tuple[int, ...]:
    sides = shape if isinstance(shape, Iterable) else (shape,)
    try:
        return tuple(whole("shape", side) for side in sides)
    except RecordTypeError:
        raise OptionError(f"shape is {shape!r}; allowed are an integer and several") from None

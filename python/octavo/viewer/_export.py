"""Exporting a selection of records as a new file: the only thing that a viewer ever writes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, get_args

import octavo
from octavo._convert._output import SUFFIX_OF
from octavo._location import format_of_name
from octavo._open import Format
from octavo._reader import Reader
from octavo._writer import Writer
from octavo.errors import OptionError
from octavo.viewer._events import Emit, Pace, Work
from octavo.viewer._opened import LARGE_BYTES, Opened

MOST_NUMBERS = 100_000
_MOST_RECORDS = 1_000_000  # some formats keep an entry for each in memory until the end
_MOST_NAME_BYTES = 200  # file systems allow 255, and the name gets suffixes
_BLOCK_RECORDS = 1000
_BLOCK_BYTES = 8 << 20
_MOST_TOLD = 1000  # records that were left out
FORMATS: tuple[Format, ...] = get_args(Format)


def choices(opened: Opened, folder: str) -> dict[str, Any]:
    """What the page offers."""
    return {
        "folder": folder,
        "formats": list(FORMATS),
        "suffixes": {format: SUFFIX_OF[format] for format in FORMATS},
        "default_format": opened.reader._format,  # noqa: SLF001 - part of the package
    }


def export(opened: Opened, folder: str, asked: dict[str, Any]) -> Work:
    """Write records into a new file of the folder. A name that is taken or leads elsewhere is refused at once."""
    ranges = _ranges(asked, len(opened.reader))
    format = asked.get("format")
    if format not in FORMATS:
        raise OptionError(f"format is none of: {', '.join(FORMATS)}")
    path = os.path.join(folder, _file_name(asked.get("name"), format))
    writer = octavo.create(path, format=format, overwrite=False)

    def work(emit: Emit) -> None:
        left_out: list[int] = []
        with writer:
            _copy(opened.reader, ranges, writer, left_out, emit)
        count = writer.record_count
        told = {"path": path, "records": count, "left_out": left_out[:_MOST_TOLD], "left_out_count": len(left_out)}
        emit({"end": told})

    return work


def _file_name(name: object, format: str) -> str:
    """A plain name with a suffix that says its format."""
    if not isinstance(name, str) or not name.strip() or name != name.strip() or not name.isprintable():
        raise OptionError("the new file needs a name")
    if len(name.encode("utf-8", "replace")) > _MOST_NAME_BYTES:
        raise OptionError(f"a name has at most {_MOST_NAME_BYTES} bytes")
    if name.startswith(".") or set(name) & set('/\\:*?"<>|'):
        raise OptionError(f"{name!r} is no plain file name: it lies in the folder that is shown")
    return name if format_of_name(name) == format else name + SUFFIX_OF[format]


def _ranges(asked: dict[str, Any], count: int) -> list[range]:
    """Which records, in order."""
    numbers, ranges = asked.get("numbers"), asked.get("ranges")
    if (numbers is None) == (ranges is None):
        raise OptionError("either numbers or ranges say which records to export")
    named = ranges if numbers is None else numbers
    if not isinstance(named, list) or (numbers is not None and any(type(number) is not int for number in numbers)):
        raise OptionError("records are named by their numbers")
    pairs = named if numbers is None else [[number, number + 1] for number in numbers]
    chosen = []
    for pair in pairs:
        if (
            not isinstance(pair, list)
            or [type(one) for one in pair] != [int, int]
            or not 0 <= pair[0] < pair[1] <= count
        ):
            raise OptionError(f"there are no such records: {pair!r:.40}")
        chosen.append(range(*pair))
    if not chosen:
        raise OptionError("no record is selected")
    if len(chosen) > MOST_NUMBERS or sum(map(len, chosen)) > _MOST_RECORDS:
        most = f"{MOST_NUMBERS:,} ranges and {_MOST_RECORDS:,} records"
        raise OptionError(f"at most {most} are exported from here; 'octavo convert' writes any number")
    return chosen


def _copy(reader: Reader, ranges: list[range], writer: Writer, left_out: list[int], emit: Emit) -> None:
    total = sum(map(len, ranges))
    pace = Pace(emit)
    done = 0
    for numbers in _blocks(ranges):
        rest = _without_large(reader, numbers, left_out)
        while rest:
            each = reader._read_each(rest, _BLOCK_BYTES)  # noqa: SLF001 - part of the package
            writer.write_many(one for one in each if isinstance(one, bytes))
            left_out += [number for number, one in zip(rest, each, strict=False) if not isinstance(one, bytes)]
            rest = rest[len(each) :]
            pace(done, total)
        done += len(numbers)
        pace(done, total)


def _blocks(ranges: list[range]) -> Iterator[list[int]]:
    block: list[int] = []
    for one in ranges:
        for number in one:
            block.append(number)
            if len(block) == _BLOCK_RECORDS:
                yield block
                block = []
    if block:
        yield block


def _without_large(reader: Reader, numbers: list[int], left_out: list[int]) -> list[int]:
    loads = reader._loads(numbers)  # noqa: SLF001 - part of the package
    large = {number for number, load in zip(numbers, loads, strict=True) if load is not None and load[1] > LARGE_BYTES}
    left_out += [number for number in numbers if number in large]
    return [number for number in numbers if number not in large]

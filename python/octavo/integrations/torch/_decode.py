"""Reading and decoding the samples of a batch, and what an error in it says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

from octavo import Reader

_NAMED = 8


def read_samples(reader: Reader, numbers: Sequence[SupportsIndex], decode: Callable[[bytes], Any] | None) -> list[Any]:
    """A sample of each of these records, with one read."""
    records = reader.read(numbers)
    return records if decode is None else decode_all(reader, numbers, records, decode)


def decode_all(
    reader: Reader, numbers: Sequence[SupportsIndex], records: list[bytes], decode: Callable[[bytes], Any]
) -> list[Any]:
    """A sample of each record; an error says which one it was."""
    samples: list[Any] = []
    try:
        for record in records:  # not a comprehension: what is there already tells where an error has struck
            samples.append(decode(record))  # noqa: PERF401
    except Exception as error:
        error.add_note(f"octavo: this was decode() of {name_of(reader, numbers[len(samples)])}")
        raise
    return samples


def number_in_files(reader: Reader, number: SupportsIndex) -> int:
    """What errors of reading call this record: its number among all records of the files, of which a slice has some."""
    start, step, count = reader._view  # noqa: SLF001 - part of octavo
    return int(start + step * range(count)[number])


def name_of(reader: Reader, number: SupportsIndex) -> str:
    """This record in a message."""
    in_files, in_reader = number_in_files(reader, number), range(len(reader))[number]
    return f"record {in_files}" + ("" if in_files == in_reader else f", which is number {in_reader} of the slice")


def names_of(reader: Reader, numbers: Sequence[SupportsIndex]) -> str:
    """These records in a message."""
    named = ", ".join(str(number_in_files(reader, number)) for number in numbers[:_NAMED])
    return f"records {named}, and {len(numbers) - _NAMED} more" if len(numbers) > _NAMED else f"records {named}"

"""`ReadFromRecords` and `ReadAllFromRecords`.

Patterns become files, files become parts, and parts are read: three steps, each on as many workers as there are. The
last one is a splittable `DoFn`, so that a runner can take from a slow worker what it has not begun.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import apache_beam as beam
from apache_beam.coders import Coder
from apache_beam.io.fileio import EmptyMatchTreatment
from apache_beam.io.iobase import SDFBoundedSourceReader
from apache_beam.options.value_provider import ValueProvider

from octavo._arguments import check_switches
from octavo._open import Format
from octavo._options import parse_bytes
from octavo.errors import RecordTypeError
from octavo.integrations.beam._coders import checked_coder, element_type, leaves_bytes
from octavo.integrations.beam._files import meant_here
from octavo.integrations.beam._formats import check_known
from octavo.integrations.beam._match import as_pattern, check_something_matches, check_treatment, files_of
from octavo.integrations.beam._part import cut
from octavo.integrations.beam._source import PartSource

_BUNDLE_BYTES = "64MB"  # what Beam's own transforms aim at when they read files that they were not told before


class ReadAllFromRecords(beam.PTransform):  # type: ignore[misc]  # Beam is taken as Any
    """Reads the records of all files in a `PCollection` of patterns, or of what `fileio.MatchFiles` gives.

    Args:
        with_filename: Give pairs of a file's name and a record, instead of records.
        format: The format of the files, if it cannot be told from their content or names.
        coder: Makes elements of records, which are bytes.
        desired_bundle_size: About how many bytes of a file become one bundle: a number, or a text such as `"64MB"`.
        min_bundle_size: What would be less than this stays with its neighbour.
        empty_match_treatment: Whether a pattern may have no files; see `fileio.EmptyMatchTreatment`.
        check_data: Verify checksums.
    """

    def __init__(
        self,
        with_filename: bool = False,  # noqa: FBT001, FBT002 - as Beam's own transforms have it
        *,
        format: Format | None = None,
        coder: Coder | None = None,
        desired_bundle_size: int | str = _BUNDLE_BYTES,
        min_bundle_size: int | str = 0,
        empty_match_treatment: str = EmptyMatchTreatment.DISALLOW,
        check_data: bool = True,
    ) -> None:
        super().__init__()
        check_known(format)
        check_switches(with_filename=with_filename, check_data=check_data)
        check_treatment(empty_match_treatment)
        self._coder = checked_coder(coder)
        self._with_filename = with_filename
        self._empty_match_treatment = empty_match_treatment
        self._cutting = {
            "format": format,
            "check_data": check_data,
            "bundle_bytes": parse_bytes(desired_bundle_size, name="desired_bundle_size"),
            "min_bytes": parse_bytes(min_bundle_size, name="min_bundle_size"),
        }

    def expand(self, pcoll: Any) -> Any:
        """Read what the patterns in `pcoll` mean."""
        records = (
            pcoll
            | "Match" >> beam.ParDo(_Match(self._empty_match_treatment))
            | "Spread files" >> beam.Reshuffle()
            | "Cut" >> beam.ParDo(_Cut(self._cutting, with_filename=self._with_filename))
            | "Spread parts" >> beam.Reshuffle()
            | "Read" >> SDFBoundedSourceReader().with_output_types(self._elements(bytes))
        )
        if leaves_bytes(self._coder):
            return records
        decode = _Decode(self._coder, with_filename=self._with_filename)
        return records | "Decode" >> beam.ParDo(decode).with_output_types(self._elements(element_type(self._coder)))

    def _elements(self, kind: Any) -> Any:
        return tuple[str, kind] if self._with_filename else kind


class ReadFromRecords(beam.PTransform):  # type: ignore[misc]  # Beam is taken as Any
    """Reads the records of files, in any order and each exactly once.

    Args:
        file_pattern: A path, a glob pattern, a sharded name such as `train@64.array_record`, a list of those, or a
            `ValueProvider` of one.
        format: The format of the files, if it cannot be told from their content or names.
        coder: Makes elements of records, which are bytes.
        min_bundle_size: What would be less than this stays with its neighbour.
        desired_bundle_size: About how many bytes of a file become one bundle: a number, or a text such as `"64MB"`.
        validate: Check that there are files when the pipeline is made.
        empty_match_treatment: Whether a pattern may have no files; see `fileio.EmptyMatchTreatment`.
        check_data: Verify checksums.
    """

    def __init__(
        self,
        file_pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | ValueProvider,
        format: Format | None = None,
        coder: Coder | None = None,
        *,
        min_bundle_size: int | str = 0,
        desired_bundle_size: int | str = _BUNDLE_BYTES,
        validate: bool = True,
        empty_match_treatment: str = EmptyMatchTreatment.DISALLOW,
        check_data: bool = True,
    ) -> None:
        super().__init__()
        check_switches(validate=validate)
        self._patterns = _patterns(file_pattern)
        self._read_all = ReadAllFromRecords(
            format=format,
            coder=coder,
            desired_bundle_size=desired_bundle_size,
            min_bundle_size=min_bundle_size,
            empty_match_treatment=empty_match_treatment,
            check_data=check_data,
        )
        if validate and empty_match_treatment == EmptyMatchTreatment.DISALLOW:
            for pattern in self._patterns:
                if isinstance(pattern, str):
                    check_something_matches(pattern)

    def expand(self, pbegin: Any) -> Any:
        """Read the files."""
        return pbegin | "Patterns" >> beam.Create(self._patterns, reshuffle=False) | self._read_all

    def display_data(self) -> dict[str, Any]:
        """What runners show of it."""
        return {"file_pattern": ", ".join(map(str, self._patterns))}


class _Match(beam.DoFn):  # type: ignore[misc]  # Beam is taken as Any
    """Patterns to files."""

    def __init__(self, empty_match_treatment: str) -> None:
        self._empty_match_treatment = empty_match_treatment

    def process(self, element: Any) -> Iterator[str]:
        """The files of a pattern."""
        pattern = element.get() if isinstance(element, ValueProvider) else element
        yield from files_of(as_pattern(pattern), self._empty_match_treatment)


class _Cut(beam.DoFn):  # type: ignore[misc]  # Beam is taken as Any
    """Files to parts."""

    def __init__(self, cutting: dict[str, Any], *, with_filename: bool) -> None:
        self._cutting = cutting
        self._with_filename = with_filename

    def process(self, element: str) -> Iterator[PartSource]:
        """The parts of a file."""
        for part in cut(element, **self._cutting):
            yield PartSource(part, with_filename=self._with_filename)


class _Decode(beam.DoFn):  # type: ignore[misc]  # Beam is taken as Any
    """Records to elements: apart from reading, for coders travel with transforms better than with elements."""

    def __init__(self, coder: Coder, *, with_filename: bool) -> None:
        self._coder = coder
        self._with_filename = with_filename

    def process(self, element: Any) -> Iterator[Any]:
        """The element of a record."""
        if self._with_filename:
            path, record = element
            yield path, self._coder.decode(record)
        else:
            yield self._coder.decode(element)


def _patterns(given: Any) -> list[Any]:
    if isinstance(given, ValueProvider):
        return [given]
    if isinstance(given, str | os.PathLike):
        return [meant_here(as_pattern(given))]
    if isinstance(given, Sequence) and not isinstance(given, bytes) and given:
        return [meant_here(as_pattern(one)) for one in given]
    message = f"file_pattern is a pattern or a list of patterns, not {given!r}"
    raise RecordTypeError(message)

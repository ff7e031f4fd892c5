"""A part of a file as Beam's `BoundedSource`.

Positions are record numbers, and chunks begin at split points: a runner that takes some of a bundle away gets whole
chunks, and the records of a chunk stay with whoever has claimed its first.
"""

from __future__ import annotations

from collections.abc import Iterator

from apache_beam.io.iobase import BoundedSource, RangeTracker, SourceBundle
from apache_beam.io.range_trackers import OffsetRangeTracker, UnsplittableRangeTracker

from octavo.integrations.beam._part import Part


class PartSource(BoundedSource):  # type: ignore[misc]  # Beam is taken as Any
    """The records of a part, with the name of their file if that is wanted."""

    def __init__(self, part: Part, *, with_filename: bool = False) -> None:
        self._part = part
        self._with_filename = with_filename

    def estimate_size(self) -> int:
        """Bytes of the file that these records take."""
        return self._part.byte_count

    def split(
        self, desired_bundle_size: int, start_position: int | None = None, stop_position: int | None = None
    ) -> Iterator[SourceBundle]:
        """One bundle: the file was cut into parts of the right size before."""
        del desired_bundle_size
        start = self._part.start if start_position is None else start_position
        stop = self._part.stop if stop_position is None else stop_position
        yield SourceBundle(self._part.byte_count, self, start, stop)

    def get_range_tracker(self, start_position: int | None, stop_position: int | None) -> RangeTracker:
        """What is claimed and split, in record numbers."""
        start = self._part.start if start_position is None else start_position
        stop = self._part.stop if stop_position is None else stop_position
        tracker = OffsetRangeTracker(start, stop)
        return tracker if self._part.is_splittable else UnsplittableRangeTracker(tracker)

    def read(self, range_tracker: RangeTracker) -> Iterator[bytes | tuple[str, bytes]]:
        """The records of all chunks that begin in the range."""
        for record in self._records(range_tracker):
            yield (self._part.path, record) if self._with_filename else record

    def _records(self, tracker: RangeTracker) -> Iterator[bytes]:
        part = self._part
        with part.open() as reader:
            first = part.first_chunk_from(reader, tracker.start_position())
            end = part.first_chunk_from(reader, tracker.stop_position())  # nothing is read ahead of it
            ahead = part.start - part.skip
            for number, record in enumerate(reader[first - ahead : end - ahead], first):
                # A compressed file is one claim: it cannot be split anyway.
                if number == first or (part.is_splittable and part.chunk_of(reader, number) == number):
                    if not tracker.try_claim(number):
                        return
                else:
                    tracker.set_current_position(number)
                yield record

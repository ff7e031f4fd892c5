"""Records that tell their numbers, and what pipelines do with them."""

from __future__ import annotations

from pathlib import Path

from absl import flags  # comes with Grain

import octavo

COUNT = 500

flags.FLAGS.mark_as_parsed()  # as `absl.app.run` does it; Grain's worker processes insist


def record(number: int) -> bytes:
    """Tells its number; lengths differ."""
    return str(number).encode().ljust(4 + number % 7, b".")


def number_of(record: bytes) -> int:
    """What a record tells."""
    return int(record.rstrip(b"."))


def numbers_of(records: list[bytes]) -> list[int]:
    """The same for a whole batch."""
    return list(map(number_of, records))


def write(path: Path, count: int = COUNT, **options: int) -> Path:
    """A file of these records; its name says in which format."""
    with octavo.create(path, **options) as writer:  # type: ignore[arg-type]  # a few of the options
        writer.write_many(map(record, range(count)))
    return path

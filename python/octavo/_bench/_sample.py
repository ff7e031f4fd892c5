"""Which part of a data set is looked at: a few files of many, a few stretches of records, some numbers at random."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Sequence

from octavo._reader import Reader

OPENED_BYTES = 1 << 30
MOST_FILES = 64
PLACES = 4
BLOCK_BYTES = 4 << 20
BATCH_BYTES = 64 << 20
MOST_NUMBERS = 20_000


@dataclasses.dataclass(frozen=True)
class Sample:
    """Stretches of records, which were read once and so are in memory."""

    stretches: tuple[tuple[int, int], ...]
    record_count: int
    record_bytes: int


def choose_files(sizes: Sequence[int]) -> list[int]:
    """Which files to open: all, or as many as have a gigabyte, spread evenly. Opening may mean to read a whole file."""
    count = len(sizes)
    mean = max(1, sum(sizes) // max(count, 1))
    wanted = min(count, MOST_FILES, max(1, -(-OPENED_BYTES // mean)))
    return [count * at // wanted for at in range(wanted)]


def take(reader: Reader, *, most_bytes: int, most_records: int, seconds: float) -> Sample:
    """Read stretches of about so many bytes in all, for so many seconds at most; a record at least."""
    count, end = len(reader), time.monotonic() + seconds
    if not count:
        return Sample((), 0, 0)
    places = sorted({reader._chunk_start(count * place // PLACES) for place in range(PLACES)})  # noqa: SLF001
    stretches: list[tuple[int, int]] = []
    total = 0
    for place, after in zip(places, [*places[1:], count], strict=True):
        stop = min(after, place + max(1, most_records // len(places)))
        at, left = place, most_bytes // len(places)
        while at < stop and (left > 0 or at == place) and (time.monotonic() < end or not total):
            block = reader._read_block(at, stop - at, max(1, min(left, BLOCK_BYTES)))  # noqa: SLF001
            at += len(block)
            left -= block.nbytes
            total += block.nbytes
        if at > place:
            stretches.append((place, at))
    return Sample(tuple(stretches), sum(stop - start for start, stop in stretches), total)


def gather(reader: Reader, sample: Sample, *, most_bytes: int, most_records: int) -> list[bytes]:
    """Records from the beginning of each stretch, to be written again; one at least, and few if they are large."""
    records: list[bytes] = []
    total = 0
    for done, (start, stop) in enumerate(sample.stretches, 1):
        bytes_so_far, records_so_far = (most * done // len(sample.stretches) for most in (most_bytes, most_records))
        at = start
        while at < stop and (not records or (total < bytes_so_far and len(records) < records_so_far)):
            room = max(1, min(bytes_so_far - total, BLOCK_BYTES))
            block = reader._read_block(at, max(1, min(stop - at, records_so_far - len(records))), room)  # noqa: SLF001
            records += block.to_list()
            at += len(block)
            total += block.nbytes
    return records


def numbers(count: int, chunk_bytes: float, *, most_bytes: int, most: int = MOST_NUMBERS, seed: int = 8) -> list[int]:
    """Records at random, each once, all over a data set; so few that their chunks come to about so many bytes."""
    wanted = min(count, most, max(1, int(most_bytes / max(chunk_bytes, 1))))
    return random.Random(seed).sample(range(count), wanted)  # noqa: S311 - which records are read is no secret


def numbers_of_distinct_chunks(count: int, group_size: int, seed: int = 8) -> list[int]:
    """A record of each chunk, in random order: in a large data set hardly two of a batch share one."""
    picks = random.Random(seed)  # noqa: S311 - the same
    found = [picks.randrange(start, min(start + group_size, count)) for start in range(0, count, group_size)]
    picks.shuffle(found)
    return found[:MOST_NUMBERS]


def cut(picked: Sequence[int], batch: int) -> list[list[int]]:
    """Batches; what does not fill one at the end is left out, unless there is no other."""
    whole = len(picked) // batch * batch
    return [list(picked[at : at + batch]) for at in range(0, whole, batch)] or [list(picked)]


def fitting_batch(batch: int, chunk_bytes: float) -> int:
    """How many records a batch may have, so that decoding their chunks stays within bounded memory."""
    return max(1, min(batch, int(BATCH_BYTES / max(chunk_bytes, 1))))

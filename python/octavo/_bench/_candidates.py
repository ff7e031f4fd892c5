"""Trying settings: a sample of the data set's records is written with each, and read again; then it is removed.

All are written first and then measured in turn, round after round, so that what else the machine does meets all alike.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator, Sequence

import octavo
from octavo._bench import _sample, _settings
from octavo._bench._figures import Candidate, Setting, Trial
from octavo._bench._timing import Budget, best_of
from octavo._reader import Reader
from octavo.errors import OctavoError

ROUNDS = 5
WRITING_PART = 0.6  # of the time, at most: then those that are written are measured
SCAN_PARTS = 4  # after each of which a scan may end
MOST_RECORD_BYTES = 256 << 20


def attempt(
    records: Sequence[bytes], now: Setting, *, batch: int, is_large: bool, cache_bytes: int, budget: Budget
) -> Trial:
    """Try the present setting and others with these records.

    Args:
        records: The sample.
        now: How they are stored.
        batch: Records of a random batch.
        is_large: Whether the data set is so large that two records of a batch rarely share a chunk.
        cache_bytes: What to keep of decoded chunks when batches are read.
        budget: What is left of its time is used.
    """
    size = sum(map(len, records))
    if size > MOST_RECORD_BYTES:
        return Trial(len(records), size, (), "the records are too large")
    settings = [now, *_settings.others(now, len(records), size / len(records))]
    try:
        with tempfile.TemporaryDirectory(prefix="octavo-bench-") as folder, contextlib.ExitStack() as readers:
            written = list(_write_all(folder, settings, records, budget))
            # One reader to scan with and one for batches, whose chunks a scan would find decoded.
            opened = [
                (
                    setting,
                    readers.enter_context(octavo.open(path, cache_bytes=0)),
                    readers.enter_context(octavo.open(path, cache_bytes=cache_bytes)),
                )
                for setting, path in written
            ]
            batches = [_batches(setting, len(records), size, batch, is_large=is_large) for setting, _, _ in opened]
            candidates = _measure(opened, batches, size, budget)
    except (OSError, OctavoError) as error:
        return Trial(len(records), size, (), f"a sample cannot be written: {error}")
    left = len(settings) - len(candidates)
    return Trial(len(records), size, tuple(candidates), f"no time for {left} more" if left else None)


def _write_all(
    folder: str, settings: Sequence[Setting], records: Sequence[bytes], budget: Budget
) -> Iterator[tuple[Setting, str]]:
    end = time.monotonic() + budget.share(1.0) * WRITING_PART
    for number, setting in enumerate(settings):
        if number > 1 and time.monotonic() >= end:  # one to compare with is tried in any case
            return
        path = os.path.join(folder, f"{number}.{setting.format}")
        with octavo.create(path, format=setting.format, **_keywords(setting)) as writer:  # type: ignore[arg-type]
            writer.write_many(records)
        yield setting, path


def _keywords(setting: Setting) -> dict[str, object]:
    if setting.options is not None:
        return {"options": setting.options}
    keywords: dict[str, object] = {"group_size": setting.group_size, "max_chunk_bytes": setting.max_chunk_bytes}
    keywords |= {"dialect": setting.dialect, "transpose": setting.transpose or None}
    if setting.format != "ffrecord":
        keywords["codec"] = setting.codec
    return {name: value for name, value in keywords.items() if value is not None}


def _measure(
    opened: Sequence[tuple[Setting, Reader, Reader]], batches: Sequence[list[list[int]]], size: int, budget: Budget
) -> list[Candidate]:
    """Each in turn, as many rounds as there is time for. The first one only wakes things, if others follow."""
    seconds = budget.share(1.0) / len(opened) / (ROUNDS + 1) / 2
    scans: list[list[tuple[float, float]]] = [[] for _ in opened]
    randoms: list[list[tuple[float, float]]] = [[] for _ in opened]
    for round_ in range(ROUNDS + 1):
        if round_ and budget.is_over:
            break
        for at, (_, scanning, reading) in enumerate(opened):
            scans[at].append(_scan(scanning, seconds))
            randoms[at].append(_read(reading, batches[at], seconds))
    candidates = []
    for at, (setting, reader, _) in enumerate(opened):
        encoded = _encoded_bytes(reader, setting)
        read_bytes = _settings.chunk_bytes_of(setting, size / len(reader)) * encoded / max(1, size)
        scan, at_random = best_of(scans[at][1:] or scans[at]), best_of(randoms[at][1:] or randoms[at])
        candidates.append(Candidate(setting, at == 0, encoded, read_bytes, scan, at_random))
    return candidates


def _batches(setting: Setting, count: int, size: int, batch: int, *, is_large: bool) -> list[list[int]]:
    if not is_large:
        return _sample.cut(_sample.numbers(count, 1, most_bytes=count), batch)
    record_bytes = max(1.0, size / count)
    together = round(_settings.chunk_bytes_of(setting, record_bytes) / record_bytes)
    return _sample.cut(_sample.numbers_of_distinct_chunks(count, max(1, together)), batch)


def _scan(reader: Reader, seconds: float) -> tuple[float, float]:
    """Records and bytes a second of `for record in reader`."""
    records, size, began = 0, 0, time.perf_counter()
    step = -(-len(reader) // SCAN_PARTS)
    for start in range(0, len(reader), step):
        part = reader[start : start + step]
        for record in part:
            size += len(record)
        records += len(part)
        if time.perf_counter() >= began + seconds:
            break
    took = time.perf_counter() - began
    return records / took, size / took


def _read(reader: Reader, batches: Sequence[list[int]], seconds: float) -> tuple[float, float]:
    """Records and bytes a second of `reader.read`."""
    records, size, began = 0, 0, time.perf_counter()
    end = began + seconds
    while True:
        for batch in batches:
            size += sum(map(len, reader.read(batch)))
            records += len(batch)
            if time.perf_counter() >= end:
                took = time.perf_counter() - began
                return records / took, size / took


def _encoded_bytes(reader: Reader, setting: Setting) -> int:
    """What records and index take: of a sample, what every file has anyway would seem more than it is."""
    info = reader.info
    fixed = _settings.fixed_bytes(setting)
    return max(info.encoded_bytes, info.total_bytes - fixed) if fixed else info.total_bytes

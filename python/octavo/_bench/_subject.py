"""What a data set is, from what its files and a sample of its records say. Pure."""

from __future__ import annotations

import dataclasses

from octavo._bench import _settings
from octavo._bench._figures import Setting, Subject
from octavo._bench._opening import Opened
from octavo._bench._sample import Sample
from octavo._reader import Info

CACHE_BYTES = 256 << 20  # what octavo.open keeps where nobody says
LEAST_CACHED_RECORD = 512  # of records that stand alone, smaller ones are never kept


def describe(opened: Opened, sample: Sample) -> Subject:
    """The data set of which this was opened, and of that this sample taken."""
    info = opened.reader.info
    record_bytes = sample.record_bytes / max(1, sample.record_count)
    decoded = info.decoded_bytes if info.decoded_bytes is not None else record_bytes * info.record_count
    share = (opened.part_bytes or info.total_bytes) / decoded if decoded else 1.0
    chunk_bytes = _chunk_bytes(info, decoded, record_bytes)
    setting = _settings.present(info, chunk_bytes)
    found = Subject(
        setting=setting,
        file_count=opened.file_count,
        opened_files=info.file_count,
        opened_bytes=opened.part_bytes,
        record_count=info.record_count if info.file_count == opened.file_count and not opened.part_bytes else None,
        total_bytes=opened.total_bytes,
        record_bytes=record_bytes,
        chunk_bytes=chunk_bytes,
        stored_share=share,
        is_cached=False,
        has_sidecar=info.sidecar,
    )
    return dataclasses.replace(found, is_cached=found.decoded_bytes <= CACHE_BYTES and _can_be_cached(found))


def _chunk_bytes(info: Info, decoded: float, record_bytes: float) -> float:
    if info.chunk_count:
        return decoded / info.chunk_count
    return _settings.chunk_bytes_of(Setting(info.format, info.codec or "none"), record_bytes)


def _can_be_cached(subject: Subject) -> bool:
    is_compressed = subject.setting.codec != "none"
    return subject.shares_chunks or (is_compressed and subject.record_bytes >= LEAST_CACHED_RECORD)

"""Recovering FFRecord files whose index is damaged: every record that has its checksum, and nothing twice."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import octavo
from tests.naive import ffrecord as naive

FIXED_BYTES = 12


def recovered(tmp_path: Path, content: bytes) -> tuple[octavo.RecoverReport, octavo.Reader]:
    (tmp_path / "damaged.ffr").write_bytes(content)
    report = octavo.recover(tmp_path / "damaged.ffr", tmp_path / "saved.ffr")
    saved = octavo.open(tmp_path / "saved.ffr")
    assert report.record_count == len(saved)
    return report, saved


def of_single_bytes(offsets_to_flip: Sequence[int], count: int) -> bytes:
    """A file of so many records of one byte, with the sign of some offsets wrong."""
    header_bytes = FIXED_BYTES + 12 * count
    records = np.arange(count, dtype=np.uint8)
    sums = np.array([zlib.crc32(bytes([value])) for value in range(256)], "<u4")[records]
    offsets = header_bytes + np.arange(count, dtype="<i8")
    offsets[list(offsets_to_flip)] ^= np.int64(-(2**63))
    covered = struct.pack("<q", count) + sums.tobytes() + offsets.tobytes()
    return struct.pack("<I", zlib.crc32(b"another")) + covered + records.tobytes()


def overlapping(pair_count: int, data: bytes, *, right: bool) -> bytes:
    """A file in which every other record is all of the data."""
    count = 2 * pair_count + 1
    start = FIXED_BYTES + 12 * count
    offsets = [start + len(data) * (number % 2) for number in range(count)]
    covering = zlib.crc32(data) if right else 1
    sums = [covering if number % 2 == 0 else 0 for number in range(count)]
    return naive.with_header(struct.pack(f"<{count}I", *sums), struct.pack(f"<{count}q", *offsets), legacy=True) + data


def test_a_damaged_entry_of_a_large_index_costs_its_record_and_the_one_before(tmp_path):
    count, damaged = 5_700_000, 5_600_000  # more than a legacy index may have to be kept when it is opened
    report, saved = recovered(tmp_path, of_single_bytes([damaged], count))
    assert len(saved) == count - 2
    assert saved[damaged - 2 : damaged].read_all() == [bytes([(damaged - 2) % 256]), bytes([(damaged + 1) % 256])]
    assert [(lost.record, lost.record_count) for lost in report.lost if lost.record_count] == [
        (damaged - 1, 1),
        (damaged, 1),
    ]


def test_a_damaged_first_entry_of_a_large_index_costs_one_record(tmp_path):
    count = 5_700_000
    report, saved = recovered(tmp_path, of_single_bytes([0], count))
    assert len(saved) == count - 1
    assert saved[0] == b"\x01"
    assert [lost.record for lost in report.lost if lost.record_count] == [0]


def test_what_could_only_be_noise_is_one_loss(tmp_path):
    count, kept = 5_700_000, 1000
    report, saved = recovered(tmp_path, of_single_bytes(range(kept, count), count))
    assert len(saved) == kept - 1
    assert len(report.lost) < 20_000, "not one for each of millions"
    assert sum(lost.record_count or 0 for lost in report.lost) == count - len(saved)


def test_records_that_lie_in_each_other_are_saved_once(tmp_path):
    data = bytes(range(256)) * 4
    report, saved = recovered(tmp_path, overlapping(300, data, right=True))
    assert [record for record in saved if record] == [data]
    assert sum(lost.record_count or 0 for lost in report.lost) == 601 - len(saved)
    assert any("would lie in a record before it" in lost.reason for lost in report.lost)


def test_records_that_are_read_in_vain_are_not_read_for_ever(tmp_path):
    report, saved = recovered(tmp_path, overlapping(30_000, bytes(400_000), right=False))
    assert not any(saved)
    assert any("too much was read in vain" in lost.reason for lost in report.lost)


def test_an_intact_record_behind_a_large_damaged_one_is_saved(tmp_path):
    large = bytes(20 << 20)
    content = bytearray(naive.encode([b"first", large, b"last", large]))
    content[-(30 << 20)] ^= 1
    report, saved = recovered(tmp_path, bytes(content))
    assert saved.read_all() == [b"first", b"last", large]
    assert [(lost.record, lost.end - lost.offset) for lost in report.lost] == [(1, len(large))]

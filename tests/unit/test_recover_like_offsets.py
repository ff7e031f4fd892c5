"""Recovering FFRecord files whose records look like entries of the index, and so confirm a wrong record count."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import octavo
from tests.naive import ffrecord as naive

FIXED_BYTES = 12
COUNT = 1000

# As long as two entries, and with numbers in them that are places inside the file.
COUNTED = [struct.pack("<QQQ", number, 20_000 + number, 7) for number in range(COUNT)]
EQUAL = [struct.pack("<QQQ", 20_000, 20_000, 20_000)] * COUNT
FEW = [struct.pack("<QQQ", 120 + number, 130, 140) for number in range(5)]

of_each_kind = pytest.mark.parametrize("records", [COUNTED, EQUAL, FEW], ids=["counted", "equal", "few"])
checked_or_legacy = pytest.mark.parametrize("legacy", [False, True], ids=["checked", "legacy"])


def recovered(folder: Path, content: bytes) -> tuple[octavo.RecoverReport, list[bytes]]:
    (folder / "damaged.ffr").write_bytes(content)
    report = octavo.recover(folder / "damaged.ffr", folder / "saved.ffr")
    return report, octavo.open(folder / "saved.ffr").read_all()


def flipped(content: bytes, at: int, bit: int) -> bytes:
    changed = bytearray(content)
    changed[at] ^= 1 << bit
    return bytes(changed)


@checked_or_legacy
@of_each_kind
@pytest.mark.parametrize("byte", range(8))
def test_a_damaged_first_offset_costs_the_first_record(byte, records, legacy, tmp_path):
    content = naive.encode(records, legacy=legacy)
    report, saved = recovered(tmp_path, flipped(content, FIXED_BYTES + 4 * len(records) + byte, 6))
    assert saved == records[1:]
    assert [(lost.record, lost.record_count) for lost in report.lost if lost.record_count != 0] == [(0, 1)]


@checked_or_legacy
@of_each_kind
@pytest.mark.parametrize("bit", range(8))
def test_a_damaged_record_count_costs_no_record(bit, records, legacy, tmp_path):
    report, saved = recovered(tmp_path, flipped(naive.encode(records, legacy=legacy), 4, bit))
    assert saved == records
    assert report.ok


@of_each_kind
def test_a_damaged_first_offset_and_damaged_records_cost_what_they_cost_apart(records, tmp_path):
    content = flipped(naive.encode(records), FIXED_BYTES + 4 * len(records), 6)
    damaged = len(records) // 2
    place = len(content) - 24 * (len(records) - damaged)
    report, saved = recovered(tmp_path, flipped(content, place, 0))
    assert saved == records[1:damaged] + records[damaged + 1 :]
    assert report.lost_count == 2


def test_records_that_are_too_large_to_be_asked_are_saved(tmp_path):
    large = bytes(3 << 20)
    records = [large] * 4
    content = naive.encode(records)
    assert recovered(tmp_path, flipped(content, FIXED_BYTES + 4 * len(records), 6))[1] == records[1:]

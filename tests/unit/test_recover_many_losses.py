"""Recovering files with very many losses: they are told as few, and none of them is left out."""

from __future__ import annotations

import octavo
from tests.naive import tfrecord as naive

COUNT = 30_000


def test_neighbours_are_told_as_one_where_there_are_very_many(tmp_path):
    frame = naive.encode([b"record"])
    wrong = frame[:-1] + bytes([frame[-1] ^ 1])
    (tmp_path / "damaged.tfrecord").write_bytes(frame + wrong * COUNT + frame)
    report = octavo.recover(tmp_path / "damaged.tfrecord", tmp_path / "saved.tfrecord")
    assert report.record_count == 2
    assert report.lost_count == COUNT
    assert len(report.lost) < COUNT / 2
    assert (report.lost[0].offset, report.lost[-1].end) == (len(frame), len(frame) * (COUNT + 1))
    assert all(one.end == next_one.offset for one, next_one in zip(report.lost, report.lost[1:], strict=False))

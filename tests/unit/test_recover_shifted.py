"""Recovering files that have lost bytes in the middle, have gained some, or are several files in one."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

import octavo
from octavo import errors

BLOCK = 1 << 16
CHUNK_BYTES = 11_000
"""More than the stored bytes of 32 records."""
SUFFIXES = ["array_record", "riegeli"]

GENERATOR = random.Random(7)
RECORDS = [b"%d:" % number + GENERATOR.randbytes(300) for number in range(3000)]
OTHERS = [b"other %d:" % number + GENERATOR.randbytes(300) for number in range(3000)]


def remove(content: bytes, begin: int, count: int) -> bytes:
    return content[:begin] + content[begin + count :]


def insert(content: bytes, at: int, count: int) -> bytes:
    return content[:at] + GENERATOR.randbytes(count) + content[at:]


# What is done to a file, and how many bytes of it that costs.
DAMAGE: dict[str, tuple[Callable[[bytes], bytes], int]] = {
    "a byte is missing": (lambda content: remove(content, len(content) // 2, 1), 1),
    "bytes are missing": (lambda content: remove(content, len(content) // 3, 5000), 5000),
    "a block is missing": (lambda content: remove(content, 5 * BLOCK, BLOCK), BLOCK),
    "as much as a block is missing": (lambda content: remove(content, len(content) // 2, BLOCK), BLOCK),
    "the beginning is missing": (lambda content: content[4096:], 4096),
    "a byte too many": (lambda content: insert(content, len(content) // 2, 1), 0),
    "bytes too many": (lambda content: insert(content, len(content) // 3, 400), 0),
    "two places": (lambda content: insert(remove(content, len(content) // 3, 700), 2 * len(content) // 3, 99), 700),
}


def written(path: Path, records: list[bytes], **options: object) -> bytes:
    with octavo.create(path, **options) as writer:  # type: ignore[arg-type]  # the tests pass what it takes
        writer.write_many(records)
    return path.read_bytes()


def recovered(path: Path, content: bytes) -> tuple[octavo.RecoverReport, list[bytes]]:
    path.write_bytes(content)
    target = path.with_name(f"saved{path.suffix}")
    report = octavo.recover(path, target)
    return report, octavo.open(target).read_all()


@pytest.mark.parametrize("options", [{"group_size": 1}, {"group_size": 32}, {"group_size": 32, "codec": "none"}])
@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_stands_behind_bytes_that_are_missing_or_too_many_is_saved(tmp_path, suffix, damage, options):
    spoil, lost_bytes = DAMAGE[damage]
    _, saved = recovered(
        tmp_path / f"damaged.{suffix}", spoil(written(tmp_path / f"whole.{suffix}", RECORDS, **options))
    )
    numbers = [int(record.partition(b":")[0]) for record in saved]
    assert [RECORDS[number] for number in numbers] == saved, "nothing but records of the file"
    assert all(number < following for number, following in pairwise(numbers)), "each once, in order"
    # A chunk on either side of the damage, and those that are passed over before it is known where blocks are now.
    places = 1 + (damage == "two places")
    assert len(saved) >= len(RECORDS) - (places * (3 * CHUNK_BYTES + lost_bytes) + lost_bytes) // 300


@pytest.mark.parametrize("options", [{"group_size": 1}, {"group_size": 32}, {"group_size": 1000}])
@pytest.mark.parametrize(
    "parts",
    [
        [RECORDS, OTHERS[:100]],
        [OTHERS[:100], RECORDS],
        [RECORDS, OTHERS],
        [RECORDS, [], OTHERS],
        [[], RECORDS],
        [RECORDS, []],
    ],
)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files_that_were_joined_by_their_bytes_give_the_records_of_all(tmp_path, suffix, parts, options):
    content = b"".join(
        written(tmp_path / f"part{number}.{suffix}", records, **options) for number, records in enumerate(parts)
    )
    report, saved = recovered(tmp_path / f"joined.{suffix}", content)
    assert saved == [record for records in parts for record in records]
    assert sum(lost.record_count or 0 for lost in report.lost) == 0


@pytest.mark.parametrize("records", [[b"blank"] * 700, [b"blank"] * 5, []])
def test_equal_records_of_joined_files_are_not_taken_for_repetitions(tmp_path, records):
    content = written(tmp_path / "part.array_record", records, group_size=100) * 2
    _, saved = recovered(tmp_path / "joined.array_record", content)
    assert saved == records * 2


@pytest.mark.parametrize("parts", [[RECORDS, OTHERS], [RECORDS, RECORDS], [RECORDS, []], [[], RECORDS], [[], []]])
def test_array_record_files_that_were_joined_by_their_bytes_do_not_open_as_one_of_them(tmp_path, parts):
    files = [
        written(tmp_path / f"part{number}.array_record", records, group_size=1) for number, records in enumerate(parts)
    ]
    (tmp_path / "joined.array_record").write_bytes(b"".join(files))
    with pytest.raises(errors.FormatError, match="footer"):
        octavo.open(tmp_path / "joined.array_record")
    assert not octavo.verify(tmp_path / "joined.array_record").ok


def test_a_chunk_that_stands_where_the_index_lists_another_is_not_saved(tmp_path):
    pairs = written(tmp_path / "pairs.array_record", OTHERS[:100], group_size=2, codec="none")
    single = written(tmp_path / "single.array_record", RECORDS[:100], group_size=1, codec="none")
    begin = 64
    content = single[:begin] + pairs[begin : begin + CHUNK_BYTES // 10] + single[begin + CHUNK_BYTES // 10 :]
    report, saved = recovered(tmp_path / "damaged.array_record", content)
    assert saved == RECORDS[len(RECORDS[:100]) - len(saved) : 100]
    assert 95 <= len(saved) < 100
    assert report.lost_count == 100 - len(saved)
    assert report.lost[0].offset == begin
    assert report.lost[0].reason == "it reaches into the next one"
    with pytest.raises(errors.DamagedFileError, match=r"the chunk at byte 64 \(record 0\)"):
        octavo.open(tmp_path / "damaged.array_record")[0]


def test_a_postscript_is_none_of_the_records_though_all_before_it_is_missing(tmp_path):
    content = written(tmp_path / "small.array_record", RECORDS[:3], group_size=3)
    block_header = 24
    content = remove(content, 64, BLOCK - 64 + block_header)
    report, saved = recovered(tmp_path / "damaged.array_record", content)
    assert saved == []
    assert report.lost_count is None
    assert any("no footer stands before the postscript" in lost.reason for lost in report.lost)

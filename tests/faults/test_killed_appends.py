"""Writers of files without an index, killed at any moment: flushed records are there, and no others than those written.

Every file is appended to several times, and every one of those writers dies.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import octavo
from tests.faults import isolation, samples
from tests.faults.programs import crashing
from tests.faults.programs.crashing import ROUNDS, Append, base_of
from tests.faults.test_killed_chunked_writers import read_perhaps_torn
from tests.naive import recordio, tfrecord
from tests.naive.protobuf import Damaged

KILLED = {".recordio": range(42), ".tfrecord": range(10)}
LIMITED = {".recordio": range(1000, 1014), ".tfrecord": range(1000, 1006)}
AT_ONCE = 7
MORE = b"of the next append"


@dataclasses.dataclass(frozen=True)
class Left:
    """What an append that died has left, and what was there before it."""

    append: Append
    flushes: int
    before: bytes
    content: bytes
    suffix: str

    @property
    def whole(self) -> bytes:
        return self.content[: whole_bytes(self.content, self.suffix)]


def whole_bytes(content: bytes, suffix: str) -> int:
    """Where the last whole chunk or record ends, found without octavo and without a look at checksums."""
    end = 0
    try:
        while end < len(content):
            end = tfrecord.frame_at(content, end).end if suffix == ".tfrecord" else chunk_end(content, end)
    except Damaged:
        pass
    return end


def chunk_end(content: bytes, begin: int) -> int:
    order = recordio.candidates(content, begin) or ["go"]
    return recordio.read_header(content, begin, order[0]).end


def create(path: Path, file: int) -> None:
    """Dialects and codecs take turns."""
    name = list(samples.RECORDIO)[file % len(samples.RECORDIO)]
    options = samples.RECORDIO[name] | {"max_chunk_bytes": crashing.BASE_CHUNK_BYTES}
    with octavo.create(path, **(options if path.suffix == ".recordio" else {})) as writer:
        writer.write_many(base_of(file))


@pytest.fixture(scope="module", params=[".recordio", ".tfrecord"])
def suffix(request: pytest.FixtureRequest) -> str:
    one: str = request.param
    return one


@pytest.fixture(scope="module")
def died(suffix: str, tmp_path_factory: pytest.TempPathFactory) -> list[Left]:
    """What every append has left, file by file."""
    folder = tmp_path_factory.mktemp("crashed")
    found: list[Left] = []
    for files, limited in ((KILLED[suffix], False), (LIMITED[suffix], True)):
        for first in range(0, len(files), AT_ONCE):
            some = files[first : first + AT_ONCE]
            for file in some:
                create(folder / f"{file}{suffix}", file)
            before = {file: (folder / f"{file}{suffix}").read_bytes() for file in some}
            ended = isolation.check(
                crashing.crash, folder=folder, files=list(some), suffix=suffix, limited=limited, timeout_s=300
            )
            found.extend(left_in(folder, json.loads(ended.output), before, suffix))
    return found


def left_in(folder: Path, said: dict[str, int], before: dict[int, bytes], suffix: str) -> Iterator[Left]:
    for seed, flushes in said.items():
        append = Append(int(seed))
        path = Path(crashing.left_by(str(folder), append, suffix))
        left = Left(append, flushes, before[append.file], path.read_bytes(), suffix)
        path.unlink()
        before[append.file] = left.content
        yield left


def test_appends_were_killed_at_many_points(died: list[Left], suffix: str):
    assert len(died) >= {".recordio": 200, ".tfrecord": 40}[suffix]
    assert {0, 1, 2, 3} <= {left.flushes for left in died}
    assert any(left.whole != left.content for left in died)
    assert any(left.content == left.before for left in died)


def test_every_flushed_record_is_there_and_no_other(died: list[Left], suffix: str, quick_path: Path):
    path = quick_path / f"left{suffix}"
    records: list[bytes] = []
    for left in died:
        if left.append.seed % ROUNDS == 0:
            records = base_of(left.append.file)
        path.write_bytes(left.content)
        found, torn_bytes = read_perhaps_torn(str(path))
        written, flushed = left.append.written(), left.append.written(left.flushes)
        assert torn_bytes == len(left.content) - len(left.whole), left.append
        assert found[: len(records)] == records, left.append
        assert found[len(records) :] == written[: len(found) - len(records)], left.append
        assert len(found) >= len(records) + len(flushed), left.append
        records = found


def test_what_was_there_before_is_untouched(died: list[Left], suffix: str):
    for left in died:
        kept = left.before[: whole_bytes(left.before, suffix)]
        assert left.content.startswith(kept), left.append


def test_verify_says_what_is_left_over(died: list[Left], suffix: str, quick_path: Path):
    path = quick_path / f"left{suffix}"
    for left in died:
        path.write_bytes(left.content)
        report = octavo.verify(path)
        records, torn_bytes = read_perhaps_torn(str(path))
        assert report.record_count == len(records), left.append
        assert [one.record for one in report.damage] == [None] * (torn_bytes > 0), left.append


def test_trim_cuts_what_is_left_over(died: list[Left], suffix: str, quick_path: Path):
    path = quick_path / f"left{suffix}"
    for left in died:
        path.write_bytes(left.content)
        records, torn_bytes = read_perhaps_torn(str(path))
        assert octavo.trim(path) == torn_bytes, left.append
        assert path.read_bytes() == left.whole, left.append
        assert octavo.trim(path) == 0, left.append
        assert read_perhaps_torn(str(path)) == (records, 0), left.append


def test_the_next_append_goes_on_behind_what_is_whole(died: list[Left], suffix: str, quick_path: Path):
    path = quick_path / f"left{suffix}"
    for left in died:
        path.write_bytes(left.content)
        records, _ = read_perhaps_torn(str(path))
        with octavo.append(path) as writer:
            writer.write(MORE)
        assert path.read_bytes().startswith(left.whole), left.append
        assert read_perhaps_torn(str(path)) == ([*records, MORE], 0), left.append
        assert octavo.verify(path).ok, left.append


def test_recovery_saves_what_is_whole(died: list[Left], suffix: str, quick_path: Path):
    path, target = quick_path / f"left{suffix}", quick_path / f"saved{suffix}"
    for left in died:
        path.write_bytes(left.content)
        records, torn_bytes = read_perhaps_torn(str(path))
        report = octavo.recover(path, target, overwrite=True)
        assert (report.record_count, report.ok) == (len(records), torn_bytes == 0), left.append
        assert octavo.open(target, format=None).read_all() == records, left.append
        assert path.read_bytes() == left.content, left.append


# Files that were never finished.


def test_every_flushed_record_of_a_file_that_was_to_be_is_recovered(tmp_path: Path):
    unfinished = []
    for seeds, limited in ((range(60), False), (range(1000, 1040), True)):
        arguments = {"folder": tmp_path, "seeds": list(seeds), "limited": limited}
        ended = isolation.check(crashing.crash_creating, timeout_s=300, **arguments)
        for seed, flushes in json.loads(ended.output).items():
            creation, path, partial = crashing.Creation(int(seed)), tmp_path / seed, tmp_path / f"{seed}.partial"
            written, flushed = creation.written(), creation.written(flushes)
            if path.exists():
                assert octavo.open(path, format=creation.format).read_all() == written, creation
                continue
            if partial.exists() and partial.stat().st_size > 0:
                target = tmp_path / f"{seed}.recovered"
                octavo.recover(partial, target, format=creation.format)
                saved = octavo.open(target, format=creation.format).read_all()
                assert saved == written[: len(saved)], creation
                assert len(saved) >= len(flushed), creation
                unfinished.append(flushes)
            else:
                assert flushes == 0, creation
    assert {0, 1, 2} <= {*unfinished}

"""A power cut at any moment: what was acknowledged is there, and what was not is old, new, or told to be broken.

The disk is a model (powercut.py) of what the calls of a real writer promise, not a real one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import octavo
from tests.faults.injected import preloaded, recording, ways
from tests.faults.injected.aftermath import Recorded, losses
from tests.faults.injected.recording import Event

STATES = 300
LEAST_STATES = 60

CREATIONS = [(writing, way) for writing in recording.WRITINGS if writing.startswith("create") for way in ways.WAYS]
APPENDS = [("append", way) for way in ways.GROWING]
# A torn Riegeli file is refused: it has no end to go back to.
TORN_APPENDS = [("append to torn", way) for way in ways.GROWING if way != "riegeli"]


def record(injector: Path, folder: Path, writing: str, way: str) -> Recorded:
    number = preloaded.run(injector, recording.record, folder=folder, writing=writing, way=way)
    how = ways.WAYS[way]
    before = folder / "before"
    content = before.read_bytes() if before.exists() else None
    base: list[bytes] = []
    if content is not None:
        copy = folder / f"before{how.suffix}"
        copy.write_bytes(content)
        base = ways.contents(copy)
    after = (folder / "watched" / f"out{how.suffix}").read_bytes()
    events = recording.read_log((folder / "log").read_bytes())
    return Recorded(writing, how, number, content, after, events, base)


def losses_of(recorded: Recorded, events: list[Event], folder: Path, states: int) -> tuple[int, list[str]]:
    after = folder / "after"
    after.mkdir()
    return losses(recorded, events, after, states)


@pytest.mark.parametrize(("writing", "way"), CREATIONS + APPENDS + TORN_APPENDS)
def test_power_cut_loses_nothing_that_was_acknowledged(injector: Path, quick_path: Path, writing: str, way: str):
    recorded = record(injector, quick_path, writing, way)
    states, wrong = losses_of(recorded, recorded.events, quick_path, STATES)
    assert not wrong, f"{len(wrong)} of {states} states, such as\n" + "\n".join(wrong[:5])
    assert states >= LEAST_STATES


def test_lines_of_a_footer_are_not_recovered_as_records(tmp_path: Path):
    path, target = tmp_path / "out.array_record", tmp_path / "saved.array_record"
    records = [b"record %d " % number * 5 for number in range(63)]
    with octavo.create(path, group_size=8, codec="none") as writer:
        writer.write_many(records)
    content = bytearray(path.read_bytes())
    lost = content.index(b"record 56") // 512 * 512 - 512
    content[:lost] = bytes(lost)
    content[65536 : 65536 + 512] = bytes(512)
    path.write_bytes(content)
    octavo.recover(path, target)
    assert set(ways.contents(target)) <= set(records)


def test_flushed_half_group_is_recovered_where_the_chunk_that_completes_it_is_lost(tmp_path: Path):
    path, target = tmp_path / "out.array_record", tmp_path / "saved.array_record"
    with octavo.create(path, group_size=8) as writer:
        writer.write_many(recording.WRITTEN[:26])
        writer.flush()
        flushed_bytes = path.with_name(f"{path.name}.partial").stat().st_size
        writer.write_many(recording.WRITTEN[26:])
    content = bytearray(path.read_bytes())
    content[flushed_bytes + 4096 : flushed_bytes + 4608] = bytes(512)
    path.write_bytes(content)
    octavo.recover(path, target)
    assert ways.contents(target)[:26] == recording.WRITTEN[:26]


# A model in which nothing is ever lost shows nothing: here the writer's syncs are taken away.


def is_sync_of_a_file(event: Event) -> bool:
    return event.kind == "sync" and not event.name


def is_sync_of_the_folder(event: Event) -> bool:
    return event.kind == "sync" and bool(event.name)


@pytest.mark.parametrize("way", ways.WAYS)
@pytest.mark.parametrize("is_left_out", [is_sync_of_a_file, is_sync_of_the_folder])
def test_writer_that_does_not_sync_would_lose_records(
    injector: Path, quick_path: Path, way: str, is_left_out: Callable[[Event], bool]
):
    recorded = record(injector, quick_path, "create over another", way)
    events = [event for event in recorded.events if not is_left_out(event)]
    assert len(events) < len(recorded.events)
    assert losses_of(recorded, events, quick_path, STATES)[1]


@pytest.mark.parametrize("way", ways.GROWING)
def test_append_that_does_not_sync_would_lose_records(injector: Path, quick_path: Path, way: str):
    recorded = record(injector, quick_path, "append", way)
    events = [event for event in recorded.events if not is_sync_of_a_file(event)]
    assert losses_of(recorded, events, quick_path, STATES)[1]


def test_index_that_is_written_before_what_it_lists_is_synced_would_lose_records(injector: Path, quick_path: Path):
    recorded = record(injector, quick_path, "append", "array_record")
    syncs = [event for event in recorded.events if is_sync_of_a_file(event)]
    first_of_each_flush = {id(event) for event in syncs[::2]}
    events = [event for event in recorded.events if id(event) not in first_of_each_flush]
    wrong = losses_of(recorded, events, quick_path, 3 * STATES)[1]
    assert any("does not open" in problem or "records" in problem for problem in wrong)

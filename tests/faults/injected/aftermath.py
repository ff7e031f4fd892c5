"""What must hold of a folder after a power cut, whatever the disk kept."""

from __future__ import annotations

import dataclasses
import random
import warnings
from collections.abc import Iterable
from pathlib import Path

import octavo
from octavo.errors import FormatError, OctavoError, TornAppendWarning, UnsupportedError
from tests.faults.injected import ways
from tests.faults.injected.powercut import Disk, State
from tests.faults.injected.recording import TORN, WRITTEN, Event
from tests.faults.programs.lied_to import without_part

MORE = b"written after the power cut"


@dataclasses.dataclass(frozen=True)
class Recorded:
    """A writing, from its first call to its last."""

    writing: str
    way: ways.Way
    number: int
    before: bytes | None
    after: bytes
    events: list[Event]

    base: list[bytes]
    """The records of the file before."""

    @property
    def name(self) -> str:
        return f"out{self.way.suffix}"


@dataclasses.dataclass
class Promise:
    """What was acknowledged when the power went."""

    records: int = 0
    is_closed: bool = False

    def take(self, mark: str) -> None:
        self.is_closed |= mark == "closed"
        if mark.startswith("flushed"):
            self.records = int(mark.removeprefix("flushed "))


def losses(recorded: Recorded, events: Iterable[Event], folder: Path, most: int) -> tuple[int, list[str]]:
    """How many states were looked at, and what is wrong with them."""
    disk, promise = Disk(recorded.name, recorded.before, recorded.number), Promise()
    chance, seen, wrong = random.Random(recorded.name + recorded.writing), set(), []
    events = list(events)
    at_a_time = most // sum(event.kind == "write" for event in events)
    for at, event in enumerate(events):
        if event.kind == "mark":
            promise.take(event.name)
        else:
            disk.follow(event)
        for state in disk.states(chance, at_a_time):
            key = hash((promise.records, promise.is_closed, tuple(sorted(state.items()))))
            if key in seen:
                continue
            seen.add(key)
            try:
                check(recorded, promise, state, folder)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is told
                sizes = {name: len(content) for name, content in state.items()}
                wrong.append(f"after event {at} ({event.kind} {event.name}), {promise}, {sizes}: {error!r}")
    return len(seen), wrong


def check(recorded: Recorded, promise: Promise, state: State, folder: Path) -> None:
    """Raises what is wrong."""
    for path in folder.iterdir():
        path.unlink()
    for name, content in state.items():
        (folder / name).write_bytes(content)
    if recorded.writing.startswith("append"):
        check_append(recorded, promise, folder)
    else:
        check_create(recorded, promise, state, folder)


def check_create(recorded: Recorded, promise: Promise, state: State, folder: Path) -> None:
    """The old file or the new one, whole; and until it is the new one, what was flushed is recovered."""
    content = state.get(recorded.name)
    assert content in (recorded.before, recorded.after), "neither the old file nor the new one"
    if content == recorded.after:
        return
    assert not promise.is_closed, "closed, and not there"
    partial = folder / f"{recorded.name}.partial"
    if not promise.records and not partial.exists():
        return
    saved = recover(partial, folder / f"saved{recorded.way.suffix}", WRITTEN)
    safe = WRITTEN[: promise.records]
    assert saved[: promise.records] == safe, (
        f"recovery has lost {len([one for one in safe if one not in saved])} records"
    )


def recover(path: Path, target: Path, truth: list[bytes]) -> list[bytes]:
    """What can be saved: true records, in their order. Of what cannot be recovered at all, an error says so."""
    try:
        octavo.recover(path, target, overwrite=True)
    except FormatError as error:
        if path.name not in str(error):
            raise AssertionError(f"names no file: {error!r}") from error
        return []
    saved = ways.contents(target)
    odd = [record for record in without_part(saved, truth) if record not in TORN]
    assert not odd, f"records that nobody wrote: {odd[:3]}"
    return saved


def check_append(recorded: Recorded, promise: Promise, folder: Path) -> None:
    """What was there before, and what was flushed, is read, or recovered where the format has no end to go back to."""
    path, truth = folder / recorded.name, recorded.base + WRITTEN
    safe = len(truth) if promise.is_closed else len(truth) - len(WRITTEN) + promise.records
    saved = recover(path, folder / f"saved{recorded.way.suffix}", truth)
    assert saved[:safe] == truth[:safe], f"only {len(saved)} of {safe} records are recovered"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TornAppendWarning)
        try:
            reader = octavo.open(path)
        except OctavoError as error:
            if recorded.way.suffix != ".riegeli":
                raise AssertionError(f"does not open: {error!r}") from error
            return
        with reader:
            check_reading(reader, truth, safe)
        try:
            with octavo.append(path) as writer:
                writer.write(MORE)
        except (FormatError, UnsupportedError):
            return  # damage is not appended to
        with octavo.open(path) as reader:
            assert reader[-1] == MORE
            check_reading(reader, [*truth[: len(reader) - 1], MORE], safe)


def check_reading(reader: octavo.Reader, truth: list[bytes], safe: int) -> None:
    """Each record is right, or an error; and all that are safe are right."""
    assert len(reader) >= safe, f"{len(reader)} of {safe} records are there"
    assert reader.read_range(0, safe) == truth[:safe]
    for number in range(safe, len(reader)):
        try:
            record = reader[number]
        except OctavoError:
            continue
        assert truth[number : number + 1] == [record], f"record {number} is wrong"

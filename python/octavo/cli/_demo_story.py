"""What `octavo demo` does: octavo's main jobs, one after the other, on records that it makes up.

Everything that is claimed is checked, too: a demo that only prints would look the same when something is wrong.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
import random
import shutil
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import octavo
from octavo import _core
from octavo._wording import number, plural, size
from octavo.errors import ChecksumError, OctavoError

BATCH = 256
BATCHES = 100
GROUP_SIZE = 64
APPENDED = 1_000
TORN = b"\4\3\2\1"  # how a chunk begins, and no more
TASKS = 4
WORDS = ("batch", "chunk", "digest", "epoch", "file", "group", "header", "index", "label", "offset", "record", "shard")
FORMATS = {"train.ffr": "FFRecord", "train.array_record": "ArrayRecord", "train.recordio": "RecordIO"}

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Step:
    """Something that took time."""

    what: str
    records: int
    seconds: float


@dataclasses.dataclass(frozen=True)
class Check:
    """Something that must be so."""

    what: str
    ok: bool


@dataclasses.dataclass
class Story:
    """The demo, told line by line with `tell`."""

    folder: str
    tell: Callable[[str], None]
    records: list[bytes]
    digest: octavo.Digest
    steps: list[Step] = dataclasses.field(default_factory=list)
    checks: list[Check] = dataclasses.field(default_factory=list)
    recovered_records: int = 0
    lost_records: int = 0

    def run(self) -> None:
        """Tell all of it."""
        count, total = len(self.records), sum(map(len, self.records))
        self.tell(
            f"{plural(count, 'record')} of JSON, {size(total)}, made up for this. Their digest: {self.digest.ordered}"
        )
        for part in (self._write, self._convert, self._read, self._damage, self._grow, self._share):
            self.tell("")
            part()

    @property
    def ok(self) -> bool:
        """Whether all was as it must be."""
        return all(check.ok for check in self.checks)

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def _timed(self, what: str, records: int, work: Callable[[], T]) -> T:
        began = time.perf_counter()
        result = work()
        self.steps.append(Step(what, records, max(time.perf_counter() - began, 1e-9)))
        return result

    def _check(self, what: str, *, ok: bool) -> str:
        """Remember it, and say it in a word."""
        self.checks.append(Check(what, ok))
        return "yes" if ok else "NO"

    def _write(self) -> None:
        self.tell("Write them in three formats. A file appears under its name when it is whole.")
        for name, format_name in FORMATS.items():
            self._timed(f"write {format_name}", len(self.records), lambda name=name: self._write_one(name))  # type: ignore[misc]
            self.tell(f"  {name:<20} {size(os.path.getsize(self._path(name))):>8}  {_stored(self._path(name))}")

    def _write_one(self, name: str) -> None:
        group_size = GROUP_SIZE if name.endswith(".array_record") else None
        with octavo.create(self._path(name), group_size=group_size) as writer:
            writer.write_many(self.records)

    def _convert(self) -> None:
        self.tell("Convert each into the next, and the last into TFRecord. Each result is read back and compared.")
        chain = ["train.ffr", "converted.array_record", "converted.recordio", "converted.ffr", "converted.tfrecord"]
        names = ["FFRecord", "ArrayRecord", "RecordIO", "FFRecord", "TFRecord"]
        for at in range(len(chain) - 1):
            source, target = self._path(chain[at]), self._path(chain[at + 1])
            what = f"convert {names[at]} to {names[at + 1]}"
            report = self._timed(what, len(self.records), lambda: octavo.convert(source, target))  # noqa: B023 - called here
            same = self._check(f"{chain[at + 1]} has the digest of the records", ok=report.digest == self.digest)
            self.tell(f"  {chain[at]} to {chain[at + 1]}: the same digest? {same}")

    def _read(self) -> None:
        self.tell(f"Read batches of {BATCH} records at random, as training does.")
        picks = random.Random(8)  # noqa: S311 - which records are read is no secret
        count = len(self.records)
        batches = [[picks.randrange(count) for _ in range(BATCH)] for _ in range(BATCHES)]
        wanted = BATCH * BATCHES
        for name, format_name in FORMATS.items():
            with octavo.open(self._path(name)) as reader:
                self._timed(f"read, {format_name}", wanted, lambda: [reader.read(batch) for batch in batches])
                right = all(self.records[i] == one for i, one in zip(batches[0], reader.read(batches[0]), strict=True))
                answer = self._check(f"random batches of {name} are right", ok=right)
                self.tell(f"  {name:<20} right? {answer}")
        with octavo.open(self._path("train.ffr")) as reader:
            self._timed("read_batch, FFRecord", wanted, lambda: [reader.read_batch(batch) for batch in batches])
            self._timed("for record in reader, FFRecord", count, lambda: sum(1 for _ in reader))
        self.tell(
            "  reader.read gives a list of bytes; reader.read_batch one buffer, without an object for each record"
        )

    def _damage(self) -> None:
        damaged, saved = self._path("damaged.array_record"), self._path("recovered.array_record")
        self.tell("Damage a copy: one bit, in the middle of train.array_record.")
        first = _flip_a_bit(self._path("train.array_record"), damaged)
        with octavo.open(damaged) as reader:
            try:
                refused = f"not refused: {reader[first]!r}"
            except ChecksumError as error:
                refused = str(error).replace(os.path.join(os.path.abspath(self.folder), ""), "")
            self._check(f"record {first} is refused", ok=not refused.startswith("not refused"))
            self.tell(f"  reading record {number(first)}: {refused}")
        count = len(self.records)
        report = self._timed("verify, ArrayRecord", count, lambda: octavo.verify(damaged))
        harmed = sum(one.record_count for one in report.damage)
        self._check("verify finds the damage", ok=harmed > 0)
        self.tell(f"  verify: {plural(harmed, 'record')} damaged, in {plural(len(report.damage), 'place')}")
        rescue = self._timed("recover, ArrayRecord", count, lambda: octavo.recover(damaged, saved))
        self.recovered_records, self.lost_records = rescue.record_count, rescue.lost_count or 0
        left = _core.Digest()
        left.update(self.records[:first])
        left.update(self.records[first + harmed :])
        right = octavo.digest(saved) == octavo.Digest.of_native(left)
        answer = self._check("what is recovered is all that is intact", ok=right and self.lost_records == harmed)
        self.tell(
            f"  recover: {plural(self.recovered_records, 'record')} saved, {number(self.lost_records)} lost;"
            f" the digest of all others? {answer}"
        )

    def _grow(self) -> None:
        path = self._path("grown.recordio")
        shutil.copyfile(self._path("train.recordio"), path)
        more = [self.records[i % len(self.records)] for i in range(APPENDED)]
        self.tell(f"Append {plural(APPENDED, 'record')} to a RecordIO file, and crash while appending once more.")
        self._timed("append, RecordIO", APPENDED, lambda: _append(path, more))
        with open(path, "ab") as file:
            file.write(TORN)
        cut = octavo.trim(path)
        with octavo.open(path) as reader:
            right = cut == len(TORN) and len(reader) == len(self.records) + APPENDED and reader[-1] == more[-1]
        answer = self._check("a torn append costs nothing that was whole", ok=right)
        self.tell(f"  {plural(cut, 'byte')} of it cut off again; all that was whole is there? {answer}")

    def _share(self) -> None:
        self.tell(
            f"Cut train.recordio into {TASKS} tasks for workers. A task is a few bytes that open its records anywhere."
        )
        with octavo.open(self._path("train.recordio")) as reader:
            tasks = [pickle.dumps(task) for task in reader.partitions(TASKS)]
        parts = self._timed(
            f"read {plural(len(tasks), 'task')}, RecordIO", len(self.records), lambda: list(map(_done, tasks))
        )
        whole = _core.Digest()
        for part in parts:
            whole.join(part)
        answer = self._check("every record is in one task", ok=octavo.Digest.of_native(whole) == self.digest)
        self.tell(f"  {plural(len(tasks), 'task')}, every record in one of them? {answer}")


def made_up(count: int) -> Iterator[bytes]:
    """Records that compress about as text does, the same ones every time."""
    picks = random.Random(8)  # noqa: S311 - no secret
    for number_ in range(count):
        text = " ".join(picks.choices(WORDS, k=picks.randrange(10, 60)))
        yield json.dumps({"id": number_, "label": picks.randrange(10), "text": text}).encode()


def story(folder: str, count: int, tell: Callable[[str], None]) -> Story:
    """The demo, ready to run with so many records."""
    records = list(made_up(count))
    native = _core.Digest()
    native.update(records)
    return Story(folder, tell, records, octavo.Digest.of_native(native))


def _stored(path: str) -> str:
    with octavo.open(path) as reader:
        info = reader.info
    chunks = f", {plural(info.chunk_count, 'chunk')} of {info.codec}" if info.chunk_count else ""
    return f"{info.format}{chunks}"


def _flip_a_bit(path: str, copy: str) -> int:
    """Damage a copy in the middle of its middle chunk; says which record is the first of that."""
    with octavo.open(path) as reader:
        offset, length, first, _ = reader._chunk(reader._chunk_count // 2)  # noqa: SLF001 - part of the package
    shutil.copyfile(path, copy)
    with open(copy, "r+b") as file:
        file.seek(offset + length // 2)
        (byte,) = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 1]))
    return first


def _append(path: str, records: list[bytes]) -> None:
    with octavo.append(path) as writer:
        writer.write_many(records)


def _done(task: bytes) -> _core.Digest:
    digest = _core.Digest()
    with pickle.loads(task).open() as reader:  # noqa: S301 - made a moment ago
        digest.update(reader)
    return digest


class DemoError(OctavoError):
    """Something was not as it must be."""

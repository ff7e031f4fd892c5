"""octavo's main job in one minute: write a data set, read it in random batches, survive a damaged copy.

Then the same with ArrayRecord: compressed chunks, an append, and what is left of a file that lost its end. RecordIO
grows in small steps and is cut into tasks for other processes. TFRecord, compressed as a whole, is read at random.

Run it with `make demo`, or as `python examples/demo.py` where octavo and NumPy are installed.
"""

from __future__ import annotations

import pickle
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

import octavo

RECORDS = 100_000
RECORD_BYTES = 256
BATCH = 256
BATCHES = 400
STEPS = 20

T = TypeVar("T")
timings: list[tuple[str, int, float]] = []


def timed(what: str, records: int, work: Callable[[], T]) -> T:
    """Runs `work` and remembers how long it took for how many records."""
    began = time.perf_counter()
    result = work()
    timings.append((what, records, time.perf_counter() - began))
    return result


def write(path: Path, records: list[bytes], group_size: int | None = None) -> None:
    """Nothing is under the final name until the block ends, and nothing ever if it raises."""
    with octavo.create(path, group_size=group_size) as writer:
        writer.write_many(records)


def read_in_batches(reader: octavo.Reader, batches: list[list[int]]) -> int:
    """What a training loop does: any records, in any order, many at a time."""
    return sum(len(record) for batch in batches for record in reader.read(batch))


def read_as_buffers(reader: octavo.Reader, batches: list[list[int]]) -> int:
    """One buffer for a whole batch, and no object for each record."""
    return sum(reader.read_batch(batch).nbytes for batch in batches)


def damage(path: Path, copy: Path, record: int) -> None:
    """Flips one bit of the copy, in the middle of that record; the last records stand at the end of the file."""
    content = bytearray(path.read_bytes())
    content[len(content) - (RECORDS - record) * RECORD_BYTES + RECORD_BYTES // 2] ^= 1
    copy.write_bytes(content)


def append(path: Path, records: list[bytes]) -> None:
    """The old records are never written over."""
    with octavo.append(path) as writer:
        writer.write_many(records)


def tell_about_array_record(folder: Path, records: list[bytes], batches: list[list[int]]) -> None:
    """Compressed chunks: small files, quick random access all the same, and files that grow."""
    path = folder / "train.array_record"
    timed("ArrayRecord: write, 256 a chunk", RECORDS, lambda: write(path, records, group_size=256))
    with octavo.open(path) as reader:
        info = reader.info
        print(f"wrote {path.name}: {info.decoded_bytes:,} bytes as {info.encoded_bytes:,} in {info.chunk_count} chunks")
        wanted = BATCH * BATCHES
        timed(f"ArrayRecord: read, {BATCH} at random", wanted, lambda: read_in_batches(reader, batches))
        timed("ArrayRecord: read_all", RECORDS, reader.read_all)

    timed("ArrayRecord: append", 1_000, lambda: append(path, records[:1_000]))
    with octavo.open(path) as reader:
        print(f"appended: {len(reader):,} records, the last one is right: {reader[-1] == records[999]}")

    cut = folder / "cut.array_record"
    cut.write_bytes(path.read_bytes()[: info.encoded_bytes // 2])
    try:
        octavo.open(cut)
    except octavo.errors.UnfinishedFileError:
        print(f"{cut.name} has lost its second half and does not open")
    saved = folder / "saved.array_record"
    report = timed("ArrayRecord: recover", RECORDS // 2, lambda: octavo.recover(cut, saved))
    is_right = octavo.open(saved).read_all() == records[: report.record_count]
    print(f"  recovered {report.record_count:,} records from it; they are right: {is_right}")


def append_in_steps(path: Path, records: list[bytes]) -> None:
    """Each step is safe when `flush` returns; what a crash leaves behind it is cut off by the next append."""
    with octavo.append(path) as writer:
        for record in records:
            writer.write(record)
            writer.flush()


def run_tasks(tasks: list[bytes]) -> int:
    """What workers do: each task arrives as a pickle and opens its own records."""
    return sum(len(record) for task in tasks for record in pickle.loads(task).open())  # noqa: S301 - made below


def tell_about_recordio(folder: Path, records: list[bytes]) -> None:
    """Chunks and nothing else: files grow by a chunk, and tasks begin where chunks do."""
    path = folder / "log.recordio"
    timed("RecordIO: write, snappy", RECORDS, lambda: write(path, records))
    timed(f"RecordIO: append, {STEPS} flushes", STEPS, lambda: append_in_steps(path, records[:STEPS]))
    path.write_bytes(path.read_bytes() + b"\4\3\2\1 torn")
    print(f"a crash left {octavo.trim(path)} bytes behind {path.name}; they are cut off")
    with octavo.open(path) as reader:
        info = reader.info
        print(f"  {len(reader):,} records in {info.chunk_count} chunks of {info.codec}, dialect {info.dialect}")
        tasks = [pickle.dumps(task) for task in reader.partitions(max_records=RECORDS // 4)]
        total = timed(f"RecordIO: read, {len(tasks)} tasks", len(reader), lambda: run_tasks(tasks))
        is_right = total == sum(map(len, records)) + sum(map(len, records[:STEPS]))
        print(f"  {len(tasks)} tasks of {max(map(len, tasks))} bytes at most; every record is in one: {is_right}")


def tell_about_tfrecord(folder: Path, records: list[bytes], batches: list[list[int]]) -> None:
    """One gzip stream, and yet any record is near; an index beside the file saves decompressing it first."""
    path = folder / "train.tfrecord.gz"
    timed("TFRecord: write, gzip", RECORDS, lambda: write(path, records))
    timed("TFRecord: open, decompressing it", 1, lambda: octavo.open(path).close())
    (sidecar,) = octavo.write_index(path)
    with timed("TFRecord: open, with a sidecar", 1, lambda: octavo.open(path)) as reader:
        print(f"{path.name}: {reader.info.total_bytes:,} bytes, beside it {Path(sidecar).name}, {reader.info.sidecar=}")
        print(f"  record 54321 is right: {reader[54_321] == records[54_321]}")
        timed(f"TFRecord: read, {BATCH} at random", BATCH * BATCHES, lambda: read_in_batches(reader, batches))


def main() -> None:
    """Tells the story and prints the table."""
    picks = random.Random(8)
    records = [picks.randbytes(RECORD_BYTES) for _ in range(RECORDS)]
    batches = [[picks.randrange(RECORDS) for _ in range(BATCH)] for _ in range(BATCHES)]

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.ffr"
        timed("write", RECORDS, lambda: write(path, records))
        print(f"wrote {path.name}: {RECORDS:,} records of {RECORD_BYTES} bytes, {path.stat().st_size:,} bytes in all\n")

        with timed("open, whole index verified", 1, lambda: octavo.open(path)) as reader:
            print(f"opened: {len(reader):,} records, format {reader.info.format}")
            print(f"record 7 and the last one are right: {reader[7] == records[7] and reader[-1] == records[-1]}")
            print(f"a slice is a reader again: len(reader[10:20]) is {len(reader[10:20])}")
            batch = reader.read_batch([9, 4, 9_000])
            pixels = np.frombuffer(batch.data, dtype=np.uint8).reshape(len(batch), RECORD_BYTES)
            print(f"a batch is one buffer: offsets {batch.offsets.tolist()}, as an array {pixels.shape}")
            print(f"partitions for 4 workers: {[len(part) for part in reader.partitions(4)]}\n")

            wanted = BATCH * BATCHES
            timed(f"read, {BATCH} at random", wanted, lambda: read_in_batches(reader, batches))
            timed(f"read_batch, {BATCH} at random", wanted, lambda: read_as_buffers(reader, batches))
            timed("reader[i], at random", wanted, lambda: [reader[i] for indices in batches for i in indices])
            timed("read_all", RECORDS, reader.read_all)

        broken = Path(folder) / "broken.ffr"
        damage(path, broken, record=54_321)
        print(f"one bit of {broken.name} is flipped:")
        with octavo.open(broken) as reader:
            print(f"  its other records are still right: {reader[54_320] == records[54_320]}")
            try:
                reader[54_321]
            except octavo.errors.ChecksumError as error:
                print(f"  record {error.record} is refused: {error}")
        report = timed("verify", RECORDS, lambda: octavo.verify(broken))
        print(f"  verify read {report.record_count:,} records and found {len(report.damage)} damaged:")
        for found in report.damage:
            print(f"    record {found.record} at byte {found.offset}: {found.reason}")

        print()
        texts = [f"{number}: {picks.choice('abcdefgh') * (RECORD_BYTES // 2)}".encode() for number in range(RECORDS)]
        tell_about_array_record(Path(folder), texts, batches)
        print()
        tell_about_recordio(Path(folder), texts)
        print()
        tell_about_tfrecord(Path(folder), texts, batches)

    print(f"\n{'on this machine, once, as information':<40} {'seconds':>9} {'records/s':>12}")
    for what, count, seconds in timings:
        print(f"{what:<40} {seconds:>9.4f} {count / seconds:>12,.0f}")


if __name__ == "__main__":
    main()

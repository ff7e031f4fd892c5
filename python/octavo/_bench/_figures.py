"""What was measured, as numbers with names. Rates count records as users see them, not their compressed bytes."""

from __future__ import annotations

import dataclasses
from typing import Literal, TypeAlias

Use: TypeAlias = Literal["in_order", "at_random"]
Limit: TypeAlias = Literal["device", "decompression", "checksums", "cache", "objects"]
Goal: TypeAlias = Literal["random", "scan", "size", "read_batch", "blocks", "threads"]


@dataclasses.dataclass(frozen=True)
class Rate:
    """How quick something is, in its best round."""

    records_per_s: float
    bytes_per_s: float
    rounds: tuple[float, ...]
    """Records a second in each round. What was measured in turns is compared round by round."""


@dataclasses.dataclass(frozen=True)
class Setting:
    """How records can be stored."""

    format: str
    codec: str
    """With its level, as `octavo.create` takes it."""
    group_size: int | None = None
    max_chunk_bytes: int | None = None
    transpose: bool = False
    dialect: str | None = None
    options: str | None = None
    """What an ArrayRecord file says about its writing; stands for everything above."""


@dataclasses.dataclass(frozen=True)
class Subject:
    """The data set."""

    setting: Setting
    """How it is stored now."""
    file_count: int
    opened_files: int
    """Of a data set of very many or very large files some are opened, spread evenly."""
    record_count: int | None
    """None if not all files were opened, or not all of one."""
    total_bytes: int
    """Size of all files."""
    record_bytes: float
    """Mean size of a record."""
    chunk_bytes: float
    """Mean size of what is decoded for one record: of the records of a chunk, or of a record that stands alone."""
    stored_share: float
    """Bytes of the file for each byte of records."""
    is_cached: bool
    """Whether `octavo.open` keeps all of it decoded, once it was read."""
    opened_bytes: int | None = None
    """Of a very large file without an index the beginning is opened: how much of it; None if it was all."""
    has_sidecar: bool = False
    """Whether the index was found beside the files."""

    @property
    def shares_chunks(self) -> bool:
        """Whether several records are decoded to read one."""
        return self.chunk_bytes > 1.5 * self.record_bytes

    @property
    def decoded_bytes(self) -> float:
        """All records together, as far as the sample tells."""
        return self.total_bytes / self.stored_share


@dataclasses.dataclass(frozen=True)
class Machine:
    """Where it was measured."""

    cpus: int
    memory_bytes: int | None


@dataclasses.dataclass(frozen=True)
class Device:
    """What comes from storage, past the page cache. None where that cannot be told."""

    sequential_bytes_per_s: float | None
    """Of the file, not of records."""
    random_records_per_s: float | None
    """Records of random batches."""
    reason: str | None
    """Why something cannot be told."""


@dataclasses.dataclass(frozen=True)
class Threads:
    """Random batches read by so many Python threads at the same time."""

    threads: int
    rate: Rate


@dataclasses.dataclass(frozen=True)
class Measured:
    """The stages between storage and a Python object."""

    open_s: float
    device: Device
    page_cache_bytes_per_s: float | None
    """Bytes of the file out of memory; None where the system has no such call."""
    decode_all_cpus: Rate
    """Records in order, checked and decoded, without an object for each."""
    decode_one_cpu: Rate | None
    """The same on one CPU; None where a process cannot be held on one."""
    iterate: Rate
    """`for record in reader`."""
    read: Rate
    """`reader.read`, random batches."""
    read_batch: Rate
    """`reader.read_batch`, the same batches."""
    single: Rate
    """`reader[i]`, at random."""
    threads: tuple[Threads, ...]


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A setting that was tried with a sample of the data set's own records."""

    setting: Setting
    is_present: bool
    """Whether the data set is stored so now."""
    encoded_bytes: int
    """What the sample takes."""
    read_bytes: float
    """What has to be fetched of the file for one record by itself."""
    scan: Rate
    """`for record in reader`."""
    random: Rate
    """`reader.read`, random batches."""


@dataclasses.dataclass(frozen=True)
class Trial:
    """All candidates, tried with the same records."""

    record_count: int
    record_bytes: int
    candidates: tuple[Candidate, ...]
    """The present setting first."""
    left_out: str | None
    """Why there are none, or not all of them."""

    @property
    def present(self) -> Candidate | None:
        """How the data set is stored now."""
        return next((one for one in self.candidates if one.is_present), None)


@dataclasses.dataclass(frozen=True)
class Bottleneck:
    """What holds one use of the data set back."""

    use: Use
    limit: Limit
    records_per_s: float
    """What is to be had."""
    limit_in_memory: Limit | None = None
    """Where the device is the limit at first only: what it is once all files are in memory."""
    records_per_s_in_memory: float | None = None


@dataclasses.dataclass(frozen=True)
class Advice:
    """What could be done, and what that would give."""

    goal: Goal
    is_worth_it: bool
    """Whether the gain is beyond noise; if not, keep things as they are."""
    gain: float
    """How many times quicker, or how many times smaller if that is the goal."""
    setting: Setting | None = None
    """How to store the records, where that is the advice."""
    threads: int | None = None
    """How many threads to read with, where that is the advice."""
    predicted_bytes: float | None = None
    """Size of the data set then."""
    predicted_records_per_s: float | None = None
    """The rate then, at what the goal is about."""


@dataclasses.dataclass(frozen=True)
class BenchReport:
    """What `octavo bench` found. Without records there is nothing to measure."""

    subject: Subject
    machine: Machine
    sample_records: int
    sample_bytes: int
    batch: int
    """Records of a random batch: what was asked for, or less where these would take too much memory."""
    measured: Measured | None
    trial: Trial
    bottlenecks: tuple[Bottleneck, ...]
    advice: tuple[Advice, ...]

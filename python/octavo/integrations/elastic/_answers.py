"""What a job is, and what its dispatcher tells of it."""

from __future__ import annotations

import dataclasses

from octavo._partition import Partition
from octavo.errors import OctavoError


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a job is, beside its records."""

    folder: str
    epochs: int
    lease_s: float
    timeout_s: float | None
    max_attempts: int
    seed: int | None


@dataclasses.dataclass(frozen=True)
class Assignment:
    """A task for a worker, or why there is none."""

    is_finished: bool
    """Whether there will never be another."""
    epoch: int = 0
    task: int = 0
    task_count: int = 0
    attempt: int = 0
    partition: Partition | None = None
    """None if there is no task at present."""
    publishing_error: OctavoError | None = None
    """Why there may never be an end: every task is done, and a file of one cannot be given its name."""


@dataclasses.dataclass(frozen=True)
class Status:
    """How far a job is."""

    epoch: int
    """The epoch that runs, counted from 0; the last if all are over."""
    pending: int
    """Tasks of that epoch that wait for a worker."""
    leased: int
    """Tasks that workers have."""
    done: int
    """Tasks that were committed."""
    failed: int
    """Tasks that were given up."""
    unpublished: int
    """Tasks of any epoch that were committed and whose files do not have their names yet."""
    is_finished: bool
    """Whether every task of every epoch is done, with its files published, or has failed."""


@dataclasses.dataclass(frozen=True)
class Failure:
    """A task that was given up."""

    epoch: int
    task: int
    partition: Partition
    errors: tuple[str, ...]
    """What happened, attempt by attempt."""

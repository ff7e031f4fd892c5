"""What is known of a task, and whether what was read back is that."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, TypeAlias, get_args

from octavo.integrations.elastic._outputs import are_proper

State: TypeAlias = Literal["pending", "leased", "done", "failed"]
Key: TypeAlias = tuple[int, int]
"""Epoch and number of a task."""


@dataclasses.dataclass
class Entry:
    """What is known of one task in one epoch."""

    state: State = "pending"
    token: str | None = None
    """Of the lease, or of the attempt that was committed."""
    worker: str = ""
    attempts: int = 0
    """Attempts that count: begun, and not given back."""
    errors: list[str] = dataclasses.field(default_factory=list)
    """Why attempts failed, since somebody last asked for a retry."""
    result: Any = None
    outputs: list[list[str]] = dataclasses.field(default_factory=list)
    """Of the committed attempt: where each file waits, and what it will be called."""
    is_published: bool = True


def read_change(change: object, *, epochs: int, task_count: int) -> tuple[Key, Entry]:
    """The task that was changed, and what is known of it since.

    Raises:
        ValueError: No dispatcher of this job has written that.
    """
    if not isinstance(change, list) or len(change) != 3 or not isinstance(change[2], dict):  # noqa: PLR2004 - as written
        raise ValueError("a change has an epoch, a task, and what is known of it")
    epoch, task, fields = change
    if not (_is_count(epoch) and epoch < epochs and _is_count(task) and task < task_count):
        raise ValueError(f"there is no task {task!r} of epoch {epoch!r}")
    if unknown := fields.keys() - {field.name for field in dataclasses.fields(Entry)}:
        raise ValueError(f"nothing is called {min(unknown)!r}")
    entry = Entry(**fields)
    if wrong := next((name for name, is_right in _checks(entry).items() if not is_right), None):
        raise ValueError(f"{wrong} of task {task} of epoch {epoch} cannot be")
    return (epoch, task), entry


def _checks(entry: Any) -> dict[str, bool]:
    """What holds of every entry."""
    return {
        "state": entry.state in get_args(State),
        "token": isinstance(entry.token, str) or (entry.token is None and entry.state != "leased"),
        "worker": isinstance(entry.worker, str),
        "attempts": _is_count(entry.attempts),
        "errors": isinstance(entry.errors, list) and all(isinstance(error, str) for error in entry.errors),
        "outputs": are_proper(entry.outputs, entry.token),
        "is_published": isinstance(entry.is_published, bool),
    }


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0

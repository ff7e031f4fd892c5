"""What stands in the way of running a block, whatever it runs on, and the least that is done about it.

The text of a block is never changed. A line may be added where Python demands one, and a name may be given that the
block gets wrong. Names that a reader is expected to have (`pickle`, `epochs`) are no repairs: the steps give them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class Repair:
    """Lines that are added, by the line they come after, and names that are given."""

    why: str
    lines: Mapping[int, str] = dataclasses.field(default_factory=dict)
    names: Mapping[str, Any] = dataclasses.field(default_factory=dict)


# By document and block.
REPAIRS: dict[tuple[str, int], Repair] = {
    ("001", 3): Repair(
        "the loop goes over as many samples as were written, 100, but four have been read",
        names={"n": 4},
    ),
    ("001", 6): Repair(
        "the loop has nothing but a comment for a body: a line keeps the batch that is trained with",
        lines={8: "    trained.append((i, batch))"},
    ),
    ("003", 3): Repair(
        "the loop goes over as many samples as were written, 100, but four have been read",
        names={"n": 4},
    ),
    ("003", 4): Repair(
        "isinstance has lost a letter",
        names={"isintance": isinstance},
    ),
    ("003", 5): Repair(
        "the inner loop has nothing but a comment for a body: a line keeps the batch that is trained with",
        lines={13: "        trained.append((i, batch))"},
    ),
}


def repaired(text: str, lines: Mapping[int, str]) -> str:
    """The text with the lines added."""
    together = []
    for number, line in enumerate(text.splitlines(), 1):
        together.append(line)
        if number in lines:
            together.append(lines[number])
    return "\n".join(together) + "\n"

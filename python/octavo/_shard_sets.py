"""Data sets in shards that are not all there: `train-00001-of-00003` is, and `train-00002-of-00003` is not.

Their names say how many there are. A folder or a pattern takes those that it finds, and would pass over a lost one
without a word; `train@3` does not.
"""

from __future__ import annotations

import itertools
import os
import re
import warnings
from collections.abc import Callable, Iterable

from octavo.errors import MissingShardsWarning

_SHARD = re.compile(r"^(?P<stem>.*)-(?P<number>\d{5,19})-of-(?P<total>\d{5,19})(?P<rest>[^/\\]*)$", re.DOTALL)
_MOST_NAMED = 3


def warn_of_missing(where: str, names: Iterable[str], could_be: Callable[[str], bool] = lambda _: True) -> None:
    """Warn if shards are missing among the names, or if shards of different data sets are among them.

    Args:
        where: What was asked for, for the message.
        names: Of all files that were found.
        could_be: Whether a name would have been found: who asks for some shards is not told of the others.
    """
    found: dict[str, dict[int, dict[int, str]]] = {}
    for name in names:
        if shard := _SHARD.match(name):
            totals = found.setdefault(shard["stem"], {})
            totals.setdefault(int(shard["total"]), {})[int(shard["number"])] = name
    for stem, totals in found.items():
        if len(totals) > 1:
            several = " and ".join(str(total) for total in sorted(totals))
            message = f"{where}: shards of different data sets: {os.path.basename(stem)} is there of {several} shards"
            warnings.warn(message, MissingShardsWarning, stacklevel=2)
        for total, present in totals.items():
            _warn_of_one(where, total, present, could_be)


def names_instead(shard: str, names: Iterable[str]) -> str:
    """What to add to the message about a shard that is not there: by which names others are to be had, if any.

    Those are shards of another number, or such as have it on the other side of the suffix.

    Args:
        shard: The name of the shard.
        names: Of everything in its folder, each with the folder in front.
    """
    wanted = _SHARD.match(shard)
    if wanted is None:
        return ""
    found = {
        f"{one['stem']}@{int(one['total'])}{one['rest']}"
        for one in map(_SHARD.match, names)
        if one and one["stem"] + one["rest"] == wanted["stem"] + wanted["rest"]
    }
    others = sorted(found - {f"{wanted['stem']}@{int(wanted['total'])}{wanted['rest']}"})
    return f"; there are shards of {' and '.join(others[:_MOST_NAMED])}" if others else ""


def _warn_of_one(where: str, total: int, present: dict[int, str], could_be: Callable[[str], bool]) -> None:
    # However many the names claim: past the last one that is there, all are missing.
    absent = (number for number in range(total) if number not in present)
    example = next(iter(present.values()))
    missing = [_sibling(example, number) for number in itertools.islice(absent, _MOST_NAMED)]
    if not missing or not could_be(missing[0]):
        return
    count = total - sum(number < total for number in present)
    named = ", ".join(os.path.basename(name) for name in missing)
    more = f" and {count - len(missing)} more" if count > len(missing) else ""
    message = f"{where}: {count} of {total} shards are missing: {named}{more}"
    warnings.warn(message, MissingShardsWarning, stacklevel=2)


def _sibling(name: str, number: int) -> str:
    """The name of another shard of the same data set."""
    start, end = _SHARD.match(name).span("number")  # type: ignore[union-attr]  # it has matched before
    return f"{name[:start]}{number:0{end - start}d}{name[end:]}"

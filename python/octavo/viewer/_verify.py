"""Verifying what is looked at."""

from __future__ import annotations

from typing import Any

from octavo._verify import Damage, examine
from octavo.errors import OctavoError
from octavo.viewer._events import Emit, Pace, Work
from octavo.viewer._opened import Opened

_CHANGED = "there are other records in the files than when they were opened: start the viewer again"
_MOST_TOLD = 10_000  # damaged places


def verify(opened: Opened) -> Work:
    """Read and check every record of every file; those that could not be opened are told as well."""

    def work(emit: Emit) -> None:
        report = examine(opened.inputs, opened.format, Pace(emit), _let_pass, io="pread")
        numbers = {path: number for number, path in enumerate(opened.reader.paths)}
        told = [_as_json(one, numbers) for one in report.damage[:_MOST_TOLD]]
        more = len(report.damage) - len(told)
        is_whole = all(one.record is not None for one in report.damage)
        if is_whole and report.record_count != len(opened.reader):
            told.insert(0, _as_json(Damage(opened.title, None, None, _CHANGED, 0), numbers))
        emit(
            {
                "end": {
                    "record_count": report.record_count,
                    "file_count": report.file_count,
                    "damaged_count": report.damaged_count,
                    "damage": told,
                    "more": more,
                }
            }
        )

    return work


def _let_pass(_error: OctavoError) -> bool:
    """A file that cannot be opened is damage, whatever the reason."""
    return False


def _as_json(damage: Damage, numbers: dict[str, int]) -> dict[str, Any]:
    return {
        "path": damage.path,
        "file": numbers.get(damage.path),
        "record": damage.record,
        "record_count": damage.record_count,
        "offset": damage.offset,
        "reason": damage.reason,
    }

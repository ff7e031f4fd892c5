"""`WriteToArrayRecord`, a sink of ArrayRecord files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo.compat.array_record.beam._lazy import beam_class

if TYPE_CHECKING:
    from octavo.compat.array_record.beam._sink import WriteToArrayRecord

__all__ = ["WriteToArrayRecord"]


def __getattr__(name: str) -> type:
    """Import Beam when the class is asked for, as it is made of a class of Beam's."""
    if name in __all__:
        return beam_class("octavo.compat.array_record.beam._sink", name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)

"""`ConvertToArrayRecordGCS`, which writes the records of each source file into an ArrayRecord file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo.compat.array_record.beam._lazy import beam_class

if TYPE_CHECKING:
    from octavo.compat.array_record.beam._convert import ConvertToArrayRecordGCS

__all__ = ["ConvertToArrayRecordGCS"]


def __getattr__(name: str) -> type:
    """Import Beam when the class is asked for, as it is made of a class of Beam's."""
    if name in __all__:
        return beam_class("octavo.compat.array_record.beam._convert", name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)

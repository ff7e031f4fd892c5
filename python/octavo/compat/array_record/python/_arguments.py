"""What the original's constructors take as text."""

from __future__ import annotations

import os


def as_text(value: object, name: str) -> str:
    """A path or a text of options: `str`, `bytes`, or anything that stands for a path."""
    if isinstance(value, str | bytes | os.PathLike):
        return os.fsdecode(value)
    raise TypeError(f"__init__(): incompatible constructor arguments: {name} is a str, not {type(value).__name__}")

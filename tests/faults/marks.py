"""Whether files can be marked as flushed: not every file system has attributes for that."""

from __future__ import annotations

import os
from pathlib import Path


def has_marks(folder: Path | str) -> bool:
    """Whether files in this folder can be."""
    if not hasattr(os, "setxattr"):
        return False
    try:
        os.setxattr(folder, "user.octavo.test", b"1")
    except OSError:
        return False
    return True

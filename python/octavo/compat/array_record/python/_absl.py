"""absl's flags and logging where absl is installed, and what stands in for them where it is not."""

from __future__ import annotations

import importlib
import logging as standard_logging
from types import SimpleNamespace
from typing import Any


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


flags: Any = _imported("absl.flags")
logging: Any = _imported("absl.logging") or standard_logging.getLogger("array_record")

# The original's flags by name: what stands where nobody has set one, and what they do here.
_FLAGS: dict[str, tuple[int | None, str]] = {
    "grain_num_threads_computing_num_records": (64, "No effect: files are opened by as many threads as are useful."),
    "grain_num_threads_fetching_records": (64, "Threads that read files one by one, where not all can be opened."),
    "array_record_reader_pool_size": (None, "No effect: one reader serves all threads."),
}


def defined_flag(name: str) -> Any:
    """One of the original's flags; defined here, unless the original has done so. It may still do so later."""
    default, meaning = _FLAGS[name]
    if flags is None:
        return SimpleNamespace(name=name, value=default, default=default)
    if name not in flags.FLAGS:
        return flags.DEFINE_integer(name, default, meaning, allow_override=True)
    return flags.FlagHolder(flags.FLAGS, flags.FLAGS[name])


def flag_value(flag: Any) -> int | None:
    """What a flag was set to; its default before flags are parsed, or without absl."""
    value: int | None = flag.value if flags is None else flags.FLAGS[flag.name].value
    return value

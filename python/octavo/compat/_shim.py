"""What the distributions in `shims/` do when their name is imported."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import PackageNotFoundError, distribution

from octavo.compat._imports import activate


def take_over(name: str, *originals: str) -> None:
    """Put octavo's drop-in in the place of the module that calls this.

    Args:
        name: The import name.
        originals: Distributions with the same import name. Beside one of them nobody could tell whose files are whose.
    """
    for original in originals:
        if _is_installed(original):
            ours = f"octavo-{name.replace('_', '-')}"
            message = (
                f"{ours} and {original} are both installed, and both are imported as {name}. Keep one of them: "
                f"`pip uninstall {original}` and then `pip install --force-reinstall --no-deps {ours}`, or "
                f"`pip uninstall {ours}` and then `pip install --force-reinstall --no-deps {original}`; "
                f'octavo.compat.activate("{name}") lets octavo serve beside the original without {ours}'
            )
            raise ImportError(message, name=name)
    del sys.modules[name]  # the module that is being imported: it is no original
    activate(name)
    sys.modules[name] = importlib.import_module(f"octavo.compat.{name}")


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True

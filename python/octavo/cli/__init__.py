"""The command line: `octavo`, or `python -m octavo`. Needs `octavo[cli]`.

One file for each command, named like it and imported only when it is called. `_app` puts them together, `_terminal` is
the way to the outside, `_render` makes text of what was found, `_arguments` holds what several commands take.
The contract (docs/cli/index.md): results on standard output, all else on standard error, and an exit status that
scripts can rely on.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command that `sys.argv` names, and exit."""
    if sys.stdout is None:  # closed by whoever has started this; a result must not vanish silently
        sys.exit("octavo: standard output is closed")
    try:
        from octavo.cli._app import app  # noqa: PLC0415 - says what is missing instead of a traceback
    except KeyboardInterrupt:
        sys.exit(130)  # as `_failures` has it
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] not in {"typer", "rich"}:
            raise
        sys.exit(f"octavo: the command line needs {error.name}: pip install 'octavo[cli]'")
    try:
        app(prog_name="octavo")
    except KeyboardInterrupt:  # while the command is put together; one that runs tells it itself
        sys.exit(130)

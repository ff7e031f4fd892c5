"""Commands on files that lie, measured as calls are: an exit status that means something, and never a traceback."""

from __future__ import annotations

import functools
import os
from pathlib import Path

from typer.testing import CliRunner

from octavo.cli._app import app
from tests.faults.lies.sweeps import SWEEPS
from tests.faults.programs.bounded import Meter, clear, demand, warmed

EVERY = 197
"""A command takes ten times as long as a call."""
STATUSES = {0, 1, 3}
COMMANDS = {
    "info": ("info",),
    "ls": ("ls",),
    "count": ("count",),
    "verify": ("verify",),
    "head": ("head", "-n", "2"),
    "digest": ("digest",),
    "partitions": ("partitions", "--count", "2"),
}


def _command(arguments: tuple[str, ...], path: str) -> None:
    ended = CliRunner().invoke(app, [arguments[0], path, *arguments[1:]])
    failure = ended.exception if not isinstance(ended.exception, SystemExit) else None
    demand(what_holds=failure is None, otherwise=f"{type(failure).__name__}: {failure}")
    demand(what_holds=ended.exit_code in STATUSES, otherwise=f"status {ended.exit_code}: {ended.output[:200]}")
    demand(what_holds="Traceback" not in ended.output and "panicked" not in ended.output, otherwise=ended.output[:200])
    demand(what_holds=bool(ended.output.strip()), otherwise="not a word")


def command_every_so_many(folder: str, progress: str) -> None:
    """Some files of every sweep, a different stretch of each."""
    warmed(folder)
    meter, count = Meter(), 0
    with open(progress, "wb", buffering=0) as told:
        for at, (name, sweep) in enumerate(SWEEPS.items()):
            for number, (case, content) in enumerate(sweep.cases()):
                if number % EVERY != at % EVERY or sweep.twin is None:
                    continue
                count += 1
                path = os.path.join(folder, f"liar{sweep.suffix}")
                Path(path).write_bytes(content)
                for operation, arguments in COMMANDS.items():
                    told.write(f"{name}: {case}: octavo {operation}\n".encode())
                    meter.run(f"{name}: {case}: octavo {operation}", functools.partial(_command, arguments, path))
                clear(folder)
    meter.tell(cases=count)

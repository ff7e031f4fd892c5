"""Every Python block of the originals' user documents runs on the drop-ins as it stands.

Imports are redirected with `octavo.compat.activate`, which is for a whole process: so blocks run in processes of their
own (`program.py`), one for each document and one for each framework that is slow to import.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.compat.documents import (
    array_record_guide,
    array_record_page,
    extract,
    ffrecord_newer_readme,
    ffrecord_older_readme,
    layouts,
    recordio_readme,
)
from tests.compat.documents.page import Document, Step
from tests.compat.documents.repairs import REPAIRS, repaired

MODULES = [recordio_readme, ffrecord_older_readme, array_record_guide, ffrecord_newer_readme, array_record_page]
DOCUMENTS: dict[str, Document] = {module.DOCUMENT.number: module.DOCUMENT for module in MODULES}
TIMEOUT_S = 240

Outcomes = dict[int, str | None]  # by number of the block: what went wrong


def _absent(document: Document) -> list[pytest.MarkDecorator]:
    return [] if extract.path_of(document.number) else [pytest.mark.skip(reason=extract.ABSENT)]


def _documents() -> list[Any]:
    return [pytest.param(document, id=number, marks=_absent(document)) for number, document in DOCUMENTS.items()]


def _steps() -> list[Any]:
    return [
        pytest.param(module, step, id=f"{module.DOCUMENT.number}-{step.block}-{step.check.__name__}", marks=marks)
        for module in MODULES
        for step in sorted(module.DOCUMENT.steps, key=lambda step: step.block)
        for marks in [_absent(module.DOCUMENT)]
    ]


def _missing(step: Step) -> list[str]:
    return [framework for framework in step.needs if find_spec(framework) is None]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[ModuleType, str], Outcomes]:
    """What the blocks of one process came to. It is started when the first of them is asked for."""

    @functools.cache
    def outcomes_of(module: ModuleType, process: str) -> Outcomes:
        blocks = [step.block for step in module.DOCUMENT.steps if step.process == process and not _missing(step)]
        folder = tmp_path_factory.mktemp(process)
        written = folder.with_suffix(".outcomes")
        written.touch()
        crash = _crash([module.__name__, process, ",".join(map(str, blocks)), str(written)], folder)
        told = dict(json.loads(line) for line in written.read_text(encoding="utf-8").splitlines())
        untold = crash or "the process ended without a word about this block"
        return {block: told.get(block, untold) or crash for block in blocks}

    return outcomes_of


def _crash(arguments: list[str], folder: Path) -> str | None:
    """Runs `program.py`, and tells if it did not end well, by itself and in time."""
    search_path = [str(extract.ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [sys.executable, "-m", "tests.compat.documents.program", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(search_path)}
    try:
        ended = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"still running after {TIMEOUT_S} s"
    return f"ended with {ended.returncode}\n{ended.stderr[-4000:].decode()}" if ended.returncode else None


@pytest.mark.parametrize(("module", "step"), _steps())
def test_block_runs_as_it_stands(
    module: ModuleType, step: Step, outcomes: Callable[[ModuleType, str], Outcomes]
) -> None:
    if missing := _missing(step):
        pytest.skip(f"this block uses {', '.join(missing)}: 'make test EXTRAS=all' installs it")
    if error := outcomes(module, step.process)[step.block]:
        pytest.fail(error, pytrace=False)


@pytest.mark.parametrize("document", _documents())
def test_every_block_of_a_document_is_accounted_for(document: Document) -> None:
    blocks = document.blocks()
    run = [step.block for step in document.steps]
    assert sorted([*run, *document.not_python]) == list(range(len(blocks)))
    assert sorted(run) == [number for number, block in enumerate(blocks) if block.language == "python"]


@pytest.mark.skipif(extract.path_of("004") is None, reason=extract.ABSENT)
def test_no_python_stands_between_the_blocks_of_the_page_without_fences() -> None:
    text = array_record_page.DOCUMENT.text()
    assert list(extract.python_outside(text, layouts.ARRAY_RECORD_PAGE)) == []
    lines = ["", *text.split("\n")]  # counted from 1
    assert not any(lines[first - 1] or lines[last + 1] for first, last, _ in layouts.ARRAY_RECORD_PAGE)


@pytest.mark.parametrize("document", _documents())
def test_repairs_are_for_what_no_implementation_could_run(document: Document) -> None:
    blocks = document.blocks()
    for number in [step.block for step in document.steps]:
        repair = REPAIRS.get((document.number, number))
        text = blocks[number].text
        if repair and repair.lines:
            with pytest.raises(SyntaxError):
                ast.parse(text)
            ast.parse(repaired(text, repair.lines))
        elif not text.startswith(">>>"):
            ast.parse(text)
        for name in repair.names if repair else ():
            assert name in {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}

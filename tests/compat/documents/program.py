"""Runs steps of one document in a process of their own: `program.py MODULE PROCESS BLOCKS OUTCOMES`.

The working directory is where the blocks find and leave their files. For every block, a line of JSON is added to the
file of outcomes: its number, and what went wrong or null.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import sys
import traceback
import warnings
from pathlib import Path

import octavo.compat
from tests.compat.documents.page import Document, Page, Step

# About the machine and not about what runs on it.
_EXPECTED_WARNINGS = ("This DataLoader will create", "This process .* is multi-threaded")


def run(document: Document, process: str, numbers: set[int], outcomes: Path) -> None:
    """Runs the chosen blocks of one process, in the order of the document."""
    octavo.compat.activate(document.original)
    redirected = importlib.import_module(document.original).__name__
    assert redirected == f"octavo.compat.{document.original}", redirected
    multiprocessing.set_start_method("fork")  # classes of a document are in no module that a new interpreter can import
    page = Page(document)
    steps = [step for step in document.steps if step.process == process and step.block in numbers]
    with outcomes.open("w", encoding="utf-8") as file:
        for step in steps:
            file.write(json.dumps([step.block, error_of(step, page)]) + "\n")
            file.flush()  # before anything forks


def error_of(step: Step, page: Page) -> str | None:
    """What went wrong in a step."""
    for framework in step.needs:
        importlib.import_module(framework)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for message in _EXPECTED_WARNINGS:
                warnings.filterwarnings("ignore", message=message)
            step.check(page)
    except Exception:  # noqa: BLE001 - whatever it is, the test is told
        return traceback.format_exc()
    return None


if __name__ == "__main__":
    module, process, blocks, outcomes = sys.argv[1:]
    del sys.argv[1:]  # the beam pipelines look for their options there
    run(importlib.import_module(module).DOCUMENT, process, set(map(int, blocks.split(","))), Path(outcomes))

"""What becomes of the blocks of pages that neither `test_docs.py` nor `cli/test_docs_pages.py` runs.

A block is in one of these languages, or the page is wrong:

* `python`, `console`: run, and what they show is compared (in those two modules).
* `py`: a program of its own, run here as one; what a `print` says stands behind it as a comment.
* `sh`: commands that take too long, change too much or need somebody else's machine. They are parsed here.
* `json`, `toml`: parsed.
* `text` or none: drawings, bytes, rules. Not commands, unless `SHOWN` says why.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.imports import originals_out_of_sight
from tests.test_docs import ROOT, imports_missing, run_block

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[^\n]*)\n(?P<code>.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL)
LANGUAGES = {"python", "console", "py", "sh", "json", "toml", "text", ""}
TIMEOUT_S = 120
NO_PROGRAM = {"docs/guide/torch.md": "needs a GPU; benchmarks/device.py runs the same"}
SHOWN = {
    "docs/cli/bench.md": "figures of some machine; tests/cli/test_bench.py runs the command",
    "docs/guide/training.md": "takes a minute; tests/integrations/test_examples.py runs it",
}
ELSEWHERE = {
    "ssh -L 8765:localhost:8765 server octavo view --no-browser --port 8765 /data/train.array_record": "two machines"
}


class Block(NamedTuple):
    """A block of a page."""

    page: str
    line: int
    language: str
    code: str


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start("code")) + 1
        name = page.relative_to(ROOT).as_posix()
        yield Block(name, line, match["language"].strip(), textwrap.dedent(match["code"]))


PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")])
BLOCKS = [block for page in PAGES for block in blocks_of(page)]


def in_language(*languages: str) -> Any:
    found = [block for block in BLOCKS if block.language in languages]
    return pytest.mark.parametrize("block", found, ids=[f"{block.page}:{block.line}" for block in found])


def test_every_block_is_in_a_language_that_is_looked_at():
    assert [(block.page, block.line) for block in BLOCKS if block.language not in LANGUAGES] == []


def test_blocks_that_run_stand_on_pages_that_are_run():
    others = [block for block in BLOCKS if not block.page.startswith(("docs/", "README.md"))]
    assert [(block.page, block.line) for block in others if block.language in {"python", "console", "py"}] == []


def test_every_reason_is_about_something():
    silent = {block.page for block in BLOCKS if block.language == "py" and not re.search("__main__|print", block.code)}
    assert silent == set(NO_PROGRAM)
    shown = [block.page for block in BLOCKS if block.language in {"text", ""} and has_commands(block.code)]
    assert sorted(shown) == sorted(SHOWN)
    commands = {command for block in BLOCKS if block.language == "sh" for command in commands_of(block.code)}
    assert commands >= set(ELSEWHERE)


def has_commands(code: str) -> bool:
    return any(line.startswith(("$ ", "octavo ", "pip ", "make ", "python ")) for line in code.splitlines())


@in_language("json")
def test_json_is_json(block: Block):
    try:
        json.loads(block.code)
    except json.JSONDecodeError:  # or one value a line
        for line in block.code.splitlines():
            json.loads(line)


@in_language("toml")
def test_toml_is_toml(block: Block):
    assert tomllib.loads(block.code)


def commands_of(code: str) -> list[str]:
    joined = code.replace("\\\n", " ")
    return [" ".join(line.split(" #")[0].split()) for line in joined.splitlines() if line.strip()]


@in_language("sh")
def test_commands_are_ones_that_exist(block: Block):
    for command in commands_of(block.code):
        if command not in ELSEWHERE:
            check_command(shlex.split(command))


def check_command(words: list[str]) -> None:
    if words[0] == "octavo":
        check_octavo(words[1:])
    elif words[0] == "make":
        targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
        assert words[1] in targets
    elif words[:2] == ["python", "-m"]:
        module = ROOT.joinpath(*words[2].split(".")).with_suffix(".py")
        source = module.read_text(encoding="utf-8")
        assert [word for word in words[3:] if word.startswith("--") and f'"{word}"' not in source] == []
    elif "pip" in words:
        check_pip(words)
    else:
        pytest.fail(f"nobody knows how to check {shlex.join(words)}")


def check_octavo(arguments: list[str]) -> None:
    """Parsed as the program would, and not run."""
    pytest.importorskip("typer", reason="the command line needs typer: 'make test EXTRAS=all' installs it")
    import typer.main

    from octavo.cli._app import app

    group: Any = typer.main.get_command(app)
    context = group.make_context("octavo", list(arguments))
    name, command, rest = group.resolve_command(context, arguments)
    command.make_context(name, rest, parent=context)


def check_pip(words: list[str]) -> None:
    """Extras and groups are those of the project, and folders are there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    text = " ".join(words)
    extras = {name for found in re.findall(r"\[([a-z,]+)\]", text) for name in found.split(",")}
    assert extras <= set(project["project"]["optional-dependencies"])
    assert set(re.findall(r"--group (\S+)", text)) <= set(project["dependency-groups"])
    assert [
        path for path in re.findall(r"(?:^| )(\./\S+|\S+/requirements\.txt)", text) if not (ROOT / path).exists()
    ] == []


def test_wrong_commands_are_found():
    for wrong in ("make nothing", "python -m benchmarks.run --never", "pip install 'octavo[never]'", "tar xf a.tar"):
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            check_command(shlex.split(wrong))


def test_a_wrong_option_of_octavo_is_found():
    with pytest.raises(Exception, match="No such option: --never"):
        check_octavo(["info", "train.ffr", "--never"])


PROGRAMS = [block for block in BLOCKS if block.language == "py" and block.page not in NO_PROGRAM]


@pytest.mark.slow
@pytest.mark.usefixtures("working_folder")
@pytest.mark.parametrize("program", PROGRAMS, ids=[block.page for block in PROGRAMS])
def test_a_program_prints_what_stands_behind_its_prints(program: Block, tmp_path: Path):
    before = [block for block in BLOCKS if block.page == program.page and block.line < program.line]
    files_made_by = [block for block in before if block.language == "python"]
    if missing := imports_missing("\n".join(block.code for block in [*files_made_by, program])):
        pytest.skip(f"{program.page} uses {missing}, which is not installed: 'make test EXTRAS=all' installs it")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with originals_out_of_sight():
        for block in files_made_by:
            run_block(block.code, block.line - 1, block.page, namespace)
    written = tmp_path / "program.py"
    written.write_text(program.code, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, written], capture_output=True, text=True, timeout=TIMEOUT_S, check=False, cwd=tmp_path
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == re.findall(r"print\(.*\) +# (.*)", program.code)

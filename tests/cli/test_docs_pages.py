"""Every ```console block of README.md and docs/ is run, and what it shows is compared with what really comes.

The blocks of a page share one folder, in order. Its ```python blocks run there as well, each in its turn, and
make the files that the commands look at. In what a page shows, `...` inside a line stands for anything within
that line, and a line that is just `...` for any lines.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import TIMEOUT_S, clean_environment
from tests.imports import originals_out_of_sight
from tests.test_docs import STANDING_ALONE, imports_missing, run_block

ROOT = Path(__file__).parent.parent.parent
BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<language>python|console)[^\n]*\n(?P<code>.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL
)
PAGES = [
    page.relative_to(ROOT).as_posix()
    for page in sorted([*ROOT.glob("README.md"), *ROOT.glob("docs/**/*.md")])
    if "```console" in page.read_text(encoding="utf-8")
]


def blocks(text: str) -> Iterator[tuple[str, str, int]]:
    """Language, code and first line of each block."""
    for match in BLOCK.finditer(text):
        yield match["language"], textwrap.dedent(match["code"]), text.count("\n", 0, match.start("code")) + 1


def steps(code: str, first_line: int) -> Iterator[tuple[str, str, int]]:
    """Command, what it shows, and line, of each `$ ` line of a block. A `\\` at its end continues a command."""
    command, shown, line = "", "", 0
    is_continued = False
    for number, text in enumerate(code.splitlines(keepends=True), first_line):
        if is_continued:
            command += text
        elif text.startswith("$ "):
            if command:
                yield command, shown, line
            command, shown, line = text[2:], "", number
        else:
            assert command, f"line {number}: a console block begins with a '$ ' line"
            shown += text
            continue
        is_continued = text.endswith("\\\n")
    if command:
        yield command, shown, line


def fits(shown: str, told: str) -> bool:
    """Whether output is what the page shows, `...` aside."""
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line == "...\n" else r"[^\n]*?".join(map(re.escape, line.split("...")))
        for line in shown.splitlines(keepends=True)
    )
    return re.fullmatch(pattern, told) is not None


def run_bash(command: str, programs: Path) -> str:
    """What a command writes to both of its outputs."""
    environment = clean_environment()
    environment["PATH"] = f"{programs}{os.pathsep}{environment['PATH']}"
    ended = subprocess.run(
        ["bash", "-c", command],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="backslashreplace",
        timeout=TIMEOUT_S,
        check=False,
    )
    return ended.stdout


def check_page(text: str, name: str, programs: Path) -> None:
    """In the working directory, which is the page's own folder."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for language, code, line in blocks(text):
        if language == "python":
            if name in STANDING_ALONE and imports_missing(code):
                continue
            with originals_out_of_sight():
                run_block(code, line - 1, name, namespace)
            continue
        for command, shown, number in steps(code, line):
            told = run_bash(command, programs)
            if not fits(shown, told):
                raise AssertionError(f"{name}:{number}: $ {command}shows:\n{shown}but gives:\n{told}")


@pytest.fixture(name="programs")
def folder_of_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the PATH in which `octavo` and `python` are those of this process."""
    if shutil.which("bash") is None:
        pytest.skip("the commands of pages are for bash, which is not here")
    folder = tmp_path_factory.mktemp("programs")
    for name, command in (("octavo", "-m octavo "), ("python", "")):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {command}"$@"\n', encoding="utf-8")
        program.chmod(0o755)
    return folder


@pytest.mark.usefixtures("working_folder")
@pytest.mark.parametrize("page", PAGES)
def test_every_console_block_of_a_page_shows_what_really_comes(page: str, programs: Path):
    text = (ROOT / page).read_text(encoding="utf-8")
    python = "\n".join(code for language, code, _ in blocks(text) if language == "python")
    if page not in STANDING_ALONE and (missing := imports_missing(python)):
        pytest.skip(f"{page} uses {missing}, which is not installed: 'make test EXTRAS=all' installs it")
    check_page(text, page, programs)


@pytest.mark.usefixtures("working_folder")
def test_a_wrong_line_is_found(programs: Path):
    python = "```python\nfrom pathlib import Path; Path('made').write_text('here')\n```\n"
    console = "```console\n$ cat made; echo\nhere\n$ echo two\nthree\n```\n"
    with pytest.raises(AssertionError, match=r"page\.md:7: \$ echo two\nshows:\nthree\nbut gives:\ntwo\n"):
        check_page(python + console, "page.md", programs)


@pytest.mark.usefixtures("working_folder")
def test_a_block_about_an_absent_framework_is_passed_over_only_where_blocks_stand_alone(programs: Path):
    text = "```python\nimport no_such_framework\n```\n\n```console\n$ echo two\nthree\n```\n"
    with pytest.raises(AssertionError, match="echo two"):
        check_page(text, "docs/start.md", programs)
    with pytest.raises(ModuleNotFoundError):
        check_page(text, "page.md", programs)


@pytest.mark.usefixtures("working_folder")
def test_octavo_is_on_the_path_of_the_pages(programs: Path):
    version = "$ octavo --version\noctavo ...\n"
    continued = "$ octavo count \\\n    missing.ffr\noctavo: ...missing.ffr...\n"
    check_page(f"```console\n{version}{continued}```\n", "page.md", programs)


@pytest.mark.parametrize(
    ("shown", "told", "expected"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n", "a\nb\n", False),
        ("took ... s\n", "took 1.23 s\n", True),
        ("took ... s\n", "took 1\n2 s\n", False),
        ("a\n...\nz\n", "a\nz\n", True),
        ("a\n...\nz\n", "a\nb\nc\nz\n", True),
        ("a\n...\nz\n", "a\nb\nc\n", False),
        ("1.5 (x) [y]\n", "1.5 (x) [y]\n", True),
        ("1.5\n", "125\n", False),
    ],
)
def test_dots_stand_for_anything_in_a_line_or_for_lines(shown: str, told: str, expected: bool):  # noqa: FBT001
    assert fits(shown, told) is expected

"""Every ```python block of README.md and docs/ is run, page by page, and what it claims to give is compared.

The blocks of a page share one namespace and one empty folder, in order, as a reader would type them. A line such as

    len(reader)  # -> 1000

is a claim: the expression's repr must be what stands after the arrow. Pages of the command line have blocks of another
kind between these; `tests/cli/test_docs_pages.py` runs both.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.imports import DROP_INS, originals_out_of_sight

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^(?P<indent> *)```python[^\n]*\n(?P<code>.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL)
STANDING_ALONE = {"README.md", "docs/start.md"}
"""Pages whose blocks about a framework stand alone: without it, the others are run all the same."""
CLAIM = re.compile(r"# -> (?P<expected>.*)$")
PAGES = [
    page.relative_to(ROOT).as_posix()
    for page in sorted([*ROOT.glob("README.md"), *ROOT.glob("docs/**/*.md")])
    if BLOCK.search(text := page.read_text(encoding="utf-8")) and "```console" not in text
]


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """First line and code of each block."""
    for match in BLOCK.finditer(text):
        yield text.count("\n", 0, match.start("code")), textwrap.dedent(match["code"])


def run_block(code: str, lines_before: int, page: str, namespace: dict[str, Any]) -> None:
    """Statement by statement, so that each expression can be compared; line numbers are those of the page."""
    claims = {number: match for number, line in enumerate(code.splitlines(), 1) if (match := CLAIM.search(line))}
    for statement in ast.parse(code).body:
        claim = claims.pop(statement.end_lineno or 0, None) if isinstance(statement, ast.Expr) else None
        ast.increment_lineno(statement, lines_before)
        if claim is None or not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), page, "exec"), namespace)
            continue
        actual = repr(eval(compile(ast.Expression(statement.value), page, "eval"), namespace))
        where = f"{page}:{statement.lineno}"
        assert actual == claim["expected"], f"{where} claims {claim['expected']}, gives {actual}"
    assert not claims, f"{page}: only a line that stands alone can be compared: {[c.string for c in claims.values()]}"


def imports_missing(code: str) -> str | None:
    """The first optional framework a page needs and this environment lacks."""
    for match in re.finditer(r"^ *(?:import|from) ([\w.]+)", code, re.MULTILINE):
        module, name = match[1], match[1].partition(".")[0]
        is_drop_in = name in DROP_INS  # pages that import them activate them
        try:
            importlib.import_module(f"octavo.compat.{module}" if is_drop_in else module)
        except ImportError as error:
            if not is_drop_in and name != "octavo":
                return name
            if isinstance(error.__cause__, ModuleNotFoundError):  # it has said which extra it needs
                return error.__cause__.name
            if not is_drop_in:
                raise
        if name == "pyspark" and shutil.which("java") is None:
            return "Java"
    if re.search(r"\b(memory|s3)://", code) and importlib.util.find_spec("obstore") is None:
        return "obstore"
    return None


@pytest.mark.parametrize("page", PAGES)
def test_every_example_of_a_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = list(blocks((ROOT / page).read_text(encoding="utf-8")))
    if page in STANDING_ALONE:
        found = [(line, code) for line, code in found if not imports_missing(code)]
    if missing := imports_missing("\n".join(code for _, code in found)):
        pytest.skip(f"{page} uses {missing}, which is not installed: 'make test EXTRAS=all' installs it")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with originals_out_of_sight():
        for line, code in found:
            run_block(code, line, page, namespace)


def test_a_wrong_claim_is_found() -> None:
    text = "Text.\n\n```python\nx = 1\nx + 1  # -> 2\nx + 2  # -> 4\n```\n"
    ((line, code),) = blocks(text)
    with pytest.raises(AssertionError, match=r"page\.md:6 claims 4, gives 3"):
        run_block(code, line, "page.md", {})


def test_a_claim_that_cannot_be_compared_is_an_error() -> None:
    with pytest.raises(AssertionError, match="stands alone"):
        run_block("if True:\n    1 + 1  # -> 2\n", 0, "page.md", {})

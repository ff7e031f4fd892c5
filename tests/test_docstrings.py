"""Every example in a docstring of octavo is run, and what the native classes offer is documented in their stubs."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator
from pathlib import Path

import pytest

import octavo
from tests.imports import originals_out_of_sight
from tests.test_docs import imports_missing

PACKAGE = Path(__file__).parent.parent / "python" / "octavo"
NOT_RUN = {
    "integrations/elastic/__init__.py": "starts a cluster; docs/guide/elastic.md runs the same",
    "integrations/ray/__init__.py": "starts a cluster; docs/guide/ray.md runs the same",
    "integrations/spark/__init__.py": "starts a cluster; docs/guide/spark.md runs the same",
}
PUBLIC_NATIVE_CLASSES = {"Batch", "Reader", "Writer"}
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def documented(path: Path) -> Iterator[tuple[int, str]]:
    """Line and docstring of everything in a module that has one; the module is not imported."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, Documented) and (text := ast.get_docstring(node)):
            yield node.body[0].lineno - 1, text


def examples(path: Path) -> list[tuple[int, str]]:
    return [(line, text) for line, text in documented(path) if doctest.DocTestParser().get_examples(text)]


MODULES = {
    path.relative_to(PACKAGE).as_posix(): found
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")])
    if (found := examples(path))
}


def run_examples(text: str, name: str, line: int) -> doctest.TestResults:
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, line)
    return doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)


@pytest.fixture(name="data_sets")
def files_that_examples_name(working_folder: Path) -> None:
    """A hundred records as `train` in three formats."""
    for name in ("train.ffr", "train.array_record", "train-0.tfrecord"):
        with octavo.create(working_folder / name) as writer:
            writer.write_many(f"record {number}".encode() for number in range(100))


@pytest.mark.usefixtures("data_sets")
@pytest.mark.parametrize("module", sorted(MODULES.keys() - NOT_RUN))
def test_every_example_of_a_docstring_gives_what_it_shows(module: str, capsys: pytest.CaptureFixture[str]):
    for line, text in MODULES[module]:
        code = "\n".join(one.source for one in doctest.DocTestParser().get_examples(text))
        if missing := imports_missing(code):
            pytest.skip(f"{module} uses {missing}, which is not installed: 'make test EXTRAS=all' installs it")
        with originals_out_of_sight():
            result = run_examples(text, module, line)
        assert not result.failed, capsys.readouterr().out


@pytest.mark.parametrize("module", sorted(MODULES))
def test_only_examples_with_a_reason_are_not_run(module: str):
    is_skipped = any("+SKIP" in text for _, text in MODULES[module])
    assert is_skipped == (module in NOT_RUN)


def test_a_wrong_example_is_found(capsys: pytest.CaptureFixture[str]):
    assert run_examples(">>> 1 + 1\n3\n", "page", 0).failed == 1
    assert "Got:\n    2" in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(PUBLIC_NATIVE_CLASSES))
def test_all_that_a_native_class_offers_is_documented_in_its_stub(name: str):
    stub = ast.parse((PACKAGE / "_core.pyi").read_text(encoding="utf-8"))
    (found,) = (node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == name)
    methods = [node for node in found.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    assert methods
    assert [node.name for node in methods if not ast.get_docstring(node)] == []

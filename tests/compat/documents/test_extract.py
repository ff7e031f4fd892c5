"""Blocks are cut out of documents as they stand, whatever is left of their marks."""

from __future__ import annotations

import pytest

from tests.compat.documents import extract
from tests.compat.documents.extract import Block
from tests.compat.documents.repairs import repaired


def test_markdown_is_cut_at_its_fences() -> None:
    text = "Some `words`.\n\n```python\nif x:\n\n    y()\n```\nMore.\n```\na drawing\n```\n"
    assert extract.fenced(text) == [Block("python", 4, "if x:\n\n    y()\n"), Block("", 10, "a drawing\n")]


def test_directives_end_where_the_indentation_does() -> None:
    text = "Title\n=====\n\n.. code-block:: python\n\n   a = 1\n\n   for b in c:\n       pass\n\nText.\n"
    assert extract.directives(text) == [Block("python", 6, "a = 1\n\nfor b in c:\n    pass\n\n")]


def test_a_collapsed_block_gets_its_lines_back() -> None:
    text = "Title ```Python for a in b: c(a, d) e = 1 ``` text ```shell $ ls ``` end"
    assert extract.collapsed(text, {0: "4 4:2 0 3"}) == [
        Block("python", 1, "for a in b:\n    c(a, d)\n\ne = 1\n"),
        Block("shell", 1, "$ ls"),
    ]


def test_a_layout_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(ValueError, match="1 words are left over"):
        extract.lay_out("a b c", "1 1")
    with pytest.raises(ValueError, match="more than the block has"):
        extract.lay_out("a b c", "2 2")


def test_lines_are_counted_as_an_editor_does() -> None:
    # A form feed or a next-line character inside a line ends no line.
    assert extract.ranged("a\x85b\nc\x0cd\ne\n", [(2, 3, "python")]) == [Block("python", 2, "c\x0cd\ne\n")]


@pytest.mark.parametrize(
    "line",
    [
        "import a",
        "from a.b import c",
        "    def f():",
        "for a in b:",
        "a.b = 1",
        "    return",
        "f(a)",
        "f(",
        "f(a,",
        "    },",
    ],
)
def test_python_between_blocks_is_noticed(line: str) -> None:
    text = f"Words.\n{line}\nMore words.\n"
    assert list(extract.python_outside(text, [])) == [(2, line)]
    assert list(extract.python_outside(text, [(2, 2, "python")])) == []


@pytest.mark.parametrize(
    "line", ["For example (and more):", "Word for it", "", "  • Fork it (as always)", "import", "with"]
)
def test_words_between_blocks_are_not(line: str) -> None:
    assert list(extract.python_outside(line, [])) == []


def test_a_repair_adds_lines_and_changes_none() -> None:
    assert repaired("for a in b:\n    # think\nc\n", {2: "    pass"}) == "for a in b:\n    # think\n    pass\nc\n"

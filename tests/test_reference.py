"""Every public name of octavo has a place in `docs/reference`, and every place there is that of a name.

Modules are read, not imported: the surface is the same whichever frameworks are installed. A name has its place where
a page says `::: NAME`, under this name or another one of the same thing, or where its whole module has one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

import octavo
from octavo import _open, errors

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "python" / "octavo"
PLACE = re.compile(r"^::: (\S+)$", re.MULTILINE)
WITHOUT_A_PLACE = {"octavo.cli": "commands have pages of their own, in docs/cli"}


def dotted(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {
    name: path
    for path in [*PACKAGE.rglob("*.pyi"), *PACKAGE.rglob("*.py")]
    if (name := dotted(path)) and "__main__" not in name
}


@cache
def parsed(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


@cache
def definitions(module: str) -> dict[str, str | None]:
    """Names of a module; those that it imports with where they come from."""
    found: dict[str, str | None] = {}
    for node in ast.walk(parsed(module)):  # some imports are for type checkers alone, and stand below an `if`
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                found.setdefault(alias.asname or alias.name, f"{node.module}.{alias.name}")
    for node in parsed(module).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found[node.name] = None
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found.update((target.id, None) for target in targets if isinstance(target, ast.Name))
    return found


def origin(name: str) -> str | None:
    """Where a thing is defined, for any of its names; None if there is no such thing."""
    if name in MODULES:
        return name
    module, _, last = name.rpartition(".")
    if module == "octavo.torch":
        module = "octavo.integrations.torch"
    if module not in MODULES or last not in definitions(module):
        return None
    source = definitions(module)[last]
    if source is None or not source.startswith("octavo"):
        return f"{module}.{last}"
    return origin(source)


def listed(module: str) -> list[str]:
    """What a module says is public, or else what it defines."""
    for node in parsed(module).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return [
        node.name
        for node in parsed(module).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_")
    ]


def surface() -> Iterator[str]:
    for module in sorted(MODULES):
        is_private = any(part.startswith("_") for part in module.split("."))
        if not is_private and not any(f"{module}.".startswith(f"{left_out}.") for left_out in WITHOUT_A_PLACE):
            yield from (f"{module}.{name}" for name in listed(module))


def places() -> list[str]:
    pages = (ROOT / "docs" / "reference").glob("*.md")
    return [place for page in pages for place in PLACE.findall(page.read_text(encoding="utf-8"))]


def has_a_place(name: str, origins: set[str]) -> bool:
    found = origin(name)
    if found is None:
        return False
    if found in MODULES:  # of a module that is a name of its package, the parts must be somewhere
        return any(one == found or (origin(f"{found}.{part}") == one) for part in listed(found) for one in origins)
    return found in origins or found.rpartition(".")[0] in origins


def test_every_public_name_has_a_place():
    origins = {found for place in places() if (found := origin(place))}
    assert [name for name in surface() if not has_a_place(name, origins)] == []


def test_every_place_is_that_of_one_public_thing():
    found = places()
    assert [place for place in found if origin(place) is None] == []
    assert [place for place in found if any(part.startswith("_") for part in place.split(".")[:-1])] == []
    assert len(found) == len(set(found))


def test_the_surface_is_what_the_package_says():
    assert {f"octavo.{name}" for name in octavo.__all__} <= set(surface())
    assert {f"octavo.errors.{name}" for name in errors.__all__} <= set(surface())


@pytest.mark.parametrize("name", ["Format", "Dialect", "IoMode", "IndexStorage"])
def test_what_a_name_in_a_signature_stands_for_is_told(name: str):
    choices = ", ".join(f"`{choice}`" for choice in get_args(getattr(_open, name)))
    page = (ROOT / "docs" / "reference" / "records.md").read_text(encoding="utf-8")
    assert f"| `{name}` | {choices} |" in page


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("octavo.Reader", "octavo._reader.Reader"),
        ("octavo.Batch", "octavo._core.Batch"),
        ("octavo.torch.Loader", "octavo.integrations.torch._loader.Loader"),
        ("octavo.compat.recordio.Chunk", "octavo.compat.recordio.recordio.chunk.Chunk"),
        ("octavo.errors", "octavo.errors"),
        ("octavo.Nothing", None),
    ],
)
def test_a_thing_is_found_under_each_of_its_names(name: str, where: str | None):
    assert origin(name) == where


def test_a_name_without_a_place_is_found():
    origins = {found for place in places() if place != "octavo.trim" and (found := origin(place))}
    assert [name for name in surface() if not has_a_place(name, origins)] == ["octavo.trim"]

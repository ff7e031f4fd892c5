"""The pages hang together: all of them are in the navigation, and no link leads nowhere. `make docs` needs no more."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.test_docs import ROOT

DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("benchmarks/*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
READERS = {  # one click from the first page, for each kind of reader
    "start.md", "tutorial.md", "guide/reading.md", "guide/writing.md", "guide/recover.md", "guide/training.md",
    "guide/torch.md", "guide/cluster.md", "guide/viewer.md", "cli/index.md", "migrate/tfrecord.md",
    "migrate/array_record.md", "migrate/ffrecord.md", "migrate/recordio.md", "reference/index.md", "performance.md",
    "spec/ffrecord.md", "adr/README.md",
}  # fmt: skip


@cache
def prose_of(page: Path) -> str:
    """The text of a page, without its blocks and what is in backticks."""
    text = re.sub(r"^( *)```.*?^\1```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(?<!\[)`[^`\n]*`(?!\])", "", text)


@cache
def anchors_of(page: Path) -> set[str]:
    """The anchors of a page's headings, as Markdown makes them."""
    text = re.sub(r"^( *)```.*?^\1```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading) for heading in HEADING.findall(text))
    places = set(re.findall(r"^::: (\S+)$", text, re.MULTILINE))
    return places | {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in plain}


def dead_links(page: Path) -> list[str]:
    dead = []
    for match in LINK.finditer(prose_of(page)):
        target = unquote(match["target"])
        if re.match(r"[a-z]+:", target):
            continue  # elsewhere: not ours to ask in a test
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors_of(file)):
            dead.append(target)
    return dead


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_no_link_leads_nowhere(page: Path):
    assert dead_links(page) == []


def test_a_dead_link_is_found(tmp_path: Path):
    (tmp_path / "other.md").write_text("# A `heading`, *really*\n", encoding="utf-8")
    links = "[a](other.md#a-heading-really) [b](other.md#b) [c](none.md) [d](#own) `[e](code.md)` ![f](none.png)\n"
    page = tmp_path / "page.md"
    page.write_text(links + "\n# Own\n", encoding="utf-8")
    assert dead_links(page) == ["other.md#b", "none.md", "none.png"]


def test_every_page_is_in_the_navigation_once():
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"^ +- (?:[^:\n]+: )?(\S+\.md)$", settings.partition("\nnav:\n")[2], re.MULTILINE)
    assert sorted(listed) == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))


def test_every_picture_is_shown_somewhere():
    shown = {
        (page.parent / match["target"]).resolve() for page in PAGES for match in LINK.finditer(prose_of(page))
    }  # links to pages do no harm here
    assert [path.name for path in (DOCS / "images").rglob("*.*") if path.resolve() not in shown] == []


def test_the_first_page_leads_every_reader_on():
    links = {match["target"].partition("#")[0] for match in LINK.finditer(prose_of(DOCS / "index.md"))}
    assert links >= READERS

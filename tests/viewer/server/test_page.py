"""The page as it is shipped."""

from __future__ import annotations

import importlib.resources
import re

import pytest

import octavo

PAGE = importlib.resources.files("octavo.viewer") / "page"
SCRIPTS = sorted(path.name for path in (PAGE / "script").iterdir())
STYLES = sorted(path.name for path in (PAGE / "style").iterdir())
INDEX = (PAGE / "index.html").read_text(encoding="utf-8")


def test_the_browser_gets_all_modules_at_once():
    listed = re.findall(r'<link rel="modulepreload" href="page/script/([\w.]+)">', INDEX)
    assert sorted([*listed, "main.js"]) == SCRIPTS


def test_the_browser_gets_all_styles():
    assert sorted(re.findall(r'<link rel="stylesheet" href="page/style/([\w.]+)">', INDEX)) == STYLES


def test_the_page_needs_nothing_that_its_policy_forbids():
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:|<script(?! type=\"module\" src=)", INDEX)


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_make_no_html_of_text(name):
    script = (PAGE / "script" / name).read_text(encoding="utf-8")
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser", script
    )


@pytest.mark.parametrize(
    "path", ["index.html", *(f"script/{name}" for name in SCRIPTS), *(f"style/{name}" for name in STYLES)]
)
def test_nothing_comes_from_elsewhere(path):
    text = (PAGE / path).read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|//[a-z]+\.[a-z]+/|@import|url\((?!#)", text)


def test_every_file_of_the_page_is_served_as_what_it_is(view, tmp_path):
    with octavo.create(tmp_path / "a.ffr") as writer:
        writer.write(b"one")
    client = view(tmp_path / "a.ffr")
    assert client.get("").headers["content-type"] == "text/html; charset=utf-8"
    kinds = {"script": "text/javascript", "style": "text/css"}
    for folder, names in (("script", SCRIPTS), ("style", STYLES)):
        for name in names:
            answer = client.get(f"page/{folder}/{name}")
            assert answer.status == 200
            assert answer.headers["content-type"].startswith(kinds[folder])
    assert client.get("page/icon.svg").headers["content-type"].startswith("image/svg+xml")

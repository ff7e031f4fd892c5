"""A picture of each view, as the documentation shows them: `OCTAVO_SCREENSHOTS=docs/images/view` makes them anew."""

from __future__ import annotations

import os
import shutil
import struct
import zlib
from pathlib import Path

import pytest

import octavo
from tests.viewer.samples import mixed

MOST_BYTES = 250_000


HIDE = r"""folder => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const { currentNode: text } = texts;
        const [before, ...after] = text.data.split(folder);
        if (after.length > 0) text.data = before + after.map((rest) => rest.replace(/^\/\w+/, "~/data")).join("");
    }
}"""


@pytest.fixture
def take(tmp_path, tmp_path_factory):
    """Takes a picture of what is shown, less where the files of tests lie, and sees that there is something on it."""

    def take_picture(window, name):
        window.page.evaluate(HIDE, str(tmp_path_factory.getbasetemp()))
        window.page.mouse.move(0, 0)
        window.page.evaluate("document.fonts.ready")
        path = tmp_path / f"{name}.png"
        window.page.screenshot(path=path, animations="disabled", caret="hide")
        size, colors = looked_at(path)
        assert size == (1200, 750)
        assert colors > 30
        assert path.stat().st_size < MOST_BYTES
        if kept_in := os.environ.get("OCTAVO_SCREENSHOTS"):
            keep(path, Path(kept_in))

    return take_picture


def keep(path, folder):
    """As a picture of the documentation, with as many colors as fit into a byte where Pillow can do that."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        from PIL import Image
    except ImportError:
        shutil.copyfile(path, folder / path.name)
        return
    with Image.open(path) as picture:
        picture.quantize(256, dither=Image.Dither.NONE).save(folder / path.name, optimize=True)


def looked_at(path):
    """Width and height of a PNG, and how many different runs of four bytes its first rows begin with."""
    content = path.read_bytes()
    width, height = struct.unpack_from(">II", content, 16)
    at, data = 8, b""
    while at < len(content):
        (length,) = struct.unpack_from(">I", content, at)
        if content[at + 4 : at + 8] == b"IDAT":
            data += content[at + 8 : at + 8 + length]
        at += length + 12
    rows = zlib.decompress(data)
    return (width, height), len({rows[start : start + 4] for start in range(0, len(rows), 64)})


@pytest.fixture
def window(look, chunked_viewer):
    return look(chunked_viewer, reduced_motion="reduce")


def pictures_are_there(window):
    loading = "[...document.images].some((image) => image.checkVisibility() && !image.complete)"
    assert window.comes_true(lambda: not window.page.evaluate(loading))


def test_the_grid(window, take):
    window.shows_card(0)
    window.settles()
    pictures_are_there(window)
    take(window, "grid")


def test_the_grid_in_the_dark(look, chunked_viewer, take):
    window = look(chunked_viewer, "#/records?at=48", color_scheme="dark", reduced_motion="reduce")
    window.shows_card(48)
    window.settles()
    pictures_are_there(window)
    take(window, "grid-dark")


def test_the_list(window, take):
    window.go("#/records?layout=list")
    window.shows_card(0)
    window.settles()
    pictures_are_there(window)
    take(window, "list")


@pytest.mark.parametrize(
    ("name", "number"),
    [("image", mixed.LARGE_PICTURE), ("example", mixed.first("example")), ("json", mixed.first("json"))],
)
def test_a_record(window, take, name, number):
    window.go_to_record(number)
    pictures_are_there(window)
    take(window, f"record-{name}")


def test_a_sound(window, take):
    window.go_to_record(mixed.first("wav"))
    player = window.blocks().locator("audio")
    assert window.comes_true(lambda: player.evaluate("player => player.readyState") >= 1)
    take(window, "record-audio")


def test_the_file(window, take):
    window.go("#/file")
    window.page.get_by_role("slider", name="Chunk").wait_for()
    window.says("#sizes", "average")
    take(window, "file")


def test_shards_side_by_side(look, shards_viewer, take):
    window = look(shards_viewer, "#/file", reduced_motion="reduce")
    rows = window.page.get_by_role("group", name="Files side by side").get_by_role("row")
    rows.nth(3).wait_for()
    window.says("#sizes", "average")
    rows.nth(3).scroll_into_view_if_needed()
    take(window, "shards")


def test_what_was_found(window, take):
    window.go("#/find?text=dawn")
    window.says("#find-summary", "found in")
    window.settles()
    pictures_are_there(window)
    take(window, "find")


def test_damage(look, damaged_viewer, damaged, take):
    (found,) = octavo.verify(damaged).damage
    window = look(damaged_viewer, "#/file", reduced_motion="reduce")
    window.page.get_by_role("button", name="Verify").click()
    window.says("#verify-result", "damaged")
    window.page.get_by_role("slider", name="Chunk").wait_for()
    take(window, "verify")
    window.find("#verify-damage").get_by_role("link").click()
    window.shows_card(found.record, "damaged")
    window.settles()
    pictures_are_there(window)
    take(window, "damage")


def test_the_export(window, take):
    window.shows_card(0)
    window.settles()
    window.press("x", "j", "x", "j", "j", "x")
    pictures_are_there(window)
    window.page.get_by_role("button", name="Export…").click()
    window.page.get_by_label("Name of the new file").fill("selected.array_record")
    take(window, "export")


def test_the_help(window, take):
    window.shows_card(0)
    window.settles()
    pictures_are_there(window)
    window.press("?")
    window.find("#help[open]").wait_for()
    take(window, "help")

"""What is shown of a record, by what it is."""

from __future__ import annotations

import json
import re

import pytest

from tests.viewer.samples import mixed


@pytest.fixture
def window(revisit, chunked_viewer):
    return revisit(chunked_viewer)


def is_decoded(window, image, width):
    return window.comes_true(lambda: image.evaluate("image => image.complete && image.naturalWidth") == width)


@pytest.mark.parametrize(("kind", "width"), [("png", 160), ("plot", 160), ("jpeg", 24), ("webp", 24), ("gif", None)])
def test_an_image_is_shown_in_full(window, kind, width):
    number = mixed.first(kind)
    window.go_to_record(number)
    image = window.blocks().locator("img")
    assert is_decoded(window, image, width or 48 + number % 16)
    assert image.get_attribute("alt") != ""
    assert re.search(r"\d+ \W \d+", window.blocks().inner_text())


def test_an_image_can_be_seen_pixel_by_pixel(window):
    window.go_to_record(mixed.first("png"))
    button = window.page.get_by_role("button", name="100 %")
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert window.blocks().locator("img").bounding_box()["width"] == 160


@pytest.mark.parametrize(("kind", "seconds"), [("wav", 1.2), ("flac", 0.5), ("mp3", 0.5), ("ogg", 0.5)])
def test_a_sound_can_be_played_from_any_place(window, kind, seconds):
    window.go_to_record(mixed.first(kind))
    player = window.blocks().locator("audio")
    assert window.comes_true(lambda: player.evaluate("player => player.readyState") >= 1)
    assert abs(player.evaluate("player => player.duration") - seconds) < 0.1
    player.evaluate("player => { player.currentTime = 0.3; }")
    assert window.comes_true(lambda: not player.evaluate("player => player.seeking"))
    assert abs(player.evaluate("player => player.currentTime") - 0.3) < 0.1
    assert player.get_attribute("controls") is not None


def test_an_example_shows_its_features_and_the_image_inside(window):
    window.go_to_record(mixed.first("example"))
    assert is_decoded(window, window.blocks().locator("img"), 240)
    shown = window.blocks().inner_text()
    for name in ("image/encoded", "image/height", "caption", "label", "bbox"):
        assert name in shown
    assert mixed.caption(mixed.first("example")) in shown
    window.page.get_by_role("group", name="image/encoded").first.wait_for()


def test_json_is_laid_out_and_says_the_same(window):
    number = mixed.first("json")
    window.go_to_record(number)
    shown = window.page.get_by_role("group", name="JSON").inner_text()
    assert json.loads(shown) == json.loads(mixed.records()[number])
    assert len(shown.splitlines()) > 10
    assert shown.splitlines()[1].startswith(" ")


def test_text_is_shown_as_it_is(window):
    number = mixed.first("text")
    window.go_to_record(number)
    assert (
        window.page.get_by_role("group", name="Text").inner_text().strip() == mixed.records()[number].decode().strip()
    )


def test_an_array_shows_its_shape_and_its_first_values(window):
    number = mixed.first("npy")
    window.go_to_record(number)
    shown = window.blocks().inner_text()
    assert re.search(rf"6\D+{number % 5 + 4}\b", shown)
    assert re.search("float32|<f4", shown)
    assert re.search(r"\b11(\.0)?\b", shown), "the twelfth value"


def test_an_archive_shows_its_arrays(window):
    window.go_to_record(mixed.first("npz"))
    shown = window.blocks().inner_text()
    assert "tokens" in shown
    assert "embedding" in shown


def test_tensors_show_names_shapes_and_metadata(window):
    window.go_to_record(mixed.first("safetensors"))
    shown = window.blocks().inner_text()
    for said in ("encoder.weight", "head.weight", "F32", "format", "pt"):
        assert said in shown


def test_a_message_of_msgpack_is_laid_out(window):
    number = mixed.first("msgpack")
    window.go_to_record(number)
    shown = window.blocks().inner_text()
    assert mixed.caption(number) in shown
    assert "shape" in shown


def test_anything_else_is_bytes_with_ascii_beside_them(window):
    number = mixed.first("binary")
    window.go_to_record(number)
    first = window.page.get_by_role("group", name="Bytes").inner_text().splitlines()[0]
    content = mixed.records()[number]
    assert first.startswith("00000000")
    assert content[:8].hex(" ") in first
    assert "BLOB" in first


def test_the_name_of_the_view_is_told_to_those_who_listen(window):
    window.go_to_record(mixed.first("json"))
    assert "JSON" in window.says("#status", "Record")
    assert window.find("#record-heading").evaluate("heading => heading === document.activeElement")

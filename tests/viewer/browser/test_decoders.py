"""Another decoder than the one that was guessed, bytes page by page, and decoders of one's own."""

from __future__ import annotations

import pytest

import octavo
from tests.viewer.samples import mixed


@pytest.fixture
def window(look, chunked_viewer):
    return look(chunked_viewer)


def test_a_choice_of_decoder_overrides_the_guess(window):
    number = mixed.first("json")
    window.go_to_record(number)
    window.page.get_by_label("Show as").locator("visible=true").select_option("hex")
    bytes_shown = window.page.get_by_role("group", name="Bytes")
    bytes_shown.wait_for()
    assert mixed.records()[number][:8].hex(" ") in bytes_shown.inner_text()
    assert "as=hex" in window.page.url
    assert "recognised as" in window.says("#record-facts", "recognised")


def test_the_choice_holds_for_the_grid_as_well(window):
    window.shows_card(0)
    window.find("#show-as").select_option("hex")
    window.has(window.card(0), '[data-kind="hex"]')
    assert window.card(0).locator("img").count() == 0
    window.find("#show-as").select_option("")
    window.has(window.card(0), '[data-kind="image"]')


def test_a_decoder_that_does_not_fit_says_so_and_shows_bytes(window):
    window.go_to_record(mixed.first("text"), as_="npy")
    window.blocks().get_by_role("note").first.wait_for()
    assert window.page.get_by_role("group", name="Bytes").count() == 1


@pytest.fixture
def long_file(tmp_path):
    with octavo.create(tmp_path / "long.ffr") as writer:
        writer.write(b"\x00\xff" + bytes(range(256)) * 2048 + b"THE END OF IT")
    return tmp_path / "long.ffr"


def test_long_records_are_paged_through_as_bytes(look, view, long_file):
    window = look(view(long_file))
    window.go_to_record(0, as_="hex")
    shown = window.page.get_by_role("group", name="Bytes")
    before = len(shown.inner_text().splitlines())
    more = window.page.get_by_role("button", name="Show more")
    with window.counting("/part?") as requests:
        more.click()
        assert window.comes_true(lambda: len(shown.inner_text().splitlines()) > before)
    assert len(requests) == 1
    lines = shown.inner_text().splitlines()
    assert [int(line[:8], 16) for line in lines] == list(range(0, 16 * len(lines), 16))


def test_a_decoder_of_ones_own_is_asked_first(look, view, chunked):
    from octavo.viewer import blocks

    shout = blocks.Decoder(
        name="shout",
        title="Shouted text",
        recognises=lambda record: record.startswith(b"Photograph"),
        decode=lambda record: [
            blocks.Facts((("loud", "<b>very</b>"),)),
            blocks.Text(record.decode().upper()),
        ],
    )
    window = look(view(chunked, decoders=[shout]))
    number = mixed.first("text")
    window.shows_card(number)
    assert window.card(number).get_attribute("data-kind") == "shout"
    window.go_to_record(number)
    shown = window.blocks().inner_text()
    assert f"PHOTOGRAPH {number}" in shown
    assert "<b>very</b>" in shown
    assert "Shouted text" in window.find("#record-show-as").inner_text()


def test_a_decoder_that_fails_costs_nothing_but_itself(look, view, chunked):
    from octavo.viewer import blocks

    def fail(record):
        raise ZeroDivisionError(f"no way with {len(record)} bytes")

    broken = blocks.Decoder("broken", "Broken", lambda record: record.startswith(b"Photograph"), fail)
    window = look(view(chunked, decoders=[broken]))
    number = mixed.first("text")
    window.shows_card(number)
    window.go_to_record(number)
    assert "no way with" in window.blocks().inner_text()
    assert window.page.get_by_role("group", name="Bytes").count() == 1

"""The page by keyboard alone, and by its addresses."""

from __future__ import annotations

import pytest

import octavo
from tests.viewer.samples import mixed


@pytest.fixture
def window(look, chunked_viewer):
    window = look(chunked_viewer)
    window.shows_card(0)
    window.settles()
    return window


def focused(window):
    return window.page.evaluate("document.activeElement?.id || document.activeElement?.dataset?.number || ''")


def test_a_whole_visit_without_a_mouse(look, view, chunked, tmp_path):
    window = look(view(chunked, export_folder=tmp_path))
    window.shows_card(0)
    window.press("j", "j", "k")
    assert window.current_record() == 1
    window.press("Enter")
    window.shows_record(1)
    window.press("j")
    window.shows_record(2)
    window.press("Escape")
    window.shows_card(2)
    assert window.current_record() == 2
    window.press("x", "/")
    assert window.comes_true(lambda: focused(window) == "find-text")
    window.page.keyboard.type(mixed.RARE_WORD)
    window.press("Enter")
    window.says("#find-summary", "3 records found")
    window.press("Escape", "x", "e")
    window.find("#export[open]").wait_for()
    window.page.keyboard.type("by-hand.array_record")
    window.press("Enter")
    window.says("#export-success", "2 records written")
    window.press("Escape")
    window.find("#export").wait_for(state="hidden")
    window.press("f")
    window.find("#file").wait_for()
    with octavo.open(tmp_path / "by-hand.array_record") as reader:
        assert list(reader) == [mixed.records()[2], mixed.records()[41]]


def test_arrows_move_in_the_grid(window):
    window.press("j", "ArrowRight", "ArrowDown")
    columns = int(window.view().get_by_role("grid").get_attribute("aria-colcount"))
    assert window.current_record() == 2 + columns
    window.press("ArrowUp", "ArrowLeft", "l", "h")
    assert window.current_record() == 1


def test_v_changes_between_grid_and_list_and_keeps_the_place(window):
    window.press("G")
    window.shows_card(mixed.COUNT - 1)
    window.press("v")
    window.shows_card(mixed.COUNT - 1)
    assert window.find("#layout-list").get_attribute("aria-pressed") == "true"
    window.press("v")
    window.shows_card(mixed.COUNT - 1)


def test_keys_are_letters_while_one_types(window):
    window.press("/")
    assert window.comes_true(lambda: focused(window) == "find-text")
    window.page.keyboard.type("gfjkxv?/")
    assert window.find("#find-text").input_value() == "gfjkxv?/"
    assert window.find("#find").is_visible()


def test_tab_reaches_every_control_and_one_card(window):
    window.page.evaluate("document.activeElement?.blur()")
    reached = []
    for _ in range(40):
        window.press("Tab")
        here = focused(window)
        if here and here in reached:
            break
        reached.append(here)
    for name in (
        "skip",
        "nav-find",
        "nav-file",
        "theme",
        "help-button",
        "first",
        "goto",
        "last",
        "show-as",
        "layout-list",
    ):
        assert name in reached
    assert [here for here in reached if here.isdigit()] == ["0"], "the grid is one stop"


def test_the_focus_is_seen(window):
    window.press("Tab", "Tab", "Tab")
    style = window.page.evaluate(
        "(({ outlineStyle, outlineWidth, boxShadow }) => [outlineStyle, parseFloat(outlineWidth), boxShadow])"
        "(getComputedStyle(document.activeElement))"
    )
    assert (style[0] != "none" and style[1] >= 1) or style[2] != "none"


def test_the_help_lists_the_keys_and_closes_with_escape(window):
    window.press("?")
    window.find("#help[open]").wait_for()
    assert "Go to a record" in window.find("#help").inner_text()
    window.press("j")
    assert window.current_record() == 0, "keys do nothing behind a dialog"
    window.press("Escape")
    window.find("#help").wait_for(state="hidden")
    window.find("#help-button").click()
    window.page.get_by_role("button", name="Close").click()
    window.find("#help").wait_for(state="hidden")


def test_the_skip_link_leads_to_the_content(window):
    window.page.evaluate("document.activeElement?.blur()")
    window.press("Tab", "Enter")
    assert focused(window) == "main"


def test_addresses_lead_to_every_view(look, chunked_viewer):
    for place, view in [
        ("#/records?at=100&layout=list", "records"),
        ("#/record/100", "record"),
        ("#/record/100?as=hex", "record"),
        ("#/file", "file"),
        ("#/find?text=valley&mode=text", "find"),
        ("#/sample?count=5&seed=1", "find"),
        ("#/nonsense", "records"),
    ]:
        window = look(chunked_viewer, place)
        window.find(f"#{view}").wait_for()
        assert window.view().count() == 1


def test_the_address_follows_what_is_seen(window):
    window.press("g")
    window.page.keyboard.type("200")
    window.press("Enter")
    window.shows_card(200)
    assert window.comes_true(lambda: "at=200" in window.page.url)


def test_back_and_forward_lead_through_the_views(window):
    window.card(3).locator(".card-preview").click()
    window.shows_record(3)
    window.press("f")
    window.find("#file").wait_for()
    window.page.go_back()
    window.shows_record(3)
    window.page.go_back()
    window.shows_card(3)
    window.page.go_forward()
    window.shows_record(3)


def test_a_record_that_is_not_there_is_told(look, chunked_viewer):
    window = look(chunked_viewer)
    window.expect_trouble("404")
    window.go("#/record/5000")
    window.says("#record-blocks", r"\w")
    window.press("Escape")
    window.shows_card(0)

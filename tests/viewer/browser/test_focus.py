"""The focus is never lost, and nothing of one record is taken for another."""

from __future__ import annotations

from typing import Any

import pytest

from tests.viewer.samples import mixed


def has_focus(window):
    return window.page.evaluate("document.activeElement !== document.body && document.activeElement.checkVisibility()")


@pytest.fixture
def window(look, chunked_viewer):
    window = look(chunked_viewer)
    window.shows_card(0)
    window.settles()
    window.press("j")
    assert has_focus(window)
    return window


@pytest.mark.parametrize(
    "keys",
    [["v"], ["v", "v"], ["f"], ["f", "r"], ["/", "Escape"], ["/", "Escape", "Escape"], ["Enter", "f"], ["f", "Escape"]],
)
def test_no_key_loses_the_focus(window, keys):
    for key in keys:
        window.press(key)
        assert window.comes_true(lambda: has_focus(window)), key


def test_a_window_of_another_size_keeps_it(window):
    window.page.set_viewport_size({"width": 700, "height": 600})
    window.settles()
    assert has_focus(window)
    assert window.current_record() == 1


def test_clearing_the_selection_keeps_it(window):
    window.press("x")
    window.page.locator("#selection-clear").focus()
    window.press("Enter")
    assert window.comes_true(lambda: has_focus(window))


def test_another_record_keeps_it(window):
    text = mixed.first("text")
    window.go_to_record(text)
    window.page.get_by_role("button", name="Copy").first.focus()
    window.press("j")
    window.shows_record(text + 1)
    assert has_focus(window)


def test_a_late_answer_is_not_shown_under_another_heading(window):
    held: list[Any] = []
    window.page.route("**/api/record/2", lambda route: held.append(route))  # noqa: PLW0108 - playwright takes no built-in
    window.go_to_record(1)
    with window.page.expect_request("**/api/record/2"):
        window.press("j")
    window.page.locator("#download").wait_for(state="hidden")
    window.go("#/record/99999")
    assert "no such record" in window.says("#record-blocks", "no such record").lower()
    held[0].continue_()
    window.page.wait_for_timeout(300)
    assert "no such record" in window.page.locator("#record-blocks").inner_text().lower()


def test_a_screen_that_could_not_be_read_says_so_and_is_tried_again(window):
    window.expect_trouble("500")
    window.page.route(
        "**/api/records?*", lambda route: route.fulfill(status=500, json={"error": "the store is closed"})
    )
    window.press("End")
    failed = window.page.locator('.card[data-status="failed"]').first
    failed.wait_for()
    assert "the store is closed" in failed.inner_text()
    window.page.unroute("**/api/records?*")
    window.press("Home", "End")
    window.shows_card(mixed.COUNT - 1)


def test_a_record_that_could_not_be_read_is_tried_again(window):
    window.expect_trouble("500")
    window.page.route("**/api/record/3", lambda route: route.fulfill(status=500, json={"error": "the store is closed"}))
    window.go("#/record/3")
    window.says("#record-blocks", "the store is closed")
    window.page.unroute("**/api/record/3")
    window.press("Escape")
    window.go_to_record(3)


def test_cells_have_names_for_those_who_do_not_see_them(window):
    name = window.page.locator(f'.card[data-number="{mixed.first("text")}"]').get_attribute("aria-label")
    assert name.startswith(f"Record {mixed.first('text')}, text, ")

"""Searching, filtering by size, and sampling at random."""

from __future__ import annotations

import re

import pytest

from tests.viewer.samples import mixed


@pytest.fixture
def window(look, chunked_viewer):
    window = look(chunked_viewer, "#/find")
    window.find("#find-text").wait_for()
    return window


def found(window):
    """The numbers of all that was found, which fit on the screen."""
    window.settles()
    return window.numbers()


def search(window, text):
    window.find("#find-text").fill(text)
    window.page.get_by_role("button", name="Find", exact=True).click()
    return window.says("#find-summary", r"found in")


def test_a_word_is_found_in_the_records_that_have_it(window):
    assert search(window, mixed.RARE_WORD).startswith(f"{len(mixed.WITH_RARE_WORD)} records found")
    assert found(window) == [*mixed.WITH_RARE_WORD]
    window.card(mixed.WITH_RARE_WORD[0]).locator("mark").first.wait_for()


def test_a_search_is_in_the_address(look, chunked_viewer):
    window = look(chunked_viewer, f"#/find?text={mixed.RARE_WORD}")
    window.says("#find-summary", "3 records found")
    assert window.find("#find-text").input_value() == mixed.RARE_WORD
    assert found(window) == [*mixed.WITH_RARE_WORD]


def test_a_regular_expression_is_found(window):
    window.page.get_by_label("Regular expression").check()
    expression = r"Photograph (41|203): .*blowing"
    assert search(window, expression).startswith("2 records found")
    assert found(window) == [41, 203]


def test_a_wrong_expression_is_told_in_words(window):
    window.page.get_by_label("Regular expression").check()
    window.expect_trouble("status 400|400 \\(Bad Request\\)")
    window.find("#find-text").fill("(unfinished")
    window.press("Enter")
    window.says("#find-error", r"\w")


def test_the_case_can_be_ignored(window):
    assert search(window, mixed.RARE_WORD.upper()).startswith("0 records found")
    window.page.get_by_label("Ignore case").check()
    assert search(window, mixed.RARE_WORD.upper()).startswith("3 records found")


def test_records_are_filtered_by_their_size(window):
    sizes = [len(record) for record in mixed.records()]
    least, most = sorted(sizes)[30], sorted(sizes)[40]
    wanted = [number for number, size in enumerate(sizes) if least <= size <= most]
    window.page.get_by_label("Size from").fill(str(least))
    window.page.get_by_label("Size to").fill(str(most))
    window.press("Enter")
    said = window.says("#find-summary", "found in")
    assert said.startswith(f"{len(wanted)} record")
    assert found(window) == wanted[: len(window.numbers())]


def test_a_size_that_is_none_is_refused_before_anything_is_asked(window):
    with window.counting("/api/find") as requests:
        window.page.get_by_label("Size from").fill("many")
        window.press("Enter")
        window.says("#find-error", "A size is a number")
    assert requests == []


def test_one_goes_from_one_found_record_to_the_next(window):
    search(window, mixed.RARE_WORD)
    window.settles()
    window.card(41).locator(".card-preview").click()
    window.shows_record(41)
    window.press("j")
    window.shows_record(203)
    window.press("Escape")
    window.shows_card(203)
    assert window.current_record() == 203


def test_back_to_what_was_found_does_not_search_again(window):
    search(window, mixed.RARE_WORD)
    window.settles()
    with window.counting("/api/find") as requests:
        window.card(203).locator(".card-preview").click()
        window.shows_record(203)
        window.page.go_back()
        window.shows_card(203)
        window.settles()
    assert requests == []
    assert window.numbers() == [*mixed.WITH_RARE_WORD]


def test_a_long_search_shows_progress_and_can_be_cancelled(look, view, a_billion):
    window = look(view(a_billion.open()), "#/find")
    window.find("#find-text").fill("nowhere to be found")
    window.press("Enter")
    cancel = window.find("#find-cancel")
    cancel.wait_for()
    window.says("#find-progress", "%")
    cancel.click()
    window.says("#find-summary", "Cancelled")
    assert window.find("#find-progress").is_hidden()
    assert window.comes_true(lambda: is_at_rest(window, a_billion)), "the server goes on reading"


def is_at_rest(window, source):
    before = len(source.calls)
    window.page.wait_for_timeout(300)
    return len(source.calls) == before


def test_found_records_come_while_the_search_goes_on(look, view, a_billion):
    window = look(view(a_billion.open()), "#/find?text=12345")
    window.shows_card(12_345)
    window.find("#find-cancel").click()
    window.says("#find-summary", "Cancelled; .*found until then")


def test_a_sample_with_the_same_seed_is_the_same(look, chunked_viewer):
    samples = []
    for seed in (5, 5, 6):
        window = look(chunked_viewer, f"#/sample?count=12&seed={seed}")
        window.says("#find-summary", f"12 records at random, seed {seed}")
        samples.append(found(window))
    assert len(set(samples[0])) == len(samples[0]) > 1
    assert samples[0] == samples[1] != samples[2]


def test_a_sample_is_asked_for_by_the_form(window):
    window.page.get_by_label("Sample count").fill("7")
    window.page.get_by_label("Sample seed").fill("3")
    window.page.get_by_role("button", name="Sample at random").click()
    window.says("#find-summary", "7 records at random, seed 3")
    assert re.search(r"#/sample\?count=7&seed=3", window.page.url)

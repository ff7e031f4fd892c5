"""Looking through records as a grid and as a list, and from one record to the next."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.viewer.samples import mixed


@pytest.fixture
def window(look, shards_viewer):
    window = look(shards_viewer)
    window.shows_card(0)
    window.settles()
    return window


def asked_for(url):
    query = parse_qs(urlsplit(url).query)
    return range(int(query["start"][0]), int(query["start"][0]) + int(query["count"][0]))


def test_only_what_is_on_the_screen_is_read_in_one_request(window):
    (request,) = [url for url in window.requests if "/api/records" in url]
    assert list(asked_for(request)) == window.numbers()
    assert len(window.numbers()) < mixed.COUNT // 4


def test_a_jump_reads_one_screen_in_one_request(window):
    with window.counting("/api/records") as requests:
        window.find("#goto").fill("300")
        window.press("Enter")
        window.shows_card(300)
        window.settles()
    assert len(requests) == 1
    assert 300 in asked_for(requests[0])


def test_what_was_read_is_not_read_again(window):
    window.press("End")
    window.settles()
    with window.counting("/api/records") as requests:
        window.press("Home")
        window.shows_card(0)
        window.settles()
    assert requests == []


def test_thumbnails_are_pictures(window):
    number = mixed.first("png")
    picture = window.card(number).locator("img")
    picture.wait_for()
    assert window.comes_true(lambda: picture.evaluate("image => image.complete && image.naturalWidth") == 160)


def test_cards_say_what_they_hold(window):
    for kind, shown in [("png", "image"), ("json", "json"), ("text", "text"), ("example", "example"), ("wav", "audio")]:
        assert window.card(mixed.first(kind)).get_attribute("data-kind") == shown
    assert "Photograph" in window.card(mixed.first("text")).inner_text()


def test_the_list_has_one_record_in_each_row(window):
    window.find("#layout-list").click()
    window.settles()
    assert window.find("#layout-list").get_attribute("aria-pressed") == "true"
    rows = window.view().get_by_role("row")
    assert rows.count() == window.cards().count() > 8
    assert window.card(mixed.first("json")).get_by_text("json", exact=True).count() == 1


def test_the_layout_is_in_the_address(look, shards_viewer):
    window = look(shards_viewer, "#/records?at=40&layout=list")
    window.shows_card(40)
    assert window.find("#layout-list").get_attribute("aria-pressed") == "true"


def test_an_address_can_be_typed_into_the_page(window):
    assert window.comes_true(lambda: window.page.url.endswith("#/records?at=0"))  # it is done with its own address
    window.page.goto(f"{window.url}#/records?at=300")
    window.shows_card(300)
    assert window.current_record() == 300


def test_a_link_that_was_just_followed_is_not_noted_over(window):
    window.page.evaluate("""() => {
        const { setTimeout } = window;
        const late = [];
        window.setTimeout = (work) => late.push(work);
        document.querySelector("#next").click();
        window.setTimeout = setTimeout;
        location.hash = "#/records?at=300";
        for (const work of late) work(); // before the page hears of it
    }""")
    window.shows_card(300)
    assert window.current_record() == 300


def test_buttons_lead_to_the_first_last_next_and_previous(window):
    window.page.get_by_role("button", name="Last record").click()
    window.shows_card(mixed.COUNT - 1)
    assert window.current_record() == mixed.COUNT - 1
    window.view().get_by_role("button", name="Previous record").click()
    assert window.current_record() == mixed.COUNT - 2
    window.page.get_by_role("button", name="First record").click()
    window.view().get_by_role("button", name="Next record").click()
    assert window.current_record() == 1


def test_a_click_opens_a_record_and_back_leads_to_its_card(window):
    window.card(4).locator(".card-preview").click()
    window.shows_record(4)
    window.find("#back").click()
    window.shows_card(4)
    assert window.current_record() == 4


def test_a_record_says_where_it_lies(look, shards_viewer):
    window = look(shards_viewer)
    window.go_to_record(200)
    facts = window.find("#record-facts").inner_text()
    assert "photographs-00002-of-00003.ffr" in facts
    assert re.search(r"record 20\b", facts)


def test_a_record_is_downloaded_as_it_is(look, chunked_viewer):
    window = look(chunked_viewer)
    number = mixed.first("npz")
    window.go_to_record(number)
    with window.page.expect_download() as download:
        window.find("#download").click()
    assert download.value.path().read_bytes() == mixed.records()[number]


def test_the_theme_can_be_chosen(look, shards_viewer):
    window = look(shards_viewer, color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    seen = set()
    for name in ("light", "dark"):
        window.find("#theme").click()
        assert window.find("#theme").get_attribute("aria-label") == f"Theme: {name}"
        seen.add(window.page.evaluate(ground))
    assert len(seen) == 2


def test_a_server_that_is_gone_is_told(look, view, shards):
    viewer = view(shards)
    window = look(viewer)
    window.shows_card(0)
    window.settles()
    window.expect_trouble("ERR_CONNECTION|ERR_EMPTY|ERR_SOCKET")
    viewer.close()
    window.press("End")
    window.find("#banner").wait_for()
    assert "start octavo view again" in window.find("#banner").inner_text()
    window.find("#retry").click()
    window.page.wait_for_timeout(200)
    assert window.find("#banner").is_visible()

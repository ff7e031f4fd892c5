"""A billion records: any of them is one request and one read away, by every way to get there."""

from __future__ import annotations

import re

import pytest

from tests.viewer.samples import billion

LAST = billion.RECORD_COUNT - 1


@pytest.fixture(scope="module")
def viewer(shared_view, a_billion):
    return shared_view(a_billion.open())


def opened(window):
    window.shows_card(0)
    window.settles()
    return window


@pytest.fixture
def window(look, viewer):
    return opened(look(viewer))


@pytest.fixture
def fresh(look, view, a_billion):
    """A window on a viewer that nobody has asked for anything before."""
    window = opened(look(view(a_billion.open())))
    a_billion.calls.clear()
    return window


def says_its_number(window, number):
    """The card is there, and the record in it is the one with that number."""
    window.shows_card(number)
    shown = window.card(number).inner_text()
    assert re.search(rf'"record":\s+{number}\b', shown), shown


def test_the_first_screen_takes_one_request(window):
    assert len([url for url in window.requests if "/api/records" in url]) == 1
    assert len(window.numbers()) < 100
    says_its_number(window, 0)


def test_the_last_record_is_one_key_one_request_and_one_read_away(fresh, a_billion):
    with fresh.counting("/api/records") as requests:
        fresh.card(0).focus()
        fresh.press("End")
        says_its_number(fresh, LAST)
        fresh.settles()
    assert len(requests) == 1
    assert len(a_billion.calls) == 1
    assert fresh.current_record() == LAST


def test_g_in_capitals_leads_to_the_last_record_as_well(window):
    window.press("G")
    says_its_number(window, LAST)
    assert window.current_record() == LAST


def test_a_record_is_found_by_its_number_with_one_request_and_one_read(fresh, a_billion):
    with fresh.counting("/api/records") as requests:
        fresh.press("g")
        fresh.page.keyboard.type("123,456,789")
        fresh.press("Enter")
        says_its_number(fresh, 123_456_789)
        fresh.settles()
    assert len(requests) == 1
    assert len(a_billion.calls) == 1


@pytest.mark.parametrize(("typed", "number"), [("-1", LAST), ("50%", 500_000_000), ("999999999", LAST)])
def test_a_place_can_be_typed_in_other_ways(window, typed, number):
    window.find("#goto").fill(typed)
    window.press("Enter")
    window.shows_card(number)


def test_a_number_that_is_too_high_is_refused_in_words(window):
    window.find("#goto").fill("1000000000")
    window.press("Enter")
    window.says("#status", "There is no record 1000000000")
    assert window.find("#goto").get_attribute("aria-invalid") == "true"


def test_the_scrollbar_leads_to_the_last_record(fresh, a_billion):
    box = fresh.find("#records [role=grid]").bounding_box()
    thumb = box["x"] + box["width"] - 6
    with fresh.counting("/api/records") as requests:
        fresh.page.mouse.move(thumb, box["y"] + 24)
        fresh.page.mouse.down()
        fresh.page.mouse.move(thumb, box["y"] + box["height"] + 200, steps=4)
        fresh.page.mouse.up()
        says_its_number(fresh, LAST)
        fresh.settles()
    assert fresh.numbers()[-1] == LAST
    assert len(a_billion.calls) <= len(requests)


def test_the_wheel_moves_by_rows_in_the_middle_of_a_billion(window):
    window.go("#/records?at=500000000")
    window.shows_card(500_000_000)
    window.settles()
    before = window.numbers()
    box = window.find("#records [role=grid]").bounding_box()
    window.page.mouse.move(box["x"] + 200, box["y"] + 200)
    window.page.mouse.wheel(0, 600)
    assert window.comes_true(lambda: window.numbers()[0] > before[0])
    window.settles()
    assert window.numbers()[0] - before[0] < 100
    says_its_number(window, window.numbers()[-1])


def test_pages_go_on_from_one_screen_to_the_next(window):
    window.go(f"#/records?at={LAST}")
    window.shows_card(LAST)
    window.card(LAST).focus()
    window.press("PageUp")
    assert window.comes_true(lambda: window.current_record() < LAST)
    window.settles()
    assert window.current_record() > LAST - 100


def test_a_link_leads_to_the_last_record_in_a_grid(look, viewer):
    says_its_number(look(viewer, f"#/records?at={LAST}"), LAST)


def test_a_link_leads_to_the_last_record_by_itself(look, view, a_billion):
    viewer = view(a_billion.open())
    a_billion.calls.clear()
    window = look(viewer, f"#/record/{LAST}")
    window.shows_record(LAST)
    assert len([url for url in window.requests if "/api/record" in url]) == 1
    assert len(a_billion.calls) == 1
    assert '"record": 999999999' in re.sub(r"\s+", " ", window.blocks().inner_text())


def test_one_can_scroll_far_without_reading_what_lies_between(fresh, a_billion):
    with fresh.counting("/api/records") as requests:
        # At once, with a frame for each step: on a busy machine frames are so slow that the page takes them for a rest.
        fresh.page.evaluate("""() => {
            const grid = document.querySelector("#records [role=grid]");
            const { requestAnimationFrame } = window;
            window.requestAnimationFrame = (draw) => { draw(); };
            for (let step = 0; step < 20; step += 1) {
                grid.scrollTop += 100_000;
                grid.dispatchEvent(new Event("scroll"));
            }
            window.requestAnimationFrame = requestAnimationFrame;
        }""")
        fresh.settles()
    assert len(requests) == 1
    assert len(a_billion.calls) == 1


def test_the_whole_is_told_above(window):
    assert "1,000,000,000 records" in window.says("#subtitle", "records")


def test_the_wheel_reaches_the_last_record_from_nearby(window):
    window.go(f"#/records?at={LAST - 60}")
    window.shows_card(LAST - 60)
    box = window.find("#records [role=grid]").bounding_box()
    window.page.mouse.move(box["x"] + 200, box["y"] + 200)

    def is_at_the_end():
        window.page.mouse.wheel(0, 400)
        return window.card(LAST).count() == 1

    assert window.comes_true(is_at_the_end)
    says_its_number(window, LAST)
    assert window.card(LAST).is_visible()


def test_another_size_of_the_window_keeps_the_place(window):
    window.go("#/records?at=700000001")
    window.shows_card(700_000_001)
    for width, height in [(700, 500), (1600, 900), (400, 700)]:
        window.page.set_viewport_size({"width": width, "height": height})
        window.settles()
        says_its_number(window, 700_000_001)


def test_keys_that_come_quickly_are_all_counted(window):
    window.go("#/records?at=123456")
    window.shows_card(123_456)
    window.press(*["j"] * 40, *["k"] * 15)
    assert window.current_record() == 123_456 + 25
    says_its_number(window, 123_456 + 25)
    assert window.card(123_456 + 25).is_visible()


def test_back_leads_to_the_same_place_among_a_billion(window):
    window.go("#/records?at=600000000&layout=list")
    window.shows_card(600_000_000)
    window.card(600_000_003).locator(".card-preview").click()
    window.shows_record(600_000_003)
    window.page.go_back()
    says_its_number(window, 600_000_003)
    assert window.find("#layout-list").get_attribute("aria-pressed") == "true"

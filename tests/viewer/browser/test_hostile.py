"""Records that want to run, to reach other hosts or to take all memory do none of it, and the page stays usable."""

from __future__ import annotations

import pytest

import octavo
from tests.viewer.samples import hostile

NAMES = list(hostile.records())
IS_UNTOUCHED = "window.__pwned === undefined && Object.prototype.polluted === undefined"


@pytest.fixture
def window(revisit, hostile_viewer):
    """Whatever runs or asks elsewhere is trouble, which fails the test."""
    return revisit(hostile_viewer)


def is_usable(window):
    window.press("?")
    window.find("#help[open]").wait_for()
    window.press("Escape")
    window.find("#help").wait_for(state="hidden")
    return window.page.evaluate(IS_UNTOUCHED)


@pytest.mark.parametrize("layout", ["grid", "list"])
def test_cards_of_hostile_records_run_nothing(window, layout):
    for at in range(0, len(NAMES), 8):
        window.go(f"#/records?at={at}&layout={layout}")
        window.shows_card(at)
        window.settles()
    assert is_usable(window)


ACTIVE = "script, iframe, object, embed, svg:not(.icon), [onload], [onerror]"


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_record_runs_nothing(window, name):
    window.go_to_record(NAMES.index(name))
    assert window.blocks().locator(ACTIVE).count() == 0
    assert is_usable(window)


@pytest.mark.parametrize(
    "decoder", ["text", "image", "audio", "json", "example", "npz", "npy", "safetensors", "msgpack"]
)
def test_no_decoder_makes_a_hostile_record_run(window, decoder):
    window.expect_trouble(f"/media/|ERR_|status 4.. .*as={decoder}")
    for name in ("html", "svg", "gif polyglot", "example"):
        window.go_to_record(NAMES.index(name), as_=decoder)
        assert window.page.evaluate(IS_UNTOUCHED)


def test_markup_is_shown_as_text(window):
    window.go_to_record(NAMES.index("html"))
    assert "<script>" in window.blocks().inner_text()
    window.go_to_record(NAMES.index("svg"))
    assert "<foreignObject>" in window.blocks().inner_text()
    assert window.blocks().locator("img").count() == 0


def test_names_of_features_are_shown_as_text(window):
    window.go_to_record(NAMES.index("example"))
    assert hostile.FEATURE in window.blocks().inner_text()


def test_a_picture_that_would_take_all_memory_is_not_drawn(window):
    window.go_to_record(NAMES.index("png bomb"))
    assert window.blocks().locator("img").count() == 0
    said = window.blocks().get_by_role("note").first.inner_text()
    assert "100000" in said.replace(",", "")


def test_a_download_of_a_page_is_not_a_page(window):
    number = NAMES.index("html")
    window.go_to_record(number)
    with window.page.expect_download() as download:
        window.find("#download").click()
    assert download.value.path().read_bytes() == hostile.records()["html"]
    with window.page.expect_download():
        window.page.evaluate(f"location.assign('api/record/{number}/download')")
    assert window.page.evaluate(IS_UNTOUCHED)


def test_a_media_address_opened_by_itself_runs_nothing(window, hostile_viewer):
    number = NAMES.index("gif polyglot")
    window.go_to_record(number)
    source = window.blocks().locator("img").get_attribute("src")
    window.expect_trouble("sandbox|Content Security Policy|favicon|ERR_BLOCKED_BY_RESPONSE")
    window.page.goto(hostile_viewer.url + source)
    assert window.page.evaluate("document.contentType") == "image/gif"
    assert window.page.evaluate("window.__pwned === undefined")


def test_names_of_packed_files_are_shown_as_text(look, view, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / hostile.NAME).write_text("harmless")
    octavo.pack(folder, tmp_path / "packed.ffr")
    window = look(view(tmp_path / "packed.ffr"))
    window.shows_card(0)
    assert hostile.NAME in window.card(0).inner_text()
    window.go_to_record(0)
    assert hostile.NAME in window.find("#record-facts").inner_text()
    with window.page.expect_download() as download:
        window.find("#download").click()
    assert "/" not in download.value.suggested_filename
    assert is_usable(window)


def test_another_page_gets_nothing(browser, hostile_viewer):
    """From a page of another origin: no answer is readable, no picture loads, no frame shows it."""
    context = browser.new_context()
    try:
        page = context.new_page()
        page.route("http://elsewhere.test/**", lambda route: route.fulfill(body="<p>", content_type="text/html"))
        page.goto("http://elsewhere.test/")
        for address in (f"{hostile_viewer.url}api/about", f"{hostile_viewer.url}api/record/0/download"):
            assert page.evaluate("address => fetch(address).then(() => 'read', () => 'refused')", address) == "refused"
        sent = """address => fetch(address, {method: 'POST', mode: 'no-cors', body: '{"name": "x", "numbers": [0]}'})
            .then(answer => answer.type, () => 'refused')"""
        assert page.evaluate(sent, f"{hostile_viewer.url}api/export") in {"opaque", "refused"}
        number = NAMES.index("gif polyglot")
        loaded = """address => new Promise(done => {
            const image = new Image();
            image.onload = () => done('shown');
            image.onerror = () => done('refused');
            image.src = address;
        })"""
        assert page.evaluate(loaded, f"{hostile_viewer.url}api/record/{number}/media/0") == "refused"
    finally:
        context.close()

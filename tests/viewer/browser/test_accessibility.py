"""Every view is checked by axe, light and dark; and is readable when enlarged, on narrow screens, without motion."""

from __future__ import annotations

from importlib import resources

import pytest

from tests.viewer.samples import mixed

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
VIEWS = {
    "grid": "#/records",
    "list": "#/records?layout=list",
    "image": f"#/record/{mixed.first('png')}",
    "example": f"#/record/{mixed.first('example')}",
    "audio": f"#/record/{mixed.first('wav')}",
    "json": f"#/record/{mixed.first('json')}",
    "hex": f"#/record/{mixed.first('binary')}",
    "array": f"#/record/{mixed.first('npy')}",
    "file": "#/file",
    "find": f"#/find?text={mixed.RARE_WORD}",
    "nothing found": "#/find?text=nowhere-at-all",
    "sample": "#/sample?count=8&seed=1",
}


@pytest.fixture(scope="module")
def axe():
    pytest.importorskip("axe_core_python", reason="accessibility is checked with axe")
    return resources.files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def violations(window, axe):
    window.page.evaluate(axe)
    options = {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]}
    found = window.page.evaluate("options => axe.run(document, options)", options)["violations"]
    return [f"{one['id']}: {node['html'][:200]} {node['failureSummary']}" for one in found for node in one["nodes"]]


def open_view(window, name):
    window.go(VIEWS[name])
    window.view().wait_for()
    if name in {"grid", "list", "find", "sample"}:
        window.settles()
    elif name == "file":
        window.page.get_by_role("slider", name="Chunk").wait_for()
        window.says("#sizes", "average")
    elif name == "nothing found":
        window.says("#find-summary", "0 records found")
    else:
        window.page.locator("#record-sheet:not([aria-busy])").wait_for()
        window.find("#record[data-number]").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_view(look, chunked_viewer, axe, scheme):
    window = look(chunked_viewer, color_scheme=scheme, reduced_motion="reduce")
    found = {}
    for name in VIEWS:
        open_view(window, name)
        found[name] = violations(window, axe)
    assert {name: said for name, said in found.items() if said} == {}


def test_axe_finds_what_was_made_wrong(look, chunked_viewer, axe):
    window = look(chunked_viewer, color_scheme="light")
    window.shows_card(0)
    window.page.evaluate("""() => {
        document.getElementById("help-button").removeAttribute("aria-label");
        document.getElementById("help-button").removeAttribute("title");
        document.getElementById("of-total").style.color = "#c8c8c8";
    }""")
    assert {said.split(":")[0] for said in violations(window, axe)} >= {"button-name", "color-contrast"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_dialogs_and_damage(look, damaged_viewer, axe, scheme):
    window = look(damaged_viewer, color_scheme=scheme, reduced_motion="reduce")
    window.shows_card(0)
    window.settles()
    window.press("?")
    window.find("#help[open]").wait_for()
    found = violations(window, axe)
    window.press("Escape")
    window.find("#help").wait_for(state="hidden")
    window.press("x", "e")
    window.find("#export[open]").wait_for()
    found += violations(window, axe)
    window.press("Escape")
    window.find("#export").wait_for(state="hidden")
    window.press("f")
    window.page.get_by_role("button", name="Verify").click()
    window.says("#verify-result", "damaged")
    found += violations(window, axe)
    window.find("#verify-damage").get_by_role("link").first.click()
    window.cards("damaged").first.wait_for()
    window.settles()
    assert found + violations(window, axe) == []


def is_too_wide(window):
    """Whether the page has to be moved sideways."""
    return window.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")


@pytest.mark.parametrize(("width", "height", "scale"), [(640, 400, 2), (320, 600, 1)])
def test_enlarged_and_narrow_pages_need_no_sideways_scrolling(look, chunked_viewer, width, height, scale):
    window = look(chunked_viewer, viewport={"width": width, "height": height}, device_scale_factor=scale)
    wide = []
    for name in VIEWS:
        open_view(window, name)
        if is_too_wide(window):
            wide.append(name)
    assert wide == []


def test_controls_stay_within_a_narrow_screen(look, chunked_viewer):
    window = look(chunked_viewer, viewport={"width": 320, "height": 600})
    window.shows_card(0)
    outside = window.page.evaluate("""() => [...document.querySelectorAll("header *, .tools *, footer *")]
        .filter((one) => one.matches("button, a, input, select") && one.checkVisibility())
        .map((one) => ({ one, box: one.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 1 && (box.left < -1 || box.right > innerWidth + 1))
        .map(({ one }) => one.id || one.outerHTML)""")
    assert [one for one in outside if one != "skip"] == []


def test_larger_text_is_followed(look, chunked_viewer):
    window = look(chunked_viewer)
    window.shows_card(0)
    before = window.card(0).bounding_box()["height"]
    window.page.evaluate("document.documentElement.style.fontSize = '200%'; dispatchEvent(new Event('resize'))")
    window.page.set_viewport_size({"width": 1201, "height": 750})
    assert window.comes_true(lambda: window.card(0).bounding_box()["height"] > 1.5 * before)
    assert not is_too_wide(window)


def test_nothing_moves_where_motion_is_not_wanted(look, chunked_viewer):
    window = look(chunked_viewer, reduced_motion="reduce")
    window.shows_card(0)
    moving = window.page.evaluate("""() => [...document.querySelectorAll("*")].filter((one) => {
        const { animationName, animationDuration, transitionDuration } = getComputedStyle(one);
        const longest = (text) => Math.max(...text.split(",").map(parseFloat));
        const isAnimated = animationName !== "none" && longest(animationDuration) > 0.01;
        return isAnimated || longest(transitionDuration) > 0.01;
    }).map((one) => one.outerHTML.slice(0, 100))""")
    assert moving == []


def test_the_grid_tells_its_size_and_the_place_of_each_card(look, chunked_viewer):
    window = look(chunked_viewer, "#/records?at=200")
    window.shows_card(200)
    grid = window.view().get_by_role("grid")
    columns = int(grid.get_attribute("aria-colcount"))
    assert int(grid.get_attribute("aria-rowcount")) == -(-mixed.COUNT // columns)
    row = window.card(200).locator("xpath=..")
    assert row.get_attribute("role") == "row"
    assert int(row.get_attribute("aria-rowindex")) == 200 // columns + 1
    assert int(window.card(200).get_attribute("aria-colindex")) == 200 % columns + 1

"""A selection becomes a new file, and no file is ever overwritten."""

from __future__ import annotations

import re

import pytest

import octavo
from tests.viewer.samples import mixed


@pytest.fixture
def exported(tmp_path):
    folder = tmp_path / "exported"
    folder.mkdir()
    return folder


@pytest.fixture
def window(look, view, chunked, exported):
    window = look(view(chunked, export_folder=exported))
    window.shows_card(0)
    window.settles()
    return window


def select(window, *numbers):
    for number in numbers:
        window.card(number).locator(".card-check").check()


def export(window, name, format=""):
    window.page.get_by_role("button", name="Export…").click()
    window.page.get_by_label("Name of the new file").fill(name)
    if format:
        window.page.locator("#export-format").select_option(format)
    window.find("#export-start").click()


@pytest.mark.parametrize("format", ["ffrecord", "array_record", "recordio", "tfrecord"])
def test_the_selected_records_are_the_new_file(window, exported, format):
    select(window, 1, 4, 6)
    assert "3 selected" in window.find("#selection-bar").inner_text()
    export(window, "chosen", format)
    said = window.says("#export-success", "3 records written")
    (path,) = [file for file in exported.iterdir() if file.name.startswith("chosen")]
    assert str(path) in said
    with octavo.open(path) as reader:
        assert list(reader) == [mixed.records()[number] for number in (1, 4, 6)]
        assert reader.info.format == format


def test_a_file_that_exists_is_never_overwritten(window, exported):
    (exported / "mine.ffr").write_bytes(b"precious")
    window.expect_trouble("409")
    select(window, 0)
    export(window, "mine.ffr", "ffrecord")
    window.says("#export-error", r"\w")
    assert (exported / "mine.ffr").read_bytes() == b"precious"
    window.page.get_by_label("Name of the new file").fill("yours.ffr")
    window.find("#export-start").click()
    window.says("#export-success", "1 record written")
    with octavo.open(exported / "yours.ffr") as reader:
        assert list(reader) == [mixed.records()[0]]


@pytest.mark.parametrize("name", ["../escaped.ffr", "/escaped.ffr", "..", "a/b.ffr"])
def test_no_name_leads_out_of_the_folder(window, exported, name):
    window.expect_trouble("40[039]")
    select(window, 0)
    export(window, name, "ffrecord")
    window.says("#export-error", r"\w")
    assert list(exported.iterdir()) == []
    assert not (exported.parent / "escaped.ffr").exists()


def test_a_name_is_asked_for(window, exported):
    select(window, 2)
    export(window, " ")
    window.says("#export-error", "Give the new file a name")
    assert list(exported.iterdir()) == []


def test_what_was_found_is_exported_together(window, exported):
    window.go(f"#/find?text={mixed.RARE_WORD}")
    window.says("#find-summary", "3 records found")
    window.page.get_by_role("button", name="Select all found").click()
    export(window, "found.ffr", "ffrecord")
    window.says("#export-success", "3 records written")
    with octavo.open(exported / "found.ffr") as reader:
        assert list(reader) == [mixed.records()[number] for number in mixed.WITH_RARE_WORD]


def test_a_range_is_selected_with_shift(window):
    window.card(2).focus()
    window.press("x", "j", "j", "j", "Shift+X")
    assert "4 selected" in window.find("#selection-bar").inner_text()
    assert window.card(4).get_attribute("aria-selected") == "true"
    window.page.get_by_role("button", name="Clear").click()
    window.find("#selection-bar").wait_for(state="hidden")


def test_damaged_records_are_left_out_and_named(look, view, damaged, exported):
    window = look(view(damaged, export_folder=exported))
    window.shows_card(0)
    bad = first_damaged(damaged)
    window.go(f"#/records?at={bad}")
    window.shows_card(bad, "damaged")
    window.settles()
    good = int(window.cards("ok").first.get_attribute("data-number"))
    select(window, bad, good)
    export(window, "rest.ffr", "ffrecord")
    said = window.says("#export-success", "written")
    assert re.search(rf"Left out as damaged.*: {bad}\.", said)
    with octavo.open(exported / "rest.ffr") as reader:
        assert list(reader) == [mixed.records()[good]]


def first_damaged(path):
    return octavo.verify(path).damage[0].record

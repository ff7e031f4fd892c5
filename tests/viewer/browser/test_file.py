"""The file as a whole: facts, chunks, sizes, shards; and damage, in place and by verification."""

from __future__ import annotations

import re

import pytest

import octavo
from tests.viewer.samples import damage, mixed


@pytest.fixture
def window(revisit, chunked_viewer):
    window = revisit(chunked_viewer, "#/file")
    window.find("#file").wait_for()
    return window


def test_the_facts_name_format_codec_and_counts(window):
    facts = window.says("#file-facts", "Format")
    for said in ("array_record", "zstd", "360"):
        assert said in facts


def test_the_dialect_of_a_recordio_file_is_told(look, view, tmp_path):
    window = look(view(mixed.write_recordio(tmp_path / "mixed.recordio")), "#/file")
    facts = window.says("#file-facts", "Dialect")
    assert "paddle-python" in facts
    assert "snappy" in facts


def test_the_map_has_every_chunk_and_says_what_is_in_it(window):
    chunks = window.page.get_by_role("slider", name="Chunk")
    chunks.wait_for()
    assert "45 chunks" in window.says("#chunks", "chunks")
    assert "8 records from 0" in chunks.get_attribute("aria-valuetext")
    chunks.focus()
    window.press("ArrowRight")
    assert "8 records from 8" in chunks.get_attribute("aria-valuetext")
    assert re.search(r"[\d.]+ : 1 from", chunks.get_attribute("aria-valuetext"))


def test_a_chunk_leads_to_its_first_record(window):
    chunks = window.page.get_by_role("slider", name="Chunk")
    chunks.wait_for()
    chunks.focus()
    window.press("End", "Enter")
    window.shows_card(352)
    assert window.current_record() == 352


def test_the_map_is_drawn(window):
    chunks = window.page.get_by_role("slider", name="Chunk")
    chunks.wait_for()
    colors = chunks.evaluate("""canvas => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        const seen = new Set();
        for (let at = 0; at < data.length; at += 4) seen.add(data.slice(at, at + 4).join());
        return seen.size;
    }""")
    assert colors >= 3


def test_the_sizes_of_records_are_a_histogram_and_a_table(window):
    histogram = window.page.get_by_role("img", name="Histogram of record sizes")
    histogram.wait_for()
    sizes = [len(record) for record in mixed.records()]
    said = window.says("#sizes", "on average")
    assert f"From {min(sizes)} bytes" in said
    window.page.get_by_text("As a table").click()
    rows = window.page.get_by_role("group", name="Record sizes as a table").get_by_role("row").all_inner_texts()
    counted = [int(row.split("\t")[1].replace(",", "")) for row in rows[1:]]
    assert sum(counted) == mixed.COUNT


def test_shards_are_side_by_side_and_lead_to_their_records(look, shards_viewer):
    window = look(shards_viewer, "#/file")
    rows = window.page.get_by_role("group", name="Files side by side").get_by_role("row")
    rows.nth(3).wait_for()
    assert rows.count() == 1 + 3
    assert "photographs-00001-of-00003.ffr" in rows.nth(2).inner_text()
    assert "120" in rows.nth(2).inner_text()
    rows.nth(2).get_by_role("link").click()
    window.shows_card(60)
    assert window.current_record() == 60


def test_a_format_without_chunks_says_so(look, shards_viewer):
    window = look(shards_viewer, "#/file")
    assert "without chunks" in window.says("#chunks", "without")


def test_a_shard_that_cannot_be_opened_is_told_and_the_others_are_shown(look, view, tmp_path):
    folder = mixed.write_ffrecord(tmp_path / "photographs")
    sorted(folder.iterdir())[1].write_bytes(b"no record file at all, by any means")
    window = look(view(folder), "#/file")
    assert "00001-of-00003" in window.says("#failures", "00001-of-00003")
    window.go("#/records")
    window.shows_card(0)


def test_a_sound_file_is_verified(window):
    window.page.get_by_role("button", name="Verify").click()
    assert "All sound: 360 records in 1 file" in window.says("#verify-result", "sound")


def test_verification_shows_progress_and_can_be_cancelled(look, view, a_billion):
    window = look(view(a_billion.open()), "#/file")
    window.find("#verify").wait_for()
    window.page.get_by_role("button", name="Verify").click()
    window.find("#verify-progress progress").wait_for()
    window.says("#verify-progress", "%")
    window.find("#verify-cancel").click()
    window.says("#verify-result", "Cancelled")


def test_verification_lists_the_damage_and_leads_to_it(look, damaged_viewer, damaged):
    (found,) = octavo.verify(damaged).damage
    window = look(damaged_viewer, "#/file")
    window.page.get_by_role("button", name="Verify").click()
    said = window.says("#verify-result", "damaged")
    assert f"{found.record_count} damaged records" in said
    window.find("#verify-damage").get_by_role("link").click()
    window.shows_card(found.record, "damaged")
    window.page.get_by_role("button", name="Next damage").wait_for()


def test_damage_is_shown_in_place_among_sound_records(look, damaged_viewer, damaged):
    (found,) = octavo.verify(damaged).damage
    window = look(damaged_viewer, f"#/records?at={found.record}")
    for number in found.records:
        window.shows_card(number, "damaged")
    window.shows_card(found.records.stop)
    text = window.card(found.record).inner_text()
    assert "Damaged" in text
    assert window.find(".damage-mark").count() >= 1


def test_a_damaged_record_says_why(look, damaged_viewer, damaged):
    (found,) = octavo.verify(damaged).damage
    window = look(damaged_viewer)
    window.go_to_record(found.record)
    window.find('#record[data-status="damaged"]').wait_for()
    assert re.search("hash|checksum|damaged", window.blocks().get_by_role("note").first.inner_text())


def test_one_flipped_record_is_the_only_one_marked(look, view, shards, tmp_path):
    path = damage.flipped_record(min(shards.iterdir()), tmp_path / "flipped.ffr", 7)
    window = look(view(path))
    window.shows_card(7, "damaged")
    window.settles()
    assert window.cards("damaged").count() == 1
    assert window.cards("ok").count() > 8

"""Nothing at all, records that are too large to be read as a whole, and screens that do not fit into one answer."""

from __future__ import annotations

import struct
import zlib

import pytest

import octavo

GIGABYTE = 1 << 30
END = b"the end of a gigabyte"


@pytest.fixture(scope="module")
def gigabyte(tmp_path_factory):
    """A record of a gigabyte between two small ones; nearly all of it is a hole in the file."""
    path = tmp_path_factory.mktemp("large") / "gigabyte.ffr"
    zeros = bytes(1 << 26)
    checksum = 0
    for _ in range(GIGABYTE // len(zeros)):
        checksum = zlib.crc32(zeros, checksum)
    checksums = [zlib.crc32(b"before"), checksum, zlib.crc32(END)]
    first = 12 + 12 * 3
    offsets = [first, first + len(b"before"), first + len(b"before") + GIGABYTE]
    index = struct.pack("<q3I3q", 3, *checksums, *offsets)
    with open(path, "wb") as file:
        file.write(struct.pack("<I", zlib.crc32(index)) + index + b"before")
        file.seek(offsets[2])
        file.write(END)
    return path


def test_a_record_of_a_gigabyte_is_named_and_its_neighbors_are_shown(look, view, gigabyte):
    window = look(view(gigabyte))
    window.shows_card(0)
    window.shows_card(1, "large")
    window.shows_card(2)
    assert END.decode() in window.card(2).inner_text()
    assert "1.07 GB" in window.card(1).inner_text()


def test_a_record_of_a_gigabyte_is_paged_through_without_being_read(look, view, gigabyte):
    window = look(view(gigabyte))
    window.go_to_record(1)
    shown = window.page.get_by_role("group", name="Bytes")
    shown.wait_for()
    assert len(window.blocks().inner_text()) < 1 << 20
    window.press("j")
    window.shows_record(2)
    assert END.decode() in window.blocks().inner_text()


def test_records_that_do_not_fit_into_one_answer_come_with_the_next(look, view, tmp_path):
    with octavo.create(tmp_path / "heavy.ffr") as writer:
        writer.write_many(b"heavy %d " % number + bytes(3 << 20) for number in range(20))
    window = look(view(tmp_path / "heavy.ffr"))
    window.settles()
    assert {window.card(number).get_attribute("data-status") for number in window.numbers()} == {"ok"}
    requests = [url for url in window.requests if "/api/records" in url]
    assert 1 < len(requests) <= len(window.numbers())


def test_a_file_without_records_says_so(look, view, tmp_path):
    with octavo.create(tmp_path / "empty.ffr"):
        pass
    window = look(view(tmp_path / "empty.ffr"))
    window.says("#records", "There are no records here")
    for key in ("j", "k", "G", "End", "x", "Enter", "v"):
        window.press(key)
    window.press("f")
    window.find("#file").wait_for()
    window.page.get_by_role("button", name="Verify").click()
    window.says("#verify-result", "All sound: 0 records")


def test_one_record_is_a_screen_as_well(look, view, tmp_path):
    with octavo.create(tmp_path / "one.ffr") as writer:
        writer.write(b"the only one")
    window = look(view(tmp_path / "one.ffr"))
    window.shows_card(0)
    window.press("j", "G", "Enter")
    window.shows_record(0)
    assert window.find("#record-next").is_disabled()
    assert window.find("#record-previous").is_disabled()

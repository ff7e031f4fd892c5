"""FFRecord cannot be appended to, and says what can be done instead."""

from __future__ import annotations

from pathlib import Path

import pytest

import octavo
from octavo import errors

RECORDS = [b"abc", b"", b"edf"]


def test_appending_is_refused_with_the_way_out(write_file):
    path = write_file(RECORDS)
    with pytest.raises(errors.UnsupportedError, match=r"octavo\.create.*octavo\.open\(\[") as caught:
        octavo.append(path)
    assert caught.value.path == str(path)


def test_the_way_out_leads_there(write_file, tmp_path):
    path = write_file(RECORDS)
    with octavo.create(tmp_path / "more.ffr") as writer:
        writer.write(b"more")
    assert octavo.open([path, tmp_path / "more.ffr"]).read_all() == [*RECORDS, b"more"]


def test_the_file_is_left_as_it_was(write_file):
    path = write_file(RECORDS)
    before = path.read_bytes()
    with pytest.raises(errors.UnsupportedError):
        octavo.append(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_appending_to_nothing_is_not_found(tmp_path):
    with pytest.raises(errors.NotFoundError):
        octavo.append(tmp_path / "missing.ffr")


def test_appending_to_a_damaged_file_is_its_damage(tmp_path):
    path = tmp_path / "damaged.ffr"
    path.write_bytes(b"short")
    with pytest.raises(errors.TruncatedError):
        octavo.append(path)


@pytest.mark.parametrize("location", [None, 3, b"records.ffr", [Path("records.ffr")]])
def test_what_is_no_path_is_a_type_error(location):
    with pytest.raises(errors.RecordTypeError):
        octavo.append(location)

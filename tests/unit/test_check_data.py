"""`check_data=False`: checksums are not asked, everything else still is."""

from __future__ import annotations

import os

import pytest

import octavo
from octavo import errors
from tests.property.access_paths import ACCESS_PATHS
from tests.unit.damage import damage_chunks, flipped, index_chunks, record_chunks
from tests.unit.layouts import FFRECORD, GO, GROUPED, LONE, RIEGELI, TFRECORD, Layout

RECORDS = [f"record {number}".encode() for number in range(100)]
PLAIN = Layout("array_record", ".array_record", (("group_size", 7), ("codec", "none")))
PLAIN_RIEGELI = Layout("riegeli", ".riegeli", (("group_size", 5), ("codec", "none")))
VERBATIM = [FFRECORD, LONE, PLAIN, PLAIN_RIEGELI, GO, TFRECORD]
IDS = ["ffrecord", "array_record", "array_record-7", "riegeli", "recordio-go", "tfrecord"]


@pytest.mark.parametrize("way", ACCESS_PATHS)
def test_every_way_to_read_gives_sound_records(stored, way):
    assert ACCESS_PATHS[way](stored.open(RECORDS, check_data=False)) == RECORDS


def test_every_file_gives_sound_records(layout):
    reader = layout.open(RECORDS, check_data=False)
    assert (reader.read_all(), list(reader), reader[42]) == (RECORDS, RECORDS, RECORDS[42])


@pytest.mark.parametrize("layout", VERBATIM, ids=IDS)
def test_a_wrong_byte_in_a_record_is_handed_out(layout):
    content = layout.encode(RECORDS)
    place = content.index(b"record 42")
    reader = octavo.open(flipped(content, place), **layout.hint, check_data=False)
    assert reader.read_all() == [*RECORDS[:42], b"secord 42", *RECORDS[43:]]


@pytest.mark.parametrize("layout", VERBATIM, ids=IDS)
def test_the_same_byte_is_an_error_otherwise(layout):
    content = layout.encode(RECORDS)
    reader = octavo.open(flipped(content, content.index(b"record 42")), **layout.hint)
    with pytest.raises(errors.ChecksumError):
        reader[42]


@pytest.mark.parametrize("layout", [LONE, GROUPED, RIEGELI], ids=["lone", "grouped", "riegeli"])
def test_a_chunk_that_cannot_be_decoded_is_damage_all_the_same(layout):
    content = damage_chunks(layout, layout.encode(RECORDS), 2)  # the byte that names the codec
    reader = octavo.open(content, **layout.hint, check_data=False)
    with pytest.raises(errors.DamagedFileError, match="codec"):
        reader.read_all()
    assert reader[0] == RECORDS[0]
    assert reader[-1] == RECORDS[-1]


def test_the_index_of_an_array_record_file_is_always_verified():
    content = GROUPED.encode(RECORDS)
    footer, _ = index_chunks(content)
    with pytest.raises(errors.ChecksumError):
        octavo.open(flipped(content, footer + 60), check_data=False)


def test_a_header_that_contradicts_the_index_is_damage_all_the_same():
    content = PLAIN.encode(RECORDS)
    count = record_chunks(PLAIN, content)[3] + 25  # of records, in the header
    reader = octavo.open(flipped(content, count), check_data=False)
    with pytest.raises(errors.FormatError):
        reader[21]


def test_verify_checks_whatever_the_reader_would_not(tmp_path):
    path = tmp_path / "damaged.array_record"
    path.write_bytes(damage_chunks(GROUPED, GROUPED.encode(RECORDS), 2))
    octavo.open(path, check_data=False)
    assert [one.record for one in octavo.verify(path).damage] == [14]


@pytest.mark.parametrize("value", [1, 0, None, "yes"])
def test_it_is_a_switch(layout, value):
    with pytest.raises(errors.RecordTypeError, match="check_data is True or False"):
        layout.open(RECORDS, check_data=value)


@pytest.mark.parametrize("files", [1, 3])
@pytest.mark.parametrize("check_data", [True, False])
@pytest.mark.parametrize(
    "happen",
    [
        os.remove,
        lambda path: os.rename(path, f"{path}.moved"),
        lambda path: os.chmod(path, 0o400),
        lambda path: os.link(path, f"{path}.linked"),
    ],
    ids=["removed", "renamed", "chmod", "linked"],
)
def test_what_happens_to_a_files_name_is_no_change_of_its_bytes(tmp_path, files, check_data, happen):
    paths = [FFRECORD.write(tmp_path / str(number), [b"abc", b"edf"]) for number in range(files)]
    reader = octavo.open(paths, check_data=check_data)
    reader._open_all()
    for path in paths:
        happen(path)
    for _ in range(2):
        assert reader.read(range(2 * files)) == [b"abc", b"edf"] * files
        assert reader[0] == b"abc"


@pytest.mark.parametrize("happen", [lambda path: os.chmod(path, 0o400), lambda path: os.link(path, f"{path}.linked")])
def test_a_file_that_is_opened_late_may_have_got_another_standing(tmp_path, happen):
    paths = [FFRECORD.write(tmp_path / str(number), [b"abc"]) for number in range(3)]
    reader = octavo.open(paths)
    for path in paths:
        happen(path)
    assert reader.read_all() == [b"abc"] * 3

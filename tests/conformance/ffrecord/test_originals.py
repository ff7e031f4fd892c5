"""Every file the original FFRecord wrote, and every damaged one made from them, reads as the manifest says."""

from __future__ import annotations

from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.conformance.originals import Original, as_parameters, digest_of, originals, sha256_of
from tests.naive import ffrecord as naive

ALL = originals("ffrecord")
SOUND = [one for one in ALL if one.kind.startswith("valid") or one.kind == "packed-folder"]
LISTED = [one for one in SOUND if "record_sha256" in one.facts]
FILES = [one for one in SOUND if one.path.is_file()]
HOSTILE = [one for one in ALL if one.kind == "hostile"]
DAMAGED = [one for one in ALL if one.kind == "damaged"]
REFUSED = [one for one in DAMAGED if one.facts["opens"] is False]
OPENING = [one for one in DAMAGED if one.facts["opens"] is not False]
SALVAGEABLE = [one for one in DAMAGED if "readable_if_metadata_check_skipped" in one.facts]
DIRECTORIES = [one for one in ALL if one.path.is_dir()]

# What the manifest calls damage, by the class that a caller catches.
REFUSALS = {
    "big_n.ffr": errors.DamagedFileError,
    "crashed_writer.ffr": errors.UnfinishedFileError,
    "flip_checksum_entry.ffr": errors.ChecksumError,
    "flip_meta_checksum.ffr": errors.ChecksumError,
    "flip_offset_entry.ffr": errors.ChecksumError,
    "huge_n.ffr": errors.DamagedFileError,
    "negative_n.ffr": errors.DamagedFileError,
    "offset_in_header.ffr": errors.DamagedFileError,
    "offsets_backwards.ffr": errors.DamagedFileError,
    "trunc_fixed_header.ffr": errors.TruncatedError,
    "trunc_index.ffr": errors.DamagedFileError,
    "zero_bytes.ffr": errors.TruncatedError,
}
# Cutting a file inside its last record only makes that record shorter: its length is stored nowhere.
DAMAGE_OF_RECORDS = {
    "flip_sample.ffr": errors.ChecksumError,
    "legacy_flipped_sample.ffr": errors.ChecksumError,
    "legacy_overwrite.ffr": errors.ChecksumError,
    "trailing_junk.ffr": errors.ChecksumError,
    "trunc_last.ffr": errors.ChecksumError,
    "trunc_mid.ffr": errors.TruncatedError,
    "offset_past_end.ffr": errors.TruncatedError,
    "legacy_partial.ffr": errors.FormatError,
}


def readable_in(reader: octavo.Reader) -> dict[int, str]:
    """Digests of the records that come, each asked for on its own."""
    found = {}
    for number in range(len(reader)):
        try:
            found[number] = sha256_of(reader[number])
        except errors.FormatError:
            continue
    return found


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_the_records_are_as_many_as_the_manifest_says(original: Original):
    assert len(octavo.open(original.path)) == original.facts["records"]


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_the_digest_of_all_records_is_the_manifests(original: Original):
    assert digest_of(octavo.open(original.path).read_all()) == original.facts["records_digest"]


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_iteration_gives_the_manifests_digest(original: Original):
    assert digest_of(octavo.open(original.path)) == original.facts["records_digest"]


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_all_records_in_one_batch_give_the_manifests_digest(original: Original):
    reader = octavo.open(original.path)
    assert digest_of(reader.read(range(len(reader)))) == original.facts["records_digest"]


@pytest.mark.parametrize("original", as_parameters(LISTED))
def test_each_record_has_the_manifests_size(original: Original):
    reader = octavo.open(original.path)
    assert [len(reader[number]) for number in range(len(reader))] == original.facts["record_sizes"]


@pytest.mark.parametrize("original", as_parameters(LISTED))
def test_each_record_has_the_manifests_sha256(original: Original):
    reader = octavo.open(original.path)
    assert [sha256_of(reader[number]) for number in range(len(reader))] == original.facts["record_sha256"]


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_verify_finds_nothing_wrong(original: Original):
    report = octavo.verify(original.path)
    assert report.ok
    assert report.record_count == original.facts["records"]


@pytest.mark.parametrize("original", as_parameters(FILES))
def test_bytes_in_memory_are_recognised_by_content(original: Original):
    assert digest_of(octavo.open(original.path.read_bytes())) == original.facts["records_digest"]


@pytest.mark.parametrize("original", as_parameters(one for one in FILES if one.kind in {"valid", "packed-folder"}))
def test_writing_the_records_again_gives_the_same_bytes(original: Original, tmp_path):
    copy = tmp_path / "copy.ffr"
    with octavo.create(copy) as writer:
        writer.write_many(octavo.open(original.path))
    assert copy.read_bytes() == original.path.read_bytes()


@pytest.mark.parametrize("original", as_parameters(DIRECTORIES))
def test_a_directory_numbers_its_files_one_after_the_other(original: Original):
    reader = octavo.open(original.path)
    assert [Path(path).name for path in reader.paths] == list(original.facts["files"])
    assert [len(octavo.open(path)) for path in reader.paths] == list(original.facts["files"].values())


@pytest.mark.parametrize("original", as_parameters(HOSTILE))
def test_hostile_metadata_of_a_packed_folder_is_only_a_record(original: Original, capfd):
    reader = octavo.open(original.path)
    assert list(reader) == list(naive.NaiveFile(original.path.read_bytes()).readable().values())
    assert reader[-1].startswith(b"piouhjgbr")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("original", as_parameters(REFUSED))
def test_a_file_that_must_not_open_is_refused_with_its_class(original: Original):
    with pytest.raises(REFUSALS[original.path.name]) as caught:
        octavo.open(original.path)
    assert type(caught.value) is REFUSALS[original.path.name]


@pytest.mark.parametrize("original", as_parameters(REFUSED))
def test_a_refusal_names_the_file(original: Original):
    with pytest.raises(errors.FormatError) as caught:
        octavo.open(original.path)
    assert caught.value.path == str(original.path)
    assert str(original.path) in str(caught.value)


@pytest.mark.parametrize("original", as_parameters(REFUSED))
def test_a_file_that_must_not_open_is_one_damage_to_verify(original: Original):
    assert [one.path for one in octavo.verify(original.path).damage] == [str(original.path)]


@pytest.mark.parametrize("original", as_parameters(OPENING))
def test_exactly_the_readable_records_of_a_damaged_file_come(original: Original):
    found = readable_in(octavo.open(original.path))
    assert found == {number: original.facts["record_sha256"][number] for number in original.facts["readable"]}


@pytest.mark.parametrize("original", as_parameters(OPENING))
def test_unreadable_records_raise_their_class(original: Original):
    reader = octavo.open(original.path)
    unreadable = set(range(len(reader))) - set(original.facts["readable"])
    assert sorted(unreadable) == original.facts.get("unreadable", sorted(unreadable))
    for number in unreadable:
        with pytest.raises(DAMAGE_OF_RECORDS[original.path.name]) as caught:
            reader[number]
        assert caught.value.path == str(original.path)


@pytest.mark.parametrize("original", as_parameters(OPENING))
def test_verify_lists_exactly_the_unreadable_records(original: Original):
    report = octavo.verify(original.path)
    unreadable = set(range(report.record_count)) - set(original.facts["readable"])
    assert sorted(unreadable) == [number for one in report.damage for number in one.records]


@pytest.mark.parametrize("original", as_parameters(OPENING))
def test_the_naive_twin_reads_the_same_records_of_a_damaged_file(original: Original):
    twin = naive.NaiveFile(original.path.read_bytes()).readable()
    assert {number: sha256_of(record) for number, record in twin.items()} == readable_in(octavo.open(original.path))


@pytest.mark.parametrize("original", as_parameters(REFUSED))
def test_the_naive_twin_refuses_the_same_files(original: Original):
    with pytest.raises(naive.Refused):
        naive.NaiveFile(original.path.read_bytes())


@pytest.mark.parametrize("original", as_parameters(SALVAGEABLE))
def test_records_behind_damaged_metadata_come_without_checks(original: Original):
    reader = octavo.open(original.path, check_data=False)
    for number in original.facts["readable_if_metadata_check_skipped"]:
        assert sha256_of(reader[number]) == original.facts["record_sha256"][number]


def test_the_batch_case_of_ten_thousand_records_is_read_in_one_call():
    many = [one for one in SOUND if one.path.name == "many_small.ffr"]
    if not many:
        pytest.skip("the originals' files are absent")
    reader = octavo.open(many[0].path)
    order = list(range(len(reader) - 1, -1, -1))
    assert digest_of(reversed(reader.read(order))) == many[0].facts["records_digest"]

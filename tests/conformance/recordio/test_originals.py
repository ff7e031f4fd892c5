"""Every file the originals wrote, and every damaged one made from them, reads as the manifest says."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo import errors
from tests.conformance.originals import Original, as_parameters, digest_of, originals, sha256_of
from tests.naive import recordio as naive

FILES = originals("recordio")
SOUND = [one for one in FILES if one.kind == "valid"]
WITH_RECORDS = [one for one in SOUND if one.facts["records"]]
DAMAGED = [one for one in FILES if one.kind == "damaged"]
TORN = [one for one in DAMAGED if "_torn_" in one.path.name]
FLIPPED = [one for one in DAMAGED if one not in TORN]
# A flip in a payload leaves every header where it was; the others do not.
HOPPABLE = [one for one in FLIPPED if one.path.stem.endswith(("_flip_payload", "_flip_first"))]
WITHOUT_A_WAY_ON = [one for one in FLIPPED if one not in HOPPABLE]
AT_ONCE = [one for one in WITH_RECORDS if "+" not in one.facts["compressor"]]
UNCOMPRESSED = [one for one in WITH_RECORDS if one.facts["compressor"] == "none"]


def open_quietly(path: Path) -> tuple[octavo.Reader, bool]:
    """A reader, and whether it was said that the end of the file is torn."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        reader = octavo.open(path)
    return reader, any(issubclass(one.category, errors.TornAppendWarning) for one in caught)


def digests_of(original: Original, key: str) -> list[str]:
    """Of the records that the manifest lists there."""
    return [original.facts["record_sha256"][number] for number in original.facts[key]]


def writer_options(original: Original) -> dict[str, Any]:
    """What the original was told, in octavo's words."""
    limit = original.facts.get("max_chunk", 1 << 20)
    unit = "group_size" if original.facts["dialect"] == "paddle-cpp" else "max_chunk_bytes"
    return {"dialect": original.facts["dialect"], "codec": original.facts["compressor"], unit: limit}


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_the_digest_of_all_records_is_the_manifests(original: Original):
    reader = octavo.open(original.path)
    assert len(reader) == original.facts["records"]
    assert digest_of(reader.read_all()) == original.facts["records_digest"]


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_iteration_gives_the_manifests_digest(original: Original):
    assert digest_of(octavo.open(original.path)) == original.facts["records_digest"]


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_a_batch_from_the_end_gives_the_manifests_digest(original: Original):
    reader = octavo.open(original.path, cache_bytes="4k")
    order = range(len(reader) - 1, -1, -1)
    assert digest_of(reversed(reader.read(order))) == original.facts["records_digest"]


@pytest.mark.parametrize("original", as_parameters(one for one in SOUND if "record_sizes" in one.facts))
def test_each_record_has_the_manifests_size_and_sha256(original: Original):
    reader = octavo.open(original.path)
    found = [reader[number] for number in range(len(reader))]
    assert list(map(len, found)) == original.facts["record_sizes"]
    assert list(map(sha256_of, found)) == original.facts["record_sha256"]


@pytest.mark.parametrize("original", as_parameters(WITH_RECORDS))
def test_bytes_in_memory_are_recognised_by_content(original: Original):
    assert digest_of(octavo.open(original.path.read_bytes())) == original.facts["records_digest"]


@pytest.mark.parametrize("original", as_parameters(WITH_RECORDS))
def test_info_says_what_the_manifest_says(original: Original):
    info = octavo.open(original.path).info
    assert (info.format, info.dialect, info.dialect_confirmed) == ("recordio", original.facts["dialect"], True)
    assert info.codec == original.facts["compressor"].partition("+")[0]
    assert info.record_count == original.facts["records"]
    assert info.chunk_count == original.facts.get("chunks", info.chunk_count)
    assert info.torn_bytes == 0


def test_a_file_of_no_bytes_has_no_records_and_no_dialect(tmp_path):
    path = tmp_path / "empty.recordio"
    path.touch()
    reader = octavo.open(path)
    assert reader.read_all() == list(reader) == []
    assert (reader.info.dialect, reader.info.dialect_confirmed, reader.info.record_count) == (None, False, 0)
    assert octavo.verify(path).ok


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_verify_finds_nothing_wrong(original: Original):
    report = octavo.verify(original.path)
    assert report.ok
    assert report.record_count == original.facts["records"]


@pytest.mark.parametrize("original", as_parameters(UNCOMPRESSED))
def test_writing_the_records_again_gives_the_same_bytes(original: Original, tmp_path):
    copy = tmp_path / "copy.recordio"
    with octavo.create(copy, **writer_options(original)) as writer:
        writer.write_many(octavo.open(original.path))
    assert copy.read_bytes() == original.path.read_bytes()


@pytest.mark.parametrize("original", as_parameters(one for one in AT_ONCE if "chunk_table" in one.facts))
def test_chunks_are_cut_where_the_original_cuts_them(original: Original, tmp_path):
    copy = tmp_path / "copy.recordio"
    with octavo.create(copy, **writer_options(original)) as writer:
        writer.write_many(octavo.open(original.path))
    counts = [header.count for header in naive.NaiveFile(copy.read_bytes()).headers]
    assert counts == [chunk["records"] for chunk in original.facts["chunk_table"]]


@pytest.mark.parametrize("original", as_parameters(DAMAGED))
def test_strict_reading_gives_what_stands_in_front_of_the_damage(original: Original):
    reader, is_torn = open_quietly(original.path)
    found: list[str] = []
    try:
        found.extend(sha256_of(record) for record in reader)
    except errors.FormatError:
        assert original in FLIPPED
    else:
        assert is_torn
    assert found == digests_of(original, "readable_strict")


@pytest.mark.parametrize("original", as_parameters(DAMAGED))
def test_strict_reading_one_by_one_gives_what_stands_in_front_of_the_damage(original: Original):
    reader, _ = open_quietly(original.path)
    count = len(original.facts["readable_strict"])
    assert [sha256_of(reader[number]) for number in range(count)] == digests_of(original, "readable_strict")
    if count < len(reader):
        with pytest.raises(errors.FormatError):
            reader[count]


@pytest.mark.parametrize("original", as_parameters(TORN))
def test_a_torn_tail_is_left_out_with_a_warning(original: Original):
    reader, is_torn = open_quietly(original.path)
    assert is_torn
    assert len(reader) == len(original.facts["readable_strict"])
    end_of_the_last_whole = original.facts["chunk_table_before_damage"][-1]["offset"]
    assert reader.info.torn_bytes == original.path.stat().st_size - end_of_the_last_whole
    assert digest_of(reader.read_all()) == digest_of(reader)


@pytest.mark.parametrize("original", as_parameters(FLIPPED))
def test_damage_is_no_torn_tail(original: Original):
    reader, is_torn = open_quietly(original.path)
    assert not is_torn
    assert reader.info.torn_bytes == 0
    with pytest.raises(errors.FormatError):
        reader.read_all()


@pytest.mark.parametrize("original", as_parameters(HOPPABLE))
def test_a_damaged_payload_costs_the_records_of_its_chunk_only(original: Original):
    reader, _ = open_quietly(original.path)
    assert len(reader) == original.facts["records"]
    kept = original.facts["readable_salvage"]
    assert list(map(sha256_of, reader.read(kept))) == digests_of(original, "readable_salvage")
    for number in set(range(len(reader))) - set(kept):
        with pytest.raises((errors.ChecksumError, errors.DamagedFileError)) as caught:
            reader[number]
        assert caught.value.path == str(original.path)


@pytest.mark.parametrize("original", as_parameters(one for one in FLIPPED if one.path.stem.endswith("_flip_magic")))
def test_behind_a_lost_chunk_stands_one_record_that_names_the_offset(original: Original):
    reader, _ = open_quietly(original.path)
    count = len(original.facts["readable_strict"])
    assert len(reader) == count + 1
    with pytest.raises(errors.FormatError) as caught:
        reader[count]
    assert caught.value.offset == original.facts["chunk_table_before_damage"][2]["offset"]
    assert caught.value.path == str(original.path)


@pytest.mark.parametrize("original", as_parameters(DAMAGED))
def test_the_dialect_of_a_damaged_file_is_found(original: Original):
    info = open_quietly(original.path)[0].info
    assert (info.dialect, info.dialect_confirmed) == (original.facts["dialect"], True)


@pytest.mark.parametrize("original", as_parameters(DAMAGED))
def test_verify_sees_the_damage(original: Original):
    report = octavo.verify(original.path)
    assert not report.ok
    assert {one.path for one in report.damage} == {str(original.path)}


@pytest.mark.parametrize("original", as_parameters(HOPPABLE))
def test_a_damaged_chunk_is_one_damage_with_its_number_of_records(original: Original):
    report = octavo.verify(original.path)
    lost = sorted(set(range(original.facts["records"])) - set(original.facts["readable_salvage"]))
    assert [(one.record, one.record_count) for one in report.damage] == [(lost[0], len(lost))]


@pytest.mark.parametrize("original", as_parameters(DAMAGED))
def test_recover_saves_what_the_manifest_says(original: Original, tmp_path):
    target = tmp_path / "saved.recordio"
    report = octavo.recover(original.path, target)
    saved = octavo.open(target)
    assert list(map(sha256_of, saved)) == digests_of(original, "readable_salvage")
    assert report.record_count == len(saved)
    assert not report.ok
    assert octavo.verify(target).ok


@pytest.mark.parametrize("original", as_parameters(WITH_RECORDS))
def test_recover_saves_all_of_a_sound_file_and_keeps_its_dialect(original: Original, tmp_path):
    target = tmp_path / "saved.recordio"
    report = octavo.recover(original.path, target)
    assert (report.record_count, report.ok, report.lost) == (original.facts["records"], True, ())
    assert octavo.open(target).info.dialect == naive.detect(target.read_bytes())[0] == original.facts["dialect"]
    assert digest_of(octavo.open(target)) == original.facts["records_digest"]


def test_recover_of_a_file_of_no_bytes_is_one(tmp_path):
    source, target = tmp_path / "empty.recordio", tmp_path / "saved.recordio"
    source.touch()
    assert octavo.recover(source, target) == octavo.RecoverReport(0, ())
    assert target.read_bytes() == b""


@pytest.mark.parametrize("original", as_parameters(WITH_RECORDS))
def test_what_is_appended_follows_the_originals_records(original: Original, tmp_path):
    path = tmp_path / "appended.recordio"
    content = original.path.read_bytes()
    path.write_bytes(content)
    with octavo.append(path) as writer:
        writer.write_many([b"appended", b""])
    assert path.read_bytes().startswith(content)
    records = naive.decode(path.read_bytes())
    assert records[-2:] == [b"appended", b""]
    assert digest_of(records[:-2]) == original.facts["records_digest"]
    assert octavo.open(path).read_all() == records


@pytest.mark.parametrize("original", as_parameters(TORN))
def test_append_cuts_off_a_torn_tail_first(original: Original, tmp_path):
    path = tmp_path / "appended.recordio"
    path.write_bytes(original.path.read_bytes())
    with octavo.append(path) as writer:
        writer.write(b"appended")
    records = naive.decode(path.read_bytes())
    assert list(map(sha256_of, records[:-1])) == digests_of(original, "readable_strict")
    assert records[-1] == b"appended"
    assert octavo.verify(path).ok


@pytest.mark.parametrize("original", as_parameters(WITHOUT_A_WAY_ON))
def test_append_refuses_a_file_that_is_damaged_in_the_middle(original: Original, tmp_path):
    path = tmp_path / "damaged.recordio"
    path.write_bytes(original.path.read_bytes())
    with pytest.raises(errors.FormatError, match="recover"):
        octavo.append(path)
    assert path.read_bytes() == original.path.read_bytes()


@pytest.mark.parametrize("original", as_parameters(TORN))
def test_trim_cuts_off_a_torn_tail(original: Original, tmp_path):
    path = tmp_path / "torn.recordio"
    path.write_bytes(original.path.read_bytes())
    torn_bytes = naive.NaiveFile(path.read_bytes()).torn_bytes
    assert octavo.trim(path) == torn_bytes
    assert octavo.trim(path) == 0
    assert list(map(sha256_of, naive.decode(path.read_bytes()))) == digests_of(original, "readable_strict")

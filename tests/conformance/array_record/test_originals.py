"""Every file the original ArrayRecord wrote, and every damaged one made from them, reads as the manifest says."""

from __future__ import annotations

from typing import Any

import pytest

import octavo
from octavo import errors
from tests.conformance.array_record.fixtures import DAMAGED, SOUND
from tests.conformance.codecs import needs_cramjam
from tests.conformance.originals import Original, as_parameters, digest_of, sha256_of
from tests.naive import array_record as naive
from tests.naive.protobuf import Damaged

CODECS = {"uncompressed": "none", "brotli": "brotli", "zstd": "zstd", "snappy": "snappy"}
UNCOMPRESSED = [one for one in SOUND if "uncompressed" in one.facts["options"]]
WITH_INDEX = [one for one in DAMAGED if one.facts["footer_usable"]]
WITHOUT_INDEX = [one for one in DAMAGED if not one.facts["footer_usable"]]
# What the manifest calls damage, by the classes that fit it.
REFUSALS: dict[str, tuple[type[errors.FormatError], ...]] = {
    "damaged_postscript.array_record": (errors.ChecksumError,),
    "damaged_footer.array_record": (errors.ChecksumError,),
    "damaged_truncated_at_block.array_record": (errors.TruncatedError, errors.UnfinishedFileError),
    "damaged_truncated_mid_chunk.array_record": (errors.TruncatedError, errors.UnfinishedFileError),
}


def recoverable(original: Original) -> list[int]:
    """The numbers of the records that the best strategy of the manifest saves."""
    strategies = ("recoverable_via_footer", "recoverable_via_byte_scan", "recoverable_via_block_scan")
    found = [original.facts[strategy] or [] for strategy in strategies]
    return max(([number for start, end in runs for number in range(start, end)] for runs in found), key=len)


def codec_of(options: str) -> str:
    return next((codec for key, codec in CODECS.items() if key in options), "zstd")


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
def test_the_digest_of_all_records_is_the_manifests(original: Original):
    reader = octavo.open(original.path)
    assert len(reader) == original.facts["num_records"]
    assert digest_of(reader.read_all()) == original.facts["framed_sha256"]


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_iteration_gives_the_manifests_digest(original: Original):
    assert digest_of(octavo.open(original.path)) == original.facts["framed_sha256"]


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_each_record_has_the_manifests_size_and_sha256(original: Original):
    reader = octavo.open(original.path)
    found = [reader[number] for number in range(len(reader))]
    assert list(map(len, found)) == original.facts["lengths"]
    assert list(map(sha256_of, found)) == original.facts["sha256"]


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_a_batch_from_the_end_gives_the_manifests_digest(original: Original):
    reader = octavo.open(original.path, cache_bytes="4k")
    order = range(len(reader) - 1, -1, -1)
    assert digest_of(reversed(reader.read(order))) == original.facts["framed_sha256"]


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_an_offloaded_index_gives_the_manifests_digest(original: Original):
    reader = octavo.open(original.path, index_storage="offloaded")
    assert digest_of(reader.read_all()) == original.facts["framed_sha256"]


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_info_says_what_the_manifest_says(original: Original):
    info = octavo.open(original.path).info
    options = original.facts["writer_options"]
    assert info.format == "array_record"
    assert info.record_count == original.facts["num_records"]
    assert info.chunk_count == original.facts["num_chunks"]
    assert info.decoded_bytes == original.facts["total_bytes"]
    assert info.writer_options == options
    assert info.codec == codec_of(options)
    assert info.torn_bytes == 0


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_verify_finds_nothing_wrong(original: Original):
    report = octavo.verify(original.path)
    assert report.ok
    assert report.record_count == original.facts["num_records"]


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_bytes_in_memory_are_recognised_by_content(original: Original):
    assert digest_of(octavo.open(original.path.read_bytes())) == original.facts["framed_sha256"]


@needs_cramjam
@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_the_naive_twin_reads_the_manifests_records(original: Original):
    file = naive.NaiveFile(original.path.read_bytes())
    assert digest_of(file.records()) == original.facts["framed_sha256"]
    assert file.options_text == original.facts["writer_options"]


@pytest.mark.parametrize("original", as_parameters(UNCOMPRESSED))
def test_the_naive_twin_writes_the_same_bytes(original: Original):
    content = original.path.read_bytes()
    options = naive.Options.from_text(original.facts["options"])
    assert naive.encode(naive.NaiveFile(content).records(), options) == content


@pytest.mark.parametrize(
    "original", as_parameters(one for one in UNCOMPRESSED if "transpose" not in one.facts["options"])
)
def test_writing_the_records_again_gives_the_same_bytes(original: Original, tmp_path):
    copy = tmp_path / "copy.array_record"
    with octavo.create(copy, options=original.facts["options"]) as writer:
        writer.write_many(octavo.open(original.path))
    assert copy.read_bytes() == original.path.read_bytes()


@pytest.mark.parametrize("original", as_parameters(WITHOUT_INDEX))
def test_a_file_without_an_index_is_refused_with_its_class(original: Original):
    with pytest.raises(REFUSALS[original.path.name]):
        octavo.open(original.path)


@pytest.mark.parametrize("original", as_parameters(WITHOUT_INDEX))
def test_a_refusal_names_the_file_and_the_remedy(original: Original):
    with pytest.raises(errors.FormatError) as caught:
        octavo.open(original.path)
    assert caught.value.path == str(original.path)
    assert str(original.path) in str(caught.value)
    assert "recover" in str(caught.value)


@pytest.mark.parametrize("original", as_parameters(WITHOUT_INDEX))
def test_a_file_without_an_index_is_one_damage_to_verify(original: Original):
    report = octavo.verify(original.path)
    assert not report.ok
    assert [one.path for one in report.damage] == [str(original.path)]


@pytest.mark.parametrize("original", as_parameters(WITH_INDEX))
def test_exactly_the_readable_records_of_a_damaged_file_come(original: Original):
    reader = octavo.open(original.path)
    assert len(reader) == original.facts["num_records"]
    assert readable_in(reader) == {number: original.facts["sha256"][number] for number in recoverable(original)}


@pytest.mark.parametrize("original", as_parameters(WITH_INDEX))
def test_unreadable_records_are_checksum_errors(original: Original):
    reader = octavo.open(original.path)
    for number in set(range(len(reader))) - set(recoverable(original)):
        with pytest.raises(errors.ChecksumError) as caught:
            reader[number]
        assert caught.value.path == str(original.path)
    with pytest.raises(errors.ChecksumError):
        reader.read_all()


@pytest.mark.parametrize("original", as_parameters(WITH_INDEX))
def test_a_damaged_chunk_is_one_damage_with_its_number_of_records(original: Original):
    report = octavo.verify(original.path)
    assert [(one.record, one.record_count) for one in report.damage] == [(15, 3)]
    assert report.record_count == original.facts["num_records"]


def recover(original: Original, folder: Any) -> tuple[Any, octavo.Reader]:
    target = folder / "saved.array_record"
    report = octavo.recover(original.path, target)
    return report, octavo.open(target)


@pytest.mark.parametrize("original", as_parameters([*SOUND, *DAMAGED]))
def test_recover_saves_what_the_manifest_says(original: Original, tmp_path):
    report, saved = recover(original, tmp_path)
    expected = (
        original.facts["sha256"]
        if original in SOUND
        else [original.facts["sha256"][number] for number in recoverable(original)]
    )
    assert list(map(sha256_of, saved)) == expected
    assert report.record_count == len(saved) == len(expected)


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_recover_loses_nothing_of_a_sound_file(original: Original, tmp_path):
    report, _ = recover(original, tmp_path)
    assert (report.ok, report.lost_count, tuple(report.lost)) == (True, 0, ())


@pytest.mark.parametrize("original", as_parameters(WITH_INDEX))
def test_recover_says_where_records_were_lost(original: Original, tmp_path):
    report, _ = recover(original, tmp_path)
    assert not report.ok
    assert report.lost_count == 3
    (lost,) = report.lost
    assert lost.record_count == 3
    assert lost.offset <= original.facts["flipped_offset"] < lost.end
    assert lost.reason


@pytest.mark.parametrize("original", as_parameters(one for one in WITHOUT_INDEX if "cut_at" in one.facts))
def test_recover_does_not_claim_that_a_cut_file_was_whole(original: Original, tmp_path):
    report, _ = recover(original, tmp_path)
    assert not report.ok
    assert report.lost_count != 0


@pytest.mark.parametrize("original", as_parameters(one for one in WITHOUT_INDEX if "flipped_offset" in one.facts))
def test_recover_loses_no_record_with_the_index(original: Original, tmp_path):
    report, saved = recover(original, tmp_path)
    assert report.lost_count == 0
    assert len(saved) == original.facts["num_records"]


@needs_cramjam
@pytest.mark.parametrize("original", as_parameters(WITHOUT_INDEX))
def test_the_naive_twin_refuses_the_same_files(original: Original):
    with pytest.raises(Damaged):
        naive.NaiveFile(original.path.read_bytes())


@needs_cramjam
@pytest.mark.parametrize("original", as_parameters(WITH_INDEX))
def test_the_naive_twin_reads_the_same_records_of_a_damaged_file(original: Original):
    found = naive.NaiveFile(original.path.read_bytes()).readable()
    assert sorted(found) == recoverable(original)
    assert [sha256_of(found[number]) for number in sorted(found)] == [
        original.facts["sha256"][number] for number in recoverable(original)
    ]

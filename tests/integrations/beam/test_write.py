"""WriteToRecords: names, formats and options, and what stays when something fails."""

from __future__ import annotations

import functools
import gc
import itertools
from array import array
from typing import Any

import pytest

beam = pytest.importorskip("apache_beam")

from apache_beam.coders import StrUtf8Coder  # noqa: E402 - only where Beam is
from apache_beam.options.value_provider import RuntimeValueProvider, StaticValueProvider  # noqa: E402
from apache_beam.testing.util import assert_that, equal_to  # noqa: E402

import octavo  # noqa: E402
from octavo import errors  # noqa: E402
from octavo.integrations.beam import ReadAllFromRecords, WriteToRecords  # noqa: E402
from tests.integrations.beam.samples import FORMATS, names_in, read_all, records_of  # noqa: E402

RECORDS = records_of(40)


def write(elements, transform, options):
    with beam.Pipeline(options=options()) as pipeline:
        _ = pipeline | beam.Create(elements) | transform


@pytest.mark.parametrize("name", FORMATS)
def test_files_of_every_format_are_written(name, tmp_path, options):
    suffix = name.removeprefix("data")
    write(RECORDS, WriteToRecords(tmp_path / "data", suffix, num_shards=3, **FORMATS[name]), options)
    assert names_in(tmp_path) == [f"data-0000{shard}-of-00003{suffix}" for shard in range(3)]
    assert read_all(tmp_path) == sorted(RECORDS)
    assert len(octavo.open(tmp_path / f"data-00000-of-00003{suffix}")) > 0


@pytest.mark.parametrize("name", FORMATS)
def test_files_on_other_file_systems_are_streamed(name, shelf, tmp_path, options):
    suffix = name.removeprefix("data")
    format: Any = "riegeli" if suffix == ".riegeli" else None  # which bytes without a name do not tell
    opened = functools.partial(octavo.open, format=format)
    write(RECORDS, WriteToRecords("shelf://there/data", suffix, num_shards=2, **FORMATS[name]), options)
    assert sorted(shelf.files) == [f"shelf://there/data-0000{shard}-of-00002{suffix}" for shard in range(2)]
    assert sorted(itertools.chain(*map(opened, shelf.files.values()))) == sorted(RECORDS)
    write(RECORDS, WriteToRecords(tmp_path / "data", suffix, 1, **FORMATS[name]), options)
    write(RECORDS, WriteToRecords("shelf://same/data", suffix, 1, **FORMATS[name]), options)
    same = [record for path, content in shelf.files.items() if "same" in path for record in opened(content)]
    assert sorted(same) == read_all(tmp_path)


def test_options_of_the_format_are_used(tmp_path, options):
    write(RECORDS, WriteToRecords(tmp_path / "a", ".array_record", 1, codec="brotli:1", group_size=8), options)
    write(RECORDS, WriteToRecords(tmp_path / "b", ".arrayrecord", 1, options="group_size:5,snappy"), options)
    write(RECORDS, WriteToRecords(tmp_path / "c", ".recordio", 1, codec="gzip", dialect="go", group_size=7), options)
    write(RECORDS, WriteToRecords(tmp_path / "d", ".recordio", 1, max_chunk_bytes=50), options)
    write(RECORDS, WriteToRecords(tmp_path / "e", ".x.riegeli", 1, transpose=True, group_size=9), options)
    write(RECORDS, WriteToRecords(tmp_path / "nameless", "", 1, format="ffrecord"), options)
    assert octavo.open(tmp_path / "nameless-00000-of-00001", format="ffrecord").info.format == "ffrecord"
    (tmp_path / "nameless-00000-of-00001").unlink()
    write(RECORDS, WriteToRecords(tmp_path / "f", ".tfrecord", 1, codec="zlib:9"), options)
    a, b, c, d, e, f = (octavo.open(tmp_path / name).info for name in names_in(tmp_path))
    assert (a.codec, a.group_size, b.codec, b.group_size) == ("brotli", 8, "snappy", 5)
    assert (c.codec, c.dialect, c.group_size, d.chunk_count) == ("gzip", "go", 7, 8)
    assert (e.format, e.transposed, e.group_size, f.codec) == ("riegeli", True, 9, "zlib")


def test_the_runner_chooses_the_number_of_files(tmp_path, options):
    write(RECORDS, WriteToRecords(tmp_path / "data", ".array_record"), options)
    assert names_in(tmp_path)
    assert read_all(tmp_path) == sorted(RECORDS)


def test_a_template_of_its_own_and_none_at_all(tmp_path, options):
    write(RECORDS, WriteToRecords(tmp_path / "part", ".ffr", 2, "_SS_NN"), options)
    assert names_in(tmp_path) == ["part_00_02.ffr", "part_01_02.ffr"]
    write(RECORDS, WriteToRecords(tmp_path / "all.tfrecord.gz", shard_name_template=""), options)
    assert octavo.open(tmp_path / "all.tfrecord.gz").info.codec == "gzip"
    assert read_all(tmp_path, "all*") == sorted(RECORDS)
    write(RECORDS, WriteToRecords(tmp_path / "old.tfrecord.gz", num_shards=1), options)
    assert octavo.open(tmp_path / "old.tfrecord.gz-00000-of-00001").info.codec == "gzip"


def test_files_of_an_earlier_run_are_replaced(tmp_path, options):
    for _ in range(2):
        write(RECORDS, WriteToRecords(tmp_path / "data", ".ffr", 2), options)
        assert names_in(tmp_path) == ["data-00000-of-00002.ffr", "data-00001-of-00002.ffr"]
        assert read_all(tmp_path) == sorted(RECORDS)


def test_a_prefix_may_be_relative_to_the_working_directory(working_folder, options):
    for _ in range(2):
        write(RECORDS, WriteToRecords("data", ".ffr", 1), options)
        write(RECORDS, WriteToRecords("folder/", ".ffr", 1), options)
        assert names_in(working_folder) == ["data-00000-of-00001.ffr", "folder/-00000-of-00001.ffr"]
        assert read_all(working_folder, "data*") == sorted(RECORDS)


def test_nothing_to_write_gives_files_without_records(tmp_path, options):
    write([], WriteToRecords(tmp_path / "data", ".array_record", 2), options)
    assert len(names_in(tmp_path)) == 2
    assert read_all(tmp_path) == []


def test_the_names_of_the_files_go_on(tmp_path, options):
    with beam.Pipeline(options=options()) as pipeline:
        written = pipeline | beam.Create(RECORDS) | WriteToRecords(tmp_path / "data", ".recordio", 2)
        assert_that(written | ReadAllFromRecords(), equal_to(RECORDS))


def test_elements_are_buffers_or_a_coder_makes_bytes_of_them(tmp_path, options):
    elements = [b"bytes", bytearray(b"array"), array("b", b"typed")]
    write(elements, WriteToRecords(tmp_path / "data", ".ffr", 1), options)
    write(["zwölf"], WriteToRecords(tmp_path / "text", ".ffr", 1, coder=StrUtf8Coder()), options)
    assert read_all(tmp_path, "data*") == [b"array", b"bytes", b"typed"]
    assert read_all(tmp_path, "text*") == ["zwölf".encode()]


def test_a_place_may_be_known_only_when_the_pipeline_runs(tmp_path, options):
    place = StaticValueProvider(str, str(tmp_path / "data"))
    write(RECORDS, WriteToRecords(place, ".ffr", 1), options)
    assert read_all(tmp_path) == sorted(RECORDS)
    later = RuntimeValueProvider("place", str, None)
    assert isinstance(WriteToRecords(later, ".ffr"), beam.PTransform)
    with pytest.raises(errors.OptionError, match="does not say which format"):
        WriteToRecords(later)


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ({}, errors.OptionError, "the suffix does not say which format to write"),
        ({"file_name_suffix": ".csv"}, errors.OptionError, r"data-00000-of-00001\.csv: the suffix does not say"),
        ({"format": "csv"}, errors.OptionError, "'csv' is none of"),
        ({"format": 7}, errors.RecordTypeError, "format is a name"),
        ({"file_name_suffix": ".ffr", "codec": "zstd"}, errors.OptionError, "ffrecord has no such options: codec"),
        ({"file_name_suffix": ".ffr", "coder": str}, errors.RecordTypeError, "coder is a coder of Beam"),
        ({"file_name_suffix": ".ffr", "num_shards": -1}, errors.OptionError, "num_shards is -1"),
        ({"file_name_suffix": ".ffr", "num_shards": "2"}, errors.OptionError, "num_shards is '2'"),
        ({"file_name_suffix": ".ffr", "shard_name_template": "-N"}, ValueError, "Shard number pattern"),
        ({"file_name_suffix": ".array_record", "codec": "lz4"}, errors.OptionError, "codec is 'lz4'"),
        ({"file_name_suffix": ".array_record", "group_size": 0}, errors.OptionError, "group_size"),
        ({"file_name_suffix": ".array_record", "options": "gruop_size:1"}, errors.OptionError, "gruop_size"),
        ({"file_name_suffix": ".recordio", "dialect": "latin"}, errors.OptionError, "latin"),
        ({"file_name_suffix": ".tfrecord", "group_size": 2}, errors.OptionError, "tfrecord has no such options"),
    ],
)
def test_wrong_arguments_are_told_when_the_transform_is_made(arguments, error, told):
    with pytest.raises(error, match=told):
        WriteToRecords("data", **arguments)


def test_collections_without_an_end_are_refused(tmp_path):
    from apache_beam.testing.test_stream import TestStream

    endless = beam.Pipeline() | TestStream().advance_watermark_to_infinity()
    with pytest.raises(errors.UnsupportedError, match="collections that end"):
        _ = endless | WriteToRecords(tmp_path / "data", ".ffr")


@pytest.mark.parametrize("place", ["local", "shelf"])
@pytest.mark.parametrize("suffix", [".array_record", ".ffr"])
@pytest.mark.usefixtures("no_logging")
def test_an_element_that_is_no_record_leaves_no_file(place, suffix, tmp_path, shelf, options):
    prefix = f"{tmp_path}/data" if place == "local" else "shelf://there/data"
    with pytest.raises(Exception, match="str"):
        write([*RECORDS, "text"], WriteToRecords(prefix, suffix, 1), options)
    gc.collect()
    assert names_in(tmp_path) == list(shelf.files) == []


@pytest.mark.parametrize("place", ["local", "shelf"])
@pytest.mark.usefixtures("no_logging")
def test_an_error_elsewhere_in_the_bundle_leaves_no_file(place, tmp_path, shelf, options):
    def give_up(record):
        if record == RECORDS[-1]:
            raise ValueError("giving up")
        return record

    prefix = f"{tmp_path}/data" if place == "local" else "shelf://there/data"
    with pytest.raises(Exception, match="giving up"), beam.Pipeline(options=options()) as pipeline:
        _ = (
            pipeline
            | beam.Create(RECORDS, reshuffle=False)
            | beam.Map(give_up)
            | WriteToRecords(prefix, ".array_record")
        )
    gc.collect()
    assert names_in(tmp_path) == list(shelf.files) == []


@pytest.mark.usefixtures("no_logging")
def test_a_file_system_that_fails_leaves_no_file(shelf, options, monkeypatch):
    monkeypatch.setattr(shelf, "is_broken", True)
    with pytest.raises(Exception, match="the shelf is full"):
        write(RECORDS, WriteToRecords("shelf://there/data", ".array_record", 1), options)
    gc.collect()
    assert shelf.files == {}


@pytest.mark.parametrize("num_shards", [0, 3])
def test_bundles_that_run_again_leave_nothing_twice(num_shards, tmp_path, options):
    again = options("--direct_runner_bundle_repeat=2")
    with beam.Pipeline(options=again) as pipeline:
        _ = pipeline | beam.Create(RECORDS) | WriteToRecords(tmp_path / "data", ".array_record", num_shards)
    assert read_all(tmp_path) == sorted(RECORDS)
    assert not [name for name in names_in(tmp_path) if not name.startswith("data-")]


def test_only_what_a_bundle_has_reported_is_published(tmp_path):
    sink = WriteToRecords(tmp_path / "data", ".array_record")._sink
    folder = sink.initialize_write()
    attempts = [sink.open_writer(folder, f"attempt-{number}") for number in range(3)]
    for attempt in attempts:
        for record in RECORDS:
            attempt.write(record)
    reported = [attempts[1].close(), attempts[2].close()][:1]
    attempts[0].temp_handle.discard()
    sink.pre_finalize(folder, reported)
    for _ in range(2):  # a finalization that is tried again finds it done
        list(sink.finalize_write(folder, reported, None))
        assert names_in(tmp_path) == ["data-00000-of-00001.array_record"]
    assert read_all(tmp_path) == sorted(RECORDS)

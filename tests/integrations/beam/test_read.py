"""ReadFromRecords and ReadAllFromRecords: every record exactly once, or a clear error."""

from __future__ import annotations

import re

import pytest

beam = pytest.importorskip("apache_beam")

from apache_beam.coders import Coder, StrUtf8Coder  # noqa: E402 - only where Beam is
from apache_beam.io import fileio  # noqa: E402
from apache_beam.options.value_provider import StaticValueProvider  # noqa: E402
from apache_beam.testing.util import assert_that, equal_to, is_empty  # noqa: E402

import octavo  # noqa: E402
from octavo import errors  # noqa: E402
from octavo.integrations.beam import ReadAllFromRecords, ReadFromRecords  # noqa: E402
from tests.integrations.beam.samples import FORMATS, records_of, write, write_as  # noqa: E402

RECORDS = records_of(60)


def check(transform, expected, options, source=None):
    with beam.Pipeline(options=options()) as pipeline:
        begin = pipeline if source is None else pipeline | beam.Create(source)
        assert_that(begin | transform, equal_to(expected))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("desired_bundle_size", ["64MB", 100])
def test_files_of_every_format_are_read(name, desired_bundle_size, tmp_path, options):
    path = write_as(tmp_path, name, RECORDS)
    check(ReadFromRecords(path, desired_bundle_size=desired_bundle_size), RECORDS, options)


@pytest.mark.parametrize("name", FORMATS)
def test_files_on_other_file_systems_are_read_as_file_objects(name, tmp_path, shelf, options):
    write_as(tmp_path, name, RECORDS)
    shelf.files[f"shelf://there/{name}"] = (tmp_path / name).read_bytes()
    check(ReadFromRecords("shelf://there/*", desired_bundle_size=100), RECORDS, options)


def test_patterns_lists_folders_and_sharded_names_mean_their_files(tmp_path, options):
    for shard in range(3):
        write(tmp_path / f"train-{shard:05d}-of-00003.ffr", records_of(5, str(shard)))
    (tmp_path / "train-00000-of-00003.ffr.octx").write_bytes(b"an index, not records")
    expected = [record for shard in range(3) for record in records_of(5, str(shard))]
    check(ReadFromRecords(str(tmp_path / "train-*")), expected, options)
    check(ReadFromRecords(tmp_path / "train@3.ffr"), expected, options)
    check(ReadFromRecords(str(tmp_path)), expected, options)
    check(
        ReadFromRecords([tmp_path / "*-00000-of*", tmp_path / "*-00002-of*.ffr"]), expected[:5] + expected[10:], options
    )
    (tmp_path / "train-00001-of-00003.ffr").unlink()
    with pytest.raises(errors.NotFoundError, match="1 of 3 shards are missing"):
        ReadFromRecords(str(tmp_path / "train@3.ffr"))


def test_names_may_be_relative_to_the_working_directory(working_folder, options):
    write(working_folder / "a.ffr", RECORDS)
    for pattern in ("*.ffr", "a.ffr", "./a.*"):
        check(ReadFromRecords(pattern), RECORDS, options)
    expected = [("a.ffr", record) for record in RECORDS]
    check(ReadAllFromRecords(with_filename=True), expected * 2, options, ["*.ffr", "a.ffr"])


def test_a_pattern_may_be_known_only_when_the_pipeline_runs(tmp_path, options):
    path = write(tmp_path / "data.ffr", RECORDS)
    check(ReadFromRecords(StaticValueProvider(str, path)), RECORDS, options)


def test_read_all_takes_patterns_and_what_match_files_gives(tmp_path, options):
    paths = [write(tmp_path / f"{name}.recordio", records_of(4, name)) for name in "ab"]
    expected = [(path, record) for path, name in zip(paths, "ab", strict=True) for record in records_of(4, name)]
    check(ReadAllFromRecords(with_filename=True), expected, options, paths)
    check(fileio.MatchFiles(str(tmp_path / "*")) | ReadAllFromRecords(with_filename=True), expected, options)
    check(
        fileio.MatchFiles(str(tmp_path / "*")) | fileio.ReadMatches() | ReadAllFromRecords(with_filename=True),
        expected,
        options,
    )


def test_a_coder_makes_elements_of_records(tmp_path, options):
    path = write(tmp_path / "data.ffr", [b"eins", "zwölf".encode()])
    check(ReadFromRecords(path, coder=StrUtf8Coder()), ["eins", "zwölf"], options)

    class Lengths(Coder):  # type: ignore[misc]  # Beam is taken as Any
        def decode(self, encoded):
            return len(encoded)

        def encode(self, value):
            return b"x" * value

        def is_deterministic(self):
            return True

    check(ReadAllFromRecords(coder=Lengths()), [4, 6], options, [path])


def test_a_format_that_names_do_not_tell_is_given(tmp_path, options):
    path = write(tmp_path / "nameless", RECORDS, format="ffrecord")
    check(ReadFromRecords(path, format="ffrecord"), RECORDS, options)


def test_files_without_records_give_none(tmp_path, options):
    for name in FORMATS:
        write_as(tmp_path, name, [])
    (tmp_path / "nothing.tfrecord").touch()
    with beam.Pipeline(options=options()) as pipeline:
        assert_that(pipeline | ReadFromRecords(str(tmp_path / "*")), is_empty())


def test_no_files_are_an_error_when_the_pipeline_is_made(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file matches the pattern"):
        ReadFromRecords(str(tmp_path / "nothing-*"))
    with pytest.raises(errors.NotFoundError, match="no file matches"):
        ReadFromRecords([str(tmp_path / "nothing.ffr")])
    ReadFromRecords(str(tmp_path / "nothing-*"), validate=False)


@pytest.mark.usefixtures("no_logging")
def test_no_files_are_an_error_when_the_pipeline_runs(tmp_path, options):
    nothing = str(tmp_path / "nothing-*")
    for transform in (ReadAllFromRecords(), ReadAllFromRecords(empty_match_treatment="DISALLOW")):
        with pytest.raises(Exception, match="no file matches the pattern"):
            check(transform, [], options, [nothing])
    with pytest.raises(Exception, match="no file matches the pattern"):
        check(ReadFromRecords(nothing, validate=False), [], options)


def test_no_files_may_be_allowed(tmp_path, options):
    nothing = str(tmp_path / "nothing-*")
    check(ReadFromRecords(nothing, empty_match_treatment="ALLOW"), [], options)
    allowed = ReadAllFromRecords(empty_match_treatment=fileio.EmptyMatchTreatment.ALLOW_IF_WILDCARD)
    check(allowed, [], options, [nothing])
    with pytest.raises(Exception, match="no file matches the pattern"):
        check(allowed, [], options, [str(tmp_path / "nothing")])


@pytest.mark.usefixtures("no_logging")
@pytest.mark.parametrize("place", ["local", "shelf"])
@pytest.mark.parametrize("name", FORMATS)
def test_damage_is_an_error_and_not_fewer_records(name, place, tmp_path, shelf, options):
    path = write_as(tmp_path, name, RECORDS)
    with octavo.open(path) as reader:
        begin, size = reader._place(36)
    content = bytearray((tmp_path / name).read_bytes())
    # Where there is no index, a header that is damaged is the end of what can be counted.
    for damaged in [begin + size // 2, *([begin] if name in {"data.recordio", "data.tfrecord"} else [])]:
        content[damaged] ^= 0xFF
        (tmp_path / name).write_bytes(content)
        shelf.files[f"shelf://there/{name}"] = bytes(content)
        location = path if place == "local" else f"shelf://there/{name}"
        with pytest.raises(Exception, match=re.escape(location)):
            check(ReadFromRecords(location, desired_bundle_size=100), RECORDS, options)
        content[damaged] ^= 0xFF


@pytest.mark.usefixtures("no_logging")
def test_other_files_are_told_by_name(tmp_path, options):
    (tmp_path / "notes.txt").write_text("no records here")
    with pytest.raises(Exception, match=r"notes\.txt: not a record file octavo knows"):
        check(ReadFromRecords(str(tmp_path / "*")), [], options)


def test_a_file_that_has_shrunk_since_it_was_split_is_told(tmp_path):
    from octavo.integrations.beam._part import cut

    path = write(tmp_path / "data.ffr", RECORDS)
    *_, last = cut(path, format=None, check_data=True, bundle_bytes=100, min_bytes=0)
    write(path, RECORDS[:10])
    with pytest.raises(octavo.errors.SourceChangedError, match="fewer records"), last.open():
        pass


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ({"file_pattern": 7}, errors.RecordTypeError, "file_pattern is a pattern"),
        ({"file_pattern": []}, errors.RecordTypeError, "file_pattern is a pattern"),
        ({"file_pattern": b"a"}, errors.RecordTypeError, "file_pattern is a pattern"),
        ({"file_pattern": "a", "format": "csv"}, errors.OptionError, "'csv' is none of: ffrecord"),
        ({"file_pattern": "a", "coder": bytes}, errors.RecordTypeError, "coder is a coder of Beam"),
        ({"file_pattern": "a", "desired_bundle_size": "big"}, errors.OptionError, "desired_bundle_size is 'big'"),
        ({"file_pattern": "a", "min_bundle_size": -1}, errors.OptionError, "min_bundle_size is -1"),
        ({"file_pattern": "a", "empty_match_treatment": "MAYBE"}, errors.OptionError, "'MAYBE' is none of"),
        ({"file_pattern": "a", "check_data": 1}, errors.RecordTypeError, "check_data is True or False"),
        ({"file_pattern": "a", "validate": "no"}, errors.RecordTypeError, "validate is True or False"),
    ],
)
def test_wrong_arguments_are_told_when_the_transform_is_made(arguments, error, told):
    with pytest.raises(error, match=told):
        ReadFromRecords(**arguments)

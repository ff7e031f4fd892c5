"""The tree of errors: each class is raised by something, inherits what a caller would guess, and says where."""

from __future__ import annotations

import copy
import errno
import os
import pickle
import zlib
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo import errors
from octavo._folder import Folder
from tests.naive import array_record
from tests.naive import ffrecord as naive
from tests.naive.riegeli import Container, simple_chunk
from tests.unit.damage import damage_chunks, flipped, index_chunks, record_chunks
from tests.unit.layouts import GROUPED, RIEGELI
from tests.unit.places import without_privileges

RECORDS = [b"abc", b"", b"edf", b"a longer record"]
BASES = {
    "AlreadyExistsError": (errors.StorageError, FileExistsError),
    "ChecksumError": (errors.FormatError,),
    "ClosedError": (errors.OctavoError, ValueError),
    "DamagedFileError": (errors.FormatError,),
    "FormatError": (errors.OctavoError, ValueError),
    "NotFoundError": (errors.StorageError, FileNotFoundError),
    "OctavoError": (Exception,),
    "OptionError": (errors.OctavoError, ValueError),
    "PathNotFoundError": (errors.NotFoundError, KeyError),
    "PermissionDeniedError": (errors.StorageError, PermissionError),
    "RecordIndexError": (errors.OctavoError, IndexError),
    "RecordSizeError": (errors.OctavoError, ValueError),
    "RecordTypeError": (errors.OctavoError, TypeError),
    "SourceChangedError": (errors.StorageError,),
    "StorageError": (errors.OctavoError, OSError),
    "TruncatedError": (errors.FormatError, EOFError),
    "UnfinishedFileError": (errors.FormatError,),
    "UnknownFormatError": (errors.FormatError,),
    "UnsupportedError": (errors.OctavoError, NotImplementedError),
}
WARNINGS = {
    "MissingShardsWarning",
    "SidecarWarning",
    "SkippedFilesWarning",
    "TornAppendWarning",
    "InterruptedWriteWarning",
    "UnclosedWriterWarning",
}
ALL = [getattr(errors, name) for name in errors.__all__ if name not in WARNINGS]
# Nothing raises these themselves: they are there to be caught.
ABSTRACT = {errors.OctavoError, errors.FormatError}
PLACE = {"path": "train.ffr", "record": 7, "offset": 65536, "expected": 1, "actual": 2}


class Provoke:
    """One way to get each error, under a name that is the error's."""

    def __init__(self, folder: Path) -> None:
        self.path = str(folder / "records.ffr")
        self.content = naive.encode(RECORDS)
        self.write(self.content)

    def __call__(self, kind: type[errors.OctavoError]) -> Any:
        with pytest.raises(errors.OctavoError) as caught:
            getattr(self, way_to(kind))()
        return caught.value

    def write(self, content: bytes) -> None:
        with open(self.path, "wb") as file:
            file.write(content)

    def already_exists(self):
        octavo.create(self.path, overwrite=False)

    def checksum(self):
        self.write(flipped(self.content, -1))
        octavo.open(self.path)[3]

    def closed(self):
        reader = octavo.open(self.path)
        reader.close()
        reader[0]

    def damaged_file(self):
        self.write(b"1234" + (2**40).to_bytes(8, "little"))
        octavo.open(self.path)

    def not_found(self):
        os.remove(self.path)
        octavo.open(self.path)

    def option(self):
        octavo.open(self.path, io="telepathy")  # type: ignore[arg-type]

    def path_not_found(self):
        self.write(naive.encode([b"piouhjgbr" + pickle.dumps(OrderedDict())]))
        Folder(self.path)["a.txt"]

    def permission_denied(self):
        os.chmod(self.path, 0)
        with without_privileges():
            octavo.open(self.path)

    def record_index(self):
        octavo.open(self.path)[4]

    def record_size(self):
        octavo.open(self.path).read_into([0, 2, 3], bytearray(9))

    def record_type(self):
        octavo.open(self.path)["0"]  # type: ignore[index]

    def source_changed(self):
        reader = octavo.open(self.path, io="pread")
        os.truncate(self.path, len(self.content) - 3)
        reader[3]

    def storage(self):
        octavo.open(self.path + "/inside.ffr")

    def truncated(self):
        self.write(self.content[:-17])
        octavo.open(self.path)[2]

    def unfinished_file(self):
        self.write(bytes(1000))
        octavo.open(self.path)

    def unknown_format(self):
        octavo.open(b"not records at all")

    def unsupported(self):
        octavo.append(self.path)


def way_to(kind: type[errors.OctavoError]) -> str:
    words = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in kind.__name__)
    return words.removeprefix("_").removesuffix("_error")


@pytest.fixture
def provoke(tmp_path: Path) -> Provoke:
    return Provoke(tmp_path)


@pytest.mark.parametrize("kind", ALL)
def test_each_error_inherits_what_a_caller_would_guess(kind):
    assert all(issubclass(kind, base) for base in BASES[kind.__name__])


@pytest.mark.parametrize("kind", ALL)
def test_each_error_is_an_octavo_error(kind):
    assert issubclass(kind, errors.OctavoError)


@pytest.mark.parametrize("name", errors.__all__)
def test_each_error_and_warning_is_documented(name):
    assert getattr(errors, name).__doc__


@pytest.mark.parametrize("name", WARNINGS)
def test_each_warning_is_one_that_python_shows(name):
    kind = getattr(errors, name)
    assert issubclass(kind, UserWarning)
    assert not issubclass(kind, errors.OctavoError)


@pytest.mark.parametrize("kind", [kind for kind in ALL if kind not in ABSTRACT])
def test_each_error_is_raised_by_something(provoke, kind):
    assert type(provoke(kind)) is kind


@pytest.mark.parametrize("kind", [kind for kind in ALL if kind not in ABSTRACT])
def test_each_raised_error_has_a_message_in_lower_case(provoke, kind):
    message = str(provoke(kind)).removeprefix(provoke.path).removeprefix(": ")
    assert message
    assert not message[0].isupper()


@pytest.mark.parametrize("kind", [kind for kind in ALL if kind not in ABSTRACT])
def test_each_raised_error_survives_pickling(provoke, kind):
    error = provoke(kind)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error)
    assert again._where() == error._where()


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_each_error_keeps_its_place_through_every_pickle(kind, protocol):
    again = pickle.loads(pickle.dumps(kind("what happened", **PLACE), protocol))
    assert type(again) is kind
    assert (str(again), again.args) == ("what happened", ("what happened",))
    assert {name: getattr(again, name) for name in PLACE} == PLACE


@pytest.mark.parametrize("kind", [kind for kind in ALL if issubclass(kind, errors.StorageError)])
def test_storage_errors_keep_their_number_through_pickling(kind):
    again = pickle.loads(pickle.dumps(kind("what happened", errno=errno.ENOSPC, path="a.ffr")))
    assert (again.errno, again.path, again.filename) == (errno.ENOSPC, "a.ffr", "a.ffr")


@pytest.mark.parametrize("kind", ALL)
def test_each_error_can_be_copied(kind):
    assert copy.copy(kind("what happened", record=3)).record == 3


@pytest.mark.parametrize("kind", ALL)
def test_what_is_not_known_is_none(kind):
    error = kind("what happened")
    assert {name: getattr(error, name) for name in PLACE} == dict.fromkeys(PLACE)


@pytest.mark.parametrize("kind", ALL)
def test_an_error_needs_no_message(kind):
    assert str(kind()) == ""


def test_a_wrong_record_checksum_names_record_offset_and_both_checksums(provoke):
    error = provoke(errors.ChecksumError)
    offset = len(provoke.content) - 15
    expected, actual = zlib.crc32(RECORDS[3]), zlib.crc32(flipped(RECORDS[3], -1))
    assert error._where() == {
        "path": provoke.path, "record": 3, "offset": offset, "expected": expected, "actual": actual
    }  # fmt: skip
    assert f"{provoke.path}: record 3 at byte {offset}: checksum {actual:#010x}, expected {expected:#010x}" in str(
        error
    )


def test_a_wrong_index_checksum_names_both_checksums(tmp_path):
    content = naive.encode(RECORDS)
    path = tmp_path / "flipped.ffr"
    path.write_bytes(flipped(content, 0))
    with pytest.raises(errors.ChecksumError) as caught:
        octavo.open(path)
    right = zlib.crc32(content[4:60])
    assert (caught.value.path, caught.value.record) == (str(path), None)
    assert (caught.value.expected, caught.value.actual) == (right ^ 1, right)


def test_a_truncated_record_names_where_it_should_end_and_where_the_file_does(provoke):
    error = provoke(errors.TruncatedError)
    assert error._where() == {"path": provoke.path, "record": 2, "offset": 63, "expected": 66, "actual": 64}


def test_a_truncated_header_names_what_it_needs(tmp_path):
    (tmp_path / "short.ffr").write_bytes(b"seven b")
    with pytest.raises(errors.TruncatedError) as caught:
        octavo.open(tmp_path / "short.ffr")
    assert (caught.value.expected, caught.value.actual) == (12, 7)


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        (errors.NotFoundError, errno.ENOENT),
        (errors.AlreadyExistsError, errno.EEXIST),
        (errors.PermissionDeniedError, errno.EACCES),
        (errors.StorageError, errno.ENOTDIR),
    ],
)
def test_what_the_system_refused_has_the_systems_number(provoke, kind, number):
    error = provoke(kind)
    assert error.errno == number
    assert error.filename == error.path


def test_a_changed_file_is_named(provoke):
    error = provoke(errors.SourceChangedError)
    assert error.path == provoke.path
    assert "open it again" in str(error)


def test_an_index_error_names_the_record(provoke):
    assert provoke(errors.RecordIndexError).record == 4


def test_a_size_error_names_record_and_sizes(provoke):
    error = provoke(errors.RecordSizeError)
    assert (error.record, error.expected, error.actual) == (3, 3, 15)


def test_damage_in_the_second_file_is_numbered_across_both_and_placed_in_its_own(tmp_path):
    paths = [tmp_path / "a.ffr", tmp_path / "b.ffr"]
    content = naive.encode(RECORDS)
    paths[0].write_bytes(content)
    paths[1].write_bytes(flipped(content, -1))
    with pytest.raises(errors.ChecksumError) as caught:
        octavo.open(paths)[7]
    assert (caught.value.path, caught.value.record) == (str(paths[1]), 7)
    assert caught.value.offset == len(content) - 15


@pytest.mark.parametrize("builtin", [ValueError, EOFError])
def test_truncation_can_be_caught_as_the_builtin(provoke, builtin):
    assert isinstance(provoke(errors.TruncatedError), builtin)


def test_a_missing_file_can_be_caught_as_the_builtin():
    with pytest.raises(FileNotFoundError):
        octavo.open("missing.ffr")


def test_a_number_out_of_range_can_be_caught_as_the_builtin():
    with pytest.raises(IndexError):
        octavo.open(naive.encode(RECORDS))[99]


class TestChunkedFiles:
    """Each damage of a file with chunks is a `FormatError`, names the place and says what saves the rest."""

    @staticmethod
    def error_of(content: bytes, **options: Any) -> errors.OctavoError:
        with pytest.raises(errors.FormatError, match=r"octavo\.recover") as caught:
            octavo.open(content, **options).read_all()
        message = str(caught.value).removeprefix(f"{caught.value.path}: ")
        assert message[0].islower()
        return caught.value

    @pytest.fixture
    def content(self) -> bytes:
        return GROUPED.encode(RECORDS * 10)

    def test_a_damaged_chunk_names_its_records_and_both_hashes(self, content):
        error = self.error_of(damage_chunks(GROUPED, content, 2))
        assert type(error) is errors.ChecksumError
        assert (error.record, error.offset) == (14, record_chunks(GROUPED, content)[2])
        assert error.expected is not None
        assert error.actual is not None
        assert f"data hash {error.actual:#018x}, expected {error.expected:#018x}" in str(error)

    def test_a_damaged_footer_is_a_checksum_error_at_its_place(self, content):
        footer, _ = index_chunks(content)
        error = self.error_of(flipped(content, footer + 60))
        assert (type(error), error.offset, error.record) == (errors.ChecksumError, footer, None)
        assert "the footer at byte" in str(error)

    def test_a_damaged_postscript_is_an_error_about_it(self, content):
        _, postscript = index_chunks(content)
        error = self.error_of(flipped(content, postscript + 24 + 60))
        assert (type(error), error.offset) == (errors.ChecksumError, postscript)
        assert "the postscript at byte" in str(error)

    @pytest.mark.parametrize("size", [64, 500, 65536, 100_000, 131_071])
    def test_a_file_without_its_end_is_unfinished(self, content, size):
        error = self.error_of(content[:size])
        assert type(error) is errors.UnfinishedFileError
        assert "the file was truncated, or its writer did not close it" in str(error)

    def test_a_footer_that_contradicts_itself_is_damage(self):
        container = Container()
        entries = array_record.append_data(container, [simple_chunk([b"a", b"b"])])
        footer = [array_record.metadata_record(1, 7, None), *(entry.record for entry in entries)]
        error = self.error_of(array_record.seal(container, simple_chunk(footer)))
        assert type(error) is errors.DamagedFileError
        assert "it counts 7 records, and its chunks hold 2" in str(error)

    def test_a_riegeli_file_without_its_end_is_truncated(self):
        content = RIEGELI.encode(RECORDS * 10)
        last = record_chunks(RIEGELI, content)[-1]
        error = self.error_of(content[:-1], format="riegeli")
        assert (type(error), error.offset) == (errors.TruncatedError, last)

    def test_errors_of_several_files_name_the_file_and_number_across_all(self, content, tmp_path):
        paths = [tmp_path / "a.array_record", tmp_path / "b.array_record"]
        paths[0].write_bytes(content)
        paths[1].write_bytes(damage_chunks(GROUPED, content, 1))
        with pytest.raises(errors.ChecksumError, match="records 47 to 53") as caught:
            octavo.open(paths)[50]
        assert (caught.value.path, caught.value.record) == (str(paths[1]), 47)

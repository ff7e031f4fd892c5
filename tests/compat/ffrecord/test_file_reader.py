"""`ffrecord.FileReader`: what code that was written for it counts on, and what the original got wrong."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from octavo.compat import ffrecord
from octavo.compat.ffrecord import FileReader
from tests.naive import ffrecord as naive

RECORDS = [b"abc", b"", b"edf", bytes(range(256)), b"last"]


@pytest.fixture
def path(write_file: Callable[..., Path]) -> Path:
    return write_file(RECORDS)


@pytest.fixture
def folder(write_file: Callable[..., Path], tmp_path: Path) -> Path:
    """Two files whose order by name is not their order by number."""
    write_file([b"nine"], "folder.ffr/9.ffr")
    write_file([b"ten", b"eleven"], "folder.ffr/10.ffr")
    (tmp_path / "folder.ffr" / "notes.txt").write_text("no records")
    return tmp_path / "folder.ffr"


def as_bytes(arrays: list[np.ndarray]) -> list[bytes]:
    return [one.tobytes() for one in arrays]


def test_version_is_that_of_the_original():
    assert ffrecord.__version__.startswith("1.4.0")


def test_public_names_are_those_of_the_original():
    assert sorted(ffrecord.__all__) == ["FileReader", "FileWriter", "PackedFolder", "checkFsAlign", "pack_folder"]
    assert callable(ffrecord.utils.dump)


def test_importing_it_does_not_import_torch():
    program = "import sys; from octavo.compat import ffrecord; assert 'torch' not in sys.modules; ffrecord.utils.dump"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_without_torch_the_part_for_it_names_what_to_install():
    program = """
import sys
sys.modules["torch"] = None
from octavo.compat import ffrecord
assert not hasattr(ffrecord, "torch")
try:
    import octavo.compat.ffrecord.torch
except ImportError as error:
    print(error)
try:
    ffrecord.torch
except AttributeError as error:
    print(error)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.count("pip install 'octavo[torch]'") == 2


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'tensorflow'"):
        ffrecord.tensorflow  # noqa: B018 - looking is the test


def test_batches_come_in_the_order_of_the_request(path):
    assert as_bytes(FileReader(path).read([4, 0, 2, 0])) == [b"last", b"abc", b"edf", b"abc"]


def test_single_records_come_by_number(path):
    reader = FileReader(path)
    assert [reader.read_one(number).tobytes() for number in range(reader.n)] == RECORDS


@pytest.mark.parametrize(
    "indices",
    [[1, 3], (1, 3), range(1, 4, 2), np.array([1, 3]), [np.int32(1), np.uint64(3)], slice(1, 4, 2), iter([1, 3])],
    ids=["list", "tuple", "range", "array", "numpy integers", "slice", "iterator"],
)
def test_batches_are_asked_for_by_any_sequence_of_integers(path, indices):
    assert as_bytes(FileReader(path).read(indices)) == [RECORDS[1], RECORDS[3]]


def test_an_empty_batch_is_an_empty_list(path):
    assert FileReader(path).read([]) == []


@pytest.mark.parametrize("index", [np.int64(2), np.uint8(2), True])
def test_single_records_are_asked_for_by_any_integer(path, index):
    assert FileReader(path).read_one(index).tobytes() == RECORDS[int(index)]


@pytest.mark.parametrize("read", [lambda reader: reader.read_one(3), lambda reader: reader.read([3])[0]])
def test_records_are_writable_arrays_of_bytes(path, read):
    record = read(FileReader(path))
    assert (record.dtype, record.ndim, record.flags.writeable) == (np.uint8, 1, True)
    record[:] = 0


def test_every_record_has_memory_of_its_own(path):
    reader = FileReader(path)
    first, second = reader.read([0, 0])
    first[:] = 0
    reader.close()
    assert second.tobytes() == b"abc"


def test_records_serve_as_bytes(write_file):
    record: Any = FileReader(write_file([pickle.dumps({"label": 7})])).read_one(0)
    assert pickle.loads(record) == {"label": 7}
    assert io.BytesIO(record).read() == bytes(record)


def test_numbers_and_switches_are_read_only(path):
    reader = FileReader(str(path))
    assert (reader.n, reader.fnames, reader.check_data) == (5, [str(path)], True)
    for name in ("n", "check_data"):
        with pytest.raises(AttributeError):
            setattr(reader, name, 0)


def test_batches_may_be_larger_than_4096(write_file):
    content = [b"%d" % number for number in range(5000)]
    assert as_bytes(FileReader(write_file(content)).read(range(5000))) == content


def test_negative_numbers_count_from_the_end(path):
    reader = FileReader(path)
    assert reader.read_one(-1).tobytes() == b"last"
    assert as_bytes(reader.read([-5, -3])) == [b"abc", b"edf"]


@pytest.mark.parametrize("read", [FileReader.read_one, lambda reader, index: reader.read([0, index])])
@pytest.mark.parametrize(
    ("index", "line"),
    [
        (5, "'index < n' failed. index >= number of samples (5 >= 5)"),
        (-6, "'index >= -n' failed. index < -number of samples (-6 < -5)"),
        (2**70, "'index < n' failed. index has more than 64 bits"),
    ],
)
def test_numbers_out_of_range_are_index_errors_and_runtime_errors(path, read, index, line):
    with pytest.raises(IndexError) as caught:
        read(FileReader(path), index)
    assert isinstance(caught.value, RuntimeError)
    assert str(caught.value).splitlines()[0] == line
    assert type(pickle.loads(pickle.dumps(caught.value))) is type(caught.value)


@pytest.mark.parametrize("index", [1.0, "1", None, [1]])
def test_what_is_no_integer_is_a_type_error(path, index):
    with pytest.raises(TypeError):
        FileReader(path).read_one(index)


@pytest.mark.parametrize("indices", [1, "12", None, 1.0, [1.0]])
def test_what_is_no_sequence_of_integers_is_a_type_error(path, indices):
    with pytest.raises(TypeError):
        FileReader(path).read(indices)


def test_a_file_without_records_has_none(write_file):
    reader = FileReader(write_file([]))
    assert (reader.n, reader.read([])) == (0, [])
    with pytest.raises(IndexError):
        reader.read_one(-1)


def test_a_directory_stands_for_its_files_sorted_as_strings(folder):
    reader = FileReader(folder)
    assert reader.fnames == [str(folder / "10.ffr"), str(folder / "9.ffr")]
    assert as_bytes(reader.read(range(reader.n))) == [b"ten", b"eleven", b"nine"]


def test_lists_are_taken_as_they_are_given(folder):
    reader = FileReader((folder / "9.ffr", str(folder / "10.ffr"), folder / "9.ffr"))
    assert as_bytes(reader.read(range(reader.n))) == [b"nine", b"ten", b"eleven", b"nine"]


@pytest.mark.parametrize(
    ("fname", "message"),
    [
        ("empty", "At least one .ffr file as input"),
        ([], "At least one .ffr file as input"),
        ("absent.ffr", "absent.ffr does not exist"),
        ("*.ffr", r"\*.ffr does not exist"),
        (["folder"], "folder is not a file"),
        ("folder", r"folder.inner\.ffr is not a file"),
        ("records.bin", "records.bin does not end with .ffr"),
        ("", " does not exist"),
    ],
)
def test_names_without_records_are_assertion_errors(working_folder, write_file, fname, message):
    for name in ("empty", "folder/inner.ffr"):
        (working_folder / name).mkdir(parents=True)
    write_file(RECORDS, "records.bin")
    with pytest.raises(AssertionError, match=f"^{message}$"):
        FileReader(fname)


def test_names_are_checked_in_optimised_programs_too():
    program = "from octavo.compat.ffrecord import FileReader; FileReader('absent.ffr')"
    ended = subprocess.run([sys.executable, "-O", "-c", program], capture_output=True, text=True, check=False)
    assert "AssertionError: absent.ffr does not exist" in ended.stderr


@pytest.mark.parametrize("fname", [None, 3, b"records.ffr", {"records.ffr"}, [3]])
def test_what_is_no_name_is_a_type_error(fname):
    with pytest.raises(TypeError, match=r"fname must be str, os\.PathLike, list or tuple"):
        FileReader(fname)


def test_a_with_block_closes(path):
    with FileReader(path) as reader:
        assert reader.read_one(0).tobytes() == b"abc"
    with pytest.raises(RuntimeError, match="has been closed"):
        reader.read_one(0)


def test_offsets_and_checksums_outlive_the_reader(path):
    reader = FileReader([path, path])
    offsets, checksums = reader.get_offsets(1), reader.get_checksums(1)
    twin = naive.NaiveFile(path.read_bytes())
    del reader
    path.unlink()
    assert (offsets.dtype.name, checksums.dtype.name) == ("int64", "uint32")
    assert offsets.tolist() == [72, 75, 75, 78, 334, 338]
    assert [offsets[number + 1] - offsets[number] for number in range(5)] == [len(record) for record in RECORDS]
    assert checksums.tolist() == list(twin.checksums)
    offsets[:] = 0


@pytest.mark.parametrize("fd", [0, -1, 10**6])
def test_no_file_system_takes_unaligned_direct_requests(fd):
    assert ffrecord.checkFsAlign(fd) is False

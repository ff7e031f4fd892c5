"""What Grain asks of a source, and what a user expects of one."""

from __future__ import annotations

import copy
import io
import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

grain = pytest.importorskip("grain")

import octavo  # noqa: E402 - after the skip
from octavo.errors import ChecksumError, ClosedError, NotFoundError, OptionError, RecordTypeError  # noqa: E402
from octavo.integrations.grain import DataSource  # noqa: E402
from tests.integrations.grain.samples import COUNT, record, write  # noqa: E402


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path / "records.array_record", group_size=1)


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """Uncompressed, so that a record can be found in the file."""
    path = tmp_path / "plain.array_record"
    with octavo.create(path, group_size=1, codec="none") as writer:
        writer.write_many(map(record, range(COUNT)))
    return path


@pytest.fixture
def source(path: Path) -> DataSource:
    return DataSource(path)


def test_it_is_what_grain_calls_a_source(source):
    assert isinstance(source, grain.sources.RandomAccessDataSource)
    assert len(source) == COUNT
    assert source[7] == record(7)
    assert source.paths == source.reader.paths


@pytest.mark.parametrize("name", ["a.ffr", "a.array_record", "a.riegeli", "a.recordio", "a.tfrecord", "a.tfrecord.gz"])
def test_every_format_is_read(name: str, tmp_path):
    source = DataSource(write(tmp_path / name))
    assert [source[number] for number in (0, 99, COUNT - 1)] == [record(0), record(99), record(COUNT - 1)]
    assert source.__getitems__([3, 1, 3]) == source._getitems([3, 1, 3]) == [record(3), record(1), record(3)]


def test_every_kind_of_location_is_read(path, tmp_path):
    content = path.read_bytes()
    other = write(tmp_path / "other.array_record", 10, group_size=1)
    for location in (str(path), path, [path], content, io.BytesIO(content), octavo.open(path)):
        assert DataSource(location)[5] == record(5)
    assert len(DataSource([path, str(other)])) == len(DataSource(tmp_path)) == COUNT + 10


def test_a_batch_is_one_read(path):
    content = path.read_bytes()

    class Counting(io.BytesIO):
        reads = 0

        def read(self, size: int | None = -1, /) -> bytes:
            Counting.reads += 1
            return super().read(size)

    source = DataSource(Counting(content))
    source[0]
    before = Counting.reads
    assert source._getitems(range(100, 200)) == [record(number) for number in range(100, 200)]
    assert Counting.reads - before == 1


def test_options_of_a_reader_that_is_open_are_refused(path):
    with pytest.raises(OptionError, match="io, sidecar: the reader is open already"):
        DataSource(octavo.open(path), io="pread", sidecar=False)


def test_options_reach_the_reader(path):
    info = DataSource(path, io="pread", check_data=False, format="array_record").reader.info
    assert (info.io, info.check_data) == ("pread", False)


def test_a_missing_file_is_an_error_at_once(tmp_path):
    with pytest.raises(NotFoundError):
        DataSource(tmp_path / "none.ffr")


def test_numbers_below_zero_count_from_the_end(source):
    assert source[-1] == record(COUNT - 1)


@pytest.mark.parametrize("key", [COUNT, -COUNT - 1, 2**70])
def test_a_number_that_no_record_has_is_an_index_error(source, key: int):
    with pytest.raises(IndexError):
        source[key]


@pytest.mark.parametrize("key", ["7", 7.0, None])
def test_a_key_that_is_no_number_is_a_type_error(source, key: object):
    with pytest.raises(RecordTypeError):
        source[key]


def test_a_slice_is_a_source(source):
    part = source[100:200:3]
    assert isinstance(part, DataSource)
    assert len(part) == 34
    assert part[1] == record(103)
    assert part[1:][0] == record(103)
    assert part._getitems([0, -1]) == [record(100), record(199)]


def test_iteration_ends_with_the_last_record(source):
    assert list(source) == [record(number) for number in range(COUNT)]


def test_a_damaged_record_is_named(plain):
    content = bytearray(plain.read_bytes())
    content[content.index(record(250))] ^= 1
    source = DataSource(bytes(content))
    assert source[249] == record(249)
    for read in (lambda: source[250], lambda: source._getitems([249, 250])):
        with pytest.raises(ChecksumError, match="record 250") as caught:
            read()
        assert caught.value.record == 250


def test_closing_gives_the_files_back(path):
    with DataSource(path) as source:
        assert source[0] == record(0)
    source.close()
    with pytest.raises(ClosedError):
        source[0]
    with pytest.raises(ClosedError):
        source._getitems([0])
    assert repr(source) == repr(DataSource(path))


def test_a_reader_that_was_given_stays_open(path):
    reader = octavo.open(path)
    with DataSource(reader) as source:
        assert source[0] == record(0)
    assert reader[0] == record(0)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickling_opens_the_files_again(source, protocol: int):
    other = pickle.loads(pickle.dumps(source[10:], protocol))
    assert other.reader is not source.reader
    assert (len(other), other[0], other._getitems([1])) == (COUNT - 10, record(10), [record(11)])
    assert repr(other) == repr(source[10:])


def test_copies_share_the_files(source):
    for other in (copy.copy(source), copy.deepcopy(source)):
        assert other.reader is source.reader
        assert other[3] == record(3)


def test_a_subclass_keeps_what_it_adds(path):
    other = pickle.loads(pickle.dumps(Decoded(path, "utf-8")))
    assert other[3] == record(3).decode()
    assert other._getitems([3, 1]) == [record(3).decode(), record(1).decode()]
    assert other.encoding == "utf-8"
    assert repr(other).startswith("Decoded(")


class Decoded(DataSource):
    """What users do who want no further map."""

    def __init__(self, path: Path, encoding: str) -> None:
        super().__init__(path)
        self.encoding = encoding

    def __getitem__(self, key: int) -> str:
        decoded: str = super().__getitem__(key).decode(self.encoding)
        return decoded


def test_threads_share_it(source):
    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(source.__getitem__, list(range(COUNT)) * 4))
    assert found == [record(number) for number in range(COUNT)] * 4


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # Python 3.12 says so of any fork beside threads
def test_a_forked_child_reads_on(source):
    assert source._getitems(range(COUNT))[-1] == record(COUNT - 1)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(source.__getitem__, (42,)).get(60) == record(42)


def test_its_text_is_the_same_in_another_process(path):
    program = f"from octavo.integrations.grain import DataSource; print(DataSource({str(path)!r}))"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert told.stdout.strip() == repr(DataSource(path)) == f"DataSource({str(path)!r}, records={COUNT})"


def test_its_text_names_the_location_as_it_was_typed(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    source = DataSource(path.name)
    assert repr(source) == "DataSource('records.array_record', records=500)"
    monkeypatch.chdir("/")
    assert repr(pickle.loads(pickle.dumps(source))) == repr(source)


def test_different_records_have_different_texts(path, tmp_path):
    other = write(tmp_path / "other.array_record", 10)
    reader = octavo.open(path)
    content = path.read_bytes()
    locations = [path, other, [path, other], [other, path], [path] * 5, [path] * 4 + [other], reader[1:], reader[::-1]]
    texts = [repr(DataSource(location)) for location in [*locations, reader[::2], content, other.read_bytes()]]
    assert len(set(texts)) == len(texts)


def test_bytes_in_memory_are_told_by_what_they_hold(path):
    content = path.read_bytes()
    assert repr(DataSource(content)) == repr(DataSource(bytearray(content)))
    assert repr(pickle.loads(pickle.dumps(DataSource(content)))) == repr(DataSource(content))

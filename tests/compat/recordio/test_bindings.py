"""`Writer(path)`, `Index` and `Scanner` of the Go binding, and `writer` and `reader` of the one before it."""

from __future__ import annotations

import importlib
import io
import os
import pathlib

import pytest

import octavo
from octavo.compat import recordio
from octavo.compat.recordio import Index, Scanner
from octavo.errors import TornAppendWarning
from tests.naive import recordio as naive

RECORDS = [b"%d" % number for number in range(10)]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "records.recordio"
    path.write_bytes(naive.encode(RECORDS, "go", "none", group_size=3))
    return str(path)


def records_of(scanner: Scanner) -> list[bytes]:
    found = []
    while (record := scanner.record()) is not None:
        found.append(record)
    return found


@pytest.mark.parametrize(
    ("module", "names"),
    [("recordio", ["Writer", "Index", "Scanner"]), ("recordio.file", ["File", "FileIndex", "RangeReader", "Writer"])],
)
def test_the_classes_are_in_the_modules_of_the_originals_too(module, names):
    found = importlib.import_module(f"octavo.compat.recordio.{module}")
    assert [getattr(found, name) for name in names] == [getattr(recordio, name) for name in names]


def test_paths_may_be_bytes_and_objects(tmp_path):
    for kind in (os.fsencode, pathlib.Path):
        path = kind(tmp_path / "x")
        with recordio.Writer(path) as writer:
            writer.write(b"abc")
        assert (Index(path).num_records(), records_of(Scanner(path))) == (1, [b"abc"])


class TestWriter:
    @pytest.mark.parametrize("wrong", ["abc", bytearray(b"abc"), 5, None])
    def test_what_is_not_bytes_is_a_value_error(self, tmp_path, wrong):
        expected = r"^record is not a bytes type, got: "
        with recordio.Writer(str(tmp_path / "x")) as writer, pytest.raises(ValueError, match=expected):
            writer.write(wrong)

    def test_the_older_one_takes_text_as_well(self, tmp_path):
        with recordio.writer(str(tmp_path / "x")) as writer:
            writer.write("ä")
            writer.write(b"abc")
        assert naive.decode((tmp_path / "x").read_bytes()) == ["ä".encode(), b"abc"]

    def test_the_dialect_is_gos_and_the_codec_snappy(self, tmp_path):
        writer = recordio.Writer(tmp_path / "x.recordio")
        writer.write(bytes(1000))
        writer.close()
        writer.close()
        info = octavo.open(tmp_path / "x.recordio").info
        assert (info.dialect, info.codec) == ("go", "snappy")

    def test_chunks_have_32_mib_at_most_and_larger_records_are_kept(self, tmp_path):
        most = 32 << 20
        lengths = [3, most, most - 1, 1, 0, most + 1, 5]
        with recordio.Writer(str(tmp_path / "x")) as writer:
            for length in lengths:
                writer.write(bytes(length))
        with (tmp_path / "x").open("rb") as data:
            index = recordio.FileIndex(data)
            assert [entry.num_record for entry in index] == [1, 1, 3, 1, 1]
        scanner = Scanner(str(tmp_path / "x"))
        assert [len(record) for record in scanner] == lengths

    def test_a_file_that_was_there_is_replaced(self, path):
        recordio.Writer(path).close()
        assert Index(path).num_records() == 0

    def test_a_path_that_cannot_be_is_a_runtime_error(self, tmp_path):
        with pytest.raises(RuntimeError, match=r"^Failed to create recordio file: .*x"):
            recordio.Writer(str(tmp_path / "none" / "x"))

    def test_writing_after_closing_is_a_value_error(self, path):
        writer = recordio.Writer(path)
        writer.close()
        with pytest.raises(ValueError, match="closed"):
            writer.write(b"abc")

    @pytest.mark.parametrize("kind", [recordio.Writer, recordio.writer])
    def test_a_forgotten_close_is_made_up_for_with_a_warning(self, path, kind):
        writer = kind(path)
        writer.write(b"abc")
        with pytest.warns(ResourceWarning, match="never closed"):
            del writer
        assert records_of(Scanner(path)) == [b"abc"]

    def test_the_argument_is_called_path(self, path):
        recordio.Writer(path=path).close()
        assert Index(path=path).num_records() == 0

    def test_there_is_one_thing_to_write_to(self, path):
        with pytest.raises(TypeError, match="or a path"):
            recordio.Writer()
        with pytest.raises(TypeError, match="or a path"):
            recordio.Writer(io.BytesIO(), 1024, path=path)

    def test_a_class_of_ones_own_may_open_paths(self, path):
        class Counting(recordio.Writer):
            def __init__(self, path):
                super().__init__(path)
                self.count = 0

            def write(self, record):
                self.count += 1
                return super().write(record)

        writer = Counting(path)
        writer.write(b"abc")
        writer.close()
        assert writer.count == Index(path).num_records() == 1


class TestIndex:
    def test_records_are_counted(self, path):
        with Index(path) as index:
            assert index.num_records() == 10
        index.close()
        with pytest.raises(ValueError, match="closed"):
            index.num_records()

    def test_a_path_that_is_not_there_is_a_runtime_error(self, tmp_path):
        with pytest.raises(RuntimeError, match=r"^Failed to read index from recordio file: .*none"):
            Index(str(tmp_path / "none"))

    def test_what_is_no_recordio_is_a_runtime_error(self, tmp_path):
        (tmp_path / "x").write_bytes(b"something else altogether")
        with pytest.raises(RuntimeError, match=r"^Failed to read index from recordio file: "):
            Index(str(tmp_path / "x"))


class TestScanner:
    @pytest.mark.parametrize(
        ("start", "count", "expected"),
        [
            (0, -1, RECORDS),
            (3, 4, RECORDS[3:7]),
            (3, -5, RECORDS[3:]),
            (8, 100, RECORDS[8:]),
            (-4, 2, RECORDS[:2]),
            (10, -1, []),
            (99, 5, []),
            (5, 0, []),
        ],
    )
    def test_a_range_of_records_is_scanned(self, path, start, count, expected):
        assert records_of(Scanner(path, start, count)) == expected
        assert records_of(Scanner(path, start=start, len=count, index=Index(path))) == expected

    def test_all_are_scanned_by_default_and_as_bytes(self, path):
        scanner = Scanner(path)
        found = records_of(scanner)
        assert found == RECORDS
        assert {type(record) for record in found} == {bytes}
        assert scanner.record() is None

    def test_an_empty_record_is_not_the_end(self, tmp_path):
        (tmp_path / "x").write_bytes(naive.encode([b"", b"a", b""], "go"))
        assert records_of(Scanner(str(tmp_path / "x"))) == [b"", b"a", b""]

    def test_scanners_outlive_their_index_and_each_other(self, path):
        index = Index(path)
        first, second = Scanner(path, 0, 5, index), Scanner(path, 5, 5, index)
        index.close()
        assert first.record() == b"0"
        first.close()
        first.close()
        assert records_of(second) == RECORDS[5:]
        with pytest.raises(ValueError, match="closed"):
            first.record()

    def test_a_path_that_is_not_there_is_a_runtime_error(self, path, tmp_path):
        for index in (None, Index(path)):
            with pytest.raises(RuntimeError, match=r"^Failed to create scanner for recordio file: .*none"):
                Scanner(str(tmp_path / "none"), index=index)

    def test_the_index_of_another_file_is_not_read_from(self, path, tmp_path):
        (tmp_path / "other").write_bytes(naive.encode([b"other"], "go"))
        assert records_of(Scanner(str(tmp_path / "other"), index=Index(path))) == [b"other"]

    def test_damage_is_an_error_and_not_the_end(self, path):
        content = bytearray(pathlib.Path(path).read_bytes())
        content[naive.NaiveFile(bytes(content)).headers[1].offset + 25] ^= 1
        pathlib.Path(path).write_bytes(content)
        scanner = Scanner(path)
        assert [scanner.record() for _ in range(3)] == RECORDS[:3]
        with pytest.raises(RuntimeError, match="checksum"):
            scanner.record()

    def test_a_torn_end_leaves_the_records_before_it(self, path):
        with open(path, "ab") as file:
            file.write(naive.encode([b"torn"], "go")[:-1])
        with pytest.warns(TornAppendWarning):
            scanner = Scanner(path)
        assert records_of(scanner) == RECORDS


class TestOlderReader:
    @pytest.fixture
    def folder(self, tmp_path):
        for name, records in {"b-1": [b"3", b""], "a-1": [b"1", b"2"], "a-2": [], "c": [b"other"]}.items():
            (tmp_path / name).write_bytes(naive.encode(records, "go", "gzip"))
        return tmp_path

    def test_files_are_read_in_the_order_of_their_names(self, folder):
        reader = recordio.reader(str(folder / "*-*"))
        assert [reader.read() for _ in range(6)] == [b"1", b"2", b"3", b"", None, None]
        reader.close()

    def test_a_name_is_a_pattern_of_itself(self, folder):
        with recordio.reader(str(folder / "c")) as reader:
            assert list(reader) == [b"other"]

    @pytest.mark.parametrize("pattern", ["none", "none*"])
    def test_no_file_at_all_is_a_runtime_error(self, folder, pattern):
        with pytest.raises(RuntimeError, match=rf"^Failed to create reader for recordio files: .*{pattern[:4]}"):
            recordio.reader(str(folder / pattern))

"""Every feature that the originals' documents show, used once, by small programs of our own.

`tests/compat/documents` runs the documents themselves, where they are at hand. These run everywhere.
"""

from __future__ import annotations

import io
import itertools
import json
import pickle
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from octavo.compat import ffrecord, recordio
from octavo.compat.array_record.python import array_record_data_source, array_record_module

NUMBERS = [b"%d" % number for number in range(200)]
# Python 3.12 says this of every fork in a process with threads, torch of every machine with few processors.
pytestmark = [
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:This DataLoader will create:UserWarning"),
]


class TestRecordio:
    def test_text_is_written_chunk_by_chunk_and_read_as_text(self, working_folder: Path) -> None:
        with open("words.recordio", "wb") as file:
            writer = recordio.Writer(file, 8)
            for word in ("five", "six", "nine", "ten"):
                writer.write(word)
            writer.flush()
        told = []
        with open(working_folder / "words.recordio", "rb") as file:
            index = recordio.FileIndex(file)
            for chunk in range(index.total_chunks()):
                reader = recordio.Reader(file, index.chunk_offset(chunk))
                told.append(reader.total_count())
                while reader.has_next():
                    told.append("the word " + reader.next())
        assert index.total_records() == 4
        assert told == [2, "the word five", "the word six", 2, "the word nine", "the word ten"]

    def test_a_file_is_walked_through_with_an_iterator(self, working_folder: Path) -> None:
        file = recordio.File("many.recordio", "w", max_chunk_size=20)
        for number in range(30):
            file.write(f"number {number}")
        file.close()
        file = recordio.File(str(working_folder / "many.recordio"), "r")
        iterator, seen = file.iterator(), []
        while iterator.has_next():
            seen.append(iterator.next())
        file.close()
        assert seen == [f"number {number}" for number in range(30)]

    def test_later_documents_read_bytes(self, working_folder: Path) -> None:
        path = str(working_folder / "later.recordio")
        with recordio.File(path, "w") as file:
            for record in NUMBERS:
                file.write(record)
        with recordio.File(path, "r") as file:
            assert file.count() == 200
            assert file.get(7) == b"7"
            assert list(file.get_reader(2, 10)) == NUMBERS[2:10]
            assert list(file) == NUMBERS


class TestFFRecord:
    def test_samples_are_announced_written_and_read_in_batches(self, working_folder: Path) -> None:
        writer = ffrecord.FileWriter("numbers.ffr", len(NUMBERS))
        for number in range(len(NUMBERS)):
            data = pickle.dumps(number)
            writer.write_one(bytearray(data) if number % 2 else data)
        writer.close()
        reader: Any = ffrecord.FileReader(working_folder / "numbers.ffr", check_data=True)
        assert reader.n == 200
        assert [pickle.loads(data) for data in reader.read([31, 4, 0, 31])] == [31, 4, 0, 31]
        reader.close()

    def test_a_folder_is_packed_and_read_without_unpacking(
        self, working_folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        deep = working_folder / "tree" / "branch" / "twig"
        deep.mkdir(parents=True)
        (deep / "leaf.txt").write_text("grün", encoding="utf-8")
        (deep.parent / "facts.json").write_text('{"age": 90}')
        np.save(deep.parent / "rings.npy", np.arange(9))
        np.savez(deep.parent / "more.npz", np.arange(4))
        (deep.parents[1] / "root.bin").write_bytes(b"\0\1")

        ffrecord.pack_folder("tree", "tree.ffr", verbose=True)
        assert len(capsys.readouterr().out.splitlines()) == 5
        folder: Any = ffrecord.PackedFolder("tree.ffr")
        assert folder.list() == ["branch", "root.bin"]
        assert folder.list("branch") == ["facts.json", "more.npz", "rings.npy", "twig"]
        assert folder.is_file("root.bin")
        assert folder.is_dir("branch/twig")
        assert not folder.exists("branch/twig/bark.txt")
        assert io.BytesIO(folder.read("root.bin")).read() == b"\0\1"
        assert [bytes(data)[:1] for data in folder.read(["root.bin", "branch/facts.json"])] == [b"\0", b"{"]

        assert bytes(folder.read_one("branch/twig/leaf.txt")).decode() == "grün"
        assert json.loads(io.BytesIO(folder.read_one("branch/facts.json")).read()) == {"age": 90}
        assert np.load(io.BytesIO(folder.read_one("branch/rings.npy"))).tolist() == list(range(9))
        with zipfile.ZipFile(io.BytesIO(folder.read_one("branch/more.npz"))) as archive:
            assert archive.namelist() == ["arr_0.npy"]

    @pytest.fixture
    def training_file(self, working_folder: Path) -> str:
        path = str(working_folder / "train.ffr")
        writer = ffrecord.FileWriter(path, len(NUMBERS))
        for record in NUMBERS:
            writer.write_one(record)
        writer.close()
        return path

    def test_a_data_set_processes_what_is_read(self, training_file: str) -> None:
        pytest.importorskip("torch")
        from octavo.compat.ffrecord.torch import Dataset

        class Doubled(Dataset):
            def process(self, indices: Sequence[int], data: list[Any]) -> list[int]:
                assert len(indices) == len(data)
                return [2 * int(bytes(one)) for one in data]

        dataset = Doubled(training_file)
        assert len(dataset) == 200
        assert dataset[[3, 4, 1]] == [6, 8, 2]

    def test_a_loader_shuffles_and_resumes_at_a_step(self, training_file: str) -> None:
        pytest.importorskip("torch")
        from octavo.compat.ffrecord.torch import DataLoader, Dataset

        class Numbers(Dataset):
            def __init__(self, path: str) -> None:
                self.reader = ffrecord.FileReader(path)

            def __len__(self) -> int:
                return int(self.reader.n)

            def __getitem__(self, indices: Sequence[int]) -> list[int]:
                return [int(bytes(data)) for data in self.reader.read(indices)]

        loader = DataLoader(Numbers(training_file), batch_size=16, shuffle=True, num_workers=2)
        loader.set_step(10)
        assert len(list(loader)) == 3
        loader.set_step(0)
        numbers = list(itertools.chain.from_iterable(batch.tolist() for batch in loader))
        assert sorted(numbers) == list(range(200)) != numbers


class TestArrayRecord:
    @pytest.fixture
    def path(self, working_folder: Path) -> str:
        writer = array_record_module.ArrayRecordWriter("numbers.array_record", "group_size:1")
        for record in NUMBERS:
            writer.write(record)
        writer.close()
        return str(working_folder / "numbers.array_record")

    def test_one_file_is_read_in_order_and_at_random(self, path: str) -> None:
        reader = array_record_module.ArrayRecordReader(path)
        assert [reader.read() for _ in range(reader.num_records())] == NUMBERS
        assert reader.read_all() == NUMBERS
        assert reader.read(20, 30) == NUMBERS[20:30]
        assert reader.read([9, 0, 199]) == [b"9", b"0", b"199"]
        reader.close()

    def test_several_files_are_one_source(self, path: str, working_folder: Path) -> None:
        writer = array_record_module.ArrayRecordWriter(str(working_folder / "more.array_record"))
        writer.write(b"last")
        writer.close()
        with array_record_data_source.ArrayRecordDataSource([path, "more.array_record"]) as source:
            assert len(source) == 201
            assert source[200] == b"last"
            assert source.__getitems__([200, 1, 100]) == [b"last", b"1", b"100"]
            assert source[[1, 200]] == [b"1", b"last"]
            assert [source[number] for number in range(len(source))] == [*NUMBERS, b"last"]

    @pytest.mark.parametrize(
        "options",
        [
            {"readahead_buffer_size": "0", "max_parallelism": "0"},
            {"readahead_buffer_size": "64MB", "max_parallelism": "8"},
            {"readahead_buffer_size": "16MB"},
        ],
    )
    def test_documented_reader_options_are_taken(self, path: str, options: dict[str, str]) -> None:
        with array_record_data_source.ArrayRecordDataSource(path, reader_options=options) as source:
            assert list(source) == NUMBERS

    @pytest.mark.parametrize("options", ["group_size:10000,brotli:9,max_parallelism:4", "group_size:1000,brotli:6", ""])
    def test_documented_writer_options_are_taken(self, working_folder: Path, options: str) -> None:
        path = str(working_folder / "structured.array_record")
        writer = array_record_module.ArrayRecordWriter(path, options)
        writer.write(json.dumps({"label": 1}).encode())
        writer.close()
        assert [json.loads(record) for record in array_record_module.ArrayRecordReader(path).read_all()] == [
            {"label": 1}
        ]

    def test_tensorflow_reads_from_a_generator(self, path: str) -> None:
        tensorflow = pytest.importorskip("tensorflow")

        def records() -> Any:
            with array_record_data_source.ArrayRecordDataSource(path) as source:
                yield from source

        signature = tensorflow.TensorSpec(shape=(), dtype=tensorflow.string)
        dataset = tensorflow.data.Dataset.from_generator(records, output_signature=signature).batch(64)
        assert list(itertools.chain(*dataset.as_numpy_iterator())) == NUMBERS

    def test_grain_shuffles_a_source(self, path: str) -> None:
        grain = pytest.importorskip("grain")
        source = array_record_data_source.ArrayRecordDataSource(path)
        batches = list(grain.MapDataset.source(source).shuffle(seed=42).map(int).batch(batch_size=32))
        numbers = [int(number) for batch in batches for number in batch]
        assert sorted(numbers) == list(range(200)) != numbers

    def test_torch_loads_a_source_with_workers(self, path: str) -> None:
        data = pytest.importorskip("torch.utils.data")
        source = array_record_data_source.ArrayRecordDataSource(path)
        loader = data.DataLoader(source, batch_size=32, shuffle=True, num_workers=2)
        records = list(itertools.chain.from_iterable(loader))
        assert sorted(records) == sorted(NUMBERS)

    def test_beam_writes_shards(self, working_folder: Path) -> None:
        beam = pytest.importorskip("apache_beam")
        from apache_beam.runners.portability.fn_api_runner import FnApiRunner

        from octavo.compat.array_record.beam.arrayrecordio import WriteToArrayRecord

        with beam.Pipeline(runner=FnApiRunner()) as pipeline:
            records = pipeline | beam.Create(NUMBERS)
            records | WriteToArrayRecord(  # beam's way of saying it
                str(working_folder / "beam" / "data"), file_name_suffix=".array_record", num_shards=3
            )
        shards = sorted(str(path) for path in (working_folder / "beam").iterdir())
        assert [Path(shard).name for shard in shards] == [f"data-0000{n}-of-00003.array_record" for n in range(3)]
        assert sorted(array_record_data_source.ArrayRecordDataSource(shards)) == sorted(NUMBERS)

"""`RecordDataset` in one process."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import octavo  # noqa: E402
from octavo import errors  # noqa: E402
from octavo.torch import RecordDataset, collate  # noqa: E402
from tests.integrations.torch.records import negative, number, write_numbers, write_rows  # noqa: E402


class CountingReader(octavo.Reader):
    """Notes how it was asked."""

    __slots__ = ("asked",)

    asked: list[Any]

    def read(self, indices):
        self.asked.append(list(indices))
        return super().read(indices)


def test_samples_are_the_records(path):
    dataset = RecordDataset(path)
    assert isinstance(dataset, torch.utils.data.Dataset)
    assert len(dataset) == 40
    assert [number(dataset[k]) for k in range(40)] == list(range(40))


def test_numbers_may_be_negative_and_of_any_type(path):
    dataset = RecordDataset(path, decode=number)
    assert dataset[-1] == 39
    assert dataset[-40] == 0
    assert dataset[np.int64(7)] == 7
    assert dataset[torch.tensor(7)] == 7
    assert dataset.__getitems__([-1, 3]) == [39, 3]


@pytest.mark.parametrize("index", [40, -41])
def test_numbers_that_no_record_has_are_index_errors(path, index):
    dataset = RecordDataset(path)
    with pytest.raises(errors.RecordIndexError):
        dataset[index]
    with pytest.raises(IndexError):
        dataset.__getitems__([0, index])


@pytest.mark.parametrize("index", [slice(3), [1, 2], "1", 1.0, None])
def test_what_is_no_number_is_refused(path, index):
    with pytest.raises(errors.RecordTypeError, match="by its number"):
        RecordDataset(path)[index]


def test_decode_makes_the_samples(path):
    dataset = RecordDataset(path, decode=negative)
    assert dataset[5] == -5
    assert dataset.__getitems__([9, 4, 9]) == [-9, -4, -9]


class Doubled(RecordDataset):
    """Samples made in the usual way."""

    def __getitem__(self, index):
        return 2 * super().__getitem__(index)


class DoubledAtOnce(Doubled):
    """The same, batch by batch."""

    def __getitems__(self, indices):
        return [2 * sample for sample in super().__getitems__(indices)]


@pytest.mark.parametrize("kind", [Doubled, DoubledAtOnce])
def test_a_subclass_makes_other_samples(path, kind):
    dataset = kind(path, decode=number)
    assert dataset[3] == 6
    expected = [list(range(0, 32, 2)), list(range(32, 64, 2)), list(range(64, 80, 2))]
    assert [batch.tolist() for batch in torch.utils.data.DataLoader(dataset, batch_size=16)] == expected
    subset = torch.utils.data.Subset(dataset, [5, 6])
    assert [batch.tolist() for batch in torch.utils.data.DataLoader(subset, batch_size=2)] == [[10, 12]]


def test_a_subclass_makes_other_tensors(tmp_path):
    dataset = Doubled(write_rows(tmp_path / "rows.ffr", 4, width=2), dtype="float32")
    for options in ({}, {"collate_fn": collate}):
        (batch,) = torch.utils.data.DataLoader(dataset, batch_size=4, **options)
        assert batch.tolist() == [[0, 0], [2, 2], [4, 4], [6, 6]]


@pytest.mark.parametrize("kind", [RecordDataset, Doubled])
def test_an_error_of_decode_names_the_record_as_errors_of_reading_do(path, kind):
    def refuse(record):
        if number(record) == 23:
            raise ValueError("we do not like it")
        return number(record)

    dataset = kind(octavo.open(path)[22:], decode=refuse)
    for read in (lambda: dataset.__getitems__([0, 1]), lambda: dataset[1], lambda: dataset[-17]):
        with pytest.raises(ValueError, match="we do not like it") as caught:
            read()
        assert caught.value.__notes__ == ["octavo: this was decode() of record 23, which is number 1 of the slice"]


def test_a_batch_is_one_native_read(path):
    reader = CountingReader([str(path)])
    reader.asked = []
    loader = torch.utils.data.DataLoader(RecordDataset(reader, decode=number), batch_size=16)
    assert [batch.tolist() for batch in loader] == [list(range(16)), list(range(16, 32)), list(range(32, 40))]
    assert reader.asked == [list(range(16)), list(range(16, 32)), list(range(32, 40))]


def test_subsets_read_whole_batches_too(path):
    reader = CountingReader([str(path)])
    reader.asked = []
    subset = torch.utils.data.Subset(RecordDataset(reader, decode=number), [5, 6, 7, 8])
    assert [batch.tolist() for batch in torch.utils.data.DataLoader(subset, batch_size=4)] == [[5, 6, 7, 8]]
    assert reader.asked == [[5, 6, 7, 8]]


def test_an_error_of_decode_says_which_record_it_was(path):
    def refuse_seven(record):
        if number(record) == 7:
            raise KeyError("seven")
        return record

    dataset = RecordDataset(path, decode=refuse_seven)
    with pytest.raises(KeyError, match="seven") as caught:
        dataset.__getitems__([3, 7, 9])
    assert caught.value.__notes__ == ["octavo: this was decode() of record 7"]


@pytest.mark.parametrize("name", ["x.array_record", "x.tfrecord", "x.recordio", "x.riegeli", "x.ffr"])
def test_every_format_and_many_files(tmp_path, name):
    stem, suffix = name.split(".")
    for shard in range(3):
        write_numbers(tmp_path / f"{stem}-{shard:05d}-of-00003.{suffix}", 10, first=10 * shard)
    dataset = RecordDataset(tmp_path / f"{stem}@3.{suffix}", decode=number)
    assert dataset.__getitems__(list(range(29, -1, -1))) == list(range(29, -1, -1))


def test_chunks_of_zstd(tmp_path):
    path = write_numbers(tmp_path / "x.array_record", 100, group_size=8, codec="zstd")
    assert RecordDataset(path, decode=number, cache_bytes=0).__getitems__([99, 0, 50]) == [99, 0, 50]


def test_options_are_those_of_open(tmp_path, path):
    named = tmp_path / "without_suffix"
    named.write_bytes(path.read_bytes())
    assert len(RecordDataset(named, format="ffrecord", check_data=False, io="pread", sidecar=False)) == 40
    with pytest.raises(errors.OptionError, match="index_storage"):
        RecordDataset(path, index_storage="nowhere")  # type: ignore[arg-type]
    with pytest.raises(errors.NotFoundError):
        RecordDataset(tmp_path / "absent.ffr")


def test_a_reader_has_its_options_already(path):
    reader = octavo.open(path)
    assert RecordDataset(reader).reader is reader
    with pytest.raises(errors.OptionError, match="check_data, io: the reader is open already"):
        RecordDataset(reader, check_data=False, io="pread")


def test_a_slice_of_a_reader_is_a_data_set(path):
    assert RecordDataset(octavo.open(path)[10:20], decode=number).__getitems__([0, -1]) == [10, 19]


def test_content_in_memory(path):
    assert RecordDataset(path.read_bytes(), decode=number)[3] == 3


def test_what_cannot_be_called_is_no_hook(path):
    with pytest.raises(errors.RecordTypeError, match="decode is a function, not int"):
        RecordDataset(path, decode=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy])
def test_copies_read_the_same(path, copied):
    dataset = copied(RecordDataset(octavo.open(path)[5:], decode=negative))
    assert len(dataset) == 35
    assert dataset.__getitems__([0, 1]) == [-5, -6]


def test_it_closes_what_it_has_opened(path):
    with RecordDataset(path) as dataset:
        assert "40 records" in repr(dataset)
    assert dataset.reader.closed
    dataset.close()
    with pytest.raises(errors.ClosedError):
        dataset[0]
    assert "closed" in repr(dataset)


def test_it_leaves_a_reader_open_that_it_was_given(path):
    reader = octavo.open(path)
    with RecordDataset(reader):
        pass
    assert not reader.closed

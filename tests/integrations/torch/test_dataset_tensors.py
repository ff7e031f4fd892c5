"""`RecordDataset` of records that all have one size."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import octavo  # noqa: E402
from octavo import errors  # noqa: E402
from octavo.torch import RecordDataset, collate  # noqa: E402
from tests.integrations.torch.records import as_floats, number, write_numbers, write_rows  # noqa: E402


def test_records_of_one_size_are_tensors(tmp_path):
    dataset = RecordDataset(write_rows(tmp_path / "rows.ffr", 10), dtype=torch.float32, shape=(4, 4))
    assert torch.equal(dataset[3], torch.full((4, 4), 3.0))
    assert dataset[-1][0, 0] == 9
    batch = collate(dataset.__getitems__([1, 8]))
    assert batch.shape == (2, 4, 4)
    assert batch[:, 0, 0].tolist() == [1, 8]


def test_batches_of_such_records_are_one_tensor(tmp_path):
    dataset = RecordDataset(write_rows(tmp_path / "rows.ffr", 10), dtype="float32")
    batches = list(torch.utils.data.DataLoader(dataset, batch_size=4, collate_fn=collate))
    assert [batch.shape for batch in batches] == [(4, 16), (4, 16), (2, 16)]
    expected = torch.stack([torch.from_numpy(as_floats(record).copy()) for record in dataset.reader])
    assert torch.equal(torch.cat(batches), expected)


@pytest.mark.parametrize("num_workers", [0, 1])
def test_the_default_collate_makes_the_same_of_them(tmp_path, num_workers):
    dataset = RecordDataset(write_rows(tmp_path / "rows.ffr", 10), dtype="float32", shape=(4, 4))
    usual = list(torch.utils.data.DataLoader(dataset, batch_size=4, num_workers=num_workers))
    quick = list(torch.utils.data.DataLoader(dataset, batch_size=4, collate_fn=collate))
    assert len(usual) == 3
    assert all(map(torch.equal, usual, quick))


def test_collate_takes_them_without_a_copy(tmp_path):
    samples = RecordDataset(write_rows(tmp_path / "rows.ffr", 10), dtype="float32").__getitems__([3, 4])
    assert collate(samples).data_ptr() == samples[0].data_ptr()
    again = pickle.loads(pickle.dumps(samples))
    assert torch.equal(collate(again), collate(samples))
    assert torch.equal(collate(type(samples)(samples[::-1])), collate(samples).flip(0))  # as others rebuild sequences


@pytest.mark.parametrize(
    ("dtype", "shape", "expected"),
    [
        (torch.uint8, None, (torch.uint8, (64,))),
        (np.float32, (2, 8), (torch.float32, (2, 8))),
        ("int16", 32, (torch.int16, (32,))),
        (torch.bfloat16, [32], (torch.bfloat16, (32,))),
        (float, (8, 1, 1), (torch.float64, (8, 1, 1))),
    ],
)
def test_types_and_shapes(tmp_path, dtype, shape, expected):
    sample = RecordDataset(write_rows(tmp_path / "rows.ffr", 3), dtype=dtype, shape=shape)[0]
    assert (sample.dtype, tuple(sample.shape)) == expected


def test_numbers_as_scalars(path):
    assert RecordDataset(path, dtype=torch.int64, shape=()).__getitems__([3, 4]) == (3, 4)


def test_another_size_is_told_at_once(tmp_path):
    rows = write_rows(tmp_path / "rows.ffr", 3)
    with pytest.raises(errors.RecordSizeError, match=r"record 0 has 64 bytes.*torch.float32 and shape \(3, 5\) has 60"):
        RecordDataset(rows, dtype=torch.float32, shape=(3, 5))
    write_numbers(tmp_path / "odd.ffr", 1)
    with pytest.raises(errors.RecordSizeError, match="8 bytes, which are no whole number of elements"):
        RecordDataset(tmp_path / "odd.ffr", dtype=torch.complex128)


def test_a_record_of_another_size_is_named(write_file):
    dataset = RecordDataset(write_file([b"1234", b"1234", b"123"]), dtype=torch.uint8, shape=4)
    assert collate(dataset.__getitems__([0, 1])).shape == (2, 4)
    with pytest.raises(errors.RecordSizeError, match="record 2 has 3 bytes") as caught:
        dataset.__getitems__([0, 2])
    assert (caught.value.record, caught.value.expected, caught.value.actual) == (2, 4, 3)


def test_the_first_record_of_a_slice_is_named_as_the_others_are(write_file):
    part = octavo.open(write_file([b"1234", b"1234", b"123"]))[2:]
    with pytest.raises(errors.RecordSizeError, match="record 2 has 3 bytes, but"):
        RecordDataset(part, dtype=torch.uint8, shape=4)
    with pytest.raises(errors.RecordSizeError, match="record 2 has 3 bytes, which are no whole"):
        RecordDataset(part, dtype=torch.float32)


@pytest.mark.parametrize("shape", [None, 0, (0,), (3, 0)])
def test_records_of_nothing_have_a_shape_too(write_file, shape):
    dataset = RecordDataset(write_file([b""] * 3), dtype=torch.float32, shape=shape)
    assert collate(dataset.__getitems__([0, 2])).shape == (2, *((3, 0) if shape == (3, 0) else (0,)))


def test_no_record_has_any_size(write_file):
    assert len(RecordDataset(write_file([]), dtype=torch.uint8)) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shape": 8}, "dtype must be given"),
        ({"dtype": torch.uint8, "decode": number}, "give one of them"),
        ({"dtype": "no type"}, "dtype is 'no type'"),
        ({"dtype": object}, "dtype is <class 'object'>"),
        ({"dtype": ">f4"}, "dtype is '>f4'"),
        ({"dtype": torch.uint8, "shape": -1}, "shape is -1"),
        ({"dtype": torch.uint8, "shape": 2.5}, "shape is 2.5"),
        ({"dtype": torch.uint8, "shape": "8"}, "shape is '8'"),
    ],
)
def test_silly_types_and_shapes_are_refused(path, options, message):
    with pytest.raises(errors.OptionError, match=message):
        RecordDataset(path, **options)

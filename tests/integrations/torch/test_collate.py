"""`collate` gives what `torch.utils.data.default_collate` gives."""

from __future__ import annotations

from collections import OrderedDict, namedtuple

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.utils.data import _utils, default_collate  # noqa: E402

from octavo.torch import collate  # noqa: E402

Point = namedtuple("Point", "x y")  # noqa: PYI024 - the kind without types
rng = np.random.default_rng(0)


def arrays(*shape, dtype="float32", count=5):
    return [(rng.random(shape) * 100).astype(dtype) for _ in range(count)]


def pairs(*columns):
    return list(zip(*columns, strict=True))


BATCHES = {
    "vectors": arrays(7),
    "images": arrays(3, 4, 5, dtype="uint8"),
    "large images": arrays(3, 64, 64),
    "one array": arrays(4, count=1),
    "no dimensions": arrays(),
    "nothing in them": arrays(0),
    "nothing behind": arrays(3, 0),
    "integers": arrays(3, dtype="int64"),
    "16 bits": arrays(3, dtype="uint16"),
    "truth": arrays(3, dtype="bool"),
    "complex": arrays(3, dtype="complex64"),
    "halves": arrays(3, dtype="float16"),
    "Fortran's order": [np.asfortranarray(one) for one in arrays(3, 4)],
    "every other": [one[::2] for one in arrays(8)],
    "two types": [*arrays(3, dtype="int32"), *arrays(3)],
    "8 bits and 16 bits": [*arrays(3, dtype="uint8"), *arrays(3, dtype="int16")],
    "tensors": [torch.tensor([1.0, k]) for k in range(3)],
    "numbers": [1, 2, 3],
    "floats": [1.5, 2.0],
    "NumPy's numbers": [np.float32(1), np.float32(2)],
    "strings": ["a", "b"],
    "bytes": [b"a", b"bc"],
    "tuples": pairs(arrays(3), [0, 1, 2, 3, 4]),
    "lists": [[one, 1] for one in arrays(3)],
    "dicts": [{"x": one, "y": k} for k, one in enumerate(arrays(2, 2))],
    "ordered dicts": [OrderedDict(b=one, a=k) for k, one in enumerate(arrays(2, 2))],
    "named tuples": [Point(one, one + 1) for one in arrays(3)],
    "nested": [{"a": (one, {"b": [one, "text"]})} for one in arrays(3)],
}


def assert_same(ours, theirs):
    assert type(ours) is type(theirs)
    if isinstance(theirs, torch.Tensor):
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        assert ours.is_contiguous()
        assert torch.equal(ours, theirs)
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        for key in theirs:
            assert_same(ours[key], theirs[key])
    elif isinstance(theirs, list | tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
    else:
        assert ours == theirs


@pytest.mark.parametrize("name", BATCHES)
def test_it_gives_what_the_original_gives(name):
    assert_same(collate(BATCHES[name]), default_collate(BATCHES[name]))


REFUSED = {
    "two lengths": [*arrays(3), *arrays(4)],
    "lengths that add up": [*arrays(3, count=1), *arrays(4, count=1), *arrays(2, count=1)],
    "two shapes behind": [*arrays(2, 3), *arrays(2, 4)],
    "two dimensions": [*arrays(3), *arrays(3, 1)],
    "none and one": [*arrays(3), *arrays()],
    "objects": [np.array([object()])],
    "text": [np.array(["a"])],
    "the other byte order": arrays(3, dtype=">f4"),
    "a number among arrays": [*arrays(3), 1],
    "no samples of a kind": [object()],
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_refuses_what_the_original_refuses(name):
    with pytest.raises(Exception) as theirs:  # noqa: PT011 - whatever it is
        default_collate(REFUSED[name])
    with pytest.raises(theirs.type):
        collate(REFUSED[name])


def test_arrays_that_cannot_be_written_to_give_a_tensor_that_can():
    batch = collate([np.frombuffer(b"abc", np.uint8), np.frombuffer(b"def", np.uint8)])  # torch warns of these
    batch[0, 0] = 0
    assert batch.tolist() == [[0, 98, 99], [100, 101, 102]]


def test_kinds_of_arrays_go_the_original_way(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(3))
    mapped = [np.load(tmp_path / "a.npy", mmap_mode="c") for _ in range(2)]
    assert_same(collate(mapped), default_collate(mapped))


def test_a_tensor_is_left_alone():
    batch = torch.zeros(3, 4)
    assert collate(batch) is batch


def test_types_that_a_program_has_registered_are_known(monkeypatch):
    class Own:
        pass

    table = _utils.collate.default_collate_fn_map
    monkeypatch.setitem(table, Own, lambda batch, *, collate_fn_map: f"{len(batch)} of our own")  # noqa: ARG005
    assert collate([Own(), Own()]) == "2 of our own"
    monkeypatch.setitem(table, np.ndarray, lambda batch, *, collate_fn_map: "arrays as we like them")  # noqa: ARG005
    assert collate(arrays(3)) == "arrays as we like them"

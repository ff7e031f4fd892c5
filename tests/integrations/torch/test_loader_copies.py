"""`Loader`: copies and pickles have the location, the options and the place."""

from __future__ import annotations

import copy
import pickle

import pytest

torch = pytest.importorskip("torch")

import octavo  # noqa: E402
from octavo import errors, shuffle  # noqa: E402
from octavo.torch import Loader  # noqa: E402
from tests.integrations.torch.records import lists, negative, number, write_rows  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_thread_is_left")
WAYS = {"pickle": lambda loader: pickle.loads(pickle.dumps(loader)), "copy": copy.copy, "deepcopy": copy.deepcopy}


@pytest.fixture(params=WAYS)
def copied(request):
    return WAYS[request.param]


@pytest.mark.parametrize("used", [0, 1, 3, 6])
def test_the_next_loop_of_a_copy_is_the_next_loop_of_the_original(path, copied, used):
    loader = Loader(path, batch_size=7, seed=3, decode=negative, rank=1, world_size=2, threads=2)
    for _, _ in zip(range(used), loader, strict=False):
        pass
    another = copied(loader)
    assert another.state_dict() == loader.state_dict()
    assert [lists(another), lists(another)] == [lists(loader), lists(loader)]


def test_a_copy_goes_its_own_way(path, copied):
    loader = Loader(path, batch_size=4, decode=number)
    batches = iter(loader)
    first = next(batches).tolist()
    another = copied(loader)
    list(another)
    loader.load_state_dict(loader.state_dict())
    assert [first, *lists(batches)] == list(shuffle.Sampler(40, batch_size=4))
    assert another.epoch == 1
    another.close()
    assert another.reader.closed
    assert not loader.reader.closed


def test_a_copy_closes_what_it_has_opened(path, copied):
    reader = octavo.open(path)
    with copied(Loader(reader, batch_size=4)) as another:
        list(another)
    assert another.reader.closed
    assert not reader.closed


def test_mixtures_and_tensors_are_copied_too(tmp_path, copied):
    rows = write_rows(tmp_path / "rows.ffr", 40)
    loader = Loader(rows, batch_size=4, order=shuffle.Mixture([10, 30], [1, 2], seed=4), dtype="float32", shape=(4, 4))
    assert lists(copied(loader)) == lists(loader)


def test_a_loop_says_that_it_cannot_be_copied(path, copied):
    batches = iter(Loader(path, batch_size=4))
    with pytest.raises(errors.RecordTypeError, match="its loader can"):
        copied(batches)

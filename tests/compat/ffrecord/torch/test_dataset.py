"""`ffrecord.torch.Dataset` in both styles, `Subset`, `ConcatDataset` and `ReaderRegistry`."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

from octavo.compat import ffrecord  # noqa: E402 - needs torch
from octavo.compat.ffrecord.torch import ConcatDataset, Dataset, ReaderRegistry, Subset  # noqa: E402
from tests.compat.ffrecord.torch.datasets import NewStyle, OldStyle, negative, write_numbers  # noqa: E402


def test_public_names_are_those_of_the_original():
    names = ["ConcatDataset", "DataLoader", "Dataset", "ReaderRegistry", "Subset"]
    assert sorted(ffrecord.torch.__all__) == names


def test_the_package_alone_gives_its_torch_part():
    program = "from octavo.compat import ffrecord; print(ffrecord.torch.Dataset.__name__)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout == b"Dataset\n"


def test_a_list_of_numbers_gives_a_list_of_samples(dataset):
    assert isinstance(dataset, torch.utils.data.Dataset)
    assert len(dataset) == 40
    assert dataset[[3, 4, 1, 0]] == [3, 4, 1, 0]


def test_the_constructor_keeps_names_and_reader(path):
    dataset = OldStyle(str(path), check_data=False)
    assert dataset.fnames == str(path)
    assert dataset.reader.fnames == [str(path)]
    assert dataset.reader.check_data is False


@pytest.mark.parametrize("style", [OldStyle, NewStyle])
def test_samples_are_transformed(path, style):
    assert style(path, transform=negative)[[1, 2]] == [-1, -2]


@pytest.mark.parametrize("indices", [3, slice(0, 2), "12", torch.tensor([1])])
def test_what_is_no_list_is_a_type_error(path, indices):
    with pytest.raises(TypeError, match=r"^indices must be a list of index$"):
        OldStyle(path)[indices]


def test_a_tuple_is_a_list_too(path):
    assert OldStyle(path)[(3, 2)] == [3, 2]


def test_without_process_there_are_no_samples(path):
    with pytest.raises(NotImplementedError):
        Dataset(path)[[0]]


@pytest.mark.parametrize("wrapped", [lambda one: one, lambda one: Subset(one, range(40)), lambda one: one + one])
def test_pickles_of_every_protocol_read_the_same(dataset, wrapped):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(wrapped(dataset), protocol))
        assert again[[5]] == [5]
        assert len(again.ffreaders()) == len(wrapped(dataset).ffreaders())


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_read_the_same_and_have_registers_of_their_own(dataset, copied, tmp_path):
    again = copied(dataset)
    assert again[[5]] == [5]
    again.reader = ffrecord.FileReader(write_numbers(tmp_path / "other.ffr", 1, first=7))
    again.inner = ReaderRegistry()
    assert (again[[0]], dataset[[5]]) == ([7], [5])
    assert (len(again.ffreaders()), len(dataset.ffreaders())) == (1, 1)
    assert not hasattr(dataset, "inner")


def test_an_object_that_was_not_made_yet_has_no_attributes():
    with pytest.raises(AttributeError, match="'OldStyle' object has no attribute 'anything'"):
        object.__new__(OldStyle).anything  # noqa: B018 - looking is the test


def test_a_module_of_torch_may_be_among_the_bases(path):
    class Both(OldStyle, torch.nn.Module):  # type: ignore[misc,name-defined] # torch is not checked
        def __init__(self):
            torch.nn.Module.__init__(self)
            self.linear = torch.nn.Linear(2, 3)
            self.reader = ffrecord.FileReader(path)

    both = Both()
    assert (both.linear.out_features, both.reader.n) == (3, 40)
    assert len(list(both.parameters())) == 2
    with pytest.raises(AttributeError, match="absent"):
        both.absent  # noqa: B018 - looking is the test


def test_readers_are_registered(dataset):
    (reader,) = dataset.ffreaders()
    assert reader is dataset.reader
    assert dataset._readers == {"reader": reader}
    assert "reader" not in vars(dataset)


def test_nested_registries_are_looked_into(path):
    class Pair(ReaderRegistry):
        def __init__(self):
            self.first = ffrecord.FileReader(path)
            self.second = NewStyle(path)
            self.name = "pair"

    pair = Pair()
    assert pair.ffreaders() == [pair.first, pair.second.reader]
    assert pair._resitries == {"second": pair.second}
    assert vars(pair)["name"] == "pair"


def test_a_name_stands_for_what_it_was_given_last(path):
    registry = ReaderRegistry()
    registry.source = ffrecord.FileReader(path)
    registry.source = None
    assert registry.source is None
    assert registry.ffreaders() == []
    registry.source = ReaderRegistry()
    registry.source = reader = ffrecord.FileReader(path)
    assert registry.source is reader
    assert registry.ffreaders() == [reader]


def test_attributes_can_be_deleted(path):
    registry = ReaderRegistry()
    registry.reader, registry.other = ffrecord.FileReader(path), 1
    del registry.reader, registry.other
    for name in ("reader", "other", "never"):
        with pytest.raises(AttributeError, match=f"'ReaderRegistry' object has no attribute '{name}'"):
            getattr(registry, name)
    assert registry.ffreaders() == []


def test_a_subset_maps_its_numbers(dataset):
    subset = Subset(dataset, [10, 20, 30])
    assert isinstance(subset, Dataset)
    assert len(subset) == 3
    assert subset[[2, 0, -1]] == [30, 10, 30]
    assert subset.ffreaders() == dataset.ffreaders()


def test_numbers_outside_a_subset_are_errors(dataset):
    with pytest.raises(IndexError):
        Subset(dataset, [10, 20])[[2]]
    with pytest.raises(TypeError):
        Subset(dataset, [10, 20])[1]  # type: ignore[index]


@pytest.fixture
def both(dataset, tmp_path):
    """The numbers 0 to 39 and 100 to 109."""
    return dataset + OldStyle(write_numbers(tmp_path / "more.ffr", 10, first=100))


def test_added_data_sets_are_one(both, dataset):
    assert type(both) is ConcatDataset
    assert both.datasets[0] is dataset
    assert both.cumulative_sizes == ConcatDataset.cumsum(both.datasets) == [40, 50]
    assert len(both) == 50
    assert both[[39, 40, 0, 49]] == [39, 100, 0, 109]


def test_duplicates_come_as_often_as_they_are_asked_for(both):
    assert both[[0, 0, 45, 45, 1]] == [0, 0, 105, 105, 1]


def test_each_part_is_asked_once(path):
    asked = []

    class Watched(NewStyle):
        def __getitem__(self, indices):
            asked.append(indices)
            return super().__getitem__(indices)

    assert (Watched(path) + Watched(path))[[41, 1, 40, 41]] == [1, 1, 0, 1]
    assert asked == [[1, 0, 1], [1]]


def test_negative_numbers_count_from_the_end_of_all(both):
    assert both[[-1, -50]] == [109, 0]
    with pytest.raises(ValueError, match="-51"):
        both[[-51]]
    with pytest.raises(IndexError, match="50"):
        both[[50]]
    with pytest.raises(TypeError):
        both[3]


def test_added_data_sets_know_their_readers(both):
    assert both.ffreaders() == [both.datasets[0].reader, both.datasets[1].reader]
    assert len((both + both).ffreaders()) == 4


def test_only_data_sets_of_this_kind_are_added(dataset):
    with pytest.raises(AssertionError):
        ConcatDataset([])
    with pytest.raises(AssertionError):
        ConcatDataset([dataset, torch.utils.data.TensorDataset(torch.zeros(3))])


def test_empty_data_sets_are_passed_over(dataset, tmp_path):
    empty = OldStyle(write_numbers(tmp_path / "empty.ffr", 0))
    assert (empty + dataset + empty)[[0, 39]] == [0, 39]
    with pytest.raises(IndexError):
        (empty + empty)[[0]]

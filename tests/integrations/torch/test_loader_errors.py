"""`Loader`: errors surface where their batch would have been, and leave nothing running."""

from __future__ import annotations

import itertools
import traceback

import pytest

torch = pytest.importorskip("torch")

import octavo  # noqa: E402
from octavo import errors  # noqa: E402
from octavo.torch import Loader  # noqa: E402
from tests.integrations.torch.records import lists, loader_threads, number  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_thread_is_left")


class OurOwnError(Exception):
    pass


def refuse_21(record):
    if number(record) == 21:
        raise OurOwnError("we do not like it")
    return number(record)


def loader_of(path, **options):
    return Loader(path, batch_size=4, shuffle=False, **options)


def test_an_error_surfaces_at_its_batch_with_its_own_traceback(path):
    loader = loader_of(path, decode=refuse_21)
    seen: list[list[int]] = []
    with pytest.raises(OurOwnError, match="we do not like it") as caught:
        seen.extend(batch.tolist() for batch in loader)
    assert loader_threads() == []  # although the error still is in somebody's hands
    assert seen == [list(range(k, k + 4)) for k in range(0, 20, 4)]
    assert caught.value.__notes__ == ["octavo: this was decode() of record 21"]
    assert "refuse_21" in [frame.name for frame in traceback.extract_tb(caught.tb)]
    assert loader.state_dict()["position"] == 20


def test_a_loop_can_go_on_after_an_error(path):
    batches = iter(loader_of(path, decode=refuse_21))
    for _ in range(5):
        next(batches)
    with pytest.raises(OurOwnError):
        next(batches)
    assert lists(batches) == [list(range(k, k + 4)) for k in range(24, 40, 4)]


def test_the_batch_of_an_error_is_tried_again_from_the_state(path):
    loader = loader_of(path, decode=refuse_21)
    with pytest.raises(OurOwnError):
        list(loader)
    resumed = loader_of(path, decode=number)
    resumed.load_state_dict(loader.state_dict())
    assert lists(resumed)[0] == [20, 21, 22, 23]


def test_every_batch_may_have_an_error_of_its_own(path):
    def refuse(record):
        raise OurOwnError(number(record))

    batches = iter(loader_of(path, decode=refuse))
    found = []
    for _ in range(10):
        with pytest.raises(OurOwnError) as caught:
            next(batches)
        found.append(caught.value.args[0])
    assert found == list(range(0, 40, 4))
    assert next(batches, None) is None


def test_an_error_of_collate_fn_names_the_records(path):
    def refuse(samples):
        raise OurOwnError(len(samples))

    with pytest.raises(OurOwnError) as caught:
        list(Loader(path, batch_size=10, shuffle=False, collate_fn=refuse))
    assert caught.value.__notes__ == ["octavo: this was the batch of records 0, 1, 2, 3, 4, 5, 6, 7, and 2 more"]
    with pytest.raises(RuntimeError, match="equal size") as original:
        list(loader_of(path, decode=lambda record: [0] * number(record)))
    assert original.value.__notes__ == ["octavo: this was the batch of records 0, 1, 2, 3"]


def test_records_of_a_slice_are_named_by_their_numbers_in_the_files(path):
    part = octavo.open([path, path])[59:19:-2]
    with pytest.raises(OurOwnError) as caught:
        list(loader_of(part, decode=refuse_21))
    assert caught.value.__notes__ == ["octavo: this was decode() of record 21, which is number 19 of the slice"]

    def refuse(samples):
        raise OurOwnError(samples)

    with pytest.raises(OurOwnError) as caught:
        list(loader_of(part, collate_fn=refuse))
    assert caught.value.__notes__ == ["octavo: this was the batch of records 59, 57, 55, 53"]


def test_an_error_of_reading_is_octavos(path):
    damaged = bytearray(path.read_bytes())
    damaged[-3] ^= 1
    batches = iter(loader_of(bytes(damaged), decode=number))
    assert len(list(itertools.islice(batches, 9))) == 9
    with pytest.raises(errors.ChecksumError) as caught:
        next(batches)
    assert caught.value.record == 39


def test_a_record_of_another_size_is_named(write_file):
    loader = loader_of(write_file([b"1234"] * 9 + [b"12345"]), dtype=torch.uint8)
    with pytest.raises(errors.RecordSizeError, match="record 9 has 5 bytes"):
        list(loader)


@pytest.mark.parametrize("kind", [StopIteration, StopAsyncIteration, GeneratorExit, SystemExit, KeyboardInterrupt])
def test_no_error_is_taken_for_the_end(path, kind):
    def stop(_record):
        raise kind

    with pytest.raises(RuntimeError if kind is StopIteration else kind):
        next(iter(loader_of(path, decode=stop)))


def test_a_reader_that_was_closed_is_told(path):
    loader = loader_of(path, decode=number)
    loader.reader.close()
    with pytest.raises(errors.ClosedError):
        list(loader)

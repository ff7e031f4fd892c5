"""`Front`: the base of drop-ins, whose single reads go straight to a reader."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

import octavo
from octavo import _core
from tests.unit.layouts import FFRECORD, Layout

RECORDS = [b"abc", b"", b"edf" * 100]


class Drop(_core.Front):
    def __init__(self, reader: octavo.Reader | None = None) -> None:
        self.missed: list[object] = []
        self._face(reader)

    get = _core.Front._record
    array = _core.Front._array

    def _missed(self, key):
        self.missed.append(key)
        return "missed"


def test_single_reads_go_to_the_reader(layout: Layout):
    front = Drop(layout.open(RECORDS))
    assert [front[number] for number in range(3)] == RECORDS
    assert [front.get(number) for number in range(3)] == RECORDS
    assert [front.array(number).tobytes() for number in range(3)] == RECORDS
    assert front.missed == []


@pytest.mark.parametrize("number", [np.int64(2), np.uint8(2), True + 1])
def test_numbers_of_all_kinds_are_numbers(number):
    assert Drop(FFRECORD.open(RECORDS))[number] == RECORDS[2]


@pytest.mark.parametrize("key", [-1, 3, 2**70, slice(0, 2), [0, 1], np.array([0, 1]), "0", None, 1.0])
def test_everything_else_is_missed(key):
    front = Drop(FFRECORD.open(RECORDS))
    answers: list[object] = [front[key], front.get(key), front.array(key)]
    assert answers == ["missed"] * 3
    assert len(front.missed) == 3


def test_without_a_reader_everything_is_missed():
    front = Drop()
    assert front[0] == "missed"
    front._face(FFRECORD.open(RECORDS))
    assert front[0] == b"abc"
    front._face(None)
    assert front[0] == "missed"


def test_a_closed_reader_is_missed():
    reader = FFRECORD.open(RECORDS)
    front = Drop(reader)
    reader.close()
    assert front[0] == "missed"


def test_a_record_that_cannot_be_read_is_missed():
    encoded = bytearray(FFRECORD.encode(RECORDS))
    encoded[-1] ^= 0xFF
    front = Drop(octavo.open(bytes(encoded)))
    assert [front[number] for number in range(3)] == [b"abc", b"", "missed"]


def test_slices_are_numbered_by_the_slice():
    assert Drop(FFRECORD.open(RECORDS)[::-1])[0] == RECORDS[2]


def test_reader_and_readings_may_change_places_in_threads():
    front = Drop(FFRECORD.open(RECORDS))
    readers = [FFRECORD.open(RECORDS) for _ in range(3)]
    stop = threading.Event()

    def turn() -> None:
        while not stop.is_set():
            for reader in readers:
                front._face(reader)

    thread = threading.Thread(target=turn)
    thread.start()
    try:
        assert all(front[2] == RECORDS[2] for _ in range(20_000))
    finally:
        stop.set()
        thread.join()


def test_what_has_no_answer_of_its_own_says_so():
    with pytest.raises(AttributeError, match="_missed"):
        _core.Front()[0]


def test_the_number_may_be_named():
    front = Drop(FFRECORD.open(RECORDS))
    assert front.get(index=0) == front.array(index=0).tobytes() == b"abc"


@pytest.mark.parametrize("call", [lambda get: get(), lambda get: get(0, 1), lambda get: get(number=0)])
def test_other_arguments_are_refused(call):
    front = Drop(FFRECORD.open(RECORDS))
    for method in (front.get, front.array):
        with pytest.raises(TypeError, match="one argument, 'index'"):
            call(method)


def test_references_are_counted_right():
    reader = FFRECORD.open(RECORDS)
    before = sys.getrefcount(reader)
    front = Drop(reader)
    for _ in range(100):
        front[0], front.get(1), front.array(2), front.get(-1)
        front._face(reader)
    assert sys.getrefcount(reader) == before + 1
    del front
    assert sys.getrefcount(reader) == before

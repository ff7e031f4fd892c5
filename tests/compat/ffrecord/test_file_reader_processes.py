"""`ffrecord.FileReader` in threads and processes, where the original failed."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from octavo.compat.ffrecord import FileReader

RECORDS = [b"abc", b"", b"edf", bytes(range(256)), b"last"]


@pytest.fixture
def path(write_file: Callable[..., Path]) -> Path:
    return write_file(RECORDS)


def as_bytes(arrays: list[np.ndarray]) -> list[bytes]:
    return [one.tobytes() for one in arrays]


def test_pickles_hold_names_and_open_them_again(path):
    reader = FileReader(path, check_data=False)
    kind, arguments = reader.__reduce__()
    assert (kind, arguments) == (FileReader, ([str(path)], False))
    again = pickle.loads(pickle.dumps(reader))
    assert (again.fnames, again.check_data, again.read_one(4).tobytes()) == ([str(path)], False, b"last")


def _lengths(reader: FileReader) -> list[int]:
    return [len(one) for one in reader.read(range(reader.n))]


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_used_reader_goes_to_other_processes(path, method):
    reader = FileReader(path)
    reader.read([0, 1, 2, 3])
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(_lengths, (reader,)) == [len(record) for record in RECORDS]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_used_reader_works_on_both_sides_of_a_fork(path):
    reader = FileReader(path)
    reader.read([0, 1, 2, 3])
    child = os.fork()
    if child == 0:
        os._exit(0 if as_bytes(reader.read(range(5))) == RECORDS and reader.read_one(0).tobytes() == b"abc" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert as_bytes(reader.read(range(5))) == RECORDS


def test_threads_share_a_reader(write_file):
    content = [bytes([number % 256]) * (number % 40) for number in range(2000)]
    reader = FileReader(write_file(content))
    wrong: list[int] = []

    def work(seed: int) -> None:
        chosen = random.Random(seed)
        for _ in range(100):
            numbers = chosen.sample(range(2000), 20)
            same = as_bytes(reader.read(numbers)) == [content[number] for number in numbers]
            if not same or reader.read_one(numbers[0]).tobytes() != content[numbers[0]]:
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []

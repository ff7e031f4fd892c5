"""How long readers stay open, what remains of data sets, and how a process ends."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest

tf = pytest.importorskip("tensorflow")

import octavo  # noqa: E402 - after the skip
from octavo.integrations.tensorflow import _calls, dataset  # noqa: E402
from tests.integrations.tensorflow.samples import COUNT, numbers, write  # noqa: E402
from tests.settling import comes_true, open_descriptors, settles  # noqa: E402


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "records.ffr")


def made() -> set[int]:
    """Data sets that somebody still has: a thread of TensorFlow may be a moment late to let go."""
    gc.collect()
    return set(_calls.made)


def test_a_data_set_keeps_its_files_open_and_no_longer(path):
    before = made()
    derived = dataset(path, batch=10).map(tf.strings.length).prefetch(2)
    assert len(made() - before) == 1
    assert len(list(derived)) == COUNT // 10
    del derived
    assert comes_true(lambda: made() <= before)


def test_an_iterator_keeps_them_open(path):
    before = made()
    iterator = iter(dataset(path, batch=10))
    next(iterator)
    assert len(made() - before) == 1
    assert sum(1 for _ in iterator) == COUNT // 10 - 1
    del iterator
    assert comes_true(lambda: made() <= before)


def test_a_function_keeps_what_it_has_made(path):
    before = made()

    @tf.function
    def count() -> Any:
        return dataset(str(path), batch=10).reduce(0, lambda total, batch: total + tf.size(batch))

    assert count().numpy() == COUNT
    assert len(made() - before) == 1
    assert count().numpy() == COUNT
    del count
    assert comes_true(lambda: made() <= before)


def test_a_reader_goes_with_its_data_set(path):
    class Spans:
        name = "spans"

        def __init__(self, content: bytes) -> None:
            self.content = content
            self.size = len(content)

        def read_spans(self, spans: list[tuple[int, int]]) -> list[bytes]:
            return [self.content[offset : offset + length] for offset, length in spans]

    def is_gone() -> bool:
        gc.collect()
        return seen() is None

    source = Spans(path.read_bytes())
    seen = weakref.ref(source)
    found = dataset(source, batch=10)
    del source
    assert len(numbers(found)) == COUNT
    del found
    assert comes_true(is_gone)


def test_a_data_set_that_is_gone_says_so(path):
    found = dataset(path, batch=10)
    variant, spec = tf.data.experimental.to_variant(found), found.element_spec
    del found
    gc.collect()
    with pytest.raises(tf.errors.InvalidArgumentError, match="this data set is gone"):
        next(iter(tf.data.experimental.from_variant(variant, spec)))


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="descriptors are counted in /proc")
def test_many_epochs_and_data_sets_leave_nothing_behind(path):
    def once() -> None:
        for _ in dataset(path, shuffle=True, batch=10, epochs=20):
            pass
        for _ in dataset(path, shuffle=True).take(5):
            pass

    def functions_kept() -> list[Any]:
        return getattr(tf.compat.v1.get_default_graph(), "_py_funcs_used_in_graph", [])

    before = made()
    once()
    functions_before, open_before = len(functions_kept()), open_descriptors()
    for _ in range(20):
        once()
    assert comes_true(lambda: made() <= before)
    assert len(functions_kept()) == functions_before
    settles(open_descriptors, open_before + 5)  # what TensorFlow itself opens now and then; one for each would be more


def test_threads_may_go_through_several_at_once(path):
    found: list[list[int]] = []
    threads = [
        threading.Thread(target=lambda: found.append(numbers(dataset(path, shuffle=True, batch=7, epochs=3))))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(one == found[0] for one in found)


ENDINGS = {
    "at its end": "",
    "by an exception": "raise SystemExit(0)",
    "in a function": "def train():\n    mine = iterator\n    sys.exit(0)\ntrain()",
}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS.keys())
def test_a_process_ends_while_batches_are_read_ahead(path, ending: str):
    program = f"""
import sys
from octavo.integrations.tensorflow import dataset
iterator = iter(dataset({str(path)!r}, shuffle=True, batch=2, epochs=None, num_parallel_calls=4).prefetch(50))
next(iterator)
{ending}
"""
    root = Path(octavo.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False, cwd=root
    )
    assert done.returncode == 0, done.stderr[-4000:]

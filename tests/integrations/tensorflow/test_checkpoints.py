"""Iterators that are stopped in the middle and go on, here and in another process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

tf = pytest.importorskip("tensorflow")

from octavo.integrations.tensorflow import dataset  # noqa: E402 - after the skip
from tests.integrations.tensorflow.samples import COUNT, number_of, write  # noqa: E402

ROOT = Path(__file__).parents[3]

PROGRAM = """
import json, sys
import tensorflow as tf
from octavo.integrations.tensorflow import dataset
from tests.integrations.tensorflow.samples import number_of
path, checkpoint, options = sys.argv[1:]
iterator = iter(dataset(path, **json.loads(options)))
tf.train.Checkpoint(iterator=iterator).restore(checkpoint).assert_consumed()
found = []
for element in iterator:
    records = [element.numpy()] if element.shape.rank == 0 else element.numpy().tolist()
    found.append([number_of(record) for record in records])
print(json.dumps(found))
"""


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "records.array_record", group_size=16)


def told(element: Any) -> list[int]:
    value = element.numpy()
    return [number_of(record) for record in ([value] if isinstance(value, bytes) else value)]


def stopped(found: Any, steps: int, folder: Path) -> tuple[str, list[list[int]]]:
    """A checkpoint after some steps, and what comes then."""
    iterator = iter(found)
    for _ in range(steps):
        next(iterator)
    checkpoint = tf.train.Checkpoint(iterator=iterator).save(str(folder / "checkpoint"))
    return checkpoint, [told(element) for element in iterator]


@pytest.mark.parametrize("options", [{}, {"batch": 16}, {"batch": 16, "epochs": 3, "shuffle": True}, {"shuffle": True}])
def test_an_iterator_goes_on_where_another_stopped(path, tmp_path, options):
    for steps in (0, 1, 9):
        checkpoint, rest = stopped(dataset(path, **options), steps, tmp_path)
        iterator = iter(dataset(path, **options))
        tf.train.Checkpoint(iterator=iterator).restore(checkpoint).assert_consumed()
        assert [told(element) for element in iterator] == rest


@pytest.mark.parametrize("options", [{"batch": 16, "epochs": 2, "shuffle": True, "seed": 4}, {"shuffle": True}])
def test_another_process_goes_on(path, tmp_path, options):
    checkpoint, rest = stopped(dataset(path, **options), 10, tmp_path)
    command = [sys.executable, "-c", PROGRAM, str(path), checkpoint, json.dumps(options)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-4000:]
    assert json.loads(done.stdout) == rest


def test_what_follows_goes_on_too(path, tmp_path):
    def pipeline() -> Any:
        return dataset(path, shuffle=True, epochs=2).shuffle(20, seed=1).batch(10).prefetch(3)

    checkpoint, rest = stopped(pipeline(), 7, tmp_path)
    iterator = iter(pipeline())
    tf.train.Checkpoint(iterator=iterator).restore(checkpoint)
    assert [told(element) for element in iterator] == rest
    assert len(rest) == 2 * COUNT // 10 - 7


@pytest.mark.parametrize("policy", list(tf.data.experimental.ExternalStatePolicy))
def test_nothing_about_it_is_a_state_outside(path, tmp_path, policy):
    options = tf.data.Options()
    options.experimental_external_state_policy = policy
    _, rest = stopped(dataset(path, batch=16).with_options(options), 3, tmp_path)
    assert len(rest) == 10


def test_a_symbolic_checkpoint_holds_no_records(path, tmp_path):
    def pipeline(*, is_symbolic: bool) -> Any:
        options = tf.data.Options()
        options.experimental_symbolic_checkpoint = is_symbolic
        return dataset(path, shuffle=True, batch=16).prefetch(4).with_options(options)

    sizes = {}
    for is_symbolic in (True, False):
        checkpoint, rest = stopped(pipeline(is_symbolic=is_symbolic), 3, tmp_path)
        iterator = iter(pipeline(is_symbolic=is_symbolic))
        tf.train.Checkpoint(iterator=iterator).restore(checkpoint)
        assert [told(element) for element in iterator] == rest
        sizes[is_symbolic] = Path(f"{checkpoint}.data-00000-of-00001").stat().st_size
    assert sizes[True] < sizes[False]

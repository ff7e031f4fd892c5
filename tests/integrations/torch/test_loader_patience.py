"""`Loader`: threads that are slow to end are waited for, but not for ever, not twice, and not against Ctrl-C."""

from __future__ import annotations

import sys
import threading

import pytest

torch = pytest.importorskip("torch")

from octavo.integrations.torch import _crew  # noqa: E402
from octavo.torch import Loader  # noqa: E402
from tests.integrations.torch import interrupted_loops  # noqa: E402
from tests.integrations.torch.records import loader_threads, number  # noqa: E402
from tests.settling import comes_true  # noqa: E402


@pytest.fixture
def may_go_on():
    """Threads that wait for this are gone after the test."""
    event = threading.Event()
    yield event
    event.set()
    assert comes_true(lambda: loader_threads() == [])


def loader_of(path, may_go_on, first):
    """All threads wait, but for the one that makes the first batch."""

    def make(samples):
        if number(samples[0]):
            may_go_on.wait(60)
            return None
        return first()

    return Loader(path, batch_size=1, shuffle=False, collate_fn=make, threads=3)


@pytest.mark.skipif(sys.platform == "win32", reason="is about signals of Unix")
def test_ctrl_c_while_threads_are_waited_for_after_a_break(path):
    interrupted_loops.check("wait_for_threads", path)


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_they_are_waited_for_once(path, may_go_on, monkeypatch, kind):
    waits = []

    def send_home(queue, threads, process, _patience_s):
        waits.append(threads)
        usual(queue, threads, process, 0.01)

    def refuse():
        raise kind

    usual = _crew._send_home
    monkeypatch.setattr(_crew, "_send_home", send_home)
    with pytest.raises(kind):
        list(loader_of(path, may_go_on, first=refuse))
    assert len(waits) == 1
    assert loader_threads()


def test_a_large_prefetch_costs_nothing(path):
    loader = Loader(path, batch_size=4, shuffle=False, decode=number, prefetch=2**31 - 1)
    assert [batch.tolist() for batch in loader] == [list(range(k, k + 4)) for k in range(0, 40, 4)]

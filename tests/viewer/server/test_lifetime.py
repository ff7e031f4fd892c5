"""From the start of a viewer to its end."""

from __future__ import annotations

import contextlib
import http.client
import socket
import subprocess
import sys
import threading
import urllib.request

import pytest

import octavo
from octavo.errors import OctavoError, OptionError, StorageError
from octavo.viewer import Viewer
from tests.settling import PATIENCE_S, comes_true, open_descriptors, settles


@pytest.fixture
def path(tmp_path):
    with octavo.create(tmp_path / "a.ffr") as writer:
        writer.write_many(b"%d" % at for at in range(100))
    return tmp_path / "a.ffr"


def test_nothing_is_left_of_it(path):
    with Viewer(path):
        pass
    before, threads = open_descriptors(), threading.active_count()
    for _ in range(3):
        with Viewer(path) as viewer, socket.create_connection(("127.0.0.1", viewer._socket.getsockname()[1])):
            pass
    settles(open_descriptors, before)
    settles(threading.active_count, threads)


def test_one_that_was_never_started_can_be_closed(path):
    viewer = Viewer(path)
    viewer.close()
    viewer.close()
    assert viewer.reader.closed


def test_small_answers_are_sent_at_once(path):
    viewer = Viewer(path)
    assert viewer._socket.proto == socket.IPPROTO_TCP  # else asyncio leaves TCP_NODELAY off, which costs 40 ms each
    viewer.close()


def test_a_reader_that_was_given_stays_open(path):
    with octavo.open(path) as reader:
        with Viewer(reader) as viewer:
            assert viewer.reader is reader
        assert reader[0] == b"0"


def test_a_slice_is_refused(path):
    with octavo.open(path) as reader, pytest.raises(OptionError, match="slice"):
        Viewer(reader[1:])


def test_a_port_that_is_taken_is_told(path):
    with Viewer(path) as viewer:
        port = viewer._socket.getsockname()[1]
        with pytest.raises(StorageError, match=f"port {port}"):
            Viewer(path, port=port)
    with pytest.raises(OptionError):
        Viewer(path, port=70_000)


def test_a_host_that_is_not_ours_is_told(path):
    with pytest.raises(StorageError, match=r"192\.0\.2\.1"):
        Viewer(path, host="192.0.2.1")
    with pytest.raises(StorageError, match="cannot listen"):
        Viewer(path, host="a" * 300)


class Stuck:
    """A source that answers until it is told not to."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.name = "stuck.ffr"
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.waiting = threading.Event()

    @property
    def size(self) -> int:
        return len(self.content)

    def read_spans(self, spans):
        if not self.goes_on.is_set():
            self.waiting.set()
        self.goes_on.wait(2 * PATIENCE_S)
        return [self.content[start : start + size] for start, size in spans]


def test_the_end_does_not_wait_for_what_hangs(path):
    source = Stuck(path.read_bytes())
    viewer = Viewer(source)
    viewer.start()
    source.goes_on.clear()
    asking = threading.Thread(target=_ask, args=(viewer.url + "api/records?start=0&count=9",), daemon=True)
    asking.start()
    assert source.waiting.wait(PATIENCE_S)
    viewer.close()
    assert comes_true(lambda: not viewer._thread.is_alive())
    source.goes_on.set()
    asking.join(PATIENCE_S)


def _ask(address: str) -> None:
    with contextlib.suppress(OSError, http.client.HTTPException):
        urllib.request.urlopen(address, timeout=PATIENCE_S).read()


def test_a_location_without_records_is_told(tmp_path):
    (tmp_path / "a.ffr").write_bytes(b"nonsense")
    for location in (tmp_path / "missing", tmp_path / "a.ffr", [tmp_path / "a.ffr", tmp_path / "a.ffr"]):
        with pytest.raises(OctavoError):
            Viewer(location)


def test_without_its_packages_the_extra_is_named(path):
    code = f"""
import sys
sys.modules["uvicorn"] = None
from octavo.viewer import Viewer
try:
    Viewer({str(path)!r})
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "octavo[view]" in done.stdout


def test_decoders_need_no_server():
    code = """
import sys
import octavo.viewer.blocks, octavo.viewer.decoders
print(sorted({"starlette", "uvicorn", "typer", "rich", "numpy"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

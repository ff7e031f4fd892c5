"""Stores that fail while a conversion runs: what is told, what is left, and that it can go on."""

from __future__ import annotations

import contextlib
import uuid

import pytest

pytest.importorskip("obstore", reason="object stores need obstore: 'make test EXTRAS=all' installs it")

import octavo
from octavo.errors import StorageError
from octavo.storage import _client
from octavo.storage._stored import stored
from tests.convert.adversary import RECORDS, read


@pytest.fixture
def folder(monkeypatch):
    """A folder of the memory that no other test has; files are written one after the other."""
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    return f"memory://{uuid.uuid4().hex}"


@contextlib.contextmanager
def failing(fails):
    """A store that fails as soon as `fails` says so of the name of a call."""
    call = _client.call

    def spoiled(name, *arguments, **options):
        if fails(name):
            raise StorageError("the store is down")
        return call(name, *arguments, **options)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_client, "call", spoiled)
        yield


FAILURES = {
    "the first upload": ("begin_upload", 0),
    "a later upload": ("begin_upload", 3),
    "half an upload": ("append_upload", 2),
    "the end of an upload": ("finish_upload", 0),
    "the end of a later upload": ("finish_upload", 2),
    "the journal": ("write_whole", 0),
    "a line of the journal": ("write_whole", 3),
    "the end of the journal": ("delete", 0),
}


@pytest.mark.parametrize("suffix", ["ffr", "jsonl"])
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("for_good", [True, False])
def test_it_goes_on_when_the_store_is_back(source, folder, suffix, failure, for_good):
    target = f"{folder}/out@5.{suffix}"
    function, times = FAILURES[failure]
    calls: list[str] = []

    def fails(name):
        calls.extend([name] if name == function else [])
        return len(calls) > times and (for_good or name == function)

    with failing(fails), pytest.raises(StorageError, match="the store is down"):
        octavo.convert(source, target)
    octavo.convert(source, target)
    octavo.convert(target, f"{folder}/all.tfrecord")
    assert read(f"{folder}/all.tfrecord") == RECORDS
    assert not stored(f"{target}.converting").is_there()


def test_ctrl_c_stays_ctrl_c_where_the_store_is_down(source, folder):
    is_down = []

    def stop(*_):
        is_down.append(True)
        raise KeyboardInterrupt

    with failing(lambda _: bool(is_down)), pytest.raises(KeyboardInterrupt):
        octavo.convert(source, f"{folder}/out@5.jsonl", progress=stop)
    octavo.convert(source, f"{folder}/out@5.jsonl")
    assert octavo.digest(f"{folder}/out@5.jsonl") == octavo.digest(source)

"""Pages that a mapped file has lost end in errors of octavo; every other SIGBUS goes where it went before octavo."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.faults import isolation, samples
from tests.faults.programs import bus_errors

FAULTHANDLER = pytest.mark.parametrize("faulthandler_enabled", ["never", "before", "after"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "records.ffr"
    samples.write(path, bus_errors.CONTENT)
    return path


@FAULTHANDLER
@pytest.mark.parametrize("way", bus_errors.WAYS)
@pytest.mark.parametrize("io", ["auto", "mmap"])
def test_lost_page_is_an_error(path: Path, io: str, way: str, faulthandler_enabled: str):
    ended = isolation.check(
        bus_errors.lose_a_page, path=path, io=io, way=way, faulthandler_enabled=faulthandler_enabled
    )
    # A handler that was put over the guard after the last batch speaks first; then the guard does its work.
    assert ended.errors == "" or faulthandler_enabled == "after"


def test_lost_pages_of_many_mappings_are_errors(tmp_path: Path):
    paths = [tmp_path / f"{number}.ffr" for number in range(20)]
    for path in paths:
        samples.write(path, bus_errors.CONTENT)
    isolation.check(bus_errors.lose_pages_in_turn, paths=paths)


@FAULTHANDLER
@pytest.mark.parametrize("in_a_thread", [False, True], ids=["main thread", "other thread"])
def test_fault_in_a_foreign_mapping_ends_the_process(
    path: Path, tmp_path: Path, faulthandler_enabled: str, in_a_thread
):
    ended = isolation.run(
        bus_errors.fault_elsewhere,
        path=path,
        other=tmp_path / "other",
        faulthandler_enabled=faulthandler_enabled,
        in_a_thread=in_a_thread,
    )
    assert (ended.returncode, ended.output) == (-signal.SIGBUS, "")
    assert ("Fatal Python error: Bus error" in ended.errors) == (faulthandler_enabled != "never")


@FAULTHANDLER
def test_sent_signal_ends_the_process(path: Path, faulthandler_enabled: str):
    ended = isolation.run(bus_errors.send_to_itself, path=path, faulthandler_enabled=faulthandler_enabled)
    assert (ended.returncode, ended.output) == (-signal.SIGBUS, "")
    assert ("Fatal Python error: Bus error" in ended.errors) == (faulthandler_enabled != "never")


@pytest.mark.parametrize("installed_first", [True, False], ids=["before octavo", "after octavo"])
def test_sent_signal_reaches_a_handler_in_python(path: Path, installed_first):
    isolation.check(bus_errors.send_to_a_handler, path=path, installed_first=installed_first)


def test_ignored_signal_stays_ignored(path: Path):
    isolation.check(bus_errors.send_while_ignored, path=path)


@pytest.mark.parametrize("way", bus_errors.WAYS)
def test_lost_page_is_an_error_after_a_handler_in_python_took_a_signal(path: Path, way: str):
    isolation.check(bus_errors.lose_a_page_after_a_sent_signal, path=path, way=way)


def test_signal_reaches_the_last_handler_of_many(path: Path):
    isolation.check(bus_errors.change_handlers_often, path=path)

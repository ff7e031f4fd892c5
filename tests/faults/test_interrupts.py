"""Work that is cut short ends at once and leaves no stuck thread."""

from __future__ import annotations

import array
import signal
import struct
import time
import zlib
from pathlib import Path

import pytest

from tests.faults import isolation, samples
from tests.faults.programs import interrupts

MANY = 3_000_000
SOME = 20_000


@pytest.fixture(scope="session")
def many_records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """So many records that reading them all takes a while; all alike, because they must be made quickly."""
    path = tmp_path_factory.mktemp("many") / "many.ffr"
    record = b"record"
    header_bytes = 12 + 12 * MANY
    offsets = array.array("q", range(header_bytes, header_bytes + len(record) * MANY, len(record)))
    covered = struct.pack("<q", MANY) + struct.pack("<I", zlib.crc32(record)) * MANY + offsets.tobytes()
    path.write_bytes(struct.pack("<I", zlib.crc32(covered)) + covered + record * MANY)
    return path


@pytest.fixture(scope="session")
def some_records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("some") / "some.ffr"
    samples.write(path, samples.records(SOME))
    return path


@pytest.mark.parametrize("call", interrupts.CALLS)
def test_ctrl_c_ends_a_long_call(many_records: Path, call: str):
    isolation.check(interrupts.interrupt, path=many_records, call=call)


@pytest.mark.parametrize("call", interrupts.CALLS)
def test_ctrl_c_ends_the_process(many_records: Path, call: str):
    process = isolation.Process(interrupts.work_forever, path=many_records, call=call)
    process.wait_for("working")
    time.sleep(0.1)
    process.popen.send_signal(signal.SIGINT)
    ended = process.end()
    assert ended.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in ended.errors


def test_ctrl_c_ends_write_many_and_leaves_nothing(tmp_path: Path):
    process = isolation.Process(interrupts.write_forever, path=tmp_path / "out.ffr")
    process.wait_for("working")
    time.sleep(0.1)
    process.popen.send_signal(signal.SIGINT)
    assert process.end().returncode == -signal.SIGINT
    assert list(tmp_path.iterdir()) == []


def test_break_leaves_nothing_that_keeps_the_process(some_records: Path, io: str):
    process = isolation.Process(interrupts.break_out, path=some_records, io=io)
    process.wait_for("leaving")
    process.end().assert_success()


@pytest.mark.parametrize("call", ["read_all", "iteration"])
def test_ctrl_c_ends_reading_from_a_source_in_python(some_records: Path, call: str):
    ended = isolation.check(interrupts.interrupt_a_slow_source, path=some_records, call=call)
    assert ended.output.strip() == "interrupted"


@pytest.mark.parametrize("way", ["read_all", "iteration", "batch"])
def test_damage_in_a_source_in_python_is_an_error(some_records: Path, way: str):
    isolation.check(interrupts.read_a_damaged_source, path=some_records, at=12 + 12 * SOME, way=way)


@pytest.mark.parametrize("way", ["read_all", "iteration", "batch"])
def test_exception_of_a_source_in_python_comes_through(some_records: Path, way: str):
    isolation.check(interrupts.read_a_failing_source, path=some_records, way=way)


def test_break_from_a_source_in_python_returns(some_records: Path):
    isolation.check(interrupts.leave_an_iteration_of_a_slow_source, path=some_records)


def test_exception_of_the_iterable_ends_write_many_and_leaves_nothing(tmp_path: Path):
    isolation.check(interrupts.stop_writing, path=tmp_path / "out.ffr", records=5000)
    assert list(tmp_path.iterdir()) == []

"""Work on chunked files that is cut short ends soon, leaves no stuck thread, and harms nothing."""

from __future__ import annotations

import itertools
import signal
import time
from pathlib import Path

import pytest

import octavo
from tests.faults import isolation, samples
from tests.faults.programs import interrupts

MANY = 3_000_000
SOME = 20_000
FIRST_DATA_BYTE = 64 + 40


@pytest.fixture(scope="module", params=[".array_record", ".recordio", ".tfrecord"])
def suffix(request: pytest.FixtureRequest) -> str:
    one: str = request.param
    return one


@pytest.fixture(scope="module")
def many_records(suffix: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """So many records that reading them all takes a while."""
    path = tmp_path_factory.mktemp("many") / f"many{suffix}"
    samples.write_plainly(path, itertools.repeat(b"record", MANY))
    return path


@pytest.fixture(scope="module")
def some_records(suffix: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("some") / f"some{suffix}"
    samples.write_plainly(path, samples.records(SOME))
    return path


@pytest.fixture(scope="module")
def some_chunks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("some") / "some.array_record"
    samples.write_chunks(path, samples.records(SOME))
    return path


def end_by_ctrl_c(process: isolation.Process, after_s: float = 0.1) -> None:
    process.wait_for("working")
    time.sleep(after_s)
    process.popen.send_signal(signal.SIGINT)
    ended = process.end()
    assert ended.returncode == -signal.SIGINT, ended.written()
    assert "KeyboardInterrupt" in ended.errors


@pytest.mark.parametrize("call", interrupts.CALLS)
def test_ctrl_c_ends_a_long_call(many_records: Path, call: str):
    isolation.check(interrupts.interrupt, path=many_records, call=call)


@pytest.mark.parametrize("call", interrupts.CALLS)
def test_ctrl_c_ends_the_process(many_records: Path, call: str):
    end_by_ctrl_c(isolation.Process(interrupts.work_forever, path=many_records, call=call))


def test_ctrl_c_ends_the_scan_of_many_files(many_records: Path, suffix: str):
    if suffix == ".array_record":
        pytest.skip("files with an index are not scanned")
    end_by_ctrl_c(isolation.Process(interrupts.scan_for_long, path=many_records))


def test_reader_goes_on_after_ctrl_c(some_records: Path):
    isolation.check(interrupts.read_on, path=some_records, count=SOME)


def test_ctrl_c_ends_write_many_and_leaves_nothing(tmp_path: Path, suffix: str):
    end_by_ctrl_c(isolation.Process(interrupts.write_forever, path=tmp_path / f"out{suffix}"))
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_ends_an_append_and_leaves_the_file_as_it_was(tmp_path: Path, suffix: str):
    path = tmp_path / f"out{suffix}"
    samples.write_plainly(path, samples.records(300))
    before = path.read_bytes()
    end_by_ctrl_c(isolation.Process(interrupts.append_forever, path=path))
    assert path.read_bytes() == before


def test_ctrl_c_ends_a_recovery_and_leaves_no_half_of_it(tmp_path: Path, many_records: Path, suffix: str):
    target = tmp_path / f"out{suffix}"
    # A long one: between two short ones Ctrl-C may come inside `__del__`, and Python does not pass it on from there.
    end_by_ctrl_c(isolation.Process(interrupts.recover_forever, path=many_records, target=target))
    assert {path.name for path in tmp_path.iterdir()} <= {target.name}
    if target.exists():
        assert len(octavo.open(target)) == MANY


@pytest.mark.parametrize("call", ["open", "verify", "recover"])
def test_ctrl_c_ends_the_search_through_a_hole(tmp_path: Path, suffix: str, call: str):
    path = tmp_path / f"hole{suffix}"
    samples.write_plainly(path, samples.records(300))
    with path.open("r+b") as file:
        if suffix == ".array_record":
            file.truncate(3000)  # its index is missed; others have none
        try:
            file.truncate(1 << 40)
        except OSError as error:
            pytest.skip(f"the file system of the temporary folder has no such files: {error}")
    target = tmp_path / f"out{suffix}"
    end_by_ctrl_c(isolation.Process(interrupts.look_through_a_hole, path=path, target=target, call=call))
    assert list(tmp_path.iterdir()) == [path]


def test_break_leaves_nothing_that_keeps_the_process(some_chunks: Path, io: str):
    process = isolation.Process(interrupts.break_out, path=some_chunks, io=io)
    process.wait_for("leaving")
    process.end().assert_success()


@pytest.mark.parametrize("call", ["read_all", "iteration"])
def test_ctrl_c_ends_reading_from_a_source_in_python(some_chunks: Path, call: str):
    ended = isolation.check(interrupts.interrupt_a_slow_source, path=some_chunks, call=call)
    assert ended.output.strip() == "interrupted"


@pytest.mark.parametrize("way", ["read_all", "iteration", "batch"])
def test_damage_in_a_source_in_python_is_an_error(some_chunks: Path, way: str):
    isolation.check(interrupts.read_a_damaged_source, path=some_chunks, at=FIRST_DATA_BYTE, way=way)


@pytest.mark.parametrize("way", ["read_all", "iteration", "batch"])
def test_exception_of_a_source_in_python_comes_through(some_chunks: Path, way: str):
    isolation.check(interrupts.read_a_failing_source, path=some_chunks, way=way)


def test_break_from_a_source_in_python_returns(some_chunks: Path):
    isolation.check(interrupts.leave_an_iteration_of_a_slow_source, path=some_chunks)


def test_exception_of_the_iterable_ends_write_many_and_leaves_nothing(tmp_path: Path, suffix: str):
    isolation.check(interrupts.stop_writing, path=tmp_path / f"out{suffix}", records=5000)
    assert list(tmp_path.iterdir()) == []

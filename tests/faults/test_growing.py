"""An append that fails says why, and leaves a whole file: what was there, and what was flushed."""

from __future__ import annotations

import errno
import fcntl
import itertools
import os
import tempfile
import warnings
from pathlib import Path

import pytest

import octavo
from octavo import errors
from octavo._open import IoMode
from tests.faults import isolation, samples
from tests.faults.programs import growing

NOBODY = 65534


@pytest.fixture(params=[".array_record", ".recordio", ".tfrecord"])
def suffix(request: pytest.FixtureRequest) -> str:
    """The formats that can be appended to."""
    one: str = request.param
    return one


@pytest.fixture
def path(tmp_path: Path, suffix: str) -> Path:
    path = tmp_path / f"out{suffix}"
    samples.write_plainly(path, growing.OLD, group_size=growing.GROUP_SIZE)
    return path


@pytest.mark.parametrize("failure", growing.FAILURES)
def test_full_disk_leaves_what_was_flushed(tmp_path: Path, failure: str, suffix: str):
    ended = isolation.check(growing.fill_the_disk, folder=tmp_path, failure=failure, suffix=suffix)
    assert int(ended.output) == errno.ENOSPC


@pytest.mark.parametrize("failure", growing.FAILURES)
def test_limit_on_file_sizes_leaves_what_was_flushed(tmp_path: Path, failure: str, suffix: str):
    ended = isolation.check(growing.exceed_the_file_size, folder=tmp_path, failure=failure, suffix=suffix)
    assert int(ended.output) == errno.EFBIG


def test_file_of_somebody_else_is_not_appended_to(suffix: str):
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to others
        os.chmod(folder, 0o755)
        path = os.path.join(folder, f"out{suffix}")
        samples.write_plainly(path, growing.OLD)
        os.chmod(path, 0o444)
        isolation.check(growing.grow_without_rights, path=path, user=NOBODY)


def test_second_append_is_refused_and_does_no_harm(tmp_path: Path, path: Path):
    process = isolation.Process(growing.hold_open, path=path)
    process.wait_for("writing")
    with pytest.raises(errors.StorageError):
        octavo.append(path)
    (tmp_path / f"{path.name}.go").touch()
    process.end().assert_success()
    assert octavo.open(path).read_all() == [*growing.OLD, b"of the first"]


def test_trim_is_refused_while_somebody_appends(path: Path):
    content = path.read_bytes() + path.read_bytes()[:3]
    path.write_bytes(content)
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(errors.StorageError):
            octavo.trim(path)
    assert path.read_bytes() == content
    assert octavo.trim(path) == 3


def test_file_that_grows_can_be_opened_at_every_instant(path: Path):
    flushes = 60
    states = list(itertools.accumulate(map(growing.new_records, range(flushes)), initial=growing.OLD))
    counts = [len(state) for state in states]
    process = isolation.Process(growing.grow_for_a_while, path=path, flushes=flushes)
    process.wait_for("growing")
    seen = [len(growing.OLD)]
    while process.popen.poll() is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", errors.TornAppendWarning)  # what is being written now
            records = octavo.open(path).read_all()
        # Where there is no index, chunks count as soon as they are whole.
        assert len(records) in counts or path.suffix != ".array_record"
        assert records == states[-1][: len(records)]
        seen.append(len(records))
    process.end().assert_success()
    assert seen == sorted(seen)
    assert octavo.open(path).read_all() == states[-1]


def test_exception_inside_with_leaves_the_file_as_it_was(path: Path):
    before = path.read_bytes()

    def write() -> None:
        with octavo.append(path) as writer:
            writer.write_many(samples.records(5000))
            raise LookupError

    with pytest.raises(LookupError):
        write()
    assert path.read_bytes() == before


def test_reader_of_a_file_that_grows_keeps_reading_what_it_has_opened(path: Path, io: IoMode, check_data):
    reader = octavo.open(path, io=io, check_data=check_data)
    assert reader[0] == growing.OLD[0]
    with octavo.append(path) as writer:
        for number in range(50):
            writer.write(samples.sized(number, 5000))
            writer.flush()
            assert reader.read_all() == growing.OLD
    assert list(reader) == growing.OLD
    assert octavo.open(path, io=io).read_all() == [*growing.OLD, *(samples.sized(n, 5000) for n in range(50))]


@pytest.mark.parametrize("mend", [octavo.trim, lambda path: octavo.append(path).close()], ids=["trim", "append"])
def test_reader_of_a_torn_file_keeps_reading_when_the_rest_is_cut_off(path: Path, io: IoMode, mend):
    path.write_bytes(path.read_bytes() + path.read_bytes()[:100])
    with pytest.warns(errors.TornAppendWarning):
        reader = octavo.open(path, io=io)
    assert reader[0] == growing.OLD[0]
    mend(path)
    assert reader.read_all() == growing.OLD
    assert list(reader) == growing.OLD
    assert [reader[number] for number in range(len(reader))] == growing.OLD

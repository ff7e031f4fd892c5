"""An index beside a file is used, passed over, or found out by the file's own checksums; it never does harm."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.faults import isolation, samples
from tests.faults.programs import changed_files, crashing, hostile, interrupts, sidecars
from tests.faults.test_chunked_interrupts import end_by_ctrl_c
from tests.faults.test_killed_chunked_writers import read_perhaps_torn

STREAMS = ["paddle-python-snappy", "go-none", "tfrecord", "tfrecord-gzip"]


def suffix_of(stream: str) -> str:
    return ".recordio" if stream in samples.RECORDIO else ".tfrecord"


@pytest.mark.parametrize("stream", STREAMS)
def test_index_that_lies_is_found_out(quick_path: Path, stream: str):
    path = quick_path / f"records{suffix_of(stream)}"
    isolation.check(sidecars.believe, path=path, stream=stream)


@pytest.mark.parametrize("stream", ["paddle-python-snappy", "go-none", "tfrecord"])
def test_index_that_lies_does_not_spoil_an_append(quick_path: Path, stream: str):
    path = quick_path / f"records{suffix_of(stream)}"
    isolation.check(sidecars.append_beside, path=path, stream=stream)


@pytest.fixture
def path(quick_path: Path) -> Path:
    path = quick_path / "records.tfrecord"
    samples.write_plainly(path, samples.records(300))
    return path


@pytest.mark.parametrize("kind", ["pipe", "device", "hole"])
def test_what_is_no_index_keeps_nobody_waiting(path: Path, kind: str):
    index = Path(f"{path}.octx")
    match kind:
        case "pipe":
            os.mkfifo(index)
        case "device":
            index.symlink_to("/dev/zero")
        case "hole":
            index.touch()
            os.truncate(index, 1 << 36)
    isolation.check(hostile.open_beside, path=path, records=300)


def test_killed_indexers_leave_a_whole_index_or_none(tmp_path: Path):
    isolation.check(sidecars.kill_indexers, folder=tmp_path, count=40)
    path = tmp_path / "records.tfrecord"
    assert octavo.open(path).read_all() == samples.records(20_000)
    octavo.write_index(path)
    assert octavo.open(path).info.sidecar
    assert {one.name for one in tmp_path.iterdir()} == {path.name, f"{path.name}.octx"}


@pytest.mark.parametrize("suffix", [".recordio", ".tfrecord", ".tfrecord.gz"])
def test_ctrl_c_ends_the_writing_of_an_index_and_leaves_no_half_of_it(tmp_path: Path, suffix: str):
    path = tmp_path / f"records{suffix}"
    samples.write_plainly(path, itertools.repeat(b"record", 2_000_000))
    end_by_ctrl_c(isolation.Process(interrupts.index_forever, path=path), after_s=0.15)
    assert {one.name for one in tmp_path.iterdir()} <= {path.name, f"{path.name}.octx"}
    assert len(octavo.open(path)) == 2_000_000


def test_index_written_and_removed_under_readers_harms_nobody(path: Path):
    isolation.check(sidecars.index_at_once, path=path, records=300)


@pytest.mark.parametrize("suffix", [".recordio", ".tfrecord"])
def test_index_of_a_file_whose_append_was_killed_is_not_believed(tmp_path: Path, suffix: str):
    files = range(2000, 2004)
    for file in files:
        path = tmp_path / f"{file}{suffix}"
        samples.write_plainly(path, crashing.base_of(file))
        octavo.write_index(path)
    for limited in (False, True):
        ended = isolation.check(crashing.crash, folder=tmp_path, files=list(files), suffix=suffix, limited=limited)
        assert len(json.loads(ended.output)) == len(files) * crashing.ROUNDS
        for file in files:
            path = tmp_path / f"{file}{suffix}"
            records, _ = read_perhaps_torn(str(path))
            with octavo.open(path, sidecar=False) if octavo.verify(path).ok else octavo.open(trimmed(path)) as reader:
                assert reader.read_all() == records
            octavo.write_index(path)


def trimmed(path: Path) -> Path:
    with pytest.raises(errors.FormatError):
        octavo.write_index(path)
    octavo.trim(path)
    return path


@pytest.mark.parametrize("change", changed_files.CHANGES)
@pytest.mark.parametrize("suffix", [".recordio", ".tfrecord"])
def test_file_that_changes_under_a_reader_with_an_index_gives_old_bytes_or_an_error(
    tmp_path: Path, suffix: str, change: str
):
    path = tmp_path / f"records{suffix}"
    samples.write_plainly(path, changed_files.OLD)
    octavo.write_index(path)
    if change.startswith("rewritten"):
        isolation.check(changed_files.read_either, path=path, change=change, io="auto")
    else:
        isolation.check(changed_files.read_after, path=path, change=change, io="auto", check_data=True)

"""A conversion that is interrupted or killed at any moment goes on when it is run again, and leaves nothing stray."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

import octavo

SHARDS = 20
MOMENTS = 50
RECORDS = 4000
PATIENCE_S = 120
PROGRAM = """
import sys
import octavo
print("ready", flush=True)
octavo.convert(sys.argv[1], sys.argv[2], codec="zstd:19")
print("done", flush=True)
"""
# A conversion that stands still, with all its threads, from a moment on: so that it is killed in its middle.
STANDING = """
import sys
import time
import octavo
def stand_still(done, total):
    if done >= int(sys.argv[3]):
        print("standing", flush=True)
        time.sleep(600)
print("ready", flush=True)
octavo.convert(sys.argv[1], sys.argv[2], progress=stand_still)
"""


def start(source, target, *more, program=PROGRAM) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, source, target, *map(str, more)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def wait_for_files(process: subprocess.Popen[str], folder, count: int) -> None:
    """Until so many files are whole, or the conversion has ended."""
    end = time.monotonic() + PATIENCE_S
    while count_files(folder) < count and process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.001)


def count_files(folder) -> int:
    return sum(name.endswith(".array_record") for name in os.listdir(folder))


def is_unfinished(folder) -> bool:
    return any(name.endswith(".converting") for name in os.listdir(folder))


def finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    return out


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("killed") / "source.tfrecord"
    picks = random.Random(11)
    words = [picks.randbytes(20) for _ in range(500)]
    with octavo.create(path) as writer:
        writer.write_many(b"".join(picks.choices(words, k=picks.randrange(60))) for _ in range(RECORDS))
    return str(path)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["SIGINT", "SIGKILL"])
def test_run_again_after_any_moment_it_gives_the_same_records_and_nothing_else(tmp_path, source, how):
    expected = octavo.digest(source)
    wanted = [f"out-{number:05d}-of-{SHARDS:05d}.array_record" for number in range(SHARDS)]
    picks = random.Random(int(how))
    stopped_midway = 0
    for moment in range(MOMENTS // 2):
        folder = tmp_path / str(moment)
        folder.mkdir()
        target = str(folder / f"out@{SHARDS}.array_record")
        process = start(source, target)
        wait_for_files(process, folder, picks.randrange(SHARDS))
        time.sleep(picks.uniform(0, 0.02))  # so that a file is anywhere in its making
        process.send_signal(how)
        process.communicate(timeout=PATIENCE_S)
        left = os.listdir(folder)
        stopped_midway += is_unfinished(folder)
        assert all(octavo.verify(folder / name).ok for name in left if name.endswith(".array_record"))
        if how == signal.SIGINT:
            assert not any(name.endswith(".partial") for name in left)
        finish(start(source, target))
        assert sorted(os.listdir(folder)) == wanted
        assert octavo.digest(target) == expected
    assert stopped_midway > MOMENTS // 10, "hardly any moment was in the middle of a conversion"


def test_killed_again_and_again_it_ends_at_last(tmp_path, source):
    expected = octavo.digest(source)
    target = str(tmp_path / f"out@{SHARDS}.array_record")
    stopped_midway = 0
    for _ in range(8):
        process = start(source, target)
        wait_for_files(process, tmp_path, count_files(tmp_path) + 1)
        process.kill()
        process.communicate(timeout=PATIENCE_S)
        stopped_midway += is_unfinished(tmp_path)
    assert stopped_midway > 1, "hardly any kill was in the middle of a conversion"
    finish(start(source, target))
    assert octavo.digest(target) == expected
    assert len(os.listdir(tmp_path)) == SHARDS


@pytest.mark.parametrize("suffix", [".ffr", ".recordio", ".riegeli", ".tfrecord.gz", ".jsonl", ".tar"])
def test_files_of_every_kind_go_on_after_a_kill(tmp_path, source, suffix):
    target = str(tmp_path / f"out@5{suffix}")
    expected = octavo.digest(source)
    for moment in range(4):
        process = start(source, target, moment * RECORDS // 4 + RECORDS // 8, program=STANDING)
        assert process.stdout is not None
        assert process.stdout.readline() == "standing\n"
        process.kill()
        process.communicate(timeout=PATIENCE_S)
        assert is_unfinished(tmp_path)
    finish(start(source, target, RECORDS + 1, program=STANDING))
    assert octavo.digest(target) == expected
    assert len(os.listdir(tmp_path)) == 5

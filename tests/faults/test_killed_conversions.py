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
PROGRAM = """
import sys
import octavo
print("ready", flush=True)
octavo.convert(sys.argv[1], sys.argv[2], codec="zstd:19")
print("done", flush=True)
"""


def start(source, target) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, source, target], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("killed") / "source.tfrecord"
    picks = random.Random(11)
    words = [picks.randbytes(20) for _ in range(500)]
    with octavo.create(path) as writer:
        writer.write_many(b"".join(picks.choices(words, k=picks.randrange(60))) for _ in range(4000))
    return str(path)


@pytest.fixture(scope="module")
def duration(source, tmp_path_factory):
    """How long a conversion takes: what moments are picked from."""
    process = start(source, str(tmp_path_factory.mktemp("whole") / f"out@{SHARDS}.array_record"))
    began = time.monotonic()
    finish(process)
    return time.monotonic() - began


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["SIGINT", "SIGKILL"])
def test_run_again_after_any_moment_it_gives_the_same_records_and_nothing_else(tmp_path, source, duration, how):
    expected = octavo.digest(source)
    wanted = [f"out-{number:05d}-of-{SHARDS:05d}.array_record" for number in range(SHARDS)]
    picks = random.Random(int(how))
    stopped_midway = 0
    for moment in range(MOMENTS // 2):
        folder = tmp_path / str(moment)
        folder.mkdir()
        target = str(folder / f"out@{SHARDS}.array_record")
        process = start(source, target)
        time.sleep(picks.uniform(0, duration))
        process.send_signal(how)
        process.communicate(timeout=120)
        left = os.listdir(folder)
        stopped_midway += any(name.endswith(".converting") for name in left)
        assert all(octavo.verify(folder / name).ok for name in left if name.endswith(".array_record"))
        if how == signal.SIGINT:
            assert not any(name.endswith(".partial") for name in left)
        finish(start(source, target))
        assert sorted(os.listdir(folder)) == wanted
        assert octavo.digest(target) == expected
    assert stopped_midway > MOMENTS // 10, "hardly any moment was in the middle of a conversion"


def test_killed_again_and_again_it_ends_at_last(tmp_path, source, duration):
    expected = octavo.digest(source)
    target = str(tmp_path / f"out@{SHARDS}.array_record")
    picks = random.Random(5)
    for _ in range(8):
        process = start(source, target)
        time.sleep(picks.uniform(0, duration / 3))
        process.kill()
        process.communicate(timeout=120)
    finish(start(source, target))
    assert octavo.digest(target) == expected
    assert len(os.listdir(tmp_path)) == SHARDS


@pytest.mark.parametrize("suffix", [".ffr", ".recordio", ".riegeli", ".tfrecord.gz", ".jsonl", ".tar"])
def test_files_of_every_kind_go_on_after_a_kill(tmp_path, source, suffix):
    program = PROGRAM.replace(', codec="zstd:19"', "")
    target = str(tmp_path / f"out@5{suffix}")
    expected = octavo.digest(source)
    for moment in range(4):
        process = subprocess.Popen([sys.executable, "-c", program, source, target], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(moment * 0.02)
        process.kill()
        process.communicate(timeout=120)
    subprocess.run([sys.executable, "-c", program, source, target], check=True, timeout=120, stdout=subprocess.DEVNULL)
    assert octavo.digest(target) == expected
    assert len(os.listdir(tmp_path)) == 5

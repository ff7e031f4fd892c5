"""`octavo view`: a page until Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request

import pytest

import octavo as package
from tests.cli.conftest import clean_environment

pytest.importorskip("uvicorn", reason="the viewer needs uvicorn: 'make test' installs it")

JSON = {"content-type": "application/json"}


@pytest.fixture
def start(tmp_path):
    """Starts the command; it is ended with the test at the latest."""
    begun: list[subprocess.Popen[str]] = []

    def run(*arguments: str, environment: dict[str, str] | None = None) -> subprocess.Popen[str]:
        line = [sys.executable, "-m", "octavo", "view", *arguments]
        process = subprocess.Popen(
            line,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env=clean_environment() | (environment or {}),
        )
        begun.append(process)
        return process

    yield run
    for process in begun:
        process.kill()
        process.communicate()


@pytest.fixture
def path(tmp_path):
    with package.create(tmp_path / "a.ffr") as writer:
        writer.write_many(b"%d" % at for at in range(100))
    return "a.ffr"


def test_it_prints_the_address_and_ends_cleanly_on_ctrl_c(start, path):
    process = start(path, "--no-browser")
    address = process.stdout.readline().strip()
    with urllib.request.urlopen(f"{address}api/about", timeout=60) as answer:
        assert json.load(answer)["record_count"] == 100
    assert "100 records in 1 file" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    rest, told = process.communicate(timeout=60)
    assert (rest, process.returncode) == ("", 0)
    assert "Traceback" not in told


@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGINT, signal.SIGINT], [signal.SIGINT] * 5])
def test_an_end_leaves_no_half_export(start, tmp_path, signals):
    with package.create(tmp_path / "large.ffr") as writer:
        writer.write_many(bytes(10_000) for _ in range(20_000))
    process = start("large.ffr", "--no-browser")
    address = process.stdout.readline().strip()
    asked = {"name": "x", "format": "array_record", "ranges": [[0, 20_000]] * 40}
    request = urllib.request.Request(f"{address}api/export", json.dumps(asked).encode(), JSON)
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert b"progress" in answer.readline()
        for one in signals:
            process.send_signal(one)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Traceback" not in told
    assert [path.name for path in tmp_path.iterdir()] == ["large.ffr"]


IMPATIENT = """
import os, signal, sys
from octavo.cli import main
from octavo.viewer import Viewer

def interrupt(frame, event, argument):
    if frame.f_code.co_name == "view" and event == "line":
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
    return interrupt

def wait(viewer):
    sys._getframe(1).f_trace = interrupt
    sys.settrace(interrupt)
    os.kill(os.getpid(), signal.SIGINT)

close = Viewer.close
Viewer.wait = wait
Viewer.close = lambda viewer: (close(viewer), print("closed"))
main()
"""


def test_ctrl_c_at_every_line_of_the_end_does_not_cut_it_short(path, tmp_path):
    ended = subprocess.run(
        [sys.executable, "-c", IMPATIENT, "view", path, "--no-browser"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
        env=clean_environment(),
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.endswith("\nclosed\n")
    assert ended.stderr.endswith("octavo: the viewer has ended\n")


def test_ctrl_c_does_not_wait_for_work(start, path):
    process = start(*[path] * 50, "--no-browser")
    address = process.stdout.readline().strip()
    asked = urllib.request.Request(f"{address}api/verify", b"{}", JSON)
    with urllib.request.urlopen(asked, timeout=60):
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Traceback" not in told


def test_the_browser_gets_an_address_that_works_once(start, path, tmp_path):
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\necho "$1" > {tmp_path}/opened.partial\nmv {tmp_path}/opened.partial {tmp_path}/opened\n'
    )
    browser.chmod(0o755)
    process = start(path, environment={"BROWSER": f"{browser} %s"})
    token = process.stdout.readline().strip().rstrip("/").rpartition("/")[2]
    process.stderr.readline()
    for _ in range(600):
        if os.path.exists(tmp_path / "opened"):
            break
        signal.sigtimedwait([], 0.1)
    opened = (tmp_path / "opened").read_text().strip()
    assert token not in opened
    with urllib.request.urlopen(opened, timeout=60) as answer:
        assert token in answer.url
        assert b"<html" in answer.read()


def test_another_host_comes_with_a_warning(start, path):
    process = start(path, "--no-browser", "--host", "0.0.0.0")
    assert process.stdout.readline().startswith("http://127.0.0.1:")
    told = [process.stderr.readline() for _ in range(3)]
    assert "From other machines: http://" in told[1]
    assert "warning" in told[2]
    assert "unencrypted" in told[2]


def test_what_cannot_be_opened_is_told_in_a_line(octavo):
    told = octavo("view", "missing.ffr", check=1).stderr
    assert told.count("\n") == 1
    assert "missing.ffr" in told


def test_a_shard_that_cannot_be_opened_is_told(start, path, tmp_path):
    (tmp_path / "b.ffr").write_bytes(b"nonsense")
    process = start(path, "b.ffr", "--no-browser")
    process.stdout.readline()
    assert "100 records" in process.stderr.readline()
    assert "b.ffr" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_a_port_that_is_none_is_a_usage_error(octavo, path):
    octavo("view", path, "--port", "70000", check=2)

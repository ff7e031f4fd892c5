"""How soon `octavo view` shows the first screen of a large data set, what a jump costs, and how much memory it takes.

    python -m benchmarks.viewer               # 10 GB in each of three formats, in $OCTAVO_BENCH_DIR
    python -m benchmarks.viewer --gigabytes 1 # to try it

The server is a process of its own, as users start it. Time counts from the line with its address to the answer with
the cards of the first screen, in a fresh connection each; with Playwright and a browser, to the moment at which the
page shows its first card. Memory is the highest resident size of the process, mapped pages included, after each step.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import octavo
from benchmarks.data import cache_folder

RECORD_BYTES = 100_000
SCREEN = 60
JUMPS = 30
OPTIONS: dict[str, dict[str, Any]] = {
    "ffrecord": {},
    "array_record": {"group_size": 4},
    "recordio": {},
}


def data_set(format: str, total_bytes: int) -> Path:
    """Records of text and noise, which compress by half."""
    path = cache_folder() / f"viewer-{total_bytes}.{format}"
    if path.exists():
        return path
    noise = random.Random(1).randbytes(RECORD_BYTES * 2)
    with octavo.create(path, format=format, **OPTIONS[format]) as writer:  # type: ignore[arg-type]
        for number in range(total_bytes // RECORD_BYTES):
            at = number * 7919 % RECORD_BYTES
            text = json.dumps({"number": number, "caption": "a record like others"}).encode()
            writer.write(text + b" " * (RECORD_BYTES // 2 - len(text)) + noise[at : at + RECORD_BYTES // 2])
    return path


@contextlib.contextmanager
def server(path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command, and the address that it prints."""
    line = [sys.executable, "-m", "octavo", "view", str(path), "--no-browser"]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process, (process.stdout.readline() if process.stdout else "").strip()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def ask(address: str, body: object = None) -> Any:
    """The last line of an answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"content-type": "application/json"})  # noqa: S310 - our own
    with urllib.request.urlopen(request, timeout=600) as answer:  # noqa: S310 - the same
        content = answer.read()
    return json.loads(content.splitlines()[-1]) if content[:1] == b"{" else content


def peak_mb(process: subprocess.Popen[str]) -> float:
    """The highest resident size of the server so far."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(re.findall(r"VmHWM:\s*(\d+) kB", status)[0]) / 1024


def measure(path: Path, *, in_browser: bool) -> dict[str, float]:
    """All figures of one server."""
    figures: dict[str, float] = {}
    launched = time.perf_counter()
    with server(path) as (process, address):
        started = time.perf_counter()
        figures["start_s"] = started - launched
        ask(address)
        count = ask(f"{address}api/about")["record_count"]
        ask(f"{address}api/records?start=0&count={SCREEN}")
        figures["first_screen_s"] = time.perf_counter() - started
        figures["first_screen_mb"] = peak_mb(process)
        if in_browser:
            figures["first_card_s"] = _first_card(path)
        times = []
        for _ in range(JUMPS):
            start = time.perf_counter()
            ask(f"{address}api/records?start={random.randrange(count - SCREEN)}&count={SCREEN}")
            times.append(time.perf_counter() - start)
        figures["jump_s"] = sorted(times)[JUMPS // 2]
        figures["jumps_mb"] = peak_mb(process)
        for what in ("file", "sizes", "chunks?file=0", "shards"):
            ask(f"{address}api/{what}")
        figures["file_mb"] = peak_mb(process)
        start = time.perf_counter()
        ask(f"{address}api/find", {"text": '"number": 77777,'})
        figures["find_s"] = time.perf_counter() - start
        figures["find_mb"] = peak_mb(process)
        ask(f"{address}api/verify", {})
        figures["verify_mb"] = peak_mb(process)
    return figures


def _first_card(path: Path) -> float:
    """Seconds from the address of a server of its own to the first card in a browser that is already open."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - optional

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto("about:blank")
        with server(path) as (_, address):
            start = time.perf_counter()
            page.goto(address, wait_until="commit")
            page.wait_for_selector("[data-number='0'][data-status='ok']")
            elapsed = time.perf_counter() - start
            browser.close()
    return elapsed


def main() -> None:
    """Measure, and print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=10)
    parser.add_argument("--formats", nargs="*", default=list(OPTIONS))
    parser.add_argument("--no-browser", action="store_true")
    chosen = parser.parse_args()
    for format in chosen.formats:
        path = data_set(format, int(chosen.gigabytes * 1e9))
        for name, value in measure(path, in_browser=not chosen.no_browser).items():
            print(f"{format:13} {name:16} {value:8.3f}")


if __name__ == "__main__":
    main()

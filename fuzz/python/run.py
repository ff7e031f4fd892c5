"""Runs targets: `python -m fuzz.python.run TARGET|all SECONDS|-runs=N`.

Where atheris is installed, mutation is led by coverage of octavo's modules, a process a target; what is found on the
way is kept in fuzz/corpus/python-TARGET, and what fails in fuzz/artifacts. Without it, mutation is blind, and the same
every time.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from fuzz.python import TARGETS
from fuzz.python.mutating import target, try_mutations, try_seeds

_FOLDER = Path(__file__).resolve().parents[1]
_BLIND_RUNS = 1 << 62
_USAGE = 2


def _run_blindly(name: str, much: str) -> None:
    is_count = much.startswith("-runs=")
    runs, seconds = (int(much.removeprefix("-runs=")), None) if is_count else (_BLIND_RUNS, float(much))
    one = target(name)
    try_seeds(one)
    done = try_mutations(one, runs=runs, seconds=seconds)
    print(f"{name}: {done} mutations, without coverage: atheris is not installed")  # noqa: T201 - a command


def _run_led_by_coverage(name: str, much: str) -> None:
    import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415 - no dependency of anything else

    with atheris.instrument_imports(include=["octavo"]):
        one = target(name)
    corpus, artifacts = _FOLDER / "corpus" / f"python-{name}", _FOLDER / "artifacts" / f"python-{name}"
    for folder in (corpus, artifacts):
        folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(one.SEEDS):
        (corpus / f"seed-{number}").write_bytes(seed)
    words = corpus.with_suffix(".dict")
    words.write_text("".join(f'"{_spelled(word)}"\n' for word in one.WORDS))
    limit = much if much.startswith("-runs=") else f"-max_total_time={much}"
    options = ["-max_len=8192", "-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1", f"-dict={words}"]
    atheris.Setup([sys.argv[0], limit, *options, f"-artifact_prefix={artifacts}/", str(corpus)], one.check)
    atheris.Fuzz()


def _spelled(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)


def main(arguments: list[str]) -> int:
    """Run one target here, or all of them, each in a process of its own: libFuzzer ends the process it runs in."""
    if len(arguments) != 2 or arguments[0] not in {"all", *TARGETS}:  # noqa: PLR2004 - a target and how much
        print(f"usage: python -m fuzz.python.run {'|'.join(('all', *TARGETS))} SECONDS|-runs=N", file=sys.stderr)  # noqa: T201
        return _USAGE
    name, much = arguments
    if name == "all":
        command = [sys.executable, "-m", "fuzz.python.run"]
        return max(subprocess.run([*command, one, much], check=False, cwd=_FOLDER.parent).returncode for one in TARGETS)  # noqa: S603 - itself
    os.chdir(_FOLDER.parent)
    (_run_led_by_coverage if find_spec("atheris") else _run_blindly)(name, much)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

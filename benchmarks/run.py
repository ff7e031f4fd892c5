"""`python -m benchmarks.run`: measures the cases of `cases.toml` and holds them to their bars."""

from __future__ import annotations

import argparse
import fnmatch
import json
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks import epoch, machine, plot, report
from benchmarks.cases import Case, Contender, load_cases
from benchmarks.engines import ENGINES
from benchmarks.results import CaseResult, Measured, Sample
from benchmarks.trial import prepare

DEFAULT_ROUNDS, QUICK_ROUNDS = 5, 2
# Short rounds go on until so many seconds have passed: when others slow the machine down, it is for longer than five.
LEAST_SECONDS, MOST_ROUNDS = 6.0, 25


def main(arguments: list[str] | None = None) -> int:
    """Exit status 1 when `--check` is given and a bar is not met."""
    options = _parse(arguments)
    rounds = options.rounds or (QUICK_ROUNDS if options.quick else DEFAULT_ROUNDS)
    cases = [case for case in load_cases(quick=options.quick) if fnmatch.fnmatch(case.name, options.only)]
    if not cases:
        print(f"no case matches {options.only!r}", file=sys.stderr)
        return 2
    os.environ.update(epoch.QUIET)
    described = machine.describe()
    print("; ".join(f"{name} {value}" for name, value in described.items()))
    if options.quick:
        print("quick: small data, few rounds; this tries the harness, the figures say nothing")
    results = []
    for case in cases:
        if missing := _missing_option(case):
            print(f"\n{case.name}\n  skipped with its bars: {missing} is not installed, see README.md", flush=True)
            continue
        results.append(_measure_apart(case, rounds, quick=options.quick))
        print("\n" + "\n".join(report.lines(results[-1])), flush=True)
    ending = [report.summary(results, len(cases) - len(results)), *report.shortfalls(results)]
    print("\n" + "\n".join(ending), flush=True)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        written = report.as_json(results, described, rounds, quick=options.quick)
        options.json.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    if options.plot and not plot.draw(results, options.plot):
        print("nothing to plot: no ratio was measured", file=sys.stderr)
    all_met = all(verdict.is_met for result in results for verdict in result.verdicts())
    return 1 if options.check and not all_met else 0


def _measure_apart(case: Case, rounds: int, *, quick: bool) -> CaseResult:
    """In a process of its own: what earlier cases leave in memory and among the threads slows some contenders down."""
    with ProcessPoolExecutor(max_workers=1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(measure, case, rounds, quick=quick).result()


def measure(case: Case, rounds: int, *, quick: bool) -> CaseResult:
    """Round-robin: every contender once in each round, so that a slow moment of the machine meets all of them."""
    absent = {c.label: reason for c in case.contenders if (reason := _why_absent(case, c))}
    trials = {c.label: prepare(case, c, quick=quick) for c in case.contenders if c.label not in absent}
    samples: dict[str, list[Sample]] = {label: [] for label in trials}
    most = rounds if quick else max(rounds, MOST_ROUNDS)
    start = time.perf_counter()
    for round_ in range(min(most, case.rounds or most)):
        if round_ >= rounds and time.perf_counter() - start >= LEAST_SECONDS:
            break
        for label, trial in trials.items():
            samples[label].append(trial.sample(round_))
    rows = {label: Measured(trial.items, tuple(samples[label])) for label, trial in trials.items()}
    return CaseResult(case, rows, absent)


def _why_absent(case: Case, contender: Contender) -> str | None:
    engine = ENGINES[contender.engine]
    if case.operation not in engine.operations:
        raise ValueError(f"{case.name}: {engine.name} does not support {case.operation}")
    missing = [needed for needed in engine.needed() if not needed.is_installed()]
    return f"absent: {missing[0].distribution} is not installed" if missing else None


def _missing_option(case: Case) -> str | None:
    needed = {needed for contender in case.contenders for needed in ENGINES[contender.engine].needed()}
    return next((one.distribution for one in needed if one.is_optional and not one.is_installed()), None)


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--only", metavar="GLOB", default="*", help="cases whose name matches, such as '*/8kB/*'")
    parser.add_argument("--rounds", metavar="N", type=int, help=f"rounds of each case (default {DEFAULT_ROUNDS})")
    parser.add_argument("--quick", action="store_true", help="small data and few rounds, to try the harness")
    parser.add_argument("--json", metavar="PATH", type=Path, help="write every figure there")
    parser.add_argument("--plot", metavar="PATH", type=Path, help="draw the ratios there (.svg, .png)")
    parser.add_argument("--check", action="store_true", help="exit with status 1 unless every bar is met")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

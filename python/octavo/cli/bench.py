"""`octavo bench`: what holds reading back on this machine, and what would help."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import typer

from octavo._bench import BenchReport
from octavo._bench import bench as measure
from octavo.cli import _bench_text, _terminal
from octavo.cli._arguments import STDIN, Format, Json, Locations, one_or_many
from octavo.errors import OptionError


def bench(
    paths: Locations,
    *,
    seconds: Annotated[float, typer.Option(help="About how long to measure.")] = 10.0,
    batch: Annotated[int, typer.Option(help="Records of a random batch.")] = 256,
    format: Format = None,
    json: Json = False,
) -> None:
    """Measure this machine on these files, name the bottleneck, and say which settings would be better.

    Measured are the device, the page cache, decoding, and Python objects; other codecs and chunk sizes are tried with a
    sample of the records, in the folder for temporary files ($TMPDIR).
    """
    if STDIN in paths:
        raise OptionError("standard input has no device to be measured: name files")
    with _terminal.progress("measuring", unit="steps") as advance:
        report = measure(one_or_many(paths), format=format, seconds=seconds, batch=batch, progress=advance)
    if json:
        _terminal.emit_json(_as_json(report, paths))
        return
    for line in _bench_text.lines(report, paths):
        _terminal.result(line)


def _as_json(report: BenchReport, paths: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = _named(dataclasses.asdict(report))
    subject = found["subject"]
    for name in ("record_bytes", "chunk_bytes"):  # elsewhere these are sums
        subject[f"mean_{name}"] = subject.pop(name)
    for told, one in zip(found["bottlenecks"], report.bottlenecks, strict=True):
        told["explanation"] = _bench_text.bottleneck(report, one)
    for told, each in zip(found["advice"], report.advice, strict=True):
        told["explanation"] = _bench_text.advice(report, each)
        told["command"] = _bench_text.rewriting(report, each, paths)
    return found


# What the other commands call the same things.
_NAMES = {"record_count": "records", "file_count": "files", "total_bytes": "bytes", "has_sidecar": "sidecar"}


def _named(found: Any) -> Any:
    if isinstance(found, dict):
        return {_NAMES.get(name, name): _named(value) for name, value in found.items()}
    return [_named(one) for one in found] if isinstance(found, list | tuple) else found

"""`octavo info`: what files are, and how large their records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from octavo._sizes import Sizes, all_sizes, sample_sizes
from octavo._wording import mean, mean_size, number, plural, round_size, size, size_and_bytes
from octavo.cli import _terminal
from octavo.cli._arguments import STDIN, Format, Json, Locations
from octavo.cli._failures import FAILED, call_stdin, line_of
from octavo.cli._files import Files, open_each
from octavo.cli._render import facts, histogram
from octavo.cli._summary import PROPERTIES, Summary, summarize
from octavo.errors import FormatError

_LISTED_VALUES = 4
_SAMPLED_FILES = 64

Full = Annotated[bool, typer.Option("--full", help="Read all records to tell their sizes, not a sample.")]


def info(paths: Locations, *, full: Full = False, format: Format = None, json: Json = False) -> None:
    """Tell what files are: format, records, sizes, compression, chunks, and how large the records are.

    Of record sizes a sample is taken, evenly spread, so that it takes as long for one file as for a thousand.
    """
    with open_each(paths, format, keep=_SAMPLED_FILES) as files:
        problem = _tell(files, full=full, json=json, is_stdin=paths == [STDIN]) if files.opened else None
        for failure in files.failures:
            _terminal.say(f"octavo: {failure.reason}")
        if files.failures or problem:
            raise typer.Exit(FAILED)


def _tell(files: Files, *, full: bool, json: bool, is_stdin: bool) -> FormatError | None:
    """Print what the files are; gives the damage that was met while their records were measured."""
    summary = summarize(files)
    sizes = _measure(files, full=full)
    if sizes.problem is not None and is_stdin:
        call_stdin(sizes.problem, str(files.opened[0].inputs[0]))
    if json:
        _terminal.emit_json(_as_json(files, summary, sizes))
    else:
        for line in _lines(summary, sizes):
            _terminal.result(line)
    if sizes.problem is not None:
        _terminal.say(f"octavo: {line_of(sizes.problem)}")
    return sizes.problem


def _measure(files: Files, *, full: bool) -> Sizes:
    if not full:
        return sample_sizes(files.kept, files.record_count)
    with _terminal.progress("info") as advance:
        return all_sizes(files.readers(), files.record_count, advance)


def _lines(summary: Summary, sizes: Sizes) -> Iterator[str]:
    yield from facts(_facts(summary, sizes))
    if len(sizes.bins) > 1:
        yield ""
        bars = ((_range(one.start, one.stop), one.record_count) for one in sizes.bins)
        yield from (f"  {line}" for line in histogram(list(bars)))


def _facts(summary: Summary, sizes: Sizes) -> Iterator[tuple[str, str]]:
    yield "format", _told(summary, "format")
    if summary.distinct["dialect"]:
        guessed = "" if summary["dialect_confirmed"] else ", which no checksum confirms"
        yield "dialect", _told(summary, "dialect") + guessed
    yield "records", number(summary.record_count)
    yield "files", number(summary.file_count)
    yield "size", size_and_bytes(summary.total_bytes)
    if summary.distinct["codec"]:
        yield "codec", _codec(summary) + _ratio(summary, sizes)
    if summary.chunk_count:
        mean_records = mean(summary.chunked_records / summary.chunk_count)
        mean_bytes = mean_size(summary.chunked_bytes / summary.chunk_count)
        unit = "record" if mean_records == "1" else "records"
        yield "chunks", f"{number(summary.chunk_count)}; on average {mean_records} {unit}, {mean_bytes}"
    if summary.distinct["group_size"]:
        yield "group size", _told(summary, "group_size")
    if True in summary.distinct["transposed"]:
        yield "transposed", "mixed" if "transposed" in summary.mixed else "yes"
    if summary.distinct["writer_options"]:
        yield "writer options", _told(summary, "writer_options")
    if summary.torn_bytes:
        yield "torn", f"{plural(summary.torn_bytes, 'byte')} of interrupted appends, which are left out"
    if summary.sidecar_count:
        all_of_them = summary.sidecar_count == summary.file_count
        yield "sidecar", "yes" if all_of_them else f"beside {number(summary.sidecar_count)} of the files"
    if summary.record_count:
        yield "record sizes", _sizes(sizes)


def _told(summary: Summary, name: str) -> str:
    """The value, or the values."""
    values = [str(value) for value in summary.distinct[name]]
    if len(values) == 1:
        return values[0]
    more = [f"and {len(values) - _LISTED_VALUES} more"] if len(values) > _LISTED_VALUES else []
    return f"mixed: {', '.join(values[:_LISTED_VALUES] + more)}"


def _codec(summary: Summary) -> str:
    level = f", level {_told(summary, 'level')}" if summary.distinct["level"] else ""
    return _told(summary, "codec") + level


def _ratio(summary: Summary, sizes: Sizes) -> str:
    """How much smaller compression has made the records, where there is any."""
    decoded, about = summary.decoded_bytes, ""
    if decoded is None and sizes.mean is not None:
        decoded, about = round(sizes.mean * summary.record_count), "about "
    if summary["codec"] in {None, "none"} or not decoded or not summary.encoded_bytes:
        return ""  # or of several codecs, of which one figure says nothing
    return f"; {about}{mean(decoded / summary.encoded_bytes)} : 1, from {size(decoded)}"


def _sizes(sizes: Sizes) -> str:
    if sizes.smallest is None or sizes.largest is None or sizes.mean is None:
        return "unknown"
    of = f"all {plural(sizes.total_count, 'record')}" if sizes.total_count > 1 else "the only record"
    if sizes.record_count < sizes.total_count:
        of = plural(sizes.record_count, "sampled record")
    if sizes.smallest == sizes.largest:
        return f"{size(sizes.smallest)}, of {of}"
    return f"{size(sizes.smallest)} to {size(sizes.largest)}, mean {mean_size(sizes.mean)}, of {of}"


def _range(start: int, stop: int) -> str:
    return round_size(start) if stop == start + 1 else f"{round_size(start)} to {round_size(stop)}"


def _as_json(files: Files, summary: Summary, sizes: Sizes) -> dict[str, Any]:
    return {
        "files": summary.file_count,
        "records": summary.record_count,
        "bytes": summary.total_bytes,
        **{name: summary[name] for name in PROPERTIES},
        "mixed": summary.mixed,
        "chunks": summary.chunk_count,
        "encoded_bytes": summary.encoded_bytes,
        "decoded_bytes": summary.decoded_bytes,
        "torn_bytes": summary.torn_bytes,
        "sidecar": summary.sidecar_count == summary.file_count,
        "record_sizes": {
            "records": sizes.record_count,
            "sampled": sizes.record_count < sizes.total_count,
            "smallest": sizes.smallest,
            "largest": sizes.largest,
            "mean": sizes.mean,
            "error": None if sizes.problem is None else line_of(sizes.problem),
            "histogram": [{"from": one.start, "to": one.stop, "records": one.record_count} for one in sizes.bins],
        },
        "paths": [name for one in files.opened for name in one.names],
        "failed": [{"path": failure.name, "error": failure.reason} for failure in files.failures],
    }

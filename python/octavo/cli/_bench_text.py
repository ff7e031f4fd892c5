"""What `octavo bench` found, in words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from octavo._bench._advice import cpus_to_keep_up, device_in_order
from octavo._bench._figures import Advice, BenchReport, Bottleneck, Limit, Measured, Rate, Setting
from octavo._wording import duration, number, plural, size
from octavo.cli._render import table

_LIMITS: dict[Limit, str] = {
    "device": "the device is the limit",
    "decompression": "decompression is the limit",
    "checksums": "checksums and copying are the limit",
    "cache": "copying out of decoded chunks is the limit",
    "objects": "Python objects are the limit",
}
_DIGITS = 3
_MOST_NAMED = 3
_SLOW_OPEN_S = 0.5
_WITHOUT_INDEX = {"recordio", "tfrecord", "riegeli"}
_USES = {"in_order": "in order", "at_random": "at random"}


def lines(report: BenchReport, paths: list[str]) -> Iterator[str]:
    """The whole report on what these paths mean."""
    yield f"{paths[0] if len(paths) == 1 else f'{len(paths)} paths'}: {_subject(report)}"
    if report.measured is None:
        yield "there are no records: nothing can be measured"
        return
    yield (
        f"measured on {plural(report.machine.cpus, 'CPU')} with {size(report.sample_bytes)} of its records,"
        f" random batches of {number(report.batch)}"
    )
    yield ""
    yield from table(_stages(report, report.measured), ("", "records/s", "bytes/s"), align="<>>")
    if report.measured.device.reason:
        yield f"device: {report.measured.device.reason}"
    if note := _opening(report, report.measured):
        yield note
    yield ""
    if report.bottlenecks:
        yield from (bottleneck(report, one) for one in report.bottlenecks)
        yield ""
    yield from _trial(report)
    for one in report.advice:
        yield advice(report, one)
        if command := rewriting(report, one, paths):
            yield f"  {command}"


def _subject(report: BenchReport) -> str:
    one = report.subject
    counted = "" if one.record_count is None else f"{plural(one.record_count, 'record')}, "
    files = plural(one.file_count, "file")
    if one.opened_bytes is not None:
        files += f", of which the first {size(one.opened_bytes)} were looked at"
    elif one.opened_files < one.file_count:
        files += f", of which {number(one.opened_files)} were looked at"
    mean = f"{size(one.record_bytes)} a record, " if report.sample_records else ""
    return f"{one.setting.format}, {described(one.setting)}; {counted}{mean}{size(one.total_bytes)} in {files}"


def described(setting: Setting) -> str:
    """A setting in words: `zstd:3, 16 records a chunk`."""
    chunk = _chunk(setting)
    return f"codec {setting.codec}" + (f", {chunk} a chunk" if chunk else "")


def _chunk(setting: Setting) -> str:
    if setting.group_size is not None:
        return plural(setting.group_size, "record")
    if setting.max_chunk_bytes is not None:
        whole, rest = divmod(setting.max_chunk_bytes, 1024)
        return f"{number(setting.max_chunk_bytes)} bytes" if rest else f"{number(whole)} KiB"
    return "1 MiB" if setting.format == "riegeli" else ""


def _stages(report: BenchReport, measured: Measured) -> Iterator[tuple[str, str, str]]:
    """Bytes are those of the records, so that the rows can be compared."""
    mean, share = report.subject.record_bytes, report.subject.stored_share
    in_order, at_random = device_in_order(report.subject, measured), measured.device.random_records_per_s
    yield ("device, in order", *_cells(in_order, mean))
    yield ("device, random batches", *_cells(at_random, mean))
    cached = measured.page_cache_bytes_per_s
    yield ("page cache", *_cells(cached / share / mean if cached and mean else None, mean))
    yield (f"decoded, {plural(report.machine.cpus, 'CPU')}", *_rate(measured.decode_all_cpus))
    if measured.decode_one_cpu is not None:
        yield ("decoded, 1 CPU", *_rate(measured.decode_one_cpu))
    yield ("for record in reader", *_rate(measured.iterate))
    yield ("reader.read, random batches", *_rate(measured.read))
    yield ("reader.read_batch, random batches", *_rate(measured.read_batch))
    for several in measured.threads:
        yield (f"reader.read_batch, {several.threads} threads", *_rate(several.rate))
    yield ("reader[i], at random", *_rate(measured.single))


def _opening(report: BenchReport, measured: Measured) -> str | None:
    setting = report.subject.setting
    if measured.open_s < _SLOW_OPEN_S or report.subject.has_sidecar or setting.format not in _WITHOUT_INDEX:
        return None
    took = duration(measured.open_s)
    return f"opening took {took}, for {setting.format} has no index: octavo.write_index puts one beside each file"


def _cells(records: float | None, record_bytes: float) -> tuple[str, str]:
    return ("?", "?") if records is None else (_count(records), size(records * record_bytes))


def _rate(rate: Rate) -> tuple[str, str]:
    return _count(rate.records_per_s), size(rate.bytes_per_s)


def _count(value: float) -> str:
    """Three digits: more would say more than was measured."""
    digits = len(str(int(value)))
    return f"{value:.3g}" if digits <= _DIGITS else number(round(round(value, _DIGITS - digits)))


def _times(gain: float) -> str:
    return f"{_count(gain)} times" if gain >= 10 else f"{gain:.1f} times"  # noqa: PLR2004 - two digits either way


def bottleneck(report: BenchReport, one: Bottleneck) -> str:
    """What holds a use back, with the figures that say so."""
    measured = report.measured
    if measured is None:
        return ""
    told = f"{_USES[one.use]}: {_LIMITS[one.limit]}"
    if one.limit_in_memory is not None:
        told += f" the first time, then {_LIMITS[one.limit_in_memory].replace(' the limit', '')}"
    figures = _in_order(report, measured) if one.use == "in_order" else _at_random(measured)
    return f"{told}: {figures}{_enough_cpus(report, measured, one)}"


def _in_order(report: BenchReport, measured: Measured) -> str:
    mean, codec = report.subject.record_bytes, report.subject.setting.codec
    gives = device_in_order(report.subject, measured)
    device = "what the device gives cannot be told" if gives is None else f"the device gives {size(gives * mean)}/s"
    decoded = max(measured.decode_all_cpus.bytes_per_s, measured.iterate.bytes_per_s)
    name = "checksums and copying run at" if codec == "none" else f"{codec} decodes"
    cpus = plural(report.machine.cpus, "CPU")
    return f"{device}, {name} {size(decoded)}/s on {cpus}, a for loop gets {size(measured.iterate.bytes_per_s)}/s"


def _at_random(measured: Measured) -> str:
    gives = measured.device.random_records_per_s
    device = "what the device gives cannot be told" if gives is None else f"the device gives {_count(gives)} records/s"
    buffers, lists = _count(measured.read_batch.records_per_s), _count(measured.read.records_per_s)
    return f"{device}; from memory read_batch gets {buffers}, read {lists}"


def _enough_cpus(report: BenchReport, measured: Measured, one: Bottleneck) -> str:
    if one.use == "at_random" or one.limit != "decompression":
        return ""
    cpus = cpus_to_keep_up(report.subject, measured)
    return "" if cpus is None or cpus <= report.machine.cpus else f"; {number(cpus)} CPUs would keep up with the device"


def _trial(report: BenchReport) -> Iterator[str]:
    trial = report.trial
    if not trial.candidates:
        yield f"no other settings were tried: {trial.left_out}"
        return
    yield f"tried with {plural(trial.record_count, 'record')} of it, {size(trial.record_bytes)}; records/s:"
    now = trial.candidates[0].encoded_bytes
    rows = [
        (
            one.setting.format,
            one.setting.codec,
            _chunk(one.setting),
            size(one.encoded_bytes),
            f"{one.encoded_bytes / max(now, 1):.2f}x",
            _count(one.scan.records_per_s),
            _count(one.random.records_per_s),
            "now" if one.is_present else "",
        )
        for one in trial.candidates
    ]
    yield from table(rows, ("format", "codec", "chunk", "size", "", "in order", "at random", ""), align="<<<>>>>")
    if trial.left_out:
        yield f"not all settings were tried: {trial.left_out}; --seconds gives more time"
    yield ""


def advice(report: BenchReport, one: Advice) -> str:
    """One piece of advice."""
    if one.goal in {"read_batch", "blocks"}:
        return _call(one)
    if one.goal == "threads":
        return _threads(one)
    what = {"random": "for random reads", "scan": "for scans", "size": "for size"}[one.goal]
    if not one.is_worth_it or one.setting is None:
        return f"{what}: keep what you have; no other setting is better by more than noise"
    kind = "" if one.setting.format == report.subject.setting.format else f"convert to {one.setting.format}, "
    return f"{what}: {kind}{described(one.setting)}: {_promise(report, one)}"


def _promise(report: BenchReport, one: Advice) -> str:
    ratio = (one.predicted_bytes or 0) / max(1, report.subject.total_bytes)
    stored = f"{ratio:.2f} times the size ({size(one.predicted_bytes or 0)})"
    if one.goal == "size" or one.predicted_records_per_s is None:
        return stored
    return f"{_times(one.gain)} the rate ({_count(one.predicted_records_per_s)} records/s), {stored}"


def rewriting(report: BenchReport, one: Advice, paths: list[str]) -> str | None:
    """The command that follows a piece of advice; None if there is nothing to rewrite."""
    setting = one.setting
    if not one.is_worth_it or setting is None:
        return None
    words = ["octavo", "convert", *(paths if len(paths) <= _MOST_NAMED else ["SOURCE..."])]
    # Of several files each becomes one.
    words += [f"NEW.{setting.format}"] if report.subject.file_count == 1 else ["NEW/", "--to", setting.format]
    if setting.format != "ffrecord":
        words += ["--codec", setting.codec]
    if setting.group_size is not None:
        words += ["--group-size", str(setting.group_size)]
    if setting.max_chunk_bytes is not None:
        words += ["--max-chunk-bytes", str(setting.max_chunk_bytes)]
    if setting.dialect is not None:
        words += ["--dialect", setting.dialect]
    return " ".join(map(shlex.quote, words + ["--transpose"] * setting.transpose))


def _call(one: Advice) -> str:
    told = {
        "read_batch": "for random reads: reader.read_batch instead of reader.read, one buffer instead of many objects",
        "blocks": "for scans: octavo.integrations.arrow or reader.read_batch, blocks instead of a loop over objects",
    }[one.goal]
    if not one.is_worth_it:
        return f"{told}: no gain beyond noise"
    return f"{told}: {_times(one.gain)} the rate ({_count(one.predicted_records_per_s or 0)} records/s)"


def _threads(one: Advice) -> str:
    if not one.is_worth_it:
        return "threads: one that reads is enough, for each call uses all CPUs"
    told = f"threads: {one.threads} that read batches at the same time (threads= of octavo.torch.Loader)"
    return f"{told}: {_times(one.gain)} the rate ({_count(one.predicted_records_per_s or 0)} records/s)"

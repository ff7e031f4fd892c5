"""What convert, merge, split and shuffle have in common: the options, standard streams, and how the end is told."""

from __future__ import annotations

import contextlib
import functools
import os
import shlex
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import octavo
from octavo import _wording
from octavo._convert import Container, _plan
from octavo._convert._open_any import RECORD_FORMATS
from octavo._convert._order import has_journal
from octavo._location import as_text
from octavo._open import Dialect
from octavo.cli import _render, _terminal
from octavo.cli._arguments import STDIN
from octavo.cli._failures import DATA_LOSS
from octavo.cli._stdin import stdin, without_stdin
from octavo.errors import OctavoError, OptionError

if TYPE_CHECKING:
    from octavo import ConvertReport

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE",
        help="Record files, folders, tar files, JSON lines or Parquet files: paths, URLs, globs, sharded names, or - "
        "for standard input.",
    ),
]
TargetPath = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="A file, a sharded name such as out@20.array_record, a directory for one file a source file, any of them "
        "as a URL, or - for standard output.",
    ),
]
From = Annotated[Container | None, typer.Option("--from", help="What the source is, where it does not tell itself.")]
To = Annotated[Container | None, typer.Option("--to", help="What to write, where the target's name does not tell.")]
Shards = Annotated[int | None, typer.Option("--shards", min=1, help="Write so many files of the same size.")]
MaxRecords = Annotated[int | None, typer.Option("--max-records", min=1, help="At most so many records a file.")]
MaxBytes = Annotated[str | None, typer.Option("--max-bytes", help="At most so many bytes of records a file: 500MB.")]
Codec = Annotated[str | None, typer.Option("--codec", help="Compression, with a level if wanted: zstd:3, none, gzip.")]
GroupSize = Annotated[int | None, typer.Option("--group-size", min=1, help="Records a chunk.")]
DialectName = Annotated[Dialect | None, typer.Option("--dialect", help="Which of RecordIO's layouts to write.")]
MaxChunkBytes = Annotated[str | None, typer.Option("--max-chunk-bytes", help="At most so many bytes a RecordIO chunk.")]
Transpose = Annotated[
    bool | None, typer.Option("--transpose/--no-transpose", help="Take protocol buffers apart into columns.")
]
Options = Annotated[str | None, typer.Option("--options", help="In ArrayRecord's grammar: group_size:1,zstd:3.")]
Sidecar = Annotated[bool, typer.Option("--sidecar", help="Also write an index beside each file.")]
Column = Annotated[str | None, typer.Option("--column", help="The Parquet column, or JSON field, that is the record.")]
TargetColumn = Annotated[str | None, typer.Option("--target-column", help="The Parquet column to write.")]
Layout = Annotated[
    Literal["auto", "files", "samples"],
    typer.Option("--layout", help="Whether each file of a tar file is a record, or all files of a key together."),
]
TargetLayout = Annotated[
    Literal["files", "samples"] | None, typer.Option("--target-layout", help="The same for a tar file to be written.")
]
RunnerName = Annotated[
    Literal["local", "beam"], typer.Option("--runner", help="Who writes the files: this process, or workers of Beam.")
]
BeamArgs = Annotated[
    str | None,
    typer.Option("--beam-args", help="Options of Beam in one text: '--runner=FlinkRunner --parallelism=8'."),
]
NoVerify = Annotated[bool, typer.Option("--no-verify", help="Do not read back what was written.")]

# Containers that are read and written from beginning to end; all others need to be files.
_STREAMS = ("jsonl", "tar")


def run(
    sources: list[str],
    target: str,
    *,
    json: bool,
    force: bool,
    no_verify: bool = False,
    runner: str = "local",
    beam_args: str | None = None,
    **options: Any,
) -> None:
    """Convert, with a bar, and tell the end."""
    convert = _converter(runner, beam_args, has_streams=STDIN in (*sources, target))
    with contextlib.ExitStack() as stack:
        location = stack.enter_context(source(sources, options.get("source_format")))
        if target == STDIN:
            _check_for_stdout(options, json=json)
            path, options["format"] = stack.enter_context(_file_for_stdout(options.get("format")))
        else:
            path = target
        is_directory = os.path.isdir(as_text(path)) and options.get("format") != "folder"
        if STDIN in sources and (path.endswith("/") or is_directory):
            message = f"{path}: what comes from standard input has no name to keep; name a file"
            raise OptionError(message, path=path)
        try:
            with _terminal.progress(f"to {os.path.basename(path)}") as advance:
                report = convert(location, path, overwrite=force, verify=not no_verify, progress=advance, **options)
        except KeyboardInterrupt as error:
            raise KeyboardInterrupt(_told_interruption(path, is_stream=STDIN in sources)) from error
        if target == STDIN:
            with open(path, "rb") as whole:
                sys.stdout.flush()
                shutil.copyfileobj(whole, sys.stdout.buffer)
    if target != STDIN:
        tell(report, json=json)
    if not report.ok:  # which a warning has told
        raise typer.Exit(DATA_LOSS)


def _converter(runner: str, beam_args: str | None, *, has_streams: bool) -> Callable[..., ConvertReport]:
    if runner == "local":
        if beam_args is not None:
            message = "--beam-args is for --runner beam"
            raise OptionError(message)
        return octavo.convert
    if has_streams:
        message = "workers of Beam see no standard input and output of this process: name files"
        raise OptionError(message)
    try:
        arguments = shlex.split(beam_args or "")
    except ValueError as error:
        message = f"--beam-args cannot be taken apart: {error}"
        raise OptionError(message) from error
    from octavo.integrations.beam import convert  # noqa: PLC0415 - Beam is optional, and takes seconds

    return functools.partial(convert, pipeline_args=arguments)


def is_sharded(target: str) -> bool:
    """Whether the name stands for several files."""
    return _plan.Name.of(target).shards is not None


def one_file(target: str) -> str:
    """The target, if it is one file."""
    if is_sharded(target) or os.path.isdir(as_text(target)) or target.endswith("/"):
        message = f"{target}: merging makes one file; 'octavo convert' makes several"
        raise OptionError(message, path=target)
    return target


def tell(report: ConvertReport, *, json: bool) -> None:
    """What was done, as JSON or in two lines."""
    digest = report.digest
    if json:
        _terminal.emit_json(
            {
                "paths": list(report.paths),
                "format": report.format,
                "records": report.record_count,
                "record_bytes": report.record_bytes,
                "ordered": digest.ordered,
                "unordered": digest.unordered,
                "verified": report.verified,
                "kept_files": report.kept_count,
                "seconds": round(report.seconds, 3),
                "torn_bytes": report.torn_bytes,
            }
        )
        return
    where = _render.shown(report.paths[0])
    if len(report.paths) > 1:
        where = f"{where} and {len(report.paths) - 1} more"
    kept = f", {report.kept_count} of them kept from before" if report.kept_count > 0 else ""
    if report.kept_count == len(report.paths):
        kept = ", already there" if len(report.paths) == 1 else ", all already there"
    what = f"{_wording.plural(report.record_count, 'record')} ({_wording.size(report.record_bytes)})"
    file_bytes = _size_of(report.paths)
    if file_bytes is not None:
        what = f"{what}, {_wording.size(file_bytes)} in {_wording.plural(len(report.paths), 'file')}"
    _terminal.result(f"{where}: {what}{kept}")
    how = "read back and compared" if report.verified else "not read back"
    _terminal.result(f"digest {digest.ordered} ({how})")


def _size_of(paths: Sequence[str]) -> int | None:
    """What local files take; None of folders and of objects, which would have to be listed or asked for."""
    try:
        found = [os.stat(path) for path in paths]
    except OSError:
        return None
    return sum(one.st_size for one in found) if all(stat.S_ISREG(one.st_mode) for one in found) else None


@contextlib.contextmanager
def source(sources: list[str], kind: str | None) -> Iterator[Any]:
    """The sources; standard input as a stream where that will do, and otherwise as a temporary file."""
    if sources == [STDIN] and kind in _STREAMS:
        yield stdin()
        return
    if sources == [STDIN] and kind == "folder":
        message = "standard input cannot be a folder"
        raise OptionError(message)
    with without_stdin(sources, ".parquet" if kind == "parquet" else "") as location:
        yield location


def _check_for_stdout(options: dict[str, Any], *, json: bool) -> None:
    """What flows out is one container, and nothing besides."""
    if any(options.get(name) is not None for name in ("shards", "max_records", "max_bytes")):
        message = "standard output cannot be several files"
        raise OptionError(message)
    if json:
        message = "records and --json cannot both go to standard output"
        raise OptionError(message)


@contextlib.contextmanager
def _file_for_stdout(kind: str | None) -> Iterator[tuple[str, str]]:
    """A temporary file that will be copied out once it is whole and verified."""
    if kind is None or kind == "folder":
        message = f"say what to write to standard output: --to {'|'.join((*RECORD_FORMATS, *_STREAMS, 'parquet'))}"
        raise OptionError(message)
    with tempfile.TemporaryDirectory(prefix="octavo-") as folder:
        yield os.path.join(folder, "stdout"), kind


def _told_interruption(path: str, *, is_stream: bool) -> str:
    try:
        is_begun = has_journal(path)
    except OctavoError:  # a store that cannot be asked now
        return "interrupted"
    if is_begun:
        again = "begin anew with --force" if is_stream else "run the same command again to go on"
        return f"interrupted; finished files are kept: {again}"
    return "interrupted; nothing was written"

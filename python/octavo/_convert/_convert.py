"""`octavo.convert`: records from any container into any other, file by file, verified, and resumable."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from octavo import _core
from octavo._arguments import as_path, at_least_one, check_switches
from octavo._convert import _plan
from octavo._convert._any_input import AnyInput, ChainedInput, ForeignInput, RecordInput
from octavo._convert._journal import Journal
from octavo._convert._open_any import FOREIGN, open_input
from octavo._convert._output import SUFFIX_OF, Target, target_format
from octavo._convert._run import Runner, Tally, same_records
from octavo._convert._shuffled import ShuffledInput
from octavo._digest import Digest
from octavo._options import parse_bytes
from octavo.errors import AlreadyExistsError, FormatError, OptionError

if TYPE_CHECKING:
    from octavo._convert import Container
    from octavo._convert._plan import Job
    from octavo._location import Location
    from octavo._open import Dialect

Progress: TypeAlias = Callable[[int, int], object]


@dataclasses.dataclass(frozen=True)
class ConvertReport:
    """What `octavo.convert` did."""

    paths: tuple[str, ...]
    """The files that hold the records now."""
    format: str
    """What they are."""
    digest: Digest
    """The digest of all records, as they were read."""
    verified: bool
    """Whether all files were read back, and hold records with that digest."""
    kept_count: int
    """Files that were finished by an earlier, interrupted conversion, and were kept."""
    seconds: float
    """How long it took."""

    @property
    def record_count(self) -> int:
        """How many records."""
        return self.digest.record_count

    @property
    def record_bytes(self) -> int:
        """Their size."""
        return self.digest.record_bytes


def convert(
    source: Location,
    target: str | os.PathLike[str],
    *,
    source_format: Container | None = None,
    format: Container | None = None,
    shards: int | None = None,
    max_records: int | None = None,
    max_bytes: int | str | None = None,
    shuffle: int | None = None,
    overwrite: bool = False,
    verify: bool = True,
    codec: str | None = None,
    group_size: int | None = None,
    transpose: bool | None = None,
    options: str | None = None,
    dialect: Dialect | None = None,
    max_chunk_bytes: int | str | None = None,
    sidecar: bool = False,
    column: str | None = None,
    target_column: str | None = None,
    layout: str = "auto",
    target_layout: str | None = None,
    progress: Progress | None = None,
) -> ConvertReport:
    """Write the records of a data set into other files.

    Memory is bounded, all cores are used. Files appear when they are whole. At the end every file is read back, and
    the number and the digest of its records compared with what was read from the source. An interrupted conversion
    goes on when it is called again in the same way: finished files are kept.

    Args:
        source: Record files, as `octavo.open` takes them, or a folder of other files (each is a record), tar files,
            JSON lines, Parquet files.
        target: A file; a sharded name such as `train@64.array_record`; or a directory, which gets one file for each
            file of the source, or, with `format="folder"`, one file for each record.
        source_format: What the source is, if neither content nor name tell.
        format: What to write; told by the target's suffix if it is not given.
        shards: How many files to write, of about the same number of records; `train@64` says the same.
        max_records: The most records a file may have, instead of a number of files.
        max_bytes: The most bytes of records a file may have, instead of a number of files.
        shuffle: A seed: write the records in the order of `octavo.shuffle.Permutation(count, seed=shuffle)`.
        overwrite: Whether files that exist may be replaced.
        verify: Whether files are read back.
        codec: As in `octavo.create`, and so are the next five.
        group_size: Records a chunk.
        transpose: Take protocol buffers apart into columns.
        options: Options in ArrayRecord's grammar.
        dialect: RecordIO's layout.
        max_chunk_bytes: The most bytes of a chunk of a RecordIO file.
        sidecar: Also write an index beside each file.
        column: The column of Parquet files, or the field of JSON lines, that is the record.
        target_column: The name of the Parquet column to write; `record` if it is not given.
        layout: How files of a tar file become records: each by itself (`files`), or all with the same key together
            (`samples`); `auto` looks.
        target_layout: The same for a tar file that is written.
        progress: Called now and then with the records done and the number of all records.

    Raises:
        AlreadyExistsError: A file is there and was not to be replaced. If it holds the very records that would be
            written, there is nothing to do, and that is no error.
        FormatError: A record of the source is damaged; `octavo.recover` saves the others.
    """
    began = time.monotonic()
    check_switches(overwrite=overwrite, verify=verify, sidecar=sidecar)
    is_directory = _is_directory(target, format)
    path = as_path(target, "the target")
    name, named_shards = (path, None) if is_directory else _plan.shard_count_of(path)
    if named_shards is not None and shards is not None and shards != named_shards:
        message = f"{path}: the name says {named_shards} shards, but shards is {shards}"
        raise OptionError(message, path=path)
    given = {
        "codec": codec,
        "group_size": group_size,
        "transpose": transpose,
        "options": options,
        "dialect": dialect,
        "max_chunk_bytes": max_chunk_bytes,
        "sidecar": sidecar or None,
        "column": target_column,
        "layout": target_layout,
    }
    output = _output(path, target_format(name, format), given)
    with open_input(source, source_format, column=column, layout=layout) as opened:
        cutting = _Cutting(named_shards if shards is None else shards, max_records, max_bytes)
        jobs = _jobs(opened, name, cutting, output, is_directory=is_directory)
        _refuse_own_sources(opened, jobs)
        conversion = _Conversion(opened, output, path, jobs, shuffle, overwrite=overwrite, verify=verify)
        digest, kept = conversion.run(progress)
    paths = tuple(one.path for one in jobs)
    return ConvertReport(paths, output.format, digest, verify, kept, time.monotonic() - began)


@dataclasses.dataclass(frozen=True)
class _Cutting:
    shards: int | None
    max_records: int | None
    max_bytes: int | str | None


class _Conversion:
    """What is known once everything is named and opened."""

    def __init__(
        self,
        source: AnyInput,
        target: Target,
        path: str,
        jobs: list[Job],
        seed: int | None,
        *,
        overwrite: bool,
        verify: bool,
    ) -> None:
        self._source = source
        self._target = target
        self._path = path
        self._jobs = jobs
        self._seed = seed
        self._overwrite = overwrite
        self._verify = verify

    def run(self, progress: Progress | None) -> tuple[Digest, int]:
        """Convert; returns the digest and how many files were kept."""
        journal = Journal(self._path, self._fingerprint())
        there = self._existing()
        # A folder is never written over: it may hold what is not ours.
        if there and (self._target.format == "folder" or not (self._overwrite or journal.exists)):
            digest = self._judge_existing(there, progress)
            journal.remove()
            return digest, len(there)
        for folder in {os.path.dirname(job.path) for job in self._jobs}:
            os.makedirs(folder, exist_ok=True)
        journal.open(overwrite=self._overwrite)
        kept = len(journal.finished)
        try:
            self._write(journal, progress)
        except BaseException:
            if self._existing():
                journal.close()
            else:
                journal.remove()
            raise
        whole = _core.Digest()
        for job in self._jobs:
            whole.join(journal.finished[job.path])
        journal.remove()
        return Digest.of_native(whole), kept

    def _existing(self) -> list[str]:
        paths = [job.path for job in self._jobs if os.path.lexists(job.path)]
        # An empty folder is as good as none.
        return [path for path in paths if self._target.format != "folder" or not _is_empty_folder(path)]

    def _write(self, journal: Journal, progress: Progress | None) -> None:
        tally = Tally(self._source.record_count, progress, verify=self._verify)
        if self._seed is None:
            Runner(self._source, self._target, journal, tally, verify=self._verify).run(self._jobs)
            return
        with ShuffledInput(self._source, self._seed, self._path) as shuffled:
            Runner(shuffled, self._target, journal, tally, verify=self._verify).run(self._jobs)

    def _judge_existing(self, there: list[str], progress: Progress | None) -> Digest:
        """Files that are just what would be written are as good as written: a conversion may be run again."""
        message = f"{there[0]}: there is something of this name already, and not what would be written"
        refusal = AlreadyExistsError(message, path=there[0])
        if len(there) < len(self._jobs):
            raise refusal
        found = _core.Digest()
        try:
            for job in self._jobs:
                with self._target.reopen(job.path) as result:
                    wanted = job.stop if job.stop is not None else self._source.record_count
                    if wanted is not None and result.record_count not in (None, wanted - job.start):
                        raise refusal
                    if isinstance(result, RecordInput) and not self._target.made(job.path, result.reader.info):
                        raise refusal
                    found.join(result.digest())
        except (FormatError, OptionError) as error:
            raise refusal from error
        expected = self._expected(progress)
        if found.record_count != expected.record_count or not same_records(found, expected, self._target.format):
            raise refusal
        return Digest.of_native(expected)

    def _expected(self, progress: Progress | None) -> _core.Digest:
        if self._seed is None:
            return self._source.digest(progress)
        expected = _core.Digest()
        with ShuffledInput(self._source, self._seed, self._path) as shuffled:
            for block in shuffled.blocks(0, None):
                expected.update(block.records)
        return expected

    def _fingerprint(self) -> dict[str, Any]:
        """What an interrupted conversion must have in common with this one for its files to be kept."""
        stamps = []
        for path in self._source.paths:
            status = os.stat(path) if os.path.exists(path) else None  # bytes in memory have no file
            stamps.append([path, *((status.st_size, status.st_mtime_ns) if status else ())])
        return {
            "sources": stamps,
            "jobs": [dataclasses.astuple(job) for job in self._jobs],
            "format": self._target.format,
            "options": self._target.options,
            "shuffle": self._seed,
        }


def _is_empty_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.listdir(path)


def _is_directory(target: str | os.PathLike[str], format: str | None) -> bool:
    if format == "folder" or not isinstance(target, str | os.PathLike):
        return False
    path = os.fsdecode(target)
    return path.endswith(("/", os.sep)) or os.path.isdir(path)


def _output(path: str, format: Container, given: dict[str, Any]) -> Target:
    chosen = {name: value for name, value in given.items() if value is not None}
    foreign = ("column", "layout")
    wrong = [name for name in chosen if (name in foreign) != (format in FOREIGN)]
    if wrong:
        named = ", ".join({"column": "target_column", "layout": "target_layout"}.get(name, name) for name in wrong)
        message = f"{path}: {format} has no such options: {named}"
        raise OptionError(message, path=path)
    return Target(format, chosen)


def _jobs(source: AnyInput, name: str, cutting: _Cutting, target: Target, *, is_directory: bool) -> list[Job]:
    ways = [way for way in dataclasses.astuple(cutting) if way is not None]
    if len(ways) > 1 or (ways and is_directory):
        message = "choose one of: a number of shards, max_records, max_bytes, a directory with a file for each source"
        raise OptionError(message)
    if is_directory:
        return _job_for_each_file(source, name, target)
    if not ways:
        return _plan.jobs_of(name, None)
    return _plan.jobs_of(name, _edges(source, cutting))


def _edges(source: AnyInput, cutting: _Cutting) -> list[int]:
    if cutting.shards is not None:
        return _plan.edges_by_count(source.count(), at_least_one("shards", cutting.shards, at_most=_plan.MOST_SHARDS))
    if cutting.max_records is not None:
        return _plan.edges_by_records(source.count(), at_least_one("max_records", cutting.max_records, at_most=1 << 62))
    most = at_least_one("max_bytes", parse_bytes(cutting.max_bytes or 0, name="max_bytes"), at_most=1 << 62)
    return source.edges_by_bytes(most)


def _job_for_each_file(source: AnyInput, directory: str, target: Target) -> list[Job]:
    if isinstance(source, ChainedInput):
        message = f"{directory}: sources of different formats cannot be converted file by file; name one file"
        raise OptionError(message, path=directory)
    names = _plan.names_in(directory, source.paths, SUFFIX_OF[target.format])
    if isinstance(source, ForeignInput):
        return [_plan.Job(path, 0, None, number) for number, path in enumerate(names)]
    runs = pairwise(source.reader._file_starts)  # noqa: SLF001 - part of the package
    return [_plan.Job(path, *run, number) for number, (path, run) in enumerate(zip(names, runs, strict=True))]


def _refuse_own_sources(source: AnyInput, jobs: list[Job]) -> None:
    sources = {os.path.realpath(path) for path in source.paths}
    for job in jobs:
        if os.path.realpath(job.path) in sources:
            message = f"{job.path}: the target is one of the sources; name another file"
            raise OptionError(message, path=job.path)

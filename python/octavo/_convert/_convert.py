"""`octavo.convert`: records from any container into any other, file by file, verified, and resumable."""

from __future__ import annotations

import dataclasses
import itertools
import os
import time
from typing import TYPE_CHECKING, Any

from octavo._arguments import Progress, as_path, at_least_one, check_progress, check_switches
from octavo._convert import _journal, _plan
from octavo._convert._any_input import AnyInput, ChainedInput, ForeignInput
from octavo._convert._conversion import Conversion
from octavo._convert._open_any import FOREIGN, open_input
from octavo._convert._output import SUFFIX_OF, Target, target_format
from octavo._digest import Digest
from octavo._options import parse_bytes
from octavo._side_files import WRITTEN
from octavo.errors import OptionError
from octavo.shuffle import Permutation

if TYPE_CHECKING:
    from octavo._convert import Container
    from octavo._convert._plan import Job
    from octavo._location import Location
    from octavo._open import Dialect


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
    check_progress(progress)
    is_directory = _is_directory(target, format)
    path = _path_of(target)
    name = _plan.Name(path, "") if is_directory else _plan.Name.of(path)
    if name.shards is not None and shards is not None and shards != name.shards:
        message = f"{path}: the name says {name.shards} shards, but shards is {shards}"
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
    output = _output(path, target_format(name.whole, format), given)
    if shuffle is not None:
        Permutation(1, seed=shuffle)  # which says what is wrong with a seed
    if shuffle is not None and max_bytes is not None:
        message = "max_bytes is for records in the order of the source; shuffled, cut them by shards or max_records"
        raise OptionError(message)
    with open_input(source, source_format, column=column, layout=layout) as opened:
        cutting = _Cutting(name.shards if shards is None else shards, max_records, max_bytes)
        if is_directory:
            jobs = _job_for_each_file(opened, path, output, cutting, is_shuffled=shuffle is not None)
        else:
            jobs = _plan.jobs_of(name, _edges(opened, cutting))
        _refuse_own_sources(opened, path, jobs)
        conversion = Conversion(opened, output, path, jobs, shuffle, overwrite=overwrite, verify=verify)
        digest, kept = conversion.run(progress)
    paths = tuple(one.path for one in jobs)
    return ConvertReport(paths, output.format, Digest.of_native(digest), verify, kept, time.monotonic() - began)


@dataclasses.dataclass(frozen=True)
class _Cutting:
    shards: int | None
    max_records: int | None
    max_bytes: int | str | None

    def ways(self) -> int:
        """In how many ways it is said where to cut."""
        return sum(way is not None for way in dataclasses.astuple(self))

    def refuse(self) -> OptionError:
        """What to raise where it is said in too many."""
        message = "choose one of: a number of shards, max_records, max_bytes, a directory with a file for each source"
        return OptionError(message)


def _is_directory(target: str | os.PathLike[str], format: str | None) -> bool:
    if format == "folder" or not isinstance(target, str | os.PathLike):
        return False
    path = os.fsdecode(target)
    return path.endswith(("/", os.sep)) or os.path.isdir(path)


def _path_of(target: str | os.PathLike[str]) -> str:
    path = as_path(target, "the target")
    if not os.fspath(target):  # which would be the working directory
        message = "the path of the target is empty"
        raise OptionError(message, path="")
    return path


def _output(path: str, format: Container, given: dict[str, Any]) -> Target:
    chosen = {name: value for name, value in given.items() if value is not None}
    foreign = ("column", "layout")
    wrong = [name for name in chosen if (name in foreign) != (format in FOREIGN)]
    if wrong:
        named = ", ".join({"column": "target_column", "layout": "target_layout"}.get(name, name) for name in wrong)
        message = f"{path}: {format} has no such options: {named}"
        raise OptionError(message, path=path)
    target = Target(format, chosen)
    target.check()
    return target


def _edges(source: AnyInput, cutting: _Cutting) -> list[int] | None:
    if cutting.ways() > 1:
        raise cutting.refuse()
    if cutting.shards is not None:
        return _plan.edges_by_count(source.count(), at_least_one("shards", cutting.shards, at_most=_plan.MOST_SHARDS))
    if cutting.max_records is not None:
        return _plan.edges_by_records(source.count(), at_least_one("max_records", cutting.max_records, at_most=1 << 62))
    if cutting.max_bytes is None:
        return None
    most = at_least_one("max_bytes", parse_bytes(cutting.max_bytes, name="max_bytes"), at_most=1 << 62)
    return source.edges_by_bytes(most)


def _job_for_each_file(
    source: AnyInput, directory: str, target: Target, cutting: _Cutting, *, is_shuffled: bool
) -> list[Job]:
    if cutting.ways():
        raise cutting.refuse()
    if isinstance(source, ChainedInput):
        message = f"{directory}: sources of different formats cannot be converted file by file; name one file"
        raise OptionError(message, path=directory)
    if not source.paths or not all(map(os.path.exists, source.paths)):
        message = f"{directory}: what is no file, but a stream or bytes in memory, has no name to keep; name one file"
        raise OptionError(message, path=directory)
    names = _plan.names_in(directory, source.paths, SUFFIX_OF[target.format])
    if isinstance(source, ForeignInput) and not is_shuffled:
        return [_plan.Job(path, 0, None, number) for number, path in enumerate(names)]
    if isinstance(source, ForeignInput):
        starts = [0, *itertools.accumulate(source.file(number).count() for number in range(len(names)))]
    else:
        starts = source.reader._file_starts  # noqa: SLF001 - part of the package
    runs = itertools.pairwise(starts)
    return [_plan.Job(path, *run, number) for number, (path, run) in enumerate(zip(names, runs, strict=True))]


def _refuse_own_sources(source: AnyInput, target: str, jobs: list[Job]) -> None:
    """Writing must not touch what is read: neither under its own name nor under those it has on the way."""
    sources = {os.path.realpath(path) for path in source.paths}
    folders = {os.path.realpath(path) + os.sep for path in source.folders}
    journal = _journal.path_of(target)
    for path in [*(job.path for job in jobs), journal]:
        meant = os.path.realpath(path)
        written = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if not sources.isdisjoint({meant, written, *(written + side for side in WRITTEN)}):
            message = f"{path}: the target, or a file needed beside it, is one of the sources; name another file"
            raise OptionError(message, path=path)
        if any((written + os.sep).startswith(folder) for folder in folders):
            message = f"{path}: the target is in the folder that is converted; name a file outside of it"
            raise OptionError(message, path=path)

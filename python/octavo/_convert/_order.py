"""From what somebody has ordered to jobs: what is opened, which files there will be, and what cannot be."""

from __future__ import annotations

import dataclasses
import itertools
import os
import time
from typing import TYPE_CHECKING, Any, cast

from octavo._arguments import Progress, as_path, at_least_one, check_progress, check_switches
from octavo._convert import _plan
from octavo._convert._any_input import AnyInput, ChainedInput, ForeignInput
from octavo._convert._conversion import Conversion
from octavo._convert._open_any import FOREIGN, open_input
from octavo._convert._output import SUFFIX_OF, Target, target_format
from octavo._convert._own_folder import refuse_own_folder
from octavo._convert._own_sources import refuse_own_sources
from octavo._convert._places import InObjectStore, Local, Place
from octavo._convert._report import ConvertReport
from octavo._digest import Digest
from octavo._location import as_text, is_remote
from octavo._options import parse_bytes
from octavo.errors import AlreadyExistsError, OptionError, UnsupportedError
from octavo.shuffle import Permutation
from octavo.storage import InStore
from octavo.storage._stored import stored

if TYPE_CHECKING:
    from octavo._convert import Container
    from octavo._convert._plan import Job
    from octavo._convert._tasks import Elsewhere
    from octavo._location import Location, PathLocation
    from octavo._open import Dialect


def carry_out(
    source: Location,
    target: PathLocation,
    elsewhere: Elsewhere | None = None,
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
    """As `octavo.convert`. Files are written here, unless somebody says where `elsewhere`."""
    began = time.monotonic()
    check_switches(overwrite=overwrite, verify=verify, sidecar=sidecar)
    check_progress(progress)
    is_directory = _is_directory(target, format)
    path, place = _path_of(target, format)
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
    output = _output(path, target_format(name.whole, format, is_directory=is_directory), given, place)
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
        refuse_own_sources(opened, output.place, path, jobs)
        if place.is_local:
            refuse_own_folder(source, source_format, jobs)
        conversion = Conversion(
            opened, output, path, jobs, shuffle, overwrite=overwrite, verify=verify, elsewhere=elsewhere
        )
        try:
            digest, kept = conversion.run(progress)
        except AlreadyExistsError as error:
            if not overwrite and output.format != "folder":  # which is never written over
                error.args = (f"{error}; overwrite=True replaces it",)
            raise
        torn_bytes = opened.torn_bytes
    paths, seconds = tuple(one.path for one in jobs), time.monotonic() - began
    return ConvertReport(paths, output.format, Digest.of_native(digest), verify, kept, seconds, torn_bytes)


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


def _is_directory(target: PathLocation, format: str | None) -> bool:
    if is_remote(target):
        key = stored(target if isinstance(target, InStore) else as_text(target)).key
        return not key or key.endswith("/")
    if format == "folder" or not isinstance(target, str | os.PathLike):
        return False
    path = as_text(target)
    return path.endswith(("/", os.sep)) or os.path.isdir(path)


def _path_of(target: PathLocation, format: str | None) -> tuple[str, Place]:
    if is_remote(target):
        one = stored(target if isinstance(target, InStore) else as_text(target))
        if format == "folder":
            message = f"{one.name}: a folder of files is written on this machine only; in a store, write a tar file"
            raise UnsupportedError(message, path=one.name)
        return one.name, InObjectStore(one)
    path = as_path(target, "the target")
    if not os.fspath(cast("str", target)):  # which would be the working directory
        message = "the path of the target is empty"
        raise OptionError(message, path="")
    return path, Local()


def has_journal(target: PathLocation) -> bool:
    """Whether a conversion into this target was interrupted, or is running."""
    path, place = _path_of(target, None)
    return bool(place.taken([place.journal(path)]))


def _output(path: str, format: Container, given: dict[str, Any], place: Place) -> Target:
    chosen = {name: value for name, value in given.items() if value is not None}
    foreign = ("column", "layout")
    wrong = [name for name in chosen if (name in foreign) != (format in FOREIGN)]
    if wrong:
        named = ", ".join({"column": "target_column", "layout": "target_layout"}.get(name, name) for name in wrong)
        message = f"{path}: {format} has no such options: {named}"
        raise OptionError(message, path=path)
    target = Target(format, chosen, place)
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
    if not source.files or not all(not isinstance(file, str) or os.path.exists(file) for file in source.files):
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

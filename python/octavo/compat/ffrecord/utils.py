"""`dump`: a data set into one file, or into several that are written side by side."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any, Protocol

from octavo.compat.ffrecord.fileio import FileWriter

if TYPE_CHECKING:
    from octavo.compat.ffrecord._fnames import FileName

_MOST_PROCESSES = 16  # as many as the original starts at a time

_Advance = Callable[[int], object]


class _Records(Protocol):
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Any: ...


def dump(dataset: _Records, fname: FileName, nfiles: int, verbose: bool = False) -> None:  # noqa: FBT001, FBT002 - as the original has it
    """Write every record of `dataset`, which gives buffers, into one file or into `nfiles` in a directory.

    Whatever goes wrong is raised here, and nothing of the dump is left then.
    """
    count = len(dataset)
    if nfiles == 1:
        with _progress(count, shown=verbose) as advance:
            _write_part(dataset, range(count), os.fspath(fname), advance)
        return
    if nfiles < 0:
        message = f"nfiles is {nfiles}; it is a number of files"
        raise ValueError(message)
    size = -(-count // nfiles)
    parts = [range(start, min(start + size, count)) for start in range(0, count, size)]
    if len(parts) != nfiles:
        warnings.warn(f"Split into {len(parts)} files rather than {nfiles} files", stacklevel=2)
    with _new_files(os.fspath(fname), len(parts)) as paths, _progress(count, shown=verbose) as advance:
        _write_parts(dataset, parts, paths, advance)


def _write_parts(dataset: _Records, parts: list[range], paths: list[str], advance: _Advance) -> None:
    # Forked processes inherit the data set, others get it pickled: once for each process, not for each part.
    processes = min(len(parts), _MOST_PROCESSES)
    with ProcessPoolExecutor(processes, initializer=_keep, initargs=(dataset,)) as pool:
        written: dict[Future[None], range] = {
            pool.submit(_write_kept, part, path): part for part, path in zip(parts, paths, strict=True)
        }
        try:
            for future in as_completed(written):
                future.result()
                advance(len(written[future]))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


_kept: list[_Records] = []


def _keep(dataset: _Records) -> None:
    _kept[:] = [dataset]


def _write_kept(part: range, path: str) -> None:
    _write_part(_kept[0], part, path, lambda _: None)


def _write_part(dataset: _Records, part: range, path: str, advance: _Advance) -> None:
    with FileWriter(path, len(part)) as writer:
        for number in part:
            writer.write_one(dataset[number])
            advance(1)


@contextlib.contextmanager
def _new_files(folder: str, count: int) -> Iterator[list[str]]:
    """Names for the parts of a dump in a folder that is made where it is missing; all are removed if writing fails."""
    is_new = not os.path.isdir(folder)
    os.makedirs(folder, exist_ok=True)
    paths = [os.path.join(folder, f"PART_{number:05d}.ffr") for number in range(count)]
    try:
        yield paths
    except BaseException:
        for path in paths:
            with contextlib.suppress(OSError):
                os.remove(path)
        if is_new:
            with contextlib.suppress(OSError):  # somebody else has put something there
                os.rmdir(folder)
        raise


@contextlib.contextmanager
def _progress(count: int, *, shown: bool) -> Iterator[_Advance]:
    """What is to be told of records that were written."""
    if not shown:
        yield lambda _: None
        return
    try:
        tqdm = importlib.import_module("tqdm").tqdm  # only for those who want to watch, and have it
    except ImportError:
        yield _Lines(count).advance
        return
    with tqdm(total=count, unit="record") as bar:
        yield bar.update


class _Lines:
    """Progress as plain lines, one for every tenth of the records."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.written = 0

    def advance(self, records: int) -> None:
        before, self.written = self.written, self.written + records
        if before * 10 // self.count != self.written * 10 // self.count:
            print(f"{self.written} of {self.count} records written", file=sys.stderr)  # noqa: T201 - asked for

"""`dump`: a data set into one file, or into several that are written side by side."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import multiprocessing
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

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
            _fill(FileWriter(os.fspath(fname), count), dataset, range(count), advance)
        return
    if nfiles < 0:
        message = f"nfiles is {nfiles}; it is a number of files"
        raise ValueError(message)
    size = -(-count // nfiles)
    parts = [range(start, min(start + size, count)) for start in range(0, count, size)]
    if len(parts) != nfiles:
        warnings.warn(f"Split into {len(parts)} files rather than {nfiles} files", stacklevel=2)
    with _progress(count, shown=verbose) as advance:
        _write_folder(dataset, parts, os.fspath(fname), advance)


class _Shared(NamedTuple):
    """What all processes have. The flags have no lock: a process that is killed might hold it."""

    dataset: _Records
    begun: Any
    """For each part, whether its file is not what it was before."""
    failed: Any
    """Whether there is no use in going on."""


def _write_folder(dataset: _Records, parts: list[range], folder: str, advance: _Advance) -> None:
    is_new = not os.path.isdir(folder)
    os.makedirs(folder, exist_ok=True)
    paths = [os.path.join(folder, f"PART_{number:05d}.ffr") for number in range(len(parts))]
    shared = _Shared(dataset, multiprocessing.RawArray("b", len(parts)), multiprocessing.RawValue("b"))
    try:
        _write_parts(shared, parts, paths, advance)
    except BaseException:
        for path in itertools.compress(paths, shared.begun):
            with contextlib.suppress(OSError):
                os.remove(path)
        if is_new:
            with contextlib.suppress(OSError):  # somebody else has put something there
                os.rmdir(folder)
        raise


def _write_parts(shared: _Shared, parts: list[range], paths: list[str], advance: _Advance) -> None:
    # Forked processes inherit the data set, others get it pickled: once for each process, not for each part.
    processes = min(len(parts), _MOST_PROCESSES)
    with ProcessPoolExecutor(processes, initializer=_keep, initargs=(shared,)) as pool:
        try:
            written: dict[Future[None], range] = {
                pool.submit(_write_kept, number, part, path): part
                for number, (part, path) in enumerate(zip(parts, paths, strict=True))
            }
            for future in as_completed(written):
                future.result()
                advance(len(written[future]))
        except BaseException:
            shared.failed.value = 1
            pool.shutdown(cancel_futures=True)
            raise


_kept: list[_Shared] = []


def _keep(shared: _Shared) -> None:
    _kept[:] = [shared]


def _write_kept(number: int, part: range, path: str) -> None:
    dataset, begun, failed = _kept[0]

    def advance(_: int) -> None:
        if failed.value:
            raise CancelledError

    if failed.value:
        return
    begun[number] = 1  # before the file is emptied: this process may be killed right after that
    try:
        writer = FileWriter(path, len(part))
    except BaseException:
        begun[number] = 0
        raise
    _fill(writer, dataset, part, advance)


def _fill(writer: FileWriter, dataset: _Records, part: range, advance: _Advance) -> None:
    with writer:
        for number in part:
            writer.write_one(dataset[number])
            advance(1)


@contextlib.contextmanager
def _progress(count: int, *, shown: bool) -> Iterator[_Advance]:
    """What is to be told of records that were written."""
    if not shown:
        yield lambda _: None
        return
    try:
        tqdm = importlib.import_module("tqdm").tqdm  # only for those who want to watch, and have it
    except ImportError:
        yield lambda _: None
        print(f"{count} of {count} records written", file=sys.stderr)  # noqa: T201 - asked for
        return
    with tqdm(total=count, unit="record") as bar:
        yield bar.update

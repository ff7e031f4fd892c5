"""`octavo.recover`: save what is intact of a damaged, truncated or unfinished file."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from typing import TYPE_CHECKING

from octavo import _core
from octavo._arguments import Progress, check_format, check_progress, check_switches
from octavo._first_bytes import format_of_content, format_of_source
from octavo._location import PathLocation, format_of_name, is_gzip_name
from octavo._recipe import recipe_of_salvage
from octavo._side_files import ASSEMBLING, PARTIAL, RECOVERING
from octavo._target import Target, TargetLocation, target_of
from octavo._writer import Writer
from octavo.errors import OptionError, RecordTypeError, UnknownFormatError
from octavo.storage._copies import Downloaded

if TYPE_CHECKING:
    from octavo._open import Format


@dataclasses.dataclass(frozen=True)
class LostRange:
    """Bytes of a file that could not be saved."""

    offset: int
    """The first byte."""
    end: int
    """The byte after the last."""
    record_count: int | None
    """How many records were in them; None if nothing tells any more.

    Behind ten thousand losses, neighbours with nothing saved between them may be one, with the reason of the first.
    """
    reason: str
    """What is wrong with them."""
    record: int | None = None
    """The number that the first of those records had; None if it is not known how many were before it, or if there was
    none in them."""


@dataclasses.dataclass(frozen=True)
class RecoverReport:
    """What `octavo.recover` did."""

    record_count: int
    """Records saved."""
    lost: tuple[LostRange, ...]
    """Everything that could not be, in the order of the file."""
    format: str | None = dataclasses.field(default=None, compare=False)
    """What the file was taken for; of no account where reports are compared."""

    @property
    def lost_count(self) -> int | None:
        """Records that could not be saved; None if nobody can tell."""
        counts = [one.record_count for one in self.lost]
        return None if None in counts else sum(count for count in counts if count is not None)

    @property
    def ok(self) -> bool:
        """Whether no record was lost."""
        return self.lost_count == 0


def recover(
    source: PathLocation,
    target: TargetLocation,
    *,
    format: Format | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> RecoverReport:
    """Write a whole file from everything that is intact in a damaged one.

    The source may be truncated, damaged anywhere, or unfinished: a `NAME.partial` that a killed writer left behind, or
    an interrupted append. It is only read. Where the footer holds, each chunk is judged by itself; where it does not,
    chunks are searched for by the hashes of their headers, so that damage costs only what it touches.

    Args:
        source: The damaged file, a path or a URL. An object is copied to this machine first, for it is read twice.
        target: Where the whole file will be, as in `octavo.create`.
        format: What the source is, if neither its name nor its first bytes say; if it is not given either, the source
            is taken for what the target's suffix says.
        overwrite: Whether a file of the target's name may be replaced.
        progress: Called now and then with bytes done and bytes in all; twice through the file.

    Raises:
        AlreadyExistsError: The target exists, and `overwrite` is False.
        OptionError: The target is the source, or would be written where the source is, or its suffix is that of another
            format.
        UnknownFormatError: Nothing tells the source's format.
    """
    check_format(format)
    check_switches(overwrite=overwrite)
    check_progress(progress)
    damaged = _damaged_at(source)
    whole = target_of(target, "a file to recover")
    if whole.name == damaged.name or _is_one_of(damaged, whole, ""):
        message = f"{whole.name}: the target is the source itself; name another file"
        raise OptionError(message, path=whole.name)
    if _is_one_of(damaged, whole, ASSEMBLING, RECOVERING):
        message = f"{whole.name}: {damaged.name} would be written over while this is made; name another file"
        raise OptionError(message, path=whole.name)
    with contextlib.ExitStack() as stack:
        file = damaged.name if damaged.object is None else stack.enter_context(Downloaded(damaged.object))
        told = _told_format(damaged, file, whole) if format is None else format
        salvage = _core.Salvage(file, format=told, progress=progress)
        about = salvage.about()
        named = format_of_name(whole.name) or about["format"]
        if named != about["format"]:
            message = f"{whole.name}: the suffix says {named}, but what is recovered is {about['format']}"
            raise OptionError(message, path=whole.name)
        if about["format"] == "tfrecord" and is_gzip_name(whole.name):
            about["codec"] = "gzip"  # the name promises it
        arguments = {"format": about["format"], "overwrite": overwrite, "recovering": True, **recipe_of_salvage(about)}
        writer = None
        try:
            writer = Writer(whole.name, target=whole.object, sink=whole.sink(overwrite=overwrite), **arguments)
            record_count, lost = salvage.write(writer, progress)
        finally:
            if writer is not None:
                writer.abort()  # nothing is left to abort unless it failed
    return RecoverReport(record_count, tuple(LostRange(*one) for one in lost), about["format"])


def _told_format(damaged: Target, file: str | Downloaded, whole: Target) -> str | None:
    """The source's format by its content, or else by the target's suffix; None leaves it to the core."""
    if format_of_name(damaged.name.removesuffix(PARTIAL)) is not None:
        return None
    if isinstance(file, str) and not (os.path.isfile(file) and os.access(file, os.R_OK)):
        return None  # opening it says why not
    found = format_of_content(file) if isinstance(file, str) else format_of_source(file)
    if found == "riegeli":  # or ArrayRecord
        return None
    if told := found or format_of_name(whole.name):
        return told
    message = f"{damaged.name}: nothing tells the source's format: pass format='tfrecord', if it is TFRecord"
    raise UnknownFormatError(message, path=damaged.name)


def _damaged_at(source: PathLocation) -> Target:
    found = target_of(source, "a file to recover")
    if found.file is not None:
        message = "what is recovered is named by a path or a URL, not by a file object"
        raise RecordTypeError(message)
    return found


def _is_one_of(source: Target, target: Target, *endings: str) -> bool:
    """Whether the source is the file that is called like the target with one of these at its end."""
    if not (source.is_local and target.is_local):
        return False
    return os.path.realpath(source.name) in {os.path.realpath(target.name + ending) for ending in endings}

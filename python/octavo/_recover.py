"""`octavo.recover`: save what is intact of a damaged, truncated or unfinished file."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING

from octavo import _core
from octavo._arguments import Progress, as_path, check_format, check_progress, check_switches
from octavo._location import format_of_name, is_gzip_name
from octavo._recipe import recipe_of_salvage
from octavo._writer import Writer
from octavo.errors import OptionError

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
    """How many records were in them; None if nothing tells any more."""
    reason: str
    """What is wrong with them."""


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
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
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
        source: The damaged file.
        target: Where the whole file will be.
        format: What the source is, if neither its name nor its first bytes say; if nothing does, it is searched for
            what an ArrayRecord file consists of.
        overwrite: Whether a file of the target's name may be replaced.
        progress: Called now and then with bytes done and bytes in all; twice through the file.
    """
    check_format(format)
    check_switches(overwrite=overwrite)
    check_progress(progress)
    paths = [as_path(source, "a file to recover"), as_path(target, "a file to recover")]
    if os.path.realpath(paths[0]) == os.path.realpath(paths[1]):
        message = f"{paths[1]}: the target is the source itself; name another file"
        raise OptionError(message, path=paths[1])
    salvage = _core.Salvage(paths[0], format=format, progress=progress)
    about = salvage.about()
    named = format_of_name(paths[1]) or about["format"]
    if named != about["format"]:
        message = f"{paths[1]}: the suffix says {named}, but what is recovered is {about['format']}"
        raise OptionError(message, path=paths[1])
    if about["format"] == "tfrecord" and is_gzip_name(paths[1]):
        about["codec"] = "gzip"  # the name promises it
    recipe = recipe_of_salvage(about)
    writer = None
    try:
        writer = Writer(paths[1], format=about["format"], overwrite=overwrite, recovering=True, **recipe)
        record_count, lost = salvage.write(writer, progress)
    finally:
        if writer is not None:
            writer.abort()  # nothing is left to abort unless it failed
    return RecoverReport(record_count, tuple(LostRange(*one) for one in lost), about["format"])

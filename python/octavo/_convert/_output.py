"""The end that is written: record files through writers, other containers through their sinks."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any, cast

from octavo._convert import _foreign
from octavo._convert._any_input import AnyInput
from octavo._convert._open_any import FOREIGN, RECORD_FORMATS, open_input
from octavo._convert._places import Local, Place
from octavo._location import FORMAT_OF_SUFFIX, format_of_name, is_gzip_name
from octavo._open import create
from octavo._recipe import recipe
from octavo._side_files import INDEX
from octavo.errors import OptionError

if TYPE_CHECKING:
    from octavo import _core
    from octavo._convert import Container
    from octavo._convert._source import Sink
    from octavo._reader import Info
    from octavo._writer import Writer

SUFFIX_OF = {format: suffix for suffix, format in reversed(FORMAT_OF_SUFFIX.items())} | {
    "jsonl": ".jsonl",
    "tar": ".tar",
    "parquet": ".parquet",
}


@dataclasses.dataclass(frozen=True)
class Target:
    """What files are written as."""

    format: Container
    options: dict[str, Any]
    """Of record files: what `octavo.create` takes. Of others: what `open_sink` takes."""
    place: Place = dataclasses.field(default_factory=Local)
    """Where they are."""

    @property
    def is_foreign(self) -> bool:
        """Whether it is no record file."""
        return self.format in FOREIGN

    def create(self, path: str) -> Writer:
        """Start a record file."""
        location = self.place.location(path)
        return create(location, format=self.format, overwrite=True, **self.options)  # type: ignore[arg-type]

    def open_sink(self, path: str) -> Sink:
        """Start another container."""
        return _foreign.open_sink(self.format, self.place.file(path), overwrite=True, **self.options)

    def check(self) -> None:
        """Refuse options that cannot be, before anything is read or written."""
        if not self.is_foreign:
            recipe(self.format, self._recipe_options())
        elif "layout" in self.options and self.options["layout"] not in _foreign.LAYOUTS:
            message = f"layout {self.options['layout']!r} is none of: {', '.join(_foreign.LAYOUTS)}"
            raise OptionError(message)

    def _recipe_options(self) -> dict[str, Any]:
        return {name: value for name, value in self.options.items() if name != "sidecar"}

    def is_free(self, path: str) -> bool:
        """Whether there is nothing at this path; an empty folder is nothing where a folder goes."""
        return not self.occupied([path])

    def occupied(self, paths: list[str]) -> list[str]:
        """Those of these paths at which there is something."""
        return [path for path in self.place.taken(paths) if self.format != "folder" or not _is_empty_folder(path)]

    def holds(self, found: _core.Digest, written: _core.Digest) -> bool:
        """Whether what was found is what was written."""
        if found.record_count != written.record_count:
            return False
        if self.format == "folder":  # it has the order of its names, whatever the order in which its files were written
            return found.unordered == written.unordered
        return found.ordered == written.ordered

    def made(self, path: str, info: Info) -> bool:
        """Whether a record file could have been written with these options, as far as it tells."""
        given = self._recipe_options()
        if self.format == "tfrecord" and is_gzip_name(path):
            given.setdefault("codec", "gzip")
        if info.format != self.format or (self.options.get("sidecar") and not self.place.taken([path + INDEX])):
            return False
        wanted = recipe(self.format, given)
        if info.writer_options is not None:
            return bool(wanted["writer_options"] == info.writer_options)
        if info.codec is not None and wanted.get("codec", "none") != info.codec:
            return False
        if "transpose" in given and info.transposed is not None and given["transpose"] != info.transposed:
            return False
        if "group_size" in given and info.chunk_count > 1 and given["group_size"] != info.group_size:
            return False
        return info.dialect is None or given.get("dialect", info.dialect) == info.dialect

    def reopen(self, path: str) -> AnyInput:
        """Read what was written."""
        file = self.place.file(path)
        if self.format == "parquet":
            return open_input(file, self.format, column=self.options.get("column") or "record")
        if self.format == "tar":
            return open_input(file, self.format, layout=self.options.get("layout") or "files")
        return open_input(file, self.format)


def target_format(target: str, format: str | None, *, is_directory: bool = False) -> Container:
    """The format that is meant by a name or said outright."""
    known = (*RECORD_FORMATS, *FOREIGN)
    found = format or format_of_name(target) or _foreign.kind_of(target)
    if found in known:
        return cast("Container", found)
    if format is not None:
        message = f"format {format!r} is none of: {', '.join(known)}"
        raise OptionError(message)
    folder = os.path.join(target, "")
    if is_directory:
        message = f"{folder} is a folder: say which format its files get, format='array_record', for example"
        raise OptionError(message, path=target)
    suffixes = ", ".join(f"{suffix} ({name})" for name, suffix in SUFFIX_OF.items())
    message = (
        f"{target}: the name does not say what to write; use one of {suffixes}, or say format=, which a folder needs "
        f"as well: {folder} gets one file for each file of the source"
    )
    raise OptionError(message, path=target)


def _is_empty_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.listdir(path)

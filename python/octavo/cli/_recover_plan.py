"""Which files `octavo recover` reads and where each of them goes, from what was typed. Nothing is read here."""

from __future__ import annotations

import glob
import os
from typing import NamedTuple, cast

from octavo._location import absolute, as_text, expand, format_of_name, is_remote
from octavo._side_files import ASSEMBLING, INDEX, PARTIAL, RECOVERING
from octavo.cli._arguments import STDIN
from octavo.errors import NotFoundError, OptionError, of_os_error
from octavo.storage import StoredObject, _folders
from octavo.storage._stored import stored

_NO_SOURCES = (ASSEMBLING, RECOVERING, INDEX)  # they stand beside files, and hold nothing of their own


class Task(NamedTuple):
    """A file to recover."""

    source: str
    target: str


def plan(sources: list[str], target: str) -> tuple[list[Task], bool]:
    """What to do, and whether the target is a directory."""
    if STDIN in (*sources, target):
        raise OptionError("recover goes back and forth in a file: name files, '-' is none")
    if not target:
        raise OptionError("the path of the target is empty")
    sources, target = list(map(as_text, sources)), as_text(target)
    files = [file for source in sources for file in _files(source)]
    is_one = len(sources) == 1 and not os.path.isdir(sources[0]) and files == [_whole(sources[0])]
    if is_one and not os.path.isdir(target) and not target.endswith(_SEPARATORS):
        tasks = [Task(files[0], _whole(target))]
        _check_targets(tasks)
        return tasks, False
    _check_directory(target)
    tasks = [Task(file, _whole(_folders.join(target, _whole_name(file)))) for file in files]
    _check_targets(tasks)
    return tasks, True


_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))


def _files(source: str) -> list[str]:
    """The files that an argument means: as for reading, and what writers have left behind as well."""
    if is_remote(source):
        return [cast("StoredObject", one).name for one in expand(source)]
    if os.path.isdir(source):
        found = [os.path.join(source, name) for name in _names_in(source) if format_of_name(_whole_name(name))]
        missing = "the directory has no record files"
    elif not os.path.lexists(source) and glob.has_magic(source):
        matching = sorted(glob.glob(source, recursive=True))
        found = [path for path in matching if os.path.isfile(path) and not path.endswith(_NO_SOURCES)]
        missing = "no file matches the pattern"
    else:
        return [cast("str", path) for path in expand(source)]
    if not found:
        raise NotFoundError(f"{source}: {missing}", path=source)
    return [absolute(path) for path in found]


def _whole(location: str) -> str:
    """The name by which it is found from anywhere."""
    return stored(location).name if is_remote(location) else absolute(location)


def _names_in(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError as error:
        raise of_os_error(error, f"{directory}: cannot list: {error.strerror}", directory) from error


def _whole_name(path: str) -> str:
    """The name of the file that a `.partial` was to become."""
    return os.path.basename(path).removesuffix(PARTIAL)


def _check_directory(target: str) -> None:
    is_file = os.path.lexists(target) and not os.path.isdir(target)
    if is_file or (not os.path.isdir(target) and format_of_name(target) and not target.endswith(_SEPARATORS)):
        raise OptionError(f"{target}: several files are recovered into a directory; name one", path=target)


def _check_targets(tasks: list[Task]) -> None:
    """No file is to overwrite another, or itself."""
    sources: dict[str, str] = {}
    for source, target in tasks:
        if os.path.realpath(source) == os.path.realpath(target):
            raise OptionError(f"{source}: it would be recovered into itself; name another target", path=source)
        if target in sources:
            both = f"{sources[target]} and {source}"
            raise OptionError(f"{both} would both become {target}: recover one of them by its name", path=source)
        sources[target] = source

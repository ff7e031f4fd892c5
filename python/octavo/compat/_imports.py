"""`import array_record` gives octavo's drop-in: the redirection of imports at run time."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import CodeType, ModuleType
from typing import cast

from octavo.errors import OptionError

NAMES = ("array_record", "ffrecord", "recordio")


def activate(*names: str) -> None:
    """Let `import NAME` give octavo's drop-in of that name, for the rest of this process.

    Call it before anything imports the original: above the other imports of a program. What a worker process imports
    is redirected there, too, if it runs the same lines, as the processes of `multiprocessing` do.

    Args:
        names: `array_record`, `ffrecord`, `recordio`; all three if none is given.
    """
    late = []
    for name in _checked(names):
        if name in _finder.targets:
            continue
        _finder.targets[name] = f"octavo.compat.{name}"
        originals = _take_modules(name)
        if originals:
            _finder.originals[name] = originals
            late.append(name)
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    if late:  # last, for the warning may be an error
        message = (
            f"{', '.join(late)} was imported before octavo.compat.activate: modules that hold it keep using it; "
            "call activate above the other imports"
        )
        warnings.warn(message, RuntimeWarning, stacklevel=2)


def deactivate(*names: str) -> None:
    """Let `import NAME` give the original again, if it is installed.

    Args:
        names: `array_record`, `ffrecord`, `recordio`; all three if none is given.
    """
    for name in _checked(names):
        if _finder.targets.pop(name, None) is not None:
            _take_modules(name)
            sys.modules.update(_finder.originals.pop(name, {}))


def _checked(names: Sequence[str]) -> Sequence[str]:
    for name in names:
        if name not in NAMES:
            message = f"there is no drop-in for {name!r}, only for {', '.join(NAMES)}"
            raise OptionError(message)
    return names or NAMES


def _take_modules(name: str) -> dict[str, ModuleType]:
    """Forget every module of that package, so that the next import looks for it anew."""
    names = [one for one in list(sys.modules) if one == name or one.startswith(f"{name}.")]
    return {one: sys.modules.pop(one) for one in names}


class _Finder(MetaPathFinder):
    """Finds the modules of octavo's packages under the originals' names."""

    def __init__(self) -> None:
        self.targets: dict[str, str] = {}
        """The package that is imported instead, by the name that is asked for."""
        self.originals: dict[str, dict[str, ModuleType]] = {}
        """The modules that had been imported before."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        package, _, rest = fullname.partition(".")
        if package not in self.targets:
            return None
        found = importlib.util.find_spec(".".join(filter(None, [self.targets[package], rest])))
        if found is None:
            return _beside_the_original(fullname)
        is_package = found.submodule_search_locations is not None
        return ModuleSpec(fullname, _Alias(found), origin=found.origin, is_package=is_package)


def _beside_the_original(name: str) -> ModuleSpec | None:
    """A module that octavo does not have, in a folder of the original's name: programs and tests that live there."""
    folder = os.path.join(*name.split(".")[:-1])
    return PathFinder.find_spec(name, [os.path.join(place, folder) for place in sys.path])


class _Alias(Loader):
    """Gives a module that has another name: the very same object, so that classes and state exist once."""

    def __init__(self, found: ModuleSpec) -> None:
        self._found = found

    def exec_module(self, module: ModuleType) -> None:
        # The import system takes what stands here when this returns.
        sys.modules[module.__name__] = importlib.import_module(self._found.name)

    def get_code(self, fullname: str) -> CodeType | None:
        """What `python -m` runs."""
        del fullname
        return cast("InspectLoader", self._found.loader).get_code(self._found.name)


_finder = _Finder()

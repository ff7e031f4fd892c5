"""`ReaderRegistry`: an object that knows which of its attributes are readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from octavo.compat.ffrecord.fileio import FileReader

if TYPE_CHECKING:
    from typing import Self


class ReaderRegistry:
    """Keeps readers, and other registries, apart from its other attributes."""

    _readers: dict[str, FileReader]
    _resitries: dict[str, ReaderRegistry]  # spelled as in the original: code that looks inside finds it

    def __new__(cls, *_arguments: Any, **_options: Any) -> Self:
        """Have the registers ready before any constructor runs: those of subclasses need not call this class's."""
        registry = super().__new__(cls)
        registry.__dict__.update(_readers={}, _resitries={})
        return registry

    def ffreaders(self) -> list[FileReader]:
        """All readers, those of nested registries too."""
        nested = [reader for registry in self._resitries.values() for reader in registry.ffreaders()]
        return [*self._readers.values(), *nested]

    def __setattr__(self, name: str, value: Any) -> None:
        # Whatever had that name before must not be found any more, wherever it is kept.
        self._readers.pop(name, None)
        self._resitries.pop(name, None)
        if not isinstance(value, FileReader | ReaderRegistry):
            super().__setattr__(name, value)
            return
        vars(self).pop(name, None)
        if isinstance(value, FileReader):
            self._readers[name] = value
        else:
            self._resitries[name] = value

    def __getattr__(self, name: str) -> Any:
        for register in (self._readers, self._resitries):
            if name in register:
                return register[name]
        message = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(message)

    def __delattr__(self, name: str) -> None:
        for register in (self._readers, self._resitries):
            if name in register:
                del register[name]
                return
        super().__delattr__(name)

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
        for register in ("_readers", "_resitries"):
            found = vars(self).get(register, {})  # an object that is being unpickled has none yet
            if name in found:
                return found[name]
        if hasattr(super(), "__getattr__"):  # a torch.nn.Module may be among the bases
            return super().__getattr__(name)  # type: ignore[misc]
        message = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(message)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Have registers of its own, if it is a copy."""
        registers = {name: dict(state.get(name, {})) for name in ("_readers", "_resitries")}
        vars(self).update(state, **registers)

    def __delattr__(self, name: str) -> None:
        for register in (self._readers, self._resitries):
            if name in register:
                del register[name]
                return
        super().__delattr__(name)

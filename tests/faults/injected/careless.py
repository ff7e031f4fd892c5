"""Writers that do what no writer should: a harness that finds nothing wrong with them finds nothing."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from tests.faults.injected.writing import CreateOver
from tests.naive import ffrecord as naive


class Careless(CreateOver):
    """Writes FFRecord files; what is wrong with it is said by each of its kinds."""

    def content(self) -> bytes:
        self.acknowledged = 0
        return naive.encode(self.written)


class InPlace(Careless):
    """The older file is gone before the new one is there."""

    def act(self) -> None:
        try:
            Path(self.path).write_bytes(self.content())
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.path) from None


class Trusting(Careless):
    """Believes that a write writes all."""

    def act(self) -> None:
        with open(f"{self.path}.partial", "wb", buffering=0) as file:
            file.write(self.content())
        os.replace(f"{self.path}.partial", self.path)


class Silent(Careless):
    """Says nothing of what fails."""

    def act(self) -> None:
        with contextlib.suppress(OSError):
            Path(self.path).write_bytes(self.content())


class Untidy(Careless):
    """Leaves files behind, and open."""

    def act(self) -> None:
        descriptor = os.open(f"{self.path}.partial", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        content = self.content()
        while content:
            content = content[os.write(descriptor, content) :]
        os.fsync(descriptor)
        os.close(descriptor)
        os.replace(f"{self.path}.partial", self.path)


class Vague(Careless):
    """Says that something went wrong."""

    def act(self) -> None:
        try:
            super().act()
        except OSError as error:
            raise OSError(error.errno, "something went wrong") from None

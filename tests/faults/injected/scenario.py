"""What is done while faults strike, and what must hold afterwards: the part that all scenarios share."""

from __future__ import annotations

import abc
import dataclasses
import errno
import os
import shutil
from pathlib import Path

from octavo.errors import OctavoError, StorageError
from tests.faults.injected.faults import MAKES_DURABLE, Fault, Kind
from tests.faults.injected.ways import WAYS


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How it went."""

    fault: Fault
    struck: Kind
    error: BaseException | None


class Scenario(abc.ABC):
    """Files in a folder, and something that is done with them."""

    writes = True
    """Whether bytes that cannot be written, or made durable, must be an error."""

    is_told = False
    """Whether a warning has said what is missing."""

    def __init__(self, folder: str, way: str, io: str) -> None:
        self.folder = folder
        self.way = WAYS[way]
        self.io = io
        self.path = os.path.join(folder, f"out{self.way.suffix}")
        self.before: dict[str, bytes] = {}
        self.clear()
        self.prepare()
        self.before = self.files()

    @abc.abstractmethod
    def prepare(self) -> None:
        """Makes the files that are there before."""

    @abc.abstractmethod
    def act(self) -> None:
        """Does it."""

    @abc.abstractmethod
    def check_success(self, outcome: Outcome) -> None:
        """Everything is as it would be without a fault, but for what could not be removed."""

    @abc.abstractmethod
    def check_failure(self, outcome: Outcome) -> None:
        """Nothing that counts is lost, nothing is left over."""

    def clear(self) -> None:
        """An empty folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)

    def reset(self) -> None:
        """The folder as it was before."""
        self.clear()
        for name, content in self.before.items():
            path = Path(self.folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)

    def files(self) -> dict[str, bytes]:
        """What is in the folder."""
        paths = [path for path in Path(self.folder).rglob("*") if path.is_file()]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in paths}

    def check(self, outcome: Outcome) -> None:
        """What must hold, whatever happened."""
        error = outcome.error
        if error is None:
            loses = outcome.fault.loses_bytes and self.writes and outcome.struck & MAKES_DURABLE
            assert not loses or self.is_told, "nothing was said of bytes that cannot be there"
            self.check_success(outcome)
            return
        assert not outcome.fault.is_survived, f"was not survived: {error!r}"
        self.check_clear(error, outcome.fault)
        self.check_failure(outcome)

    def check_clear(self, error: BaseException, fault: Fault) -> None:
        """An error that a reader of logs understands."""
        assert isinstance(error, OctavoError | OSError), f"{type(error).__name__} is no error of octavo: {error!r}"
        text = str(error)
        assert "panic" not in text.lower(), f"a panic: {error!r}"
        assert self.folder in text or self.folder in str(getattr(error, "filename", "")), f"names no file: {error!r}"
        if isinstance(error, StorageError):
            assert error.errno == fault.what, f"does not say {errno.errorcode[fault.what]}: {error!r}"

    def check_leftovers(self, outcome: Outcome, allowed: set[str]) -> set[str]:
        """What is there beside what may be there; only what could not be removed."""
        left = self.files().keys() - allowed
        assert not left or outcome.struck & Kind.UNLINK, f"left behind: {sorted(left)}"
        return left

"""How files become visible together: what is to be done is written down first, and can be undone by whoever reads it.

A driver may be killed at any instant. What it leaves is undone (`undo`) by the next job that writes into the folder, or
by `clean_up`: new files are hidden again, and those that were to be replaced come back. Old and new ones never stand
side by side: all old ones are put aside before the first new one is shown.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import time
from typing import Any

from octavo._location import is_remote
from octavo._side_files import INDEX
from octavo.errors import AlreadyExistsError, DamagedFileError, NotFoundError, StorageError
from octavo.integrations import _staging_folder as folders

JOURNAL = "journal"
_FOUND = "found"
_PATIENCE_S = 10.0  # to come to the end of a commit that is under way
_PAUSE_S = 0.05
_ASIDE = "replaced-"
_SHOWN = "shown-"  # notes, for copies in an object store are known by tags that the store gives them


def write_found(hidden: str, found: dict[str, folders.Stamp]) -> None:
    """Keep which record files a job has found when it began, and is to replace."""
    folders.write(folders.join(hidden, _FOUND), json.dumps(found).encode())


def read_found(hidden: str) -> dict[str, folders.Stamp]:
    """Those; none if it is not to replace any."""
    content = folders.read(folders.join(hidden, _FOUND))
    return {} if content is None else {name: tuple(stamp) for name, stamp in json.loads(content).items()}


@dataclasses.dataclass(frozen=True)
class Move:
    """From where a part waits to where it will be."""

    staged: str
    """Its name in the hidden place."""
    name: str
    """Its name in the folder."""
    stamp: folders.Stamp
    """By which it is known if it is not in the hidden place any more."""


@dataclasses.dataclass(frozen=True)
class Journal:
    """What one commit does."""

    folder: str
    hidden: str
    mode: str
    moves: list[Move]
    old: dict[str, folders.Stamp]
    """What is to be replaced or removed: record files and their indexes, in the order of their names."""

    @classmethod
    def read(cls, folder: str, hidden: str) -> Journal | None:
        """That of a commit which is under way, or was cut off."""
        path = folders.join(hidden, JOURNAL)
        content = folders.read(path)
        if content is None:
            return None
        try:
            entries: dict[str, Any] = json.loads(content)
            moves = [Move(staged, name, tuple(stamp)) for staged, name, stamp in entries["moves"]]
            old = {name: tuple(stamp) for name, stamp in entries["old"].items()}
            for name in [*old, *(name for move in moves for name in (move.staged, move.name))]:
                _check_plain(name)
            return cls(folder, hidden, str(entries["mode"]), moves, old)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise DamagedFileError(f"{path}: this is not what a commit writes down", path=path) from error

    def write(self) -> None:
        """From here on it can be undone."""
        moves = [dataclasses.astuple(move) for move in self.moves]
        entries = {"mode": self.mode, "moves": moves, "old": self.old}
        folders.write(self._hidden(JOURNAL), json.dumps(entries).encode())

    def carry_out(self) -> None:
        """Put all old files aside, then show all new ones."""
        for name in self.old:
            folders.place(self._visible(name), self._hidden(_ASIDE + name))
        for name in reversed(self.old):  # an index first: it does not count if its file comes back later than it was
            folders.remove(self._visible(name))
        waiting = folders.files(self.hidden)
        for move in self.moves:
            final = self._visible(move.name)
            folders.place(self._hidden(move.staged), final)
            self._note(move.name)
            if move.staged + INDEX in waiting:  # later than the file, or it would not count
                folders.place_index(self._hidden(move.staged + INDEX), final, move.stamp)

    def undo(self) -> None:
        """As if nothing had been done, however far it came; can be repeated, too.

        Raises:
            AlreadyExistsError: Somebody else has put a file where an old one was.
        """
        waiting, present = folders.files(self.hidden), folders.files(self.folder)
        for move in self.moves:
            if self._is_shown(move, waiting, present):
                if move.name + INDEX in present:
                    folders.take_back(self._hidden(move.staged + INDEX), self._visible(move.name + INDEX))
                folders.take_back(self._hidden(move.staged), self._visible(move.name))
        present = folders.files(self.folder)
        for name in [name for name in self.old if _ASIDE + name in waiting]:
            if not self._is_untouched(name, present.get(name)):
                self._put_back(name, is_free=name not in present)
        folders.sync(self.folder)
        self._renew_found()
        for name in waiting:
            if name.startswith((_ASIDE, _SHOWN)):
                folders.remove(self._hidden(name))
        folders.remove(self._hidden(JOURNAL))

    def _put_back(self, name: str, *, is_free: bool) -> None:
        aside, final = self._hidden(_ASIDE + name), self._visible(name)
        of = name.removesuffix(INDEX)
        if is_free and name.endswith(INDEX) and of in self.old:
            folders.place_index(aside, self._visible(of), self.old[of])
        elif is_free:
            folders.place(aside, final)
        elif not folders.is_same(aside, final):  # or somebody was killed while he undid this
            raise AlreadyExistsError(
                f"{final}: somebody else has put it there while a job was replacing it; the one before is {aside}",
                path=final,
            )

    def _renew_found(self) -> None:
        """Objects that were put back are known by other tags than when the job began, which may commit again."""
        found = read_found(self.hidden)
        present = folders.files(self.folder)
        known = {name: present.get(name, stamp) if name in self.old else stamp for name, stamp in found.items()}
        if known != found:
            write_found(self.hidden, known)

    def _is_shown(self, move: Move, waiting: dict[str, folders.Stamp], present: dict[str, folders.Stamp]) -> bool:
        """Whether what has the name is the part, and not the file of somebody else."""
        stamp = present.get(move.name)
        if stamp is None:
            return False
        if move.staged not in waiting:
            return stamp == move.stamp[: len(stamp)]
        note = folders.read(self._hidden(_SHOWN + move.name))
        if note is not None:
            return stamp == tuple(json.loads(note))
        if self._is_untouched(move.name, stamp):
            return False
        return folders.is_same(self._hidden(move.staged), self._visible(move.name))

    def _is_untouched(self, name: str, stamp: folders.Stamp | None) -> bool:
        """Whether this is an old object. The tag tells, and spares a look into it; local ones are asked themselves."""
        return is_remote(self.folder) and name in self.old and self.old[name] == stamp

    def _note(self, name: str) -> None:
        if is_remote(self.folder):
            folders.write(self._hidden(_SHOWN + name), json.dumps(folders.stamp(self._visible(name))).encode())

    def _visible(self, name: str) -> str:
        return folders.join(self.folder, name)

    def _hidden(self, name: str) -> str:
        return folders.join(self.hidden, name)


def _check_plain(name: str) -> None:
    if not name or name in {".", ".."} or any(letter in name for letter in "/\\\0"):
        raise ValueError(name)


def settle_others(folder: str, mode: str, own: str = "") -> None:
    """Undo what other jobs were doing when they died.

    Where nobody can tell whether such a job is dead, in an object store, one that replaces files or may be replaced
    is an error, unless files are appended.

    Args:
        folder: Where files become visible.
        mode: That of the job that asks.
        own: Its hidden place.
    """
    for hidden in folders.hidden_places(folder):
        if hidden == own:
            continue
        journal = Journal.read(folder, hidden) if folders.is_made(hidden) else None
        if journal is not None and not _is_settled(journal) and "append" not in {mode, journal.mode}:
            # Of two that see each other the younger gives up at once, so that one of them comes through.
            _wait_until_settled(journal, _PATIENCE_S if own and own < hidden else 0)
        if not folders.is_made(hidden):
            with contextlib.suppress(StorageError):  # nobody needs it, whoever could not remove it
                folders.sweep(hidden)


def _is_settled(journal: Journal) -> bool:
    """Undo it if its job is dead for certain; whether it is over."""
    with contextlib.ExitStack() as stack:
        try:
            is_certain = stack.enter_context(folders.held(journal.hidden))
        except NotFoundError:
            return True
        except AlreadyExistsError:
            return False
        if Journal.read(journal.folder, journal.hidden) is None or not folders.is_made(journal.hidden):
            return True
        if is_certain:
            journal.undo()
            folders.retire(journal.hidden)
        return is_certain


def _wait_until_settled(journal: Journal, patience_s: float) -> None:
    deadline = time.monotonic() + patience_s
    while not _is_settled(journal):
        if time.monotonic() >= deadline:
            raise AlreadyExistsError(
                f"{journal.folder}: another job is making its files visible here, or was killed meanwhile (see "
                f"{journal.hidden}); if no job writes into this folder now, clean_up(folder) undoes what it has done; "
                "octavo.integrations.ray has it, and octavo.integrations.spark",
                path=journal.folder,
            )
        time.sleep(_PAUSE_S)


def clean_up(folder: str | os.PathLike[str]) -> list[str]:
    """Remove what jobs that were killed have left in a folder; a commit that was cut off is undone.

    Call it when no job writes into the folder: the files of one that does are taken from it.

    Args:
        folder: A path or a URL.

    Returns:
        The hidden places that were found, which are gone now.

    Raises:
        AlreadyExistsError: A job is making its files visible now.
    """
    where = folders.absolute(folder)
    found = folders.hidden_places(where)
    for hidden in found:
        if folders.is_made(hidden):
            with folders.held(hidden):
                if (journal := Journal.read(where, hidden)) is not None:
                    journal.undo()
                folders.retire(hidden)
        folders.sweep(hidden)
    return found

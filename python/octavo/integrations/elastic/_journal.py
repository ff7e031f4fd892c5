"""What a dispatcher has promised, kept in a folder, so that the next one goes on where it stopped.

The journal is a row of small files, `000000000042.json`, each of which is created once, whole, and never changed. A
dispatcher that finds a number taken knows that another one has followed it, and stops: two that run at the same time,
because one was thought to be dead, cannot both go on. Now and then a file holds everything, and those before it go.
"""

from __future__ import annotations

import json
import re
import secrets
from typing import Any

from octavo._location import format_of_name
from octavo.errors import AlreadyExistsError, DamagedFileError, OptionError, SourceChangedError
from octavo.integrations.elastic._entries import Entry, Key, read_change
from octavo.integrations.elastic._pages import create, read
from octavo.storage import _folders as folders

_NAME = re.compile(r"([0-9]{12,18})\.json")
_MOST_LOOKS = 10


class Journal:
    """The files in one folder, from the last that holds everything on."""

    def __init__(self, folder: str, job: dict[str, Any], task_count: int) -> None:
        self._folder = folder
        self._job = job
        self._task_count = task_count
        self._by = secrets.token_hex(8)
        self._next = 0
        self._has_written = False
        self.is_begun = False
        """Whether there is anything."""
        self.since_whole = 0
        """How many files there are behind the last that holds everything."""

    def read(self) -> list[list[Any]]:
        """All changes; of an empty folder, none. It may be asked again when a page could not be written.

        Raises:
            OptionError: The folder is that of another job.
            SourceChangedError: This journal has written pages, and another dispatcher has since.
            DamagedFileError: No dispatcher has written what is there.
        """
        contents = self._contents()
        numbers = list(contents)
        self._next = numbers[-1] + 1 if numbers else 0
        said = numbers.copy()
        while said and not contents[said[-1]]:  # its dispatcher died before it could say anything
            said.pop()
        self.is_begun = bool(said)
        if not said:
            return []
        pages: dict[int, dict[str, Any]] = {}
        for number in reversed(said):
            pages[number] = self._page(number, contents[number])
            if "job" in pages[number]:
                break
        if self._has_written and pages[said[-1]].get("by") != self._by:
            raise self._taken_over()
        start = min(pages)
        if "job" not in pages[start] or numbers[numbers.index(start) :] != list(range(start, self._next)):
            raise DamagedFileError(f"{self._folder}: files are missing in the journal", path=self._folder)
        self._check_job(pages[start]["job"])
        self._check_changes(pages)
        return [change for number in sorted(pages) for change in pages[number]["changes"]]

    def append(self, changes: list[list[Any]]) -> None:
        """Keep some changes."""
        self._create({"changes": changes})
        self.since_whole += 1

    def write_whole(self, everything: list[list[Any]]) -> None:
        """Keep everything in one file, and drop those before it."""
        self._create({"job": self._job, "changes": everything})
        self.since_whole = 0
        self.is_begun = True
        for number in self._numbers():  # only now: of the pages that are there, one is always the last
            if number < self._next - 1:
                folders.remove(self._path(number))

    def check_last(self) -> None:
        """Nobody has written behind this journal.

        Raises:
            SourceChangedError: Another dispatcher has.
        """
        if self._numbers()[-1:] != [self._next - 1]:
            raise self._taken_over()

    def _create(self, page: dict[str, Any]) -> None:
        """Create the next file, or find that another dispatcher has."""
        path = self._path(self._next)
        content = json.dumps(page | {"by": self._by}).encode()
        folders.make(self._folder)
        try:
            create(path, content)
        except AlreadyExistsError:
            if read(path) != content:  # a store that is asked again finds what it was given before
                raise self._taken_over() from None
        # The number may be free because a successor came this far and has dropped it; then there are later ones.
        self._next += 1
        self.check_last()
        self._has_written = True

    def _taken_over(self) -> SourceChangedError:
        message = f"{self._folder}: another dispatcher has taken over this job; this one stops"
        return SourceChangedError(message, path=self._folder)

    def _check_job(self, job: dict[str, Any]) -> None:
        if job != self._job:
            differ = ", ".join(sorted(name for name in {*job, *self._job} if job.get(name) != self._job.get(name)))
            message = f"{self._folder}: this is the journal of another job: {differ} differ; choose another folder"
            raise OptionError(message)

    def _check_changes(self, pages: dict[int, dict[str, Any]]) -> None:
        entries: dict[Key, Entry] = {}
        for number in sorted(pages):
            try:
                for change in pages[number]["changes"]:
                    key, entry = read_change(change, epochs=self._job["epochs"], task_count=self._task_count)
                    entries[key] = entry
            except ValueError as error:
                raise self._damaged(number, str(error)) from error
        tokens = [entry.token for entry in entries.values() if entry.token is not None]
        if len(set(tokens)) != len(tokens):
            raise self._damaged(max(pages), "two tasks have the same token")

    def _numbers(self) -> list[int]:
        found = [_NAME.fullmatch(name) for name in folders.names_in(self._folder)]
        return sorted(int(name[1]) for name in found if name)

    def _contents(self) -> dict[int, bytes]:
        """All pages. Some may go meanwhile, because a dispatcher that still runs has put them together."""
        for _ in range(_MOST_LOOKS):
            contents = {number: read(self._path(number)) for number in self._numbers()}
            present = {number: content for number, content in contents.items() if content is not None}
            if len(present) == len(contents):
                return present
        raise DamagedFileError(f"{self._folder}: files of the journal cannot be found", path=self._folder)

    def _page(self, number: int, content: bytes) -> dict[str, Any]:
        if not content:
            raise self._damaged(number, "it is empty, and others follow")
        try:
            page = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise self._damaged(number, str(error)) from error
        if not isinstance(page, dict) or not isinstance(page.get("changes"), list):
            raise self._damaged(number, "it has no list of changes")
        if not isinstance(page.get("job", {}), dict):
            raise self._damaged(number, "it does not say whose job it is of")
        return page

    def _damaged(self, number: int, why: str) -> DamagedFileError:
        path = self._path(number)
        return DamagedFileError(f"{path}: this is no page of a journal: {why}", path=path)

    def _path(self, number: int) -> str:
        return folders.join(self._folder, f"{number:012d}.json")


def check_unused(folder: str) -> None:
    """A job begins in a folder without records: they would be taken for its own."""
    if present := [name for name in folders.names_in(folder) if format_of_name(name)]:
        raise AlreadyExistsError(
            f"{folder}: record files are there already, {len(present)} of them, such as {present[0]}, and no journal "
            "of a job; choose another folder",
            path=folder,
        )

"""Small files without an index, cut at every length and changed in every byte, in a process with little memory.

What holds for each of them: records come by whole chunks, in order, with the right bytes; what is missing is missed by
an error, a warning and `verify`; appending and trimming cut off nothing but the rest of an interrupted append; and
recovery saves every chunk that is whole.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import random
import resource
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import octavo
from octavo.errors import FormatError, OctavoError, TornAppendWarning, UnsupportedError
from tests.faults import samples
from tests.naive import recordio, tfrecord

MEMORY_BYTES = 600 << 20
GROUP_SIZE = 2
# All of them distinct, one empty, one with the beginning of a chunk in it.
RECORDS = [b"first", b"", b"second" * 9, b"third", recordio.MAGIC + b"\1\0\0\0", b"fourth"]
MORE = b"more"


@dataclasses.dataclass(frozen=True)
class File:
    """A sound file: where its chunks begin, and which records are in them; nowhere, if it is compressed as a whole."""

    path: Path
    content: bytes
    begins: list[int]
    groups: list[list[bytes]]

    def in_front_of(self, size: int) -> list[bytes]:
        """The records of all chunks that end in the first `size` bytes."""
        return list(itertools.chain.from_iterable(self.groups[: self._ended(size)]))

    def whole_bytes(self, size: int) -> int:
        return [*self.begins, len(self.content)][self._ended(size)]

    def _ended(self, size: int) -> int:
        return sum(end <= size for end in [*self.begins, len(self.content)][1:])

    def without(self, place: int) -> list[bytes]:
        """The records of all chunks but the one that has that byte."""
        spoilt = sum(begin <= place for begin in self.begins) - 1
        return [record for number, group in enumerate(self.groups) if number != spoilt for record in group]

    def headers(self) -> set[int]:
        """The bytes of all headers."""
        size = tfrecord.HEADER if self.path.suffix == ".tfrecord" else recordio.HEADER
        return {begin + at for begin in self.begins for at in range(size)}


def _sound_file(folder: str, stream: str) -> File:
    path = Path(folder) / f"damaged.{(samples.STREAMS | samples.COMPRESSED)[stream]['format']}"
    samples.write_stream(path, RECORDS, stream, group_size=GROUP_SIZE)
    content = path.read_bytes()
    if stream in samples.COMPRESSED:
        return File(path, content, [], [])
    if path.suffix == ".tfrecord":
        return File(
            path, content, [frame.offset for frame in tfrecord.NaiveFile(content).frames], [[r] for r in RECORDS]
        )
    begins = [header.offset for header in recordio.NaiveFile(content).headers]
    return File(path, content, begins, [RECORDS[at : at + GROUP_SIZE] for at in range(0, len(RECORDS), GROUP_SIZE)])


@dataclasses.dataclass(frozen=True)
class Seen:
    """What came of reading a file in every way."""

    found: list[bytes]
    count: int
    torn_bytes: int
    is_refused: bool = False

    @property
    def is_sound(self) -> bool:
        return not self.is_refused and self.torn_bytes == 0 and self.count == len(self.found)


def _open(path: Path) -> tuple[octavo.Reader, int]:
    """A reader, and the bytes of an interrupted append; there is a warning if, and only if, there are any."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        reader = octavo.open(path)
    torn_bytes = reader.info.torn_bytes
    assert [one.category for one in caught] == [TornAppendWarning] * (torn_bytes > 0), "warned for no reason, or not"
    return reader, torn_bytes


def _single(reader: octavo.Reader) -> dict[int, bytes]:
    found = {}
    # A header may promise thousands of records; none of them is there.
    for number in {*range(min(len(reader), 50)), *range(max(0, len(reader) - 50), len(reader))}:
        with contextlib.suppress(FormatError):
            found[number] = reader[number]
    return found


def _check_name(error: OctavoError, path: Path) -> None:
    assert error.path == str(path), f"the error does not name the file: {error!r}"


def _see(path: Path) -> Seen:
    try:
        reader, torn_bytes = _open(path)
    except FormatError as error:
        _check_name(error, path)
        assert not octavo.verify(path).ok, "verify says that a file is sound that cannot be opened"
        return Seen([], 0, 0, is_refused=True)
    count, single = len(reader), _single(reader)
    in_front = list(itertools.takewhile(lambda number: number in single, range(count)))
    iterated: list[bytes] = []
    with contextlib.suppress(FormatError):
        iterated.extend(reader)
        assert len(iterated) == count, "the iteration ended too early, without an error"
    assert iterated == [single[number] for number in in_front], "iteration gave something else"
    try:
        together = reader.read_all()
    except FormatError:
        assert len(single) < count, "read_all fails where every record can be read"
    else:
        assert together == iterated, "read_all gave something else"
        assert len(together) == count, "read_all lost records"
    seen = Seen([single[number] for number in sorted(single)], count, torn_bytes)
    _check_verify(path, seen, single)
    return seen


def _check_verify(path: Path, seen: Seen, single: dict[int, bytes]) -> None:
    report = octavo.verify(path)
    assert report.ok == seen.is_sound, f"verify: {report}"
    assert report.record_count == seen.count
    bad = [(one.record, one.record_count) for one in report.damage if one.record is not None]
    assert sum(count for _, count in bad) == seen.count - len(single), f"verify: {report}"
    assert all(number not in single for first, count in bad for number in range(first, first + min(count, 50)))


def _check_unchecked(path: Path) -> None:
    """Nobody promises right bytes then, but still an error or records."""
    with contextlib.suppress(OctavoError), warnings.catch_warnings():
        warnings.simplefilter("ignore", TornAppendWarning)
        reader = octavo.open(path, check_data=False)
        for number in range(min(len(reader), 10)):
            with contextlib.suppress(OctavoError):
                reader[number]
        reader.read_all()


def _is_part(found: list[bytes], of: list[bytes]) -> bool:
    rest = iter(of)
    return all(record in rest for record in found)


def _are_among(found: list[bytes], of: list[bytes]) -> bool:
    return {*found} <= {*of}


def _check_trim(path: Path, content: bytes, seen: Seen) -> None:
    try:
        cut = octavo.trim(path)
    except FormatError:
        assert seen.is_refused, "trim refuses what opens"
        cut = 0
    assert cut == seen.torn_bytes
    assert path.read_bytes() == content[: len(content) - cut], "trim changed something else"
    path.write_bytes(content)


def _check_append(path: Path, content: bytes, seen: Seen) -> None:
    """Nothing is lost by it that could be read before, and nothing is touched where it is refused."""
    try:
        with octavo.append(path) as writer:
            writer.write(MORE)
    except (FormatError, UnsupportedError):
        assert path.read_bytes() == content, "a refused append changed the file"
    else:
        whole = content[: len(content) - seen.torn_bytes]
        assert path.read_bytes().startswith(whole), "append cut off something else than a torn end"
        after = _see(path)
        assert (after.found, after.count, after.torn_bytes) == ([*seen.found, MORE], seen.count + 1, 0)
    path.write_bytes(content)


def _recover(path: Path) -> tuple[octavo.RecoverReport, list[bytes]]:
    target = path.with_name(f"saved-{path.name}")
    report = octavo.recover(path, target, overwrite=True)
    saved = octavo.open(target).read_all()
    assert report.record_count == len(saved)
    return report, saved


def _use(file: File, content: bytes) -> tuple[Seen, list[bytes]]:
    """Everything that can be done with the file after an accident."""
    file.path.write_bytes(content)
    seen = _see(file.path)
    is_right = _is_part if file.groups else _are_among
    assert is_right(seen.found, RECORDS), f"wrong records: {seen.found}"
    if file.groups:
        assert all(set(group) & set(seen.found) in (set(), set(group)) for group in file.groups), "a part of a chunk"
    _check_unchecked(file.path)
    _check_trim(file.path, content, seen)
    _check_append(file.path, content, seen)
    report, saved = _recover(file.path)
    assert file.path.read_bytes() == content, "recovery changed its source"
    assert is_right(saved, RECORDS), f"saved, but never there: {saved}"
    assert _is_part(seen.found, saved), f"saved less than what opens: {saved}"
    assert report.ok == seen.is_sound, f"{report} of {seen}"
    return seen, saved


def _cut(file: File, _: random.Random) -> None:
    """Every length: what ends where a chunk ends looks like a whole file, all else is an interrupted append."""
    for size in range(len(file.content) + 1):
        with _named(f"cut at {size}"):
            seen, saved = _use(file, file.content[:size])
            whole = file.in_front_of(size)
            assert seen == Seen(whole, len(whole), size - file.whole_bytes(size))
            assert saved == whole


def _clear(file: File, _: random.Random) -> None:
    """Zeros from every byte on, as a crash of the machine may leave them. What was whole in front of them still is."""
    size = len(file.content)
    for place in range(size):
        content = file.content[:place].ljust(size, b"\0")
        if file.content[place] == 0:
            continue  # the next one gives the same
        with _named(f"zeros from {place} on"):
            seen, saved = _use(file, content)
            assert not seen.is_sound, "nobody noticed"
            assert saved == seen.found == file.in_front_of(place)
            if place > 0 and place in file.begins:  # nothing but zeros may be a file of any format
                assert seen == Seen(saved, len(saved), size - place)


def _flip(file: File, chosen: random.Random) -> None:
    """Every byte. Nothing of that is an interrupted append."""
    headers = file.headers()
    for place in range(len(file.content)):
        bits = [1 << number for number in chosen.sample(range(8), 4)]
        flips = {0xFF, *bits} if place in headers else {chosen.randint(1, 255)}
        for flip in flips:
            with _named(f"{flip:#x} flipped in byte {place}"):
                _flip_one(file, place, flip, is_in_header=place in headers)


def _flip_one(file: File, place: int, flip: int, *, is_in_header: bool) -> None:
    content = file.content[:place] + bytes([file.content[place] ^ flip]) + file.content[place + 1 :]
    seen, saved = _use(file, content)
    assert not seen.is_sound, "nobody noticed"
    assert seen.torn_bytes == 0, "taken for an interrupted append"
    rest = file.without(place)
    if not is_in_header:
        assert (seen.found, seen.count) == (rest, len(RECORDS))
    # A first header that says another codec may be a right one of another dialect, of which no other chunk is.
    assert _is_part(rest, saved) or (place < recordio.HEADER and saved == RECORDS[:GROUP_SIZE]), f"saved: {saved}"


def _spoil(file: File, _: random.Random) -> None:
    """A file that is compressed as a whole: every length, every bit, and zeros from every byte on.

    Some bits of it mean nothing. And a bit may turn a piece of the stream into a copy of what came before it, whole
    records with their checksums; the checksum of the stream knows.
    """
    content = file.content
    for place in range(len(content)):
        rest = content[place + 1 :]
        flipped = {f"bit {bit}": content[:place] + bytes([content[place] ^ 1 << bit]) + rest for bit in range(8)}
        cases = {"cut": content[:place], "zeros": content[:place].ljust(len(content), b"\0"), **flipped}
        for kind, spoilt in cases.items():
            with _named(f"{kind} at {place}"):
                seen, saved = _use(file, spoilt)
                tells_nothing = len(spoilt) < 2 or not any(spoilt)
                assert seen.torn_bytes == 0 or tells_nothing, "taken for an interrupted append"
                if seen.is_sound and spoilt:  # no bytes are no records
                    assert seen.found == saved == RECORDS, "nobody noticed"
                if kind == "cut":
                    assert seen.found == RECORDS[: len(seen.found)]


@contextlib.contextmanager
def _named(what: str) -> Iterator[None]:
    try:
        yield
    except BaseException as failure:
        failure.add_note(what)
        raise


DAMAGES: dict[str, Callable[[File, random.Random], None]] = {"cut": _cut, "clear": _clear, "flip": _flip}
DAMAGES_OF_THE_WHOLE = {"spoil": _spoil}


def survive(folder: str, stream: str, damages: str) -> None:
    """Damages of one kind, all of them."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    (DAMAGES | DAMAGES_OF_THE_WHOLE)[damages](_sound_file(folder, stream), random.Random(stream))

"""Everything that can be done with a file that lies, in a process with little memory."""

from __future__ import annotations

import contextlib
import itertools
import mmap
import os
import resource
import shutil
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import octavo
from octavo.errors import OctavoError, TornAppendWarning
from tests.faults.programs.outcome import say

MEMORY_BYTES = 600 << 20
RESIDENT_BYTES = 192 << 20  # pages of the file itself are among them, where it is mapped
MORE = b"more"


def limit_memory(most: int = MEMORY_BYTES) -> None:
    """Addresses are limited by the system, and what is used of them is measured at the end."""
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    warnings.simplefilter("ignore", TornAppendWarning)


def check_memory() -> None:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    assert used < RESIDENT_BYTES, f"{used >> 20} MB were used for a small file"


def _ways(truth: list[bytes]) -> dict[str, Callable[[octavo.Reader], bool]]:
    """Each says whether what it read was right."""
    some = [0, len(truth) // 2, len(truth) - 1, 0]
    return {
        "read_all": lambda reader: reader.read_all() == truth,
        "iteration": lambda reader: list(itertools.islice(reader, 1000)) == truth,
        "backwards": lambda reader: list(itertools.islice(reversed(reader), 1000)) == truth[::-1],
        "read": lambda reader: reader.read(some) == [truth[number] for number in some],
        "read_range": lambda reader: reader.read_range(0, 2) == truth[:2],
        "read_batch": lambda reader: reader.read_batch(some).to_list() == [truth[number] for number in some],
        "slice": lambda reader: list(reader[1:3]) == truth[1:3],
        "single": lambda reader: all(_single(reader, number, truth) for number in range(len(truth))),
        "last": lambda reader: reader[-1] == truth[-1],
        "info": lambda reader: reader.info.record_count == len(reader),
    }


def _single(reader: octavo.Reader, number: int, truth: list[bytes]) -> bool:
    with contextlib.suppress(OctavoError):
        return reader[number] == truth[number]
    return True


def _check_name(error: OctavoError, path: str) -> None:
    assert error.path == path, f"the error does not name the file: {error!r}"


def _read(path: str, truth: list[bytes], **options: Any) -> bool:
    """Whether all of it can be read."""
    try:
        reader = octavo.open(path, **options)
    except OctavoError as error:
        _check_name(error, path)
        return False
    is_whole = False
    for name, way in _ways(truth).items():
        with contextlib.suppress(OctavoError):
            assert way(reader), f"{name} gave something else"
            is_whole |= name == "read_all"
    assert not is_whole or len(reader) == len(truth), f"{len(reader)} records"
    return is_whole


def _verify(path: str, *, can_be_read: bool) -> None:
    with contextlib.suppress(OctavoError):
        report = octavo.verify(path)
        assert can_be_read or not report.ok, "verify finds nothing wrong with what cannot be read"


def _beside(path: str, name: str) -> str:
    stem, suffix = os.path.splitext(path)
    return f"{stem}.{name}{suffix}"


def _recover(path: str, truth: list[bytes]) -> None:
    """What is saved are true records, or lines of an index that cannot be told from records any more."""
    target = _beside(path, "recovered")
    try:
        report = octavo.recover(path, target)
    except OctavoError:
        assert not os.path.exists(target)
        return
    saved = octavo.open(target).read_all()
    assert len(saved) == report.record_count
    content = Path(path).read_bytes()
    for record in without_part(saved, truth):
        assert record not in truth, f"saved twice: {record[:60]!r}"
        assert record in content, f"saved, but never there: {record[:60]!r}"


def without_part(found: Iterable[bytes], truth: list[bytes]) -> list[bytes]:
    """What is left when records that are some of the truth, in its order, are taken away."""
    at, others = 0, []
    for record in found:
        if record in truth[at:]:
            at = truth.index(record, at) + 1
            continue
        others.append(record)
    return others


def _append(path: str, truth: list[bytes]) -> None:
    copied = shutil.copy(path, _beside(path, "grown"))
    try:
        with octavo.append(copied) as writer:
            writer.write(MORE)
    except OctavoError:
        _read(copied, truth)
    else:
        _read(copied, [*truth, MORE])


def be_lied_to(path: str, truth: list[str], *, hashes_hold: bool = True) -> None:
    """Reads, verifies, recovers and appends to a file; an error of octavo is as good as the truth."""
    limit_memory()
    records = [bytes.fromhex(record) for record in truth]
    can_be_read = _read(path, records)
    if hashes_hold:
        # So they make no difference; nor does the place where the index is kept.
        _read(path, records, check_data=False)
    else:
        with contextlib.suppress(OctavoError):
            octavo.open(path, check_data=False).read_all()
    if path.endswith(".array_record"):
        _read(path, records, index_storage="offloaded")
    _verify(path, can_be_read=can_be_read)
    _recover(path, records)
    _append(path, records)
    check_memory()


def be_lied_to_again_and_again(folder: str, truth: list[str], doubtful: list[str]) -> None:
    """The same with every file of a folder. The hashes of the doubtful ones do not hold."""
    for name in sorted(os.listdir(folder)):
        try:
            be_lied_to(os.path.join(folder, name), truth, hashes_hold=name not in doubtful)
        except BaseException as failure:
            failure.add_note(name)
            raise


def meet_a_bomb(path: str, beside: list[str]) -> None:
    """A record of half a gigabyte or more, and no memory for it; what stands beside it can be read all the same."""
    os.environ["OCTAVO_MAX_EXPANSION"] = "none"  # or else it would not be opened
    limit_memory(MEMORY_BYTES // 2)
    records = [bytes.fromhex(record) for record in beside]
    reader = octavo.open(path)
    first = len(reader) - len(records)
    calls: dict[str, Callable[[], object]] = {
        "single": lambda: reader[0],
        "read": lambda: reader.read([0, first]),
        "read_batch": lambda: reader.read_batch([first, 0]),
        "read_into": lambda: reader.read_into([0], bytearray(10)),
        "read_all": reader.read_all,
        "iteration": lambda: list(reader),
        "backwards": lambda: list(reversed(reader)),
        "search": lambda: b"not there" in reader,
    }
    for name, call in calls.items():
        try:
            call()
        except (OctavoError, MemoryError) as error:
            say(f"{name}: {error!r}"[:200])
        else:
            raise AssertionError(f"{name} had memory enough")
        assert reader.read(range(first, len(reader))) == records, f"wrong bytes after {name}"
    assert not octavo.verify(path).ok
    target = _beside(path, "recovered")
    octavo.recover(path, target)
    assert octavo.open(target).read_all() == records


def search(path: str, truth: list[str], saved: list[str]) -> None:
    """Opens, verifies, recovers and appends to a file in which there is no end of what might be the next chunk."""
    limit_memory()
    records = [bytes.fromhex(record) for record in truth]
    reader = octavo.open(path)
    assert reader.read(range(len(records))) == records
    reader.close()
    assert not octavo.verify(path).ok
    target = _beside(path, "recovered")
    report = octavo.recover(path, target)
    assert not report.ok
    found = octavo.open(target).read_all()
    assert found[: len(records)] == records
    assert {*found[len(records) :]} <= {bytes.fromhex(record) for record in saved}
    check_memory()


def recover_from_no_end_of_heads(path: str, behind: str) -> None:
    """Recovers a side file in which there is no end of what might be a block; it may give up before the last one."""
    target = f"{path}.recovered.ffr"
    octavo.recover(path, target)
    assert octavo.open(target).read_all() in ([bytes.fromhex(behind)], [])


def count_in_little_memory(path: str, records: int) -> None:
    """Where there is not enough for the index, that is an error; where there is, the records are counted."""
    limit_memory()
    octavo.open(b"", format="tfrecord")  # threads have their stacks before it becomes narrow
    free = _free_addresses()
    counted = []
    for left in (4 << 20, 8 << 20, 12 << 20, 16 << 20, 24 << 20, 32 << 20, 64 << 20, 128 << 20):
        with mmap.mmap(-1, free - left):  # addresses, and no memory
            try:
                assert len(octavo.open(path, io="pread")) == records  # a mapping has addresses, too
            except (OctavoError, MemoryError):
                counted.append(False)
            else:
                counted.append(True)
    assert (counted[0], counted[-1]) == (False, True), counted


def _free_addresses() -> int:
    size = MEMORY_BYTES
    while True:
        try:
            mmap.mmap(-1, size).close()
        except OSError:
            size -= 1 << 20
        else:
            return size


def open_before_a_hole(path: str, truth: list[str]) -> None:
    """What stands in front of a hole can be read."""
    limit_memory()
    records = [bytes.fromhex(record) for record in truth]
    reader = octavo.open(path)
    assert len(reader) - len(records) in (0, 1), f"{len(reader)} records"
    assert reader.read(range(len(records))) == records
    assert len(reader) > len(records) or reader.info.torn_bytes > 0, "nobody noticed"
    check_memory()


def open_a_liar(path: str, *, is_sound: bool = False) -> None:
    """Only opened: the file is too large to be looked through."""
    limit_memory()
    try:
        reader = octavo.open(path)
    except OctavoError as error:
        _check_name(error, path)
        assert not is_sound, "a file that is whole before the hole"
    else:
        assert is_sound, f"{len(reader)} records"
        assert len(reader.read_all()) == len(reader) > 0
    check_memory()

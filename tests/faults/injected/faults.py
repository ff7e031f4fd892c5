"""Which calls can fail, and in which ways. `injector.c` does it; this says so in Python."""

from __future__ import annotations

import ctypes
import dataclasses
import enum
import errno


class Kind(enum.IntFlag):
    """Kinds of calls, as `injector.c` numbers them."""

    OPEN = 1 << 0
    READ = 1 << 1
    WRITE = 1 << 2
    SYNC = 1 << 3
    TRUNCATE = 1 << 4
    RENAME = 1 << 5
    LINK = 1 << 6
    UNLINK = 1 << 7
    SEEK = 1 << 8
    STAT = 1 << 9
    MAP = 1 << 10
    ALLOCATE = 1 << 11
    COPY = 1 << 12
    FOLDER = 1 << 13
    RING = 1 << 14


ONE_BYTE, HALF = -1, -2

EVERYTHING = ~Kind(0)
FILLS = Kind.OPEN | Kind.WRITE | Kind.SYNC | Kind.TRUNCATE | Kind.RENAME | Kind.LINK | Kind.COPY | Kind.FOLDER
FILLS |= Kind.ALLOCATE
GUARDED = Kind.OPEN | Kind.RENAME | Kind.LINK | Kind.UNLINK | Kind.STAT | Kind.MAP | Kind.FOLDER
MOVES_BYTES = Kind.READ | Kind.WRITE | Kind.COPY | Kind.RING
WAITS = MOVES_BYTES | Kind.OPEN | Kind.SYNC | Kind.TRUNCATE

MAKES_DURABLE = Kind.WRITE | Kind.SYNC | Kind.RENAME | Kind.LINK | Kind.COPY
"""Where one of these fails for want of room or of a sound disk, bytes are missing, and a writer must say so."""


@dataclasses.dataclass(frozen=True)
class Fault:
    """What happens to a call of some kind, or to all from then on."""

    name: str
    kinds: Kind
    what: int
    stays: bool = False

    @property
    def is_survived(self) -> bool:
        """Whether every program has to reckon with it, so that nobody should notice."""
        return self.what in (ONE_BYTE, HALF, errno.EINTR)

    @property
    def loses_bytes(self) -> bool:
        """Whether what was to be written cannot be there."""
        return self.what in (errno.EIO, errno.ENOSPC, errno.EDQUOT)


FAULTS = {
    fault.name: fault
    for fault in (
        Fault("EIO", EVERYTHING, errno.EIO),
        Fault("EIO from then on", EVERYTHING, errno.EIO, stays=True),
        Fault("EIO of stat from then on", Kind.STAT, errno.EIO, stays=True),
        Fault("ENOSPC", FILLS, errno.ENOSPC),
        Fault("ENOSPC from then on", FILLS, errno.ENOSPC, stays=True),
        Fault("EDQUOT", FILLS, errno.EDQUOT),
        Fault("EACCES", GUARDED, errno.EACCES),
        Fault("EACCES from then on", GUARDED, errno.EACCES, stays=True),
        Fault("EPERM", FILLS & ~Kind.COPY | Kind.UNLINK, errno.EPERM),
        Fault("EINTR", WAITS, errno.EINTR),
        Fault("one byte", MOVES_BYTES, ONE_BYTE),
        Fault("half", MOVES_BYTES, HALF),
        Fault("half from then on", MOVES_BYTES, HALF, stays=True),
    )
}


class Injector:
    """The library, from inside the process that it was loaded into."""

    def __init__(self, library: str, folder: str) -> None:
        self._library = ctypes.CDLL(library)
        self._library.injector_disarm.restype = ctypes.c_uint
        self._library.injector_watch(folder.encode())

    def arm(self, fault: Fault, calls_before: int) -> None:
        """Lets the fault strike after so many calls of its kinds."""
        kinds = ctypes.c_uint(int(fault.kinds) & 0x7FFF)
        self._library.injector_arm(kinds, ctypes.c_long(calls_before), fault.what, int(fault.stays))

    def fall_short_by(self, sector_bytes: int) -> None:
        """What comes out of the kernel's ring is cut to multiples of this."""
        self._library.injector_sectors(sector_bytes)

    def disarm(self) -> Kind:
        """The kinds of calls that were struck."""
        return Kind(self._library.injector_disarm())

    def record(self, descriptor: int) -> None:
        """Writes all changes of files to a descriptor from now on; -1 ends that."""
        self._library.injector_record(descriptor)

    def mark(self, text: str) -> None:
        """Notes something between the changes."""
        self._library.injector_mark(text.encode())

"""The page cache of one file: dropped before a cold round, looked at after it. Linux only."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
from pathlib import Path

_libc = ctypes.CDLL(None, use_errno=True)


def drop(path: Path) -> None:
    """Empties the page cache of a file. A live mapping in any process keeps its pages: hence the fresh processes."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)  # dirty pages are not dropped
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(fd)
    if os.geteuid() == 0:
        # The advice may leave pages behind that sit in a CPU's own list; only root may ask for the whole cache.
        with contextlib.suppress(OSError):
            Path("/proc/sys/vm/drop_caches").write_text("1\n", encoding="ascii")


def warm(path: Path) -> None:
    """Reads a file once from end to end."""
    block = bytearray(8 << 20)
    with path.open("rb", buffering=0) as file:
        while file.readinto(block):
            pass


def resident_bytes(path: Path) -> int:
    """How much of a file the page cache holds."""
    size = path.stat().st_size
    # A private mapping, because ctypes takes the address of writable buffers only; it touches no page.
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) as mapping:
        flags = (ctypes.c_ubyte * -(-size // mmap.PAGESIZE))()
        first = ctypes.c_char.from_buffer(mapping)
        failed = _libc.mincore(ctypes.byref(first), ctypes.c_size_t(size), flags)
        del first  # the mapping cannot be closed while its address is held
        if failed:
            raise OSError(ctypes.get_errno(), "mincore")
    return sum(flag & 1 for flag in bytes(flags)) * mmap.PAGESIZE

"""What a process may do to itself: other disks, fewer system calls. Nothing of it outlives the process."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
import time

from tests.faults.programs.outcome import say

NOT_PERMITTED = 77
"""The exit status of a process that may not do what its test needs."""

_libc = ctypes.CDLL(None, use_errno=True)

_CLONE_NEWNS = 0x20000
_MS_RDONLY, _MS_REC, _MS_PRIVATE = 0x1, 0x4000, 0x40000


def give_up(why: str) -> None:
    """Ends the process; its test is skipped for this reason."""
    say(why)
    os._exit(NOT_PERMITTED)


def wait_for_file(path: str) -> None:
    """Until the test has made it."""
    while not os.path.exists(path):
        time.sleep(0.005)


def mount_disk(folder: str, size_bytes: int) -> None:
    """A file system of this size at `folder`, for this process alone."""
    try:
        _call("unshare", _CLONE_NEWNS)
        _call("mount", None, b"/", None, _MS_REC | _MS_PRIVATE, None)
        _call("mount", b"tmpfs", os.fsencode(folder), b"tmpfs", 0, b"size=%d" % size_bytes)
    except PermissionError:
        give_up("mounting a small disk is not permitted")


def mount_read_only_disk(folder: str) -> None:
    """A file system at `folder` that cannot be written to, for this process alone."""
    mount_disk(folder, 1 << 20)
    _call("mount", b"tmpfs", os.fsencode(folder), b"tmpfs", _MS_RDONLY, None)


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


IO_URING_SETUP, IO_URING_ENTER, IO_URING_REGISTER = 425, 426, 427
"""System calls; their numbers are the same on every architecture."""

_SECCOMP = {"x86_64": 317, "aarch64": 277}
_PR_SET_NO_NEW_PRIVS = 38
_SET_MODE_FILTER, _ALL_THREADS = 1, 1
_LOAD_WORD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _FAIL_WITH = 0x7FFF0000, 0x00050000


class _Filter(ctypes.Structure):
    _fields_ = (("len", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def forbid(*system_calls: int, code: int = errno.EPERM) -> None:
    """These system calls fail from now on, in all threads."""
    machine = platform.machine()
    if machine not in _SECCOMP or sys.maxsize < 1 << 32:
        give_up(f"no filter for system calls of {machine}")
    instructions = [(_LOAD_WORD, 0, 0, 0)]  # the number of the call
    instructions += [(_JUMP_IF_EQUAL, len(system_calls) - at, 0, number) for at, number in enumerate(system_calls)]
    instructions += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _FAIL_WITH | code)]
    compiled = b"".join(struct.pack("HBBI", *instruction) for instruction in instructions)
    memory = ctypes.create_string_buffer(compiled, len(compiled))
    program = _Filter(len(instructions), ctypes.addressof(memory))
    try:
        _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        _call("syscall", _SECCOMP[machine], _SET_MODE_FILTER, _ALL_THREADS, ctypes.byref(program))
    except OSError as error:
        give_up(f"a filter for system calls is not permitted: {error}")

"""Where a sink's bytes go: a file that appears under its name when it is whole, or a stream that is open already.

The rules are those of the native writers (docs/spec/partial.md): until it is committed, the file is `NAME.partial`,
locked; whatever ends the writing, but for a crash, removes it. A crash leaves the beginning of a container that can be
made again from its source, so the next writer begins anew instead of refusing.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any, Protocol, TypeAlias

from octavo._arguments import as_path
from octavo._convert._plan import without_shard_number
from octavo._side_files import PARTIAL
from octavo.errors import AlreadyExistsError, ClosedError, OctavoError, RecordTypeError, of_os_error
from octavo.storage import StoredObject

if sys.platform != "win32":
    import fcntl

GZIP_SUFFIXES = (".gz", ".tgz")
Target: TypeAlias = "str | os.PathLike[str] | StoredObject | IO[bytes]"

_LARGE_BYTES = 1 << 20
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


class Output(Protocol):
    """Bytes that are appended. They count when they are committed, and not at all if it is closed before."""

    name: str

    def write(self, data: Any, /) -> int | None:
        """Add bytes, all of them."""

    def commit(self) -> None:
        """The bytes are whole: they appear."""

    def close(self) -> None:
        """Let go; what was not committed is thrown away."""


def open_output(target: Target, *, overwrite: bool) -> Output:
    """A new file or object, or a stream as it is."""
    if isinstance(target, StoredObject):
        from octavo._convert._new_object import NewObject  # noqa: PLC0415 - it is made of what is here

        return NewObject(target, overwrite=overwrite)
    if isinstance(target, str | os.PathLike):
        return NewFile(as_path(target, "a file to write"), overwrite=overwrite)
    return Borrowed(target)


def open_zipped_output(target: Target, *, overwrite: bool) -> Output:
    """The same; compressed by gzip if the name says so."""
    output = open_output(target, overwrite=overwrite)
    return Zipped(output) if without_shard_number(output.name).endswith(GZIP_SUFFIXES) else output


class Appended(io.RawIOBase):
    """Bytes at the end of others, as files have it."""

    def __init__(self) -> None:
        self._position = 0

    def writable(self) -> bool:
        """As files say it."""
        return True

    def tell(self) -> int:
        """Bytes so far."""
        return self._position


class NewFile(Appended):
    """A file that is written beside its name. Nothing is buffered, so a forked child has nothing to write twice."""

    def __init__(self, path: str, *, overwrite: bool) -> None:
        super().__init__()
        self._descriptor = -1
        self.name = path
        self._side = path + PARTIAL
        self._overwrite = overwrite
        self._process = os.getpid()
        with refusals(path, "create"):
            check_free(path, overwrite=overwrite)
            self._descriptor = open_locked(self._side)
            if os.fstat(self._descriptor).st_nlink > 1:  # a crash came between both names of a file that is whole
                os.unlink(self._side)
                self._let_go()
                self._descriptor = open_locked(self._side)
            os.ftruncate(self._descriptor, 0)

    def write(self, data: Any, /) -> int:
        """Add bytes, all of them."""
        if self._descriptor < 0 or self._process != os.getpid():
            raise ClosedError(f"{self.name}: the file is not open for writing", path=self.name)
        view = memoryview(data).cast("B")
        with refusals(self.name, "write"):
            rest = view
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        self._position += len(view)
        return len(view)

    def commit(self) -> None:
        """Under its name, durably and at once; and closed."""
        with refusals(self.name, "publish"):
            os.fsync(self._descriptor)
            if sys.platform == "win32":  # where open files cannot be renamed
                self._let_go()
            publish(self._side, self.name, overwrite=self._overwrite)
            self._side = ""
            self.close()
            sync_folder(os.path.dirname(self.name))

    def close(self) -> None:
        """Let go; what was not committed is removed. A forked child removes nothing."""
        if not self.closed:
            super().close()
            if self._side and self._descriptor >= 0 and self._process == os.getpid():
                with contextlib.suppress(OSError):
                    os.unlink(self._side)
            self._let_go()

    def _let_go(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            if self._process == os.getpid():
                let_go(descriptor)
            else:
                os.close(descriptor)  # the lock stays with the writer


class Borrowed(Appended):
    """A stream that somebody else has opened, and will close. What was written cannot be taken back."""

    def __init__(self, stream: IO[bytes]) -> None:
        if not hasattr(stream, "write") or isinstance(stream, io.TextIOBase):
            raise RecordTypeError(f"records are written to a path or a binary stream, not {type(stream).__name__}")
        self.name = str(getattr(stream, "name", f"<{type(stream).__name__}>"))
        super().__init__()
        self._stream = stream

    def write(self, data: Any, /) -> int:
        """Add bytes, all of them."""
        view = memoryview(data).cast("B")
        rest = view
        while rest:  # a stream without a buffer may take less
            rest = rest[self._stream.write(rest) or 0 :]
        self._position += len(view)
        return len(view)

    def commit(self) -> None:
        """Send off what the stream has kept."""
        self._stream.flush()


class Zipped:
    """Compressed by gzip; the same bytes whenever it is done."""

    def __init__(self, output: Output) -> None:
        self.name = output.name
        self._output = output
        self._zip = zlib.compressobj(6, zlib.DEFLATED, 31)  # 31: as a gzip file, with no time and no name in it

    def write(self, data: Any, /) -> None:
        """Add bytes."""
        if zipped := self._zip.compress(data):
            self._output.write(zipped)

    def commit(self) -> None:
        """The bytes are whole: they appear."""
        self._output.write(self._zip.flush())
        self._output.commit()

    def close(self) -> None:
        """Let go; what was not committed is thrown away."""
        self._output.close()


def write_pieces(output: Output, pieces: Iterable[bytes]) -> int:
    """Write pieces one after the other, small ones together; returns the bytes that they are."""
    size, small = 0, []
    for piece in pieces:
        size += len(piece)
        if len(piece) <= _LARGE_BYTES:
            small.append(piece)
            continue
        output.write(b"".join(small))
        output.write(piece)  # as it is: a copy would take as much memory again
        small = []
    output.write(b"".join(small))
    return size


@contextlib.contextmanager
def refusals(path: str, doing: str) -> Iterator[None]:
    """What the system refuses, as an error of ours that names the file."""
    try:
        yield
    except OctavoError:
        raise
    except FileExistsError as error:
        raise AlreadyExistsError(f"{path}: cannot {doing}: it exists", path=path, errno=error.errno) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise of_os_error(error, f"{path}: cannot {doing}: {reason}", path) from error


def check_free(path: str, *, overwrite: bool) -> None:
    """A new file may go where nothing is, or in place of another file if that was said; never of a device or a pipe."""
    if os.path.isdir(path) and not os.path.islink(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "it is not a regular file", path)
    if not overwrite and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)


def publish(side: str, path: str, *, overwrite: bool) -> None:
    """Give the file its name."""
    if overwrite:
        os.replace(side, path)
        return
    if sys.platform != "win32":
        try:
            os.link(side, path)  # unlike a rename, it never replaces what somebody else has put there meanwhile
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            check_free(path, overwrite=False)
        else:
            os.unlink(side)
            return
    os.rename(side, path)


def sync_folder(path: str) -> None:
    """A rename is durable when its folder is."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path or ".", os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems cannot sync a folder
            raise
    finally:
        os.close(descriptor)


def open_locked(path: str) -> int:
    """Open a side file for one writer alone, as it is; once locked it must still be the file of that name."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
    while True:
        try:
            descriptor = os.open(path, flags, 0o666)
        except OSError:
            if not os.path.islink(path):
                raise
            os.unlink(path)  # never what a link of that name points to
            continue
        if is_locked_alone(descriptor, path):
            return descriptor
        os.close(descriptor)


def let_go(descriptor: int) -> None:
    """Unlock a side file and close it. A child that was forked meanwhile has it open, too, and would keep the lock."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


def is_locked_alone(descriptor: int, path: str) -> bool:
    """Take the file or folder for this process; False if it is not the one of that name any more."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise BlockingIOError(error.errno, "another process is writing it", path) from error
    except OSError:
        pass  # a file system without locks
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
    except OSError:
        let_go(descriptor)
        raise

"""`octavo.viewer.Viewer`: the server, in a thread of its own."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from octavo._location import Location
from octavo._open import Format
from octavo._reader import Reader
from octavo.errors import OptionError, StorageError
from octavo.viewer._opened import Opened
from octavo.viewer._stream import Streams
from octavo.viewer.blocks import Decoder
from octavo.viewer.decoders import Decoders, installed

_NOT_INSTALLED = "the viewer needs Starlette and uvicorn: pip install 'octavo[view]'"
_HERE = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - where to reach what listens everywhere
_PATIENCE_S = 3.0  # with answers and work that are under way at the end


class Viewer:
    """A web page over records, on this machine.

    It is a context manager: the server runs inside `with`, in a thread of its own.

    Args:
        location: What to look at; see `octavo.open`. A reader is not closed at the end.
        format: The format, if it cannot be told.
        host: The address to listen on. Others than this machine's own let everybody in who has the address of the page.
        port: The port, or 0 for any that is free.
        export_folder: Where exported selections go; the current folder if it is not given.
        decoders: Ways to look at records, asked before the installed and the built-in ones.

    Raises:
        OctavoError: Nothing of the location can be opened.
        StorageError: The port is taken, or the address is not this machine's.
    """

    def __init__(
        self,
        location: Location | Reader,
        *,
        format: Format | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        export_folder: str | os.PathLike[str] | None = None,
        decoders: Sequence[Decoder] = (),
    ) -> None:
        try:
            import uvicorn  # noqa: PLC0415 - an extra

            from octavo.viewer._guard import Guard  # noqa: PLC0415 - the same
            from octavo.viewer._routes import Routes  # noqa: PLC0415 - the same
        except ImportError as error:
            raise ImportError(_NOT_INSTALLED) from error
        if not 0 <= port <= 0xFFFF:  # noqa: PLR2004 - the last port
            raise OptionError(f"port {port!r} is not between 0 and 65535")
        folder = os.path.abspath(os.fspath(export_folder) if export_folder is not None else os.curdir)
        self._opened = Opened(location, format)
        try:
            self._socket = _listen(host, port)
        except BaseException:
            self._opened.close()
            raise
        self._host = host
        self._streams = Streams()
        self._routes = Routes(self._opened, Decoders([*decoders, *installed()]), self._streams, folder)
        self._guard = Guard(self._routes.app(), host)
        settings = uvicorn.Config(
            self._guard,
            log_level="critical",  # what matters is told by our own logger; connections break off all the time
            access_log=False,  # addresses hold the token
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(settings)
        self._thread = threading.Thread(target=self._run, name="octavo-viewer", daemon=True)

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])

    @property
    def url(self) -> str:
        """The address of the page, with the token that opens it."""
        return self.url_on(_HERE.get(self._host, self._host))

    def url_on(self, host: str) -> str:
        """The address of the page under another name of this machine."""
        return f"{self._base(host)}/{self._guard.token}/"

    @property
    def once_url(self) -> str:
        """An address that leads to the page once, soon after the start: for command lines, which others can see."""
        return f"{self._base(_HERE.get(self._host, self._host))}/open/{self._guard.code}"

    def _base(self, host: str) -> str:
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self._socket.getsockname()[1]}"

    @property
    def reader(self) -> Reader:
        """What is looked at."""
        return self._opened.reader

    @property
    def failures(self) -> list[tuple[str, str]]:
        """Files that could not be opened, and why: the page shows the others."""
        return [(one.path, one.reason) for one in self._opened.failures]

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def wait(self, timeout_s: float | None = None) -> None:
        """Wait until it is closed."""
        self._thread.join(timeout_s)

    def close(self) -> None:
        """End the server and all work for it, and close the files."""
        self._streams.end(_PATIENCE_S)
        if self._thread.is_alive():
            self._server.should_exit = True
            self._thread.join(_PATIENCE_S)
        self._routes.close(_PATIENCE_S)
        self._socket.close()
        self._opened.close()

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        # The protocol is named: asyncio sends small answers at once only where it is, 40 ms sooner.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(128)
        except BaseException:
            listening.close()
            raise
    except (OSError, UnicodeError) as error:  # a name may be none that could be looked up
        reason = getattr(error, "strerror", None) or error
        raise StorageError(f"cannot listen on {host}, port {port}: {reason}") from error
    return listening

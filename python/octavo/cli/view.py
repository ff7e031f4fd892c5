"""`octavo view`: look into record files in a browser."""

from __future__ import annotations

import signal
import socket
import webbrowser
from typing import Annotated

import typer

from octavo._wording import number, plural
from octavo.cli import _terminal
from octavo.cli._arguments import Format, Locations
from octavo.cli._stdin import without_stdin
from octavo.viewer import Viewer
from octavo.viewer._memory import give_back_large_blocks

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_ENDS = (signal.SIGINT, signal.SIGTERM)  # Ctrl-C, and an end as good


def view(
    paths: Locations,
    *,
    format: Format = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes one that is free.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    export_to: Annotated[str, typer.Option(metavar="FOLDER", help="Where exported selections go.")] = ".",
) -> None:
    """Open a page over the records of all files together.

    Images, audio, text, JSON, examples of TensorFlow, arrays and more are shown as what they are; records can be
    searched, sampled and exported, and the files verified. The page is served on this machine, to whoever has the
    address that is printed, until Ctrl-C.
    """
    give_back_large_blocks()
    for end in _ENDS:
        if signal.getsignal(end) is not signal.SIG_IGN:  # as in the background of a script
            signal.signal(end, _interrupt_once)
    with without_stdin(paths) as location:
        viewer = Viewer(location, format=format, host=host, port=port, export_folder=export_to)
        try:
            viewer.start()
            _introduce(viewer, host)
            if browser and not webbrowser.open(viewer.once_url):
                _terminal.say("octavo: no browser was found: open the address above")
            viewer.wait()
        except KeyboardInterrupt:  # the way to end it, and no failure
            pass
        finally:
            viewer.close()
            _terminal.say("octavo: the viewer has ended")


def _interrupt_once(*_: object) -> None:
    """Impatience afterwards is not to leave half an export behind."""
    for end in _ENDS:
        signal.signal(end, lambda *_: None)  # with SIG_IGN, Python complains of one that has just come
    raise KeyboardInterrupt


def _introduce(viewer: Viewer, host: str) -> None:
    """The address is the result; all else is about it."""
    reader = viewer.reader
    _terminal.result(viewer.url)
    _terminal.say(f"{number(len(reader))} records in {plural(len(reader.paths), 'file')}. Ctrl-C ends the viewer.")
    for _, reason in viewer.failures:
        _terminal.say(f"octavo: warning: left out: {reason}")
    if host not in _LOOPBACK:
        _terminal.say(f"From other machines: {viewer.url_on(socket.gethostname())}")
        who = f"whoever reaches {host or 'this machine'} and knows the address"
        _terminal.say(f"octavo: warning: {who} can see the records and write exports; it travels unencrypted")

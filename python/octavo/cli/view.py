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
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # an end as good as Ctrl-C
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
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # impatience is not to leave half an export behind
            viewer.close()
            _terminal.say("octavo: the viewer has ended")


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

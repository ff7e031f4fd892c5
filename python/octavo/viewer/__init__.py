"""A web page for looking into record files: `octavo view`, and the same for Python.

`Viewer` is the server; what records are shown as is made of `octavo.viewer.blocks`.
"""

from octavo.viewer._server import Viewer

__all__ = ["Viewer"]

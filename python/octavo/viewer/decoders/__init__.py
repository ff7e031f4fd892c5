"""Decoders: from the bytes of a record to blocks that a page can show.

One module for each kind of content, and `_registry` for the choice among them. Records come from anybody, so every
decoder works in bounded time and memory: it looks at as much of a record as it shows, and believes no length.
Add your own by an entry point of group `octavo.viewer.decoders`.
"""

from __future__ import annotations

from octavo.viewer.decoders._registry import BUILT_IN, Decoded, Decoders, installed

__all__ = ["BUILT_IN", "Decoded", "Decoders", "installed"]

"""Large content in pieces: what is handed over whole is copied whole while it waits for the network."""

from __future__ import annotations

from collections.abc import Iterator

PIECE_BYTES = 1 << 20


def pieces(content: bytes) -> Iterator[bytes]:
    """The content, a piece after the other."""
    for start in range(0, len(content), PIECE_BYTES):
        yield content[start : start + PIECE_BYTES]

"""What a decoded record is made of, and what a decoder is. All that a decoder of your own needs to import.

A decoder takes the bytes of a record and returns blocks. Blocks hold text, numbers and media, never HTML: the page
makes text nodes of them, and media are served only as one of `MEDIA_TYPES`, whatever the bytes may be.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias

_IMAGE_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_AUDIO_TYPES: Final = frozenset({"audio/wav", "audio/flac", "audio/mpeg", "audio/ogg"})
MEDIA_TYPES: Final[frozenset[str]] = _IMAGE_TYPES | _AUDIO_TYPES
"""As which content may be served: none of them can run anything."""


@dataclasses.dataclass(frozen=True, slots=True)
class Text:
    """Text in its own lines.

    Attributes:
        text: What is shown.
        language: `json` if it is to be coloured as such.
        left_out: How many characters or bytes of the original are not shown.
    """

    text: str
    language: Literal["plain", "json"] = "plain"
    left_out: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Image:
    """An image that browsers show by themselves.

    Raises:
        ValueError: The media type is not one of the images among `MEDIA_TYPES`.
    """

    content: bytes
    media_type: str
    width: int
    height: int
    title: str = ""

    def __post_init__(self) -> None:
        _refuse_unless(self.media_type, _IMAGE_TYPES)


@dataclasses.dataclass(frozen=True, slots=True)
class Audio:
    """Audio that browsers play by themselves; `facts` is a line about rate, channels and duration.

    Raises:
        ValueError: The media type is not one of the audio among `MEDIA_TYPES`.
    """

    content: bytes
    media_type: str
    title: str = ""
    facts: str = ""

    def __post_init__(self) -> None:
        _refuse_unless(self.media_type, _AUDIO_TYPES)


@dataclasses.dataclass(frozen=True, slots=True)
class Hex:
    """Bytes as such. `total` is how many there are from offset 0, if that is more than `content` shows."""

    content: bytes
    offset: int = 0
    total: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Facts:
    """Names and values."""

    rows: tuple[tuple[str, str], ...]
    title: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """Rows with as many cells as there are columns; `left_out` rows are not shown."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    left_out: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Note:
    """A sentence about the record."""

    text: str
    level: Literal["info", "warning"] = "info"


@dataclasses.dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a title.

    Raises:
        ValueError: One of the blocks is itself a section.
    """

    title: str
    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        if any(isinstance(block, Section) for block in self.blocks):
            raise ValueError(f"section {self.title!r} holds another section; sections do not nest")


Block: TypeAlias = Text | Image | Audio | Hex | Facts | Table | Note | Section


@dataclasses.dataclass(frozen=True, slots=True)
class Summary:
    """A record on a card: one line, a few lines of text, a small image. What is too long is cut."""

    text: str
    snippet: str = ""
    image: Image | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Decoder:
    """A way to look at records.

    Attributes:
        name: What stands in addresses: lower case, without blanks. The name of a built-in decoder replaces that one.
        title: What people see.
        recognises: Whether a record is of this kind. Called for every record on the screen, so it should be quick.
        decode: The record as blocks. It may raise: the page then shows why, and the bytes.
        summarise: The record on a card; made from the blocks if there is none.
    """

    name: str
    title: str
    recognises: Callable[[bytes], bool]
    decode: Callable[[bytes], Sequence[Block]]
    summarise: Callable[[bytes], Summary] | None = None


def _refuse_unless(media_type: str, allowed: frozenset[str]) -> None:
    if media_type not in allowed:
        raise ValueError(f"media type {media_type!r} is never served; allowed are {', '.join(sorted(allowed))}")

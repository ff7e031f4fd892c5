"""The choice among decoders, and the promise that no record makes any of them fail: what raises is shown as bytes."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import warnings
from collections.abc import Sequence
from typing import Final

from octavo.viewer.blocks import Block, Decoder, Facts, Image, Note, Section, Summary, Table, Text
from octavo.viewer.decoders import (
    _audio,
    _example,
    _hex,
    _image,
    _json,
    _msgpack,
    _npy,
    _npz,
    _safetensors,
    _text,
)
from octavo.viewer.decoders._bounds import card, within_bounds

ENTRY_POINTS: Final = "octavo.viewer.decoders"

BUILT_IN: Final[tuple[Decoder, ...]] = (
    _image.DECODER,
    _audio.DECODER,
    _npy.DECODER,
    _npz.DECODER,
    _safetensors.DECODER,
    _json.DECODER,
    _text.DECODER,
    _example.DECODER,
    _msgpack.DECODER,
    _hex.DECODER,
)
"""In the order in which they are asked; the last recognises everything."""


@dataclasses.dataclass(frozen=True, slots=True)
class Decoded:
    """A record as blocks; `problem` is why the decoder gave none, so that the blocks are of the bytes instead."""

    decoder: Decoder
    blocks: tuple[Block, ...]
    problem: str | None


class Decoders:
    """The built-in decoders, and before them others, which replace those of the same name."""

    def __init__(self, extra: Sequence[Decoder] = ()) -> None:
        by_name: dict[str, Decoder] = {}
        for decoder in (*extra, *BUILT_IN):
            by_name.setdefault(decoder.name, decoder)
        self._by_name = by_name

    @property
    def names(self) -> list[tuple[str, str]]:
        """Name and title of each, in the order in which they are asked."""
        return [(decoder.name, decoder.title) for decoder in self._by_name.values()]

    def named(self, name: str) -> Decoder:
        """The decoder of that name.

        Raises:
            LookupError: There is none.
        """
        try:
            return self._by_name[name]
        except KeyError:
            raise LookupError(f"no decoder is named {name!r}; there are {', '.join(self._by_name)}") from None

    def guess(self, record: bytes) -> Decoder:
        """The first that recognises the record. One that fails to say so does not."""
        for decoder in self._by_name.values():
            try:
                if decoder.recognises(record):
                    return decoder
            except Exception:  # noqa: BLE001, S112 - it may be anybody's, and the next is asked instead
                continue
        return _hex.DECODER

    def decode(self, record: bytes, name: str | None = None) -> Decoded:
        """The record as blocks, by the decoder of that name or by the one that recognises it. Bytes never make it fail.

        Raises:
            LookupError: There is no decoder of that name.
        """
        decoder = self.guess(record) if name is None else self.named(name)
        try:
            return Decoded(decoder, within_bounds(decoder.decode(record)), None)
        except Exception as error:  # noqa: BLE001 - it may be anybody's, and the bytes can always be shown
            problem = f"not decoded as {decoder.title}: {_reason(error)}"
            return Decoded(decoder, within_bounds([Note(problem, "warning"), *_hex.DECODER.decode(record)]), problem)

    def summarise(self, record: bytes, name: str | None = None) -> tuple[Decoder, Summary]:
        """What a card shows of the record, and the decoder that says so. Bytes never make it fail.

        Raises:
            LookupError: There is no decoder of that name.
        """
        decoder = self.guess(record) if name is None else self.named(name)
        try:
            if decoder.summarise is None:
                return decoder, card(_summary_of(within_bounds(decoder.decode(record))))
            return decoder, card(decoder.summarise(record))
        except Exception as error:  # noqa: BLE001 - the same
            snippet = _hex.summarise(record).snippet
            return decoder, card(Summary(f"not decoded as {decoder.title}: {_reason(error)}", snippet))


def installed() -> list[Decoder]:
    """The decoders that installed packages offer. What cannot be loaded is warned about and left out."""
    found = []
    for entry_point in importlib.metadata.entry_points(group=ENTRY_POINTS):
        try:
            loaded = entry_point.load()
            decoder = loaded if isinstance(loaded, Decoder) else loaded()
            if not isinstance(decoder, Decoder):
                raise TypeError(f"it is {type(decoder).__name__}, not a Decoder")  # noqa: TRY301 - one way to tell of all
        except Exception as error:  # noqa: BLE001 - anybody's package; the others still work
            reason = f"{type(error).__name__}: {error}"
            warnings.warn(f"decoder {entry_point.name!r} of {entry_point.value} is left out: {reason}", stacklevel=2)
        else:
            found.append(decoder)
    return found


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start:,} is not UTF-8"
    if isinstance(error, ValueError) and str(error):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _summary_of(blocks: Sequence[Block]) -> Summary:
    """A card made of the first line, the first text and the first image among the blocks."""
    flat = [inner for block in blocks for inner in (block.blocks if isinstance(block, Section) else (block,))]
    image = next((block for block in flat if isinstance(block, Image)), None)
    texts = [text for text in map(_words, flat) if text]
    return Summary(texts[0] if texts else "", "\n".join(texts), image)


def _words(block: Block) -> str:
    match block:
        case Text(text) | Note(text):
            return text
        case Facts(rows):
            return "\n".join(f"{name}: {value}" for name, value in rows)
        case Table(columns, rows):
            return "\n".join(", ".join(row) for row in (columns, *rows[:8]))
        case _:
            return getattr(block, "title", "")

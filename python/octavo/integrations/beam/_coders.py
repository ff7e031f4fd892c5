"""Coders of Beam, between records and elements."""

from __future__ import annotations

from typing import Any

from apache_beam.coders import BytesCoder, Coder

from octavo.errors import RecordTypeError


def checked_coder(coder: Coder | None) -> Coder:
    """The coder that was given, or the one that leaves records as they are."""
    if coder is None:
        return BytesCoder()
    if isinstance(coder, Coder):
        return coder
    message = f"coder is a coder of Beam such as BytesCoder(), not {coder!r}"
    raise RecordTypeError(message)


def leaves_bytes(coder: Coder) -> bool:
    """Whether elements are records, with nothing to be done to them."""
    return type(coder) is BytesCoder


def element_type(coder: Coder) -> Any:
    """The type of what a coder decodes, for coders that say."""
    try:
        return coder.to_type_hint()
    except NotImplementedError:
        return Any

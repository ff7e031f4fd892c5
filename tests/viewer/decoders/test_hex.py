"""Bytes as such, and what they may be the beginning of."""

from __future__ import annotations

import gzip
import pickle

import pytest

from octavo.viewer.blocks import Facts, Hex


def test_bytes_are_shown_up_to_a_limit(decoders):
    record = b"\x00\xff" * 50_000
    assert decoders.decode(record).blocks == (Hex(record[: 64 << 10], 0, 100_000),)


def test_a_card_has_a_dump(decoders):
    summary = decoders.summarise(b"\x00ab\xff")[1]
    assert summary.text == "4 bytes"
    assert summary.snippet.split() == ["0000", "00", "61", "62", "ff", ".ab."]


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        (gzip.compress(b"x"), "gzip data"),
        (pickle.dumps({"a": 1}), "a pickle, which is never loaded"),
        (b"\x00\x00\x00\x20ftypavif" + bytes(20), "an AVIF image"),
        (b"\x00" * 257 + b"ustar\x00", "a tar archive"),
    ],
)
def test_what_is_known_is_named(decoders, record, kind):
    assert decoders.decode(record).blocks == (Facts((("looks like", kind),)), Hex(record, 0, len(record)))
    assert decoders.summarise(record)[1].text.startswith(kind)


def test_everything_can_be_looked_at_as_bytes(decoders):
    assert decoders.decode(b"text", "hex").blocks == (Hex(b"text", 0, 4),)

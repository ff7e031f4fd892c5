"""The choice among decoders, and that none of them can make the page fail."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from typing import Any, cast

import pytest

from octavo.viewer.blocks import Decoder, Hex, Image, Note, Summary, Table, Text
from octavo.viewer.decoders import BUILT_IN, Decoders, installed
from tests.viewer.decoders import contents


def upper_case(**changes):
    parts = {
        "name": "upper",
        "title": "Upper case",
        "recognises": bytes.isupper,
        "decode": lambda record: [Text(record.decode())],
    }
    return Decoder(**{**parts, **changes})


def fail(_record):
    raise RuntimeError("out of order")


@pytest.mark.parametrize("name", contents.VALID)
def test_every_kind_is_recognised_decoded_and_summarised(decoders, name):
    record = contents.VALID[name]
    decoded = decoders.decode(record)
    assert decoded.decoder.name == contents.KINDS[name]
    assert decoded.problem is None
    assert decoded.blocks
    assert not [block for block in decoded.blocks if isinstance(block, Note) and block.level == "warning"]
    decoder, summary = decoders.summarise(record)
    assert decoder is decoded.decoder is decoders.guess(record)
    assert summary.text


def test_the_built_in_ones_are_asked_in_their_order():
    order = ["image", "audio", "npy", "npz", "safetensors", "json", "text", "example", "msgpack", "hex"]
    assert [decoder.name for decoder in BUILT_IN] == order
    assert [name for name, _ in Decoders().names] == order


def test_others_are_asked_first():
    decoders = Decoders([upper_case()])
    assert decoders.names[0] == ("upper", "Upper case")
    assert decoders.guess(b"ABC").name == "upper"
    assert decoders.guess(b"abc").name == "text"


def test_a_name_that_is_taken_replaces_the_built_in_one():
    decoders = Decoders([upper_case(name="text")])
    assert [name for name, _ in decoders.names].count("text") == 1
    assert decoders.decode(b"ABC", "text").decoder.title == "Upper case"
    assert decoders.guess(b"abc").name == "hex"


def test_one_that_cannot_say_whether_it_recognises_a_record_does_not():
    assert Decoders([upper_case(recognises=fail)]).guess(b"ABC").name == "text"


def test_a_record_that_nothing_recognises_is_bytes():
    never = [upper_case(name=decoder.name, recognises=lambda _: False) for decoder in BUILT_IN]
    assert isinstance(Decoders(never).decode(b"abc").blocks[0], Text | Hex)
    assert Decoders(never).guess(b"abc").title == "Bytes"


def test_a_decoder_that_raises_shows_why_and_the_bytes():
    decoded = Decoders([upper_case(decode=fail)]).decode(b"ABC")
    assert decoded.problem == "not decoded as Upper case: RuntimeError: out of order"
    assert decoded.blocks == (Note(decoded.problem, "warning"), Hex(b"ABC", 0, 3))


NO_BLOCKS: list[Any] = [
    None,
    [1],
    ["<b>text</b>"],
    [Text(cast("str", b"bytes"))],
    3,
    [Table(("a",), cast("Any", ((1,),)))],
]


@pytest.mark.parametrize("blocks", NO_BLOCKS)
def test_a_decoder_that_returns_no_blocks_shows_why_and_the_bytes(blocks):
    decoded = Decoders([upper_case(decode=lambda _: blocks)]).decode(b"ABC")
    assert decoded.problem
    assert decoded.blocks[-1] == Hex(b"ABC", 0, 3)


def test_a_summary_that_raises_shows_why():
    decoder, summary = Decoders([upper_case(summarise=fail)]).summarise(b"ABC")
    assert decoder.name == "upper"
    assert "out of order" in summary.text
    assert "41 42 43" in summary.snippet


def test_a_summary_that_is_none_shows_why():
    _, summary = Decoders([upper_case(summarise=lambda _: "text")]).summarise(b"ABC")
    assert summary.text.startswith("not decoded as Upper case")


def test_without_a_summary_it_is_made_from_the_blocks():
    image = Image(contents.png(), "image/png", 3, 2)
    decoder = upper_case(decode=lambda record: [Note("a note"), image, Text(record.decode())])
    _, summary = Decoders([decoder]).summarise(b"ABC")
    assert summary == Summary("a note", "a note\nABC", image)


def test_a_card_is_cut_to_its_room():
    decoder = upper_case(summarise=lambda _: Summary("one\ntwo\x00 " * 100, "\ud800" + "x" * 1000))
    _, summary = Decoders([decoder]).summarise(b"ABC")
    assert len(summary.text) == 160
    assert summary.text.startswith("one two one two")
    assert len(summary.snippet) <= 610
    summary.snippet.encode()


def test_a_name_overrides_the_guess(decoders):
    assert decoders.decode(b'{"a": 1}', "text").blocks == (Text('{"a": 1}'),)
    assert decoders.summarise(b'{"a": 1}', "hex")[0].name == "hex"


def test_an_unknown_name_is_an_error(decoders):
    with pytest.raises(LookupError, match="no decoder is named 'nothing'"):
        decoders.decode(b"", "nothing")
    with pytest.raises(LookupError, match="nothing"):
        decoders.summarise(b"", "nothing")


class Offer:
    """An entry point, as installed packages offer them."""

    value = "package:decoder"

    def __init__(self, name, load):
        self.name = name
        self.load = load


def offer(monkeypatch, *loads):
    offers = [Offer(f"offer {at}", load) for at, load in enumerate(loads)]
    asked = []

    def entry_points(*, group):
        asked.append(group)
        return offers

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    return asked


def test_installed_decoders_are_found(monkeypatch):
    decoder, made = upper_case(), upper_case(name="made")
    asked = offer(monkeypatch, lambda: decoder, lambda: lambda: made)
    assert installed() == [decoder, made]
    assert asked == ["octavo.viewer.decoders"]


@pytest.mark.parametrize("load", [lambda: 1 / 0, lambda: fail, lambda: "a text", lambda: lambda: "a text"])
def test_one_that_cannot_be_loaded_is_warned_about_and_left_out(monkeypatch, load):
    decoder = upper_case()
    offer(monkeypatch, load, lambda: decoder)
    with pytest.warns(UserWarning, match="decoder 'offer 0' of package:decoder is left out"):
        assert installed() == [decoder]


def test_decoders_need_no_other_package():
    others = ["starlette", "uvicorn", "typer", "rich", "numpy", "PIL", "msgpack", "safetensors", "tensorflow"]
    program = f"""
import sys
for name in {others!r}:
    sys.modules[name] = None
from octavo.viewer.decoders import Decoders
assert Decoders().guess(b"text").name == "text"
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)

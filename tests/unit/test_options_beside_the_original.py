"""ArrayRecord's options, side by side with the original: what a text means, and what it says of a wrong one."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo._options import ArrayRecordReaderOptions, ArrayRecordWriterOptions
from tests.unit.test_options import (
    CASUAL_SIZES,
    NO_SIZES,
    ORIGINAL_SIZES,
    READER_ERRORS,
    READER_KEYS,
    READER_STRICT_ERRORS,
    READER_TEXTS,
    WRITER_ERRORS,
    WRITER_FIRST_ERRORS,
    WRITER_KEYS,
    WRITER_TEXTS,
    parse_strictly,
)

Outcome = tuple[str, str]

VALUES = [
    "", "auto", "true", "false", "0", "1", "2", "3", "9", "10", "11", "12", "22", "23", "30", "31", "32", "-1", "-0",
    "-131072", "-131073", "2147483647", "2147483648", "x", " 5", "+5 ", "1.5k", "1e3", "inf", "64MB", "1G", "2G", "0.5",
    "in_memory", "offloaded", "a:b",
]  # fmt: skip
KEYS = list(dict.fromkeys(f"{WRITER_KEYS}, {READER_KEYS}".split(", ")))

_reals = st.from_regex(r"\A[ +-]?(0[xX])?[0-9a-f]{0,17}(\.[0-9a-f]{0,4})?([eEpP][+-]?[0-9]{1,3})? ?[BkKMGTPEbm]?\Z")
_values = st.one_of(st.sampled_from(VALUES), _reals, st.text("0123456789.+-eExpkKMBinfa \t", max_size=8), st.text())
_items = st.builds(
    "{}{}{}".format, st.sampled_from(KEYS) | st.text(max_size=4), st.sampled_from([":", ":", ""]), _values
)
_texts = st.lists(_items, max_size=5).map(",".join)


def outcome(attempt: Callable[[], str]) -> Outcome:
    try:
        return "accepted", attempt()
    except ValueError as error:
        return "refused", str(error).split("\0", maxsplit=1)[0]  # where the original's messages end


class Original:
    """What the original makes of a text."""

    def __init__(self, module: Any, folder: Path) -> None:
        self.module = module
        self.written, self.read = str(folder / "written.array_record"), str(folder / "read.array_record")
        module.ArrayRecordWriter(self.read).close()

    def writes(self, text: str) -> Outcome:
        return outcome(lambda: self._write(text))

    def _write(self, text: str) -> str:
        self.module.ArrayRecordWriter(self.written, text).close()
        reader = self.module.ArrayRecordReader(self.written)
        told = reader.writer_options_string()
        reader.close()
        return str(told)

    def opens(self, text: str) -> Outcome:
        return outcome(lambda: f"ok: {self.module.ArrayRecordReader(self.read, text).ok()}")


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    module = pytest.importorskip("array_record.python.array_record_module", reason="array_record is not installed")
    return Original(module, tmp_path_factory.mktemp("original"))


def writes(text: str) -> Outcome:
    return outcome(lambda: parse_strictly(text).text())


def opens(text: str) -> Outcome:
    return outcome(lambda: f"ok: {bool(ArrayRecordReaderOptions.parse(text, strict=True))}")


WRITTEN_HERE = [
    *WRITER_TEXTS, *WRITER_ERRORS, *WRITER_FIRST_ERRORS,
    *(f"transpose,transpose_bucket_size:{size}" for size in (*ORIGINAL_SIZES, *NO_SIZES, *CASUAL_SIZES)),
]  # fmt: skip
EVERY_ITEM = [*KEYS, *(f"{key}:{value}" for key, value in itertools.product(KEYS, VALUES))]


def test_every_text_of_these_tests_means_the_same_to_the_originals_writer(original):
    for text in WRITTEN_HERE:
        assert writes(text) == original.writes(text), text


def test_every_text_of_these_tests_means_the_same_to_the_originals_reader(original):
    sizes = [f"readahead_buffer_size:{size}" for size in (*ORIGINAL_SIZES, *NO_SIZES, *CASUAL_SIZES)]
    for text in [*READER_TEXTS, *READER_ERRORS, *READER_STRICT_ERRORS, *sizes]:
        assert opens(text) == original.opens(text), text


def test_every_key_with_every_value_means_the_same_to_the_original(original):
    for text in EVERY_ITEM:
        assert writes(text) == original.writes(text), text
        assert opens(text) == original.opens(text), text


def test_every_pair_of_items_about_compression_means_the_same_to_the_original(original):
    keys = ("default", "group_size", "uncompressed", "brotli", "zstd", "snappy", "window_log")
    items = [f"{key}:{value}" for key in keys for value in ("", "0", "1", "10", "31", "99", "auto")]
    for pair in itertools.product(items, items):
        text = ",".join(pair)
        assert writes(text) == original.writes(text), text


@pytest.mark.parametrize("meaning", [writes, opens])
def test_many_items_in_any_order_mean_the_same_to_the_original(original, meaning):
    chance = random.Random(20)
    sound = [item for item in EVERY_ITEM if meaning(item)[0] == "accepted"]
    outcomes = []
    for number in range(2000):
        text = ",".join(chance.choices(EVERY_ITEM if number % 4 == 0 else sound, k=chance.randint(2, 4)))
        outcomes.append(meaning(text))
        assert outcomes[-1] == getattr(original, meaning.__name__)(text), text
    assert {outcome for outcome, _ in outcomes} == {"accepted", "refused"}


@settings(max_examples=500, deadline=None, derandomize=True)
@given(text=_texts)
def test_any_text_means_the_same_to_the_original(original, text):
    assert writes(text) == original.writes(text)
    assert opens(text) == original.opens(text)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(size=_reals)
def test_any_size_means_the_same_to_the_original(original, size):
    text = f"transpose,transpose_bucket_size:{size}"
    assert writes(text) == original.writes(text)


@settings(deadline=None, derandomize=True)
@given(text=_texts)
def test_what_is_read_strictly_is_read_the_same_otherwise(text):
    strictly = writes(text)
    if strictly[0] == "accepted":
        assert ArrayRecordWriterOptions.parse(text) == parse_strictly(text)

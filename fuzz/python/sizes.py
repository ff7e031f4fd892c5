"""Sizes as people write them: the values of `cache_bytes`, `max_chunk_bytes` and their kin."""

from __future__ import annotations

from fuzz.python import option_twin as twin
from fuzz.python.comparing import agree, answer_of
from octavo._option_grammar import UINT64_MAX, Sizes
from octavo._options import parse_bytes
from octavo.errors import OptionError

SEEDS = (
    *(b"0", b"4096", b"64MB", b"1.5 GiB", b"16k", b" +1e3 ", b"inf", b"-0", b"0.5", b".5k", b"1E", b"0x1.8p3"),
    *(b"0x1B", b"1eb", b"0x1eib", b"18446744073709551615", b"18446744073709551616", b"1e400", b"nan", b"7\x0b T"),
)
WORDS = (
    *(
        b"k",
        b"K",
        b"Ki",
        b"MiB",
        b"mb",
        b"G",
        b"tib",
        b"P",
        b"E",
        b"eb",
        b"EiB",
        b"B",
        b"b",
        b" ",
        b"\t",
        b"\x1c",
        b"\xc2\xa0",
    ),
    *(b"inf", b"Infinity", b"0x", b".", b"e", b"p", b"+", b"-", b"e308", b"p-1074", b"e-400", b"\xd9\xa3", b"\xc5\xbf"),
)


def check(data: bytes) -> None:
    """Read the text strictly and casually."""
    text = data.decode("utf-8", "surrogateescape")
    strict = answer_of(lambda: Sizes(0, UINT64_MAX).read(text), ValueError)
    agree("size", strict, answer_of(lambda: twin.size(text, 0, UINT64_MAX, casual=False), twin.NoMeaningError))
    for least, most in ((0, UINT64_MAX), (1, 2**32 - 1)):
        found = answer_of(lambda: parse_bytes(text, name="size", at_least=least, at_most=most), OptionError)  # noqa: B023 - called at once
        expected = answer_of(lambda: twin.size(text, least, most, casual=True), twin.NoMeaningError)  # noqa: B023
        agree(f"size in [{least}..{most}]", found, expected)

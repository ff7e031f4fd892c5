"""What the records hold: bytes that nothing can compress, or text that compresses as English does. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.cases import Content

BLOCK_BYTES = 64 << 20

# Text: words of these syllables; the nth word comes up in proportion to 1 / (n + SHIFT) (Zipf and Mandelbrot).
STARTS = ("", "", "b", "c", "ch", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "st", "t", "th", "tr", "w")
MIDDLES = ("a", "a", "e", "e", "e", "ea", "i", "io", "o", "u")
ENDS = ("", "", "d", "l", "n", "r", "s", "t")
WORDS, SHIFT = 10_000, 2.7
SHORT_WORDS = 200  # the most frequent ones
SEPARATORS = {" ": 0.88, ", ": 0.06, ". ": 0.06}
WORDS_AT_ONCE = 1_000_000


def random_bytes(count: int, record_bytes: int, seed: int) -> Iterator[bytes]:
    """Records of one size, random, so that nothing below can compress or merge them."""
    rng = np.random.default_rng(seed)
    step = max(BLOCK_BYTES // record_bytes, 1)
    for start in range(0, count, step):
        block = rng.bytes(min(step, count - start) * record_bytes)
        yield from (block[at : at + record_bytes] for at in range(0, len(block), record_bytes))


def text(count: int, record_bytes: int, seed: int) -> Iterator[bytes]:
    """Pieces of one long text, from two to four thirds of `record_bytes`: about 2.8:1 with zstd:3, 256 to a chunk."""
    rng = np.random.default_rng(seed)
    stock = _words(rng)
    page, at = b"", 0
    for length in rng.integers(record_bytes * 2 // 3, record_bytes * 4 // 3, count, endpoint=True).tolist():
        while at + length > len(page):
            page, at = page[at:] + next(stock), 0
        yield page[at : at + length]
        at += length


CONTENTS: dict[Content, Callable[[int, int, int], Iterator[bytes]]] = {"random": random_bytes, "text": text}


def _words(rng: np.random.Generator) -> Iterator[bytes]:
    """Text without end, many words at once."""
    syllables = ["".join(parts) for parts in itertools.product(STARTS, MIDDLES, ENDS)]
    sizes = [*rng.integers(1, 3, SHORT_WORDS), *rng.integers(2, 5, WORDS - SHORT_WORDS)]
    words = ["".join(syllables[i] for i in rng.integers(0, len(syllables), size)) for size in sizes]
    entries = np.array([f"{word}{end}".encode() for word in words for end in SEPARATORS], dtype=object)
    shares = np.outer(1 / (np.arange(1, WORDS + 1) + SHIFT), list(SEPARATORS.values())).ravel()
    limits = np.cumsum(shares / shares.sum())
    limits[-1] = 1.0  # whatever rounding made of it
    while True:
        yield b"".join(entries[np.searchsorted(limits, rng.random(WORDS_AT_ONCE), side="right")].tolist())

"""The fuzz targets of `fuzz/python` without a fuzzer: seeds, what was found once, and a short seeded run of each."""

from __future__ import annotations

import importlib
import os
import random

import pytest

from fuzz.python import TARGETS, comparing, mutating, tar_twin

RUNS = {
    "folder": 700,
    "json_lines": 1000,
    "manifest": 5000,
    "options": 1500,
    "sizes": 5000,
    "tar": 800,
    "tf_example": 3000,
}

# What octavo and a twin once disagreed about.
FOUND: dict[str, list[bytes]] = {
    "folder": [b"x\n/etc", b"a/b\n/b\nc"],
    "json_lines": [
        b'{"octavo.base64":"AAAA="}',
        b'{"octavo.base64":"/\\u0061wA="}',
        b'{"octavo.base64":"}',
    ],
    "manifest": [
        b'{"octavo":"manifest","version":1,"format":"","paths":"a","sizes":[1],"records":[1],"storing":"v","tags":"x"}',
        b'{"octavo":"manifest","version":1,"format":"","paths":{"a":1},"sizes":[1],"records":[1],"storing":["v"],"tags":[null]}',
        b'{"octavo":"manifest","version":true,"format":"","paths":["a"],"sizes":[1],"records":[1],"storing":["v"],"tags":[null]}',
    ],
    "options": [b":", b"window_log:20,snappy:2"],
    "sizes": [b"-0x0eb\t", b"\x1c0xb", b"1E\t"],
    "tf_example": [b"\x0a\x12\x0a\x10\x0a\x01k\x12\x04\x0a\x02\x0a\x00\x12\x05\x1a\x03\x08\x96\x01"],
}


@pytest.mark.parametrize("name", TARGETS)
def test_octavo_and_the_twin_agree_about_the_seeds(name):
    mutating.try_seeds(mutating.target(name))


@pytest.mark.parametrize(("name", "data"), [(name, data) for name, inputs in FOUND.items() for data in inputs])
def test_what_was_found_once_stays_mended(name, data):
    mutating.target(name).check(data)


def test_checksum_of_a_tar_header_is_not_a_remainder():
    target = importlib.import_module("fuzz.python.tar")
    archive = bytearray(target.SEEDS[0][1:])
    archive[148:156] = b"%06o\0 " % (tar_twin.number(bytes(archive[148:154])) + 65521)
    target.check(b"\0" + archive)


@pytest.mark.parametrize("name", TARGETS)
def test_octavo_and_the_twin_agree_about_mutations(name):
    one = mutating.target(name)
    seconds = float(os.environ.get("OCTAVO_FUZZ_SECONDS", "0"))
    if seconds:
        assert mutating.try_mutations(one, runs=1 << 62, seconds=seconds, seed=random.SystemRandom().getrandbits(64))
    else:
        assert mutating.try_mutations(one, runs=RUNS[name]) == RUNS[name]


@pytest.mark.parametrize("name", TARGETS)
def test_targets_have_what_a_fuzzer_needs(name):
    one = mutating.target(name)
    assert one.SEEDS
    assert one.WORDS
    assert max(map(len, one.SEEDS)) <= 8192


def test_mutations_are_the_same_every_time():
    one = mutating.target("sizes")
    first, second = ([mutating.mutate(seed, one, dice) for seed in one.SEEDS] for dice in map(random.Random, (5, 5)))
    assert first == second


def test_a_disagreement_is_told_with_both_answers():
    with pytest.raises(comparing.DisagreementError, match="size: octavo says 1, and should say 2"):
        comparing.agree("size", 1, 2)
    comparing.agree("refusal", comparing.Refused("one reason"), comparing.Refused("another"))

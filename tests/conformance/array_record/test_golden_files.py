"""Whole files that can be described in a line: written anew, they have the digest of what the original wrote."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

import octavo
from tests.conformance.array_record.fixtures import LISTED_GOLDEN, Golden
from tests.conformance.array_record.wheel import encode
from tests.conformance.originals import ABSENT
from tests.naive import array_record as naive


def around_a_block(size: int, pad: str, sha256: str) -> Golden:
    """Files whose second chunk begins near the end of the first block, or the first one's right behind it."""
    records = [["fill", "61", size], ["hex", "78797a"], ["hex", ""]]
    return Golden(f"group_size:1,uncompressed,pad_to_block_boundary:{pad}", records, sha256)


# A part of the manifest's list, so that the most telling ones are tried without it, too.
GOLDEN = [
    around_a_block(65365, "false", "7096e910bd7d6a73f4ff907feee0e7900991215e416ae3a9a965de16c785f7c2"),
    around_a_block(65387, "false", "d4b6f348037c88841c0b3d45427d093e54596a7c53a099514ed863976c176e85"),
    around_a_block(65388, "false", "53d990ee862822f731ef3374e57293240106c721f37801145cb07a004d897cca"),
    around_a_block(65402, "false", "781f818f0a1e7fd64b47adec3960b38973577ed8fd75c8658981e72d0b39eec2"),
    around_a_block(65427, "false", "c1f2243ce656f819d9279e1362b26ddb1bf661a99c961262acf53f1e5e0e7f8b"),
    around_a_block(65454, "false", "924a1ce0b537c56f4e92a9dcd463d1e5006b5fb4c180cd1b4a3209fcb7c1f405"),
    around_a_block(130950, "false", "286b0976b918f25970dd6618e224ca12d97e7ae08b1a6737cc64c62bf0daf68e"),
    around_a_block(65365, "true", "e780c2c39d4d52a2eb593b8794152fc145ec322217cf8855ae2129a466ef37a5"),
    around_a_block(65387, "true", "6eb71360aa37d3c7ae53f366dcdc73c286feb45048c27f71f1f3d0d7dab8a80b"),
    around_a_block(65388, "true", "6f35b61307ed763e1bbe148a2fc42597b3f65b4f372deb30e70f617584276f1c"),
    around_a_block(65402, "true", "404436ecc2794795658df1f43ddd140af93200cddf403b7a6fe07675c8548e6a"),
    around_a_block(65427, "true", "9c90acb46e8fda0aa30c3f01f328a3c0813cae6e7ecac84c02ee688d132c75df"),
    around_a_block(65454, "true", "667dff4f23b583ee8463c70f3797683ebc0009e3f76a0e320ed4ea5fb7ce2d1f"),
    around_a_block(130950, "true", "b47b99223de66fac777dd360b37e297a595d763aba940a6020c699e492ae8c32"),
    Golden(
        "group_size:1,uncompressed",
        [["ascii_decimal_range", 0, 20000]],
        "78f15b0c49dc68d905845e29c649dc702ae88ec4f91723b4531154f9a10eefc6",
    ),
    Golden(
        "group_size:4096,uncompressed",
        [["ascii_decimal_range", 0, 20000]],
        "3683eed6fb9417242042496918f33e46ee7cfe4d1c335e7e0148c46831b393ad",
    ),
    Golden(
        "group_size:256,uncompressed,transpose",
        [["repeat_empty", 1000]],
        "9c8dc950a26898d7eaf0f512db52fd18af24d632413c194d6b37bd2d1e91510c",
    ),
    Golden(
        "group_size:100,uncompressed,transpose",
        [["varint_field_messages", 0, 300]],
        "2acffb6da739095c8242315e4e12a348e654ace81a3ab390208169ee6a16ac1f",
    ),
]
# What a codec makes of the same bytes depends on its version.
LISTED = [golden for golden in LISTED_GOLDEN if golden not in GOLDEN and "uncompressed" in golden.options]


def as_parameters(*, transposed: bool) -> list[Any]:
    """Those with a machine in their chunks too, or only the others."""
    found = [golden for golden in [*GOLDEN, *LISTED] if transposed or "transpose" not in golden.options]
    parameters = [pytest.param(golden, id=golden.name) for golden in found]
    absent = pytest.param(None, id="the others", marks=pytest.mark.skip(reason=ABSENT))
    return parameters if LISTED else [*parameters, absent]


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("golden", as_parameters(transposed=True))
def test_the_naive_twin_writes_the_same_file(golden: Golden):
    assert digest(naive.encode(golden.records, naive.Options.from_text(golden.options))) == golden.sha256


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_the_original_still_writes_the_same_file(golden: Golden, tmp_path):
    assert digest(encode(tmp_path, golden.records, golden.options)) == golden.sha256


# Which machine a transposed chunk has is the writer's choice, so those are compared by what they read as.
@pytest.mark.parametrize("golden", as_parameters(transposed=False))
def test_octavo_writes_the_same_file(golden: Golden, tmp_path):
    path = tmp_path / "written.array_record"
    with octavo.create(path, options=golden.options) as writer:
        writer.write_many(golden.records)
    assert digest(path.read_bytes()) == golden.sha256


@pytest.mark.parametrize("golden", as_parameters(transposed=True))
def test_octavo_reads_the_same_records(golden: Golden):
    content = naive.encode(golden.records, naive.Options.from_text(golden.options))
    assert octavo.open(content).read_all() == golden.records

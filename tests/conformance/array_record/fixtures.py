"""What the manifest of the original's ArrayRecord files says, as `Original`s and as files that can be described."""

from __future__ import annotations

import dataclasses
from typing import Any

from tests.conformance.originals import FIXTURES, Original, manifest_of
from tests.naive.protobuf import varint

MANIFEST = manifest_of("array_record")


def _listed(name: str) -> list[Original]:
    """Files with the facts about their records beside their own: `sha256` is that of each record."""
    return [
        Original(FIXTURES / "array_record" / facts["file"], {**facts, **MANIFEST["record_sets"][facts["record_set"]]})
        for facts in MANIFEST.get(name, [])
    ]


SOUND = _listed("files")
DAMAGED = _listed("damaged")


@dataclasses.dataclass(frozen=True)
class Golden:
    """A whole file of the original's, as its options, its records and its digest."""

    options: str
    description: Any
    sha256: str

    @property
    def records(self) -> list[bytes]:
        return [record for part in self.description for record in _records_of(*part)]

    @property
    def name(self) -> str:
        return f"{self.options} {self.description}"


def _records_of(kind: str, *details: Any) -> list[bytes]:
    match kind:
        case "hex":
            return [bytes.fromhex(details[0])]
        case "fill":
            return [bytes.fromhex(details[0]) * details[1]]
        case "repeat_empty":
            return [b""] * details[0]
        case "ascii_decimal_range":
            return [b"%d" % number for number in range(*details)]
        case "varint_field_messages":
            return [b"\x08" + varint(number) + b"\x12\x03abc" for number in range(*details)]
    raise ValueError(kind)


LISTED_GOLDEN = [
    Golden(facts["options"], facts["records"], facts["sha256"]) for facts in MANIFEST.get("golden_sha256", [])
]

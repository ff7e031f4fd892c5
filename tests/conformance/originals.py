"""The files that the original packages wrote. They lie beside the checkout and are no part of the repository.

`../shared/fixtures` is looked for next to the repository root; OCTAVO_FIXTURES names another folder. Each format has a
folder there with a `manifest.json`, which says what every file must read as.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
FIXTURES = Path(os.environ.get("OCTAVO_FIXTURES") or ROOT.parent / "shared" / "fixtures")
ABSENT = "the originals' files are not beside the checkout; OCTAVO_FIXTURES can name their folder"


@dataclasses.dataclass(frozen=True)
class Original:
    """One file, or one directory of them, and what its manifest says."""

    path: Path
    facts: dict[str, Any]

    @property
    def kind(self) -> str:
        return str(self.facts["kind"])


def manifest_of(format_name: str) -> dict[str, Any]:
    """What a format's manifest says; nothing where the files are absent."""
    manifest = FIXTURES / format_name / "manifest.json"
    if not manifest.is_file():
        return {}
    facts: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))
    return facts


def originals(format_name: str) -> list[Original]:
    """Everything the manifest of a format lists by name."""
    files = manifest_of(format_name).get("files", {})
    return [Original(FIXTURES / format_name / name, facts) for name, facts in files.items()]


def as_parameters(found: Iterable[Original]) -> list[Any]:
    """One test for each file, or one skipped test that says why there is none."""
    parameters = [pytest.param(original, id=original.path.name) for original in found]
    return parameters or [pytest.param(None, id="absent", marks=pytest.mark.skip(reason=ABSENT))]


def digest_of(records: Iterable[bytes]) -> str:
    """The manifest's `records_digest`: sha256 over each record's length (8 bytes, little-endian) and bytes."""
    digest = hashlib.sha256()
    for record in records:
        digest.update(len(record).to_bytes(8, "little"))
        digest.update(record)
    return digest.hexdigest()


def sha256_of(record: bytes) -> str:
    return hashlib.sha256(record).hexdigest()

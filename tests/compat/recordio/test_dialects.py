"""Every reader of the drop-in reads every dialect and codec; what the originals wrote, and what is damaged."""

from __future__ import annotations

import itertools
import pathlib
import warnings
from typing import Any

import pytest

from octavo.compat import recordio
from octavo.errors import TornAppendWarning
from tests.conformance.originals import Original, as_parameters, digest_of, originals, sha256_of
from tests.naive import recordio as naive

ALL_CODECS = [(dialect, codec) for dialect, rules in naive.DIALECTS.items() for codec in rules.codecs]
RECORDS = [bytes([65 + number]) * length for number, length in enumerate((3, 0, 60, 5000, 1, 1, 100_000, 0, 7))]
FILES = originals("recordio")
SOUND = [one for one in FILES if one.kind == "valid"]
DAMAGED = [one for one in FILES if one.kind == "damaged"]
HOPPABLE = [one for one in DAMAGED if one.path.stem.endswith(("_flip_payload", "_flip_first"))]


def by_file(path: pathlib.Path) -> Any:
    yield from recordio.File(path, "r")


def by_number(path: pathlib.Path) -> Any:
    file = recordio.File(path, "r")
    for number in range(file.count()):
        yield file.get(number)


def by_iterator(path: pathlib.Path) -> Any:
    iterator = recordio.File(path, "r").iterator()
    while iterator.has_next():
        yield iterator.next()


def by_chunk(path: pathlib.Path) -> Any:
    with path.open("rb") as data:
        for entry in recordio.FileIndex(data):
            reader = recordio.Reader(data, entry.offset)
            while reader.has_next():
                yield reader.next()


def by_range(path: pathlib.Path) -> Any:
    with path.open("rb") as data:
        yield from recordio.RangeReader(data, recordio.FileIndex(data))


def by_scanner(path: pathlib.Path) -> Any:
    yield from iter(recordio.Scanner(str(path)).record, None)


def by_older_reader(path: pathlib.Path) -> Any:
    yield from iter(recordio.reader(str(path)).read, None)


WAYS = [by_file, by_number, by_iterator, by_chunk, by_range, by_scanner, by_older_reader]


@pytest.mark.parametrize("way", WAYS)
class TestEveryWay:
    @pytest.mark.parametrize(("dialect", "codec"), ALL_CODECS)
    def test_every_dialect_and_codec_is_read(self, tmp_path, way, dialect, codec):
        path = tmp_path / "x.recordio"
        path.write_bytes(naive.encode(RECORDS, dialect, codec, max_chunk_bytes=100))
        assert list(way(path)) == RECORDS

    @pytest.mark.parametrize("original", as_parameters(SOUND))
    def test_what_the_originals_wrote_is_read(self, way, original: Original):
        assert digest_of(way(original.path)) == original.facts["records_digest"]

    @pytest.mark.parametrize("original", as_parameters(DAMAGED))
    def test_damage_is_reported_behind_the_records_before_it(self, way, original: Original):
        found: list[str] = []
        failure = None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found.extend(sha256_of(record) for record in way(original.path))
            except RuntimeError as error:
                failure = error
        readable = original.facts["readable_strict"]
        assert found == [original.facts["record_sha256"][number] for number in readable]
        is_torn = any(issubclass(one.category, TornAppendWarning) for one in caught)
        assert is_torn == ("_torn_" in original.path.name)
        assert is_torn != (failure is not None)


@pytest.mark.parametrize("original", as_parameters(HOPPABLE))
def test_records_behind_a_damaged_payload_are_found_by_number(original: Original):
    file = recordio.File(original.path, "r")
    for number, digest in enumerate(original.facts["record_sha256"]):
        if number in original.facts["readable_salvage"]:
            assert sha256_of(file.get(number)) == digest
        else:
            with pytest.raises(RuntimeError, match=r"^checksum check failed for raw checksum "):
                file.get(number)


@pytest.mark.parametrize("original", as_parameters(one for one in FILES if one.kind == "foreign"))
def test_mxnets_format_is_refused_by_its_name(original: Original):
    with pytest.raises(ValueError, match="MXNet"):
        recordio.File(original.path, "r")
    with pytest.raises(RuntimeError, match="MXNet"):
        recordio.Scanner(str(original.path))


def test_codecs_may_change_from_chunk_to_chunk(tmp_path):
    chunks = [naive.encode_chunk([codec.encode()], "paddle-python", codec) for codec in ("none", "snappy", "gzip")]
    path = tmp_path / "x.recordio"
    path.write_bytes(b"".join(itertools.chain(chunks, [chunks[0]])))
    for way in WAYS:
        assert list(way(path)) == [b"none", b"snappy", b"gzip", b"none"]

"""Every pair of containers: records go there and come back, and their digest does not change on the way."""

from __future__ import annotations

import random
import warnings

import pytest

import octavo
from octavo import _core
from tests.conformance import originals
from tests.convert.containers import ALL, OTHERS, RECORDS, Kind, by_name

SMALL = [b"", b"a", b"\n", b"\r\n", b"\0", b'{"json": 1}', b"[1]", b'"text"', b" 1", "ü".encode(), b"\xff", b"", b"0"]
BASE = RECORDS[0]


def write(path, records) -> octavo.Digest:
    with octavo.create(path) as writer:
        writer.write_many(records)
    return octavo.digest(path)


def there_and_back(first: Kind, second: Kind, source, expected: octavo.Digest, folder) -> None:
    start, report = first.convert(source, folder, "start")
    assert (report.digest, report.verified) == (expected, True)
    there, report = second.convert(start, folder, "there", **_source_of(first))
    assert (report.digest, report.verified) == (expected, True)
    back, report = first.convert(there, folder, "back", **_source_of(second))
    assert report.digest == expected
    assert first.digest(back) == second.digest(there) == expected


def _source_of(kind: Kind):
    return {"source_format": "folder"} if kind.name == "folder" else {}


@pytest.mark.parametrize("second", by_name(ALL))
@pytest.mark.parametrize("first", by_name(ALL))
def test_a_pair_there_and_back(tmp_path, first, second):
    picks = random.Random(7)
    records = SMALL + [picks.randbytes(picks.choice([0, 1, 2, 30, 4000])) for _ in range(100)]
    expected = write(tmp_path / "source.ffr", records)
    there_and_back(first, second, tmp_path / "source.ffr", expected, tmp_path)


@pytest.mark.parametrize("kind", by_name(ALL))
@pytest.mark.parametrize("records", [[], [b""], [b"x"], [b"", b"", b""]], ids=["none", "empty", "one", "empties"])
def test_few_records_there_and_back(tmp_path, kind, records):
    expected = write(tmp_path / "source.tfrecord", records)
    there_and_back(kind, BASE, tmp_path / "source.tfrecord", expected, tmp_path)


@pytest.mark.parametrize("kind", by_name(ALL))
def test_records_of_50_megabytes_there_and_back(tmp_path, kind):
    large = random.Random(3).randbytes(1 << 20) * 50
    expected = write(tmp_path / "source.tfrecord", [b"a", large, b"", large[::-1], b"b"])
    there, report = kind.convert(tmp_path / "source.tfrecord", tmp_path, "there")
    assert report.digest == expected
    _, report = BASE.convert(there, tmp_path, "back", **_source_of(kind))
    assert report.digest == expected


@pytest.mark.slow
@pytest.mark.parametrize("kind", by_name([*RECORDS, *OTHERS[:-1]]))
def test_a_million_small_records_there_and_back(tmp_path, kind):
    expected = write(tmp_path / "source.tfrecord", (b"%d" % number for number in range(1_000_000)))
    there, report = kind.convert(tmp_path / "source.tfrecord", tmp_path, "there")
    assert (report.record_count, report.digest) == (1_000_000, expected)
    _, report = BASE.convert(there, tmp_path, "back", **_source_of(kind))
    assert report.digest == expected


def test_thousands_of_files_there_and_back(tmp_path):
    folder = OTHERS[-1]
    expected = write(tmp_path / "source.tfrecord", (b"%d" % number for number in range(5000)))
    there, _ = folder.convert(tmp_path / "source.tfrecord", tmp_path, "there")
    _, report = BASE.convert(there, tmp_path, "back", source_format="folder")
    assert report.digest == expected


def readable(path) -> bool:
    """Whether a file of the originals is whole; those made to be refused are other tests' business."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return octavo.verify(path).ok
        except octavo.errors.OctavoError:
            return False


FIXTURES = [path for path in sorted(originals.FIXTURES.glob("*/*")) if path.suffix != ".json" and readable(path)]


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in FIXTURES])
def test_files_of_the_originals_there_and_back(tmp_path, path):
    naive = _core.Digest()
    naive.update(octavo.open(path).read_all())
    expected = octavo.digest(path)
    assert (naive.ordered, naive.record_count) == (expected.ordered, expected.record_count)
    for kind in ALL:
        folder = tmp_path / kind.name
        folder.mkdir()
        there, report = kind.convert(path, folder, "there")
        assert report.digest == expected
        _, report = BASE.convert(there, folder, "back", **_source_of(kind))
        assert report.digest == expected

"""`octavo.trim`: what an interrupted append has left behind is cut off, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

import octavo
from octavo import errors
from tests.unit.layouts import FFRECORD, GO, GROUPED, RECORDIO, RIEGELI, TFRECORD, Format, Layout
from tests.unit.places import PathOnly, without_privileges

RECORDS = [f"record {number}".encode() for number in range(20)]
TORN = {"array_record": GROUPED, "recordio": RECORDIO, "recordio-go": GO, "tfrecord": TFRECORD}


@pytest.fixture(params=TORN.values(), ids=list(TORN))
def torn(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file with ten bytes of an append behind its end."""
    layout: Layout = request.param
    path = layout.write(tmp_path / "torn", RECORDS)
    size = path.stat().st_size
    with octavo.append(path) as writer:
        writer.write(b"more")
    path.write_bytes(path.read_bytes()[: size + 10])
    return path


@pytest.mark.parametrize("kind", [str, Path, PathOnly])
def test_the_rest_of_an_append_is_cut_off_and_counted(torn, kind):
    before = torn.read_bytes()
    cut = octavo.trim(kind(torn))
    assert (type(cut), cut, torn.read_bytes()) == (int, 10, before[:-10])
    assert octavo.open(torn).read_all() == RECORDS
    assert octavo.verify(torn).ok


def test_trimming_twice_cuts_once(torn):
    assert (octavo.trim(torn), octavo.trim(torn)) == (10, 0)


@pytest.mark.usefixtures("working_folder")
def test_a_path_may_be_relative(torn):
    assert octavo.trim(torn.name) == 10


def test_a_whole_file_of_any_format_is_left_as_it_is(layout, tmp_path):
    for name, records in (("many", RECORDS), ("none", [])):
        path = layout.write(tmp_path / name, records)
        before, changed_at = path.read_bytes(), path.stat().st_mtime_ns
        assert octavo.trim(path) == 0
        assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, changed_at)


def test_damage_is_left_as_it_is_and_told_if_the_file_does_not_open(tmp_path):
    for layout in (FFRECORD, GROUPED, RIEGELI):
        path = layout.write(tmp_path / "damaged", RECORDS)
        path.write_bytes(damaged := path.read_bytes()[:60])
        with pytest.raises(errors.FormatError):
            octavo.trim(path)
        assert path.read_bytes() == damaged


def test_a_format_that_nothing_tells_can_be_named(torn):
    format = cast("Format", torn.suffix.removeprefix("."))
    plain = torn.rename(torn.with_suffix(""))
    assert octavo.trim(plain, format=format) == 10
    assert octavo.open(plain, format=format).read_all() == RECORDS


def test_what_is_not_there_is_not_found(tmp_path):
    with pytest.raises(errors.NotFoundError) as caught:
        octavo.trim(tmp_path / "missing.recordio")
    assert caught.value.path == str(tmp_path / "missing.recordio")


def test_a_folder_is_refused(torn):
    with pytest.raises(errors.StorageError):
        octavo.trim(torn.parent)


def test_a_file_that_may_not_be_written_to_is_denied(torn):
    torn.chmod(0o444)
    torn.parent.chmod(0o755)
    with without_privileges(), pytest.raises(errors.PermissionDeniedError) as caught:
        octavo.trim(torn)
    assert caught.value.path == str(torn)


def test_a_file_that_is_being_appended_to_is_refused(tmp_path):
    path = RECORDIO.write(tmp_path / "records", RECORDS)
    with octavo.append(path) as writer:
        writer.write(b"more")
        writer.flush()
        flushed = path.read_bytes()
        path.write_bytes(flushed + flushed[:10])
        with pytest.raises(errors.StorageError, match="another writer"):
            octavo.trim(path)
        path.write_bytes(flushed)


@pytest.mark.parametrize("location", [None, 3, b"records.recordio", [Path("records.recordio")]])
def test_what_is_no_path_is_a_type_error(location):
    with pytest.raises(errors.RecordTypeError):
        octavo.trim(location)


@pytest.mark.parametrize(("format", "kind"), [("nonsense", errors.OptionError), (3, errors.RecordTypeError)])
def test_an_unknown_format_is_an_error(torn, format, kind):
    with pytest.raises(kind):
        octavo.trim(torn, format=format)

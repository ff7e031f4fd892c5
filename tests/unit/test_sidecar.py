"""`octavo.write_index` and `sidecar=`: an index beside a file that carries none. It changes what opening costs."""

from __future__ import annotations

import os
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo import errors
from tests.naive import recordio
from tests.property.access_paths import ACCESS_PATHS
from tests.unit.damage import damage_chunks, flipped
from tests.unit.layouts import DEFLATED, FFRECORD, GO, GROUPED, RECORDIO, RIEGELI, TFRECORD, Layout
from tests.unit.places import PathOnly, without_privileges

RECORDS = [f"record {number}".encode() * (number % 4) for number in range(100)]
MORE = [b"more", b"", b"and more"]
INDEXED = {
    "recordio": RECORDIO,
    "recordio-go": GO,
    "tfrecord": TFRECORD,
    "tfrecord-gzip": DEFLATED,
    "tfrecord-zlib": Layout("tfrecord", ".tfrecord", (("codec", "zlib"),)),
    "riegeli": RIEGELI,
}


@pytest.fixture(params=INDEXED.values(), ids=list(INDEXED))
def indexed(request: pytest.FixtureRequest) -> Layout:
    """Every way in which files store records without an index."""
    layout: Layout = request.param
    return layout


@pytest.fixture
def path(indexed: Layout, tmp_path: Path) -> Path:
    return indexed.write(tmp_path / "records", RECORDS)


def beside(path: Path) -> Path:
    return path.with_name(path.name + ".octx")


def is_used(path: Path, **options: Any) -> bool:
    return octavo.open(path, **options).info.sidecar


class TestWriting:
    def test_the_index_is_written_beside_the_file_and_named(self, path):
        before = path.read_bytes()
        written = octavo.write_index(path)
        assert written == [str(beside(path))]
        assert type(written[0]) is str
        assert sorted(os.listdir(path.parent)) == [path.name, beside(path).name]
        assert path.read_bytes() == before

    @pytest.mark.parametrize("kind", [str, Path, PathOnly])
    @pytest.mark.usefixtures("working_folder")
    def test_a_path_may_be_of_every_kind_and_relative(self, tmp_path, kind):
        path = RECORDIO.write(tmp_path / "records", RECORDS)
        assert octavo.write_index(kind(path)) == octavo.write_index(path.name) == [str(beside(path))]

    def test_many_files_have_an_index_each(self, indexed, path, tmp_path):
        other = indexed.write(tmp_path / "other", [])
        assert octavo.write_index(tmp_path) == [str(beside(other)), str(beside(path))]
        assert octavo.write_index([path, other]) == [str(beside(path)), str(beside(other))]
        assert octavo.write_index(str(tmp_path / "o*")) == [str(beside(other))]

    def test_one_that_is_there_is_replaced(self, path):
        beside(path).write_bytes(b"older")
        octavo.write_index(path)
        assert is_used(path)

    def test_the_same_file_has_the_same_index(self, path):
        octavo.write_index(path)
        before = beside(path).read_bytes()
        octavo.write_index(path)
        assert beside(path).read_bytes() == before

    def test_a_format_that_nothing_tells_can_be_named(self, indexed, path):
        plain = path.rename(path.with_name("plain"))
        octavo.write_index(plain, format=indexed.format)
        reader = octavo.open(plain, format=indexed.format)
        assert (reader.info.sidecar, reader.read_all()) == (True, RECORDS)

    @pytest.mark.parametrize("layout", [FFRECORD, GROUPED], ids=["ffrecord", "array_record"])
    def test_formats_that_carry_an_index_say_so(self, layout, tmp_path):
        path = layout.write(tmp_path / "records", RECORDS)
        with pytest.raises(errors.UnsupportedError):
            octavo.write_index(path)
        assert os.listdir(tmp_path) == [path.name]

    def test_bytes_have_no_place_for_an_index(self, indexed):
        with pytest.raises(errors.UnsupportedError, match="only files"):
            octavo.write_index(indexed.encode(RECORDS))

    def test_what_is_not_there_is_not_found(self, tmp_path):
        with pytest.raises(errors.NotFoundError) as caught:
            octavo.write_index(tmp_path / "missing.recordio")
        assert caught.value.path == str(tmp_path / "missing.recordio")

    def test_a_folder_that_may_not_be_written_to_is_denied(self, path):
        path.parent.chmod(0o555)
        try:
            with without_privileges(), pytest.raises(errors.PermissionDeniedError):
                octavo.write_index(str(path))
        finally:
            path.parent.chmod(0o755)

    @pytest.mark.parametrize(("format", "kind"), [("nonsense", errors.OptionError), (3, errors.RecordTypeError)])
    def test_an_unknown_format_is_an_error(self, tmp_path, format, kind):
        path = RECORDIO.write(tmp_path / "records", RECORDS)
        with pytest.raises(kind):
            octavo.write_index(path, format=format)
        assert os.listdir(path.parent) == [path.name]

    def test_a_torn_file_is_refused(self, tmp_path):
        for layout in (RECORDIO, GO, TFRECORD):
            path = layout.write(tmp_path / "torn", RECORDS)
            path.write_bytes(path.read_bytes()[:-1])
            with pytest.raises(errors.FormatError, match="interrupted append") as caught:
                octavo.write_index(path)
            assert caught.value.path == str(path)
            assert not beside(path).exists()

    def test_a_file_that_lost_its_way_is_refused(self, path):
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2] + b"x" * 30 + content[len(content) // 2 :])
        if not octavo.verify(path).ok:
            with pytest.raises(errors.FormatError):
                octavo.write_index(path)
        assert not beside(path).exists()


class TestReading:
    @pytest.fixture(autouse=True)
    def index(self, path: Path) -> None:
        octavo.write_index(path)

    def test_every_way_to_read_gives_the_records(self, path):
        for way, read in ACCESS_PATHS.items():
            reader = octavo.open(path)
            assert reader.info.sidecar
            assert read(reader) == RECORDS, way

    def test_info_is_that_of_a_scan(self, path):
        found, scanned = octavo.open(path).info, octavo.open(path, sidecar=False).info
        assert (found.sidecar, scanned.sidecar) == (True, False)
        told = [name for name in vars(found) if name != "sidecar"]
        assert {name: getattr(found, name) for name in told} == {name: getattr(scanned, name) for name in told}

    def test_partitions_and_pickles_are_those_of_a_scan(self, path):
        reader, scanned = octavo.open(path), octavo.open(path, sidecar=False)
        assert [len(part) for part in reader.partitions(7)] == [len(part) for part in scanned.partitions(7)]
        again = pickle.loads(pickle.dumps(reader))
        assert (again.info.sidecar, again.read_all()) == (True, RECORDS)
        again = pickle.loads(pickle.dumps(scanned))
        assert (again.info.sidecar, again.read_all()) == (False, RECORDS)
        part = scanned.partitions(2)[0].open()
        assert (part.info.sidecar, part.read_all()) == (False, RECORDS[: len(part)])

    def test_several_files_may_have_one_or_not(self, path, indexed, tmp_path):
        other = indexed.write(tmp_path / "a", MORE)
        assert octavo.open([path, other]).read_all() == RECORDS + MORE
        assert octavo.open(tmp_path).read_all() == MORE + RECORDS

    def test_it_is_not_looked_for_if_it_is_not_wanted(self, path):
        assert (is_used(path), is_used(path, sidecar=False)) == (True, False)

    def test_verify_and_recover_look_at_the_file(self, path, indexed, tmp_path):
        assert octavo.verify(path) == octavo.VerifyReport(100, ())
        saved = tmp_path / f"saved{indexed.suffix}"
        assert octavo.recover(path, saved).record_count == 100
        assert not beside(saved).exists()

    def test_a_copy_of_both_is_as_good(self, path, tmp_path):
        (tmp_path / "copy").mkdir()
        copy = tmp_path / "copy" / path.name
        shutil.copy2(path, copy)
        shutil.copy2(beside(path), beside(copy))
        assert (is_used(copy), octavo.open(copy).read_all()) == (True, RECORDS)


class TestIgnoring:
    """One that is damaged, or of another file, is as if it were not there."""

    @pytest.fixture(autouse=True)
    def index(self, path: Path) -> bytes:
        octavo.write_index(path)
        assert is_used(path)
        return beside(path).read_bytes()

    def test_every_byte_of_it_counts(self, path, index):
        for place in range(len(index)):
            beside(path).write_bytes(flipped(index, place))
            reader = octavo.open(path)
            assert not reader.info.sidecar, place
        assert reader.read_all() == RECORDS

    @pytest.mark.parametrize("kept", [0, 1, 8, 71, 72, -1])
    def test_one_that_was_cut_off_is_passed_over(self, path, index, kept):
        beside(path).write_bytes(index[:kept])
        assert (is_used(path), octavo.open(path).read_all()) == (False, RECORDS)

    @pytest.mark.parametrize("content", [b"an index" * 100, bytes(1000), b"x" * (1 << 20)])
    def test_something_else_is_passed_over(self, path, content):
        beside(path).write_bytes(content)
        assert (is_used(path), octavo.open(path).read_all()) == (False, RECORDS)

    def test_a_folder_of_that_name_is_passed_over(self, path):
        beside(path).unlink()
        beside(path).mkdir()
        assert (is_used(path), octavo.open(path).read_all()) == (False, RECORDS)

    @pytest.mark.parametrize("target", ["missing", "records.octx"])
    def test_a_link_that_leads_nowhere_is_passed_over(self, path, target):
        beside(path).unlink()
        beside(path).symlink_to(beside(path) if target == "records.octx" else path.with_name(target))
        assert (is_used(path), octavo.open(path).read_all()) == (False, RECORDS)

    def test_that_of_another_file_is_passed_over(self, path, indexed, tmp_path):
        other = indexed.write(tmp_path / "other", RECORDS[::-1])
        shutil.copy2(beside(path), beside(other))
        assert (is_used(other), octavo.open(other).read_all()) == (False, RECORDS[::-1])

    def test_that_of_the_file_before_is_passed_over(self, path, indexed):
        path.write_bytes(indexed.encode(RECORDS[::-1]))
        os.utime(beside(path))  # and it seems to be newer
        assert (is_used(path), octavo.open(path).read_all()) == (False, RECORDS[::-1])

    def test_a_file_that_was_written_to_afterwards_is_scanned(self, path):
        later = beside(path).stat().st_mtime + 10
        os.utime(path, (later, later))
        assert (is_used(path), octavo.open(path).read_all()) == (False, RECORDS)

    def test_a_file_that_grew_by_other_means_is_scanned(self, path, indexed):
        if indexed.format == "riegeli" or ("codec", "zlib") in indexed.options:
            pytest.skip("two such files are no file together")
        path.write_bytes(path.read_bytes() + indexed.encode(MORE))
        os.utime(beside(path))
        assert (is_used(path), octavo.open(path).read_all()) == (False, RECORDS + MORE)

    def test_one_that_is_gone_is_not_missed(self, path):
        beside(path).unlink()
        assert (is_used(path), octavo.open(path).read_all()) == (False, RECORDS)


class TestDamage:
    """An index is no promise about the records: they are checked when they are read."""

    @pytest.mark.parametrize("layout", [RECORDIO, GO, TFRECORD], ids=["recordio", "recordio-go", "tfrecord"])
    def test_damage_behind_its_back_is_found(self, layout, tmp_path):
        path = layout.write(tmp_path / "records", [bytes([number]) * 1000 for number in range(50)])
        octavo.write_index(path)
        path.write_bytes(damage_chunks(layout, path.read_bytes(), 3))
        os.utime(beside(path))
        reader = octavo.open(path)
        assert not octavo.verify(path).ok
        with pytest.raises(errors.FormatError):
            reader.read_all()

    def test_a_damaged_chunk_does_not_hinder_an_index(self, tmp_path):
        path = tmp_path / "records.recordio"
        path.write_bytes(damage_chunks(RECORDIO, RECORDIO.encode(RECORDS), 3))
        octavo.write_index(path)
        reader = octavo.open(path)
        assert (reader.info.sidecar, reader.read_range(0, 15)) == (True, RECORDS[:15])
        with pytest.raises(errors.ChecksumError):
            reader[15]


class TestWriters:
    def test_a_new_file_gets_one_on_demand(self, indexed, tmp_path):
        path = tmp_path / f"records{indexed.suffix}"
        with octavo.create(path, sidecar=True, **dict(indexed.options)) as writer:
            writer.write_many(RECORDS)
            assert not beside(path).exists()
        assert sorted(os.listdir(tmp_path)) == [path.name, beside(path).name]
        assert (is_used(path), octavo.open(path).read_all()) == (True, RECORDS)

    def test_a_new_file_gets_none_otherwise(self, indexed, tmp_path):
        with octavo.create(tmp_path / f"records{indexed.suffix}", **dict(indexed.options)) as writer:
            writer.write_many(RECORDS)
        assert os.listdir(tmp_path) == [f"records{indexed.suffix}"]

    @pytest.mark.parametrize("records", [[], [b""]], ids=len)
    def test_a_file_of_next_to_nothing_gets_one(self, indexed, tmp_path, records):
        path = tmp_path / f"records{indexed.suffix}"
        with octavo.create(path, sidecar=True, **dict(indexed.options)) as writer:
            writer.write_many(records)
        assert octavo.open(path).read_all() == records

    def test_giving_up_leaves_nothing(self, indexed, tmp_path):
        writer = octavo.create(tmp_path / f"records{indexed.suffix}", sidecar=True)
        writer.write_many(RECORDS)
        writer.abort()
        assert os.listdir(tmp_path) == []

    def test_replacing_a_file_leaves_no_index_that_is_taken_for_its_own(self, path, indexed):
        octavo.write_index(path)
        with octavo.create(path, **dict(indexed.options)) as writer:
            writer.write_many(RECORDS[::-1])
        os.utime(path, (0, 0))
        assert octavo.open(path).read_all() == RECORDS[::-1]

    @pytest.mark.parametrize("suffix", [".ffr", ".array_record"])
    def test_formats_that_carry_an_index_have_no_other(self, tmp_path, suffix):
        with pytest.raises(errors.OptionError, match="carries its own index"):
            octavo.create(tmp_path / f"records{suffix}", sidecar=True)
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize("value", [1, 0, None, "yes"])
    def test_it_is_a_switch(self, tmp_path, value):
        with pytest.raises(errors.RecordTypeError, match="sidecar is True or False"):
            octavo.create(tmp_path / "records.recordio", sidecar=value)
        with pytest.raises(errors.RecordTypeError, match="sidecar is True or False"):
            octavo.open(b"", format="recordio", sidecar=value)


class TestAppending:
    @pytest.fixture(params=[".recordio", ".tfrecord", ".riegeli"])
    def grown(self, request: pytest.FixtureRequest, tmp_path: Path) -> Path:
        path = tmp_path / f"records{request.param}"
        with octavo.create(path) as writer:
            writer.write_many(RECORDS)
        return path

    def test_an_index_that_is_there_is_written_anew(self, grown):
        octavo.write_index(grown)
        with octavo.append(grown) as writer:
            writer.write_many(MORE)
            writer.flush()
            assert octavo.open(grown).read_all() == RECORDS + MORE
        assert (is_used(grown), octavo.open(grown).read_all()) == (True, RECORDS + MORE)

    def test_none_is_made_where_there_was_none(self, grown):
        with octavo.append(grown) as writer:
            writer.write_many(MORE)
        assert os.listdir(grown.parent) == [grown.name]

    def test_giving_up_leaves_the_file_readable(self, grown):
        octavo.write_index(grown)
        writer = octavo.append(grown)
        writer.write_many(MORE)
        writer.abort()
        assert octavo.open(grown).read_all() == RECORDS

    def test_an_append_that_writes_nothing_leaves_it_usable(self, grown):
        octavo.write_index(grown)
        with octavo.append(grown):
            pass
        assert (is_used(grown), octavo.open(grown).read_all()) == (True, RECORDS)

    def test_trimming_leaves_a_file_that_is_read_right(self, tmp_path):
        path = RECORDIO.write(tmp_path / "records", RECORDS)
        octavo.write_index(path)
        path.write_bytes(path.read_bytes() + recordio.MAGIC)
        os.utime(beside(path))
        with pytest.warns(errors.TornAppendWarning):
            assert octavo.open(path).read_all() == RECORDS
        assert octavo.trim(path) == 4
        assert octavo.open(path).read_all() == RECORDS

"""Locations in object stores, where no server is needed to try them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import uuid
from pathlib import Path

import pytest

import octavo
from octavo import errors
from octavo.storage import InStore

obstore = pytest.importorskip("obstore", reason="'make test EXTRAS=all' installs it")


@pytest.fixture
def folder() -> str:
    return f"memory://{uuid.uuid4().hex}"


def put(url: str, records: list[bytes]) -> str:
    with octavo.create(url) as writer:
        writer.write_many(records)
    return url


class TestAppending:
    def test_two_appenders_do_not_overwrite_each_other(self, folder):
        url = put(f"{folder}/a.array_record", [b"a"])
        first = octavo.append(url)
        first.write(b"b")
        first.flush()
        with octavo.append(url) as second:
            second.write(b"other")
        first.write(b"c")
        with pytest.raises(errors.SourceChangedError, match="replaced"):
            first.close()
        assert octavo.open(url).read_all() == [b"a", b"b", b"other"]

    def test_what_comes_while_the_new_object_is_sent_is_noticed(self, folder, monkeypatch):
        from octavo.storage import _sinks

        url = put(f"{folder}/a.recordio", [b"a"])
        writer = octavo.append(url)
        writer.write(b"b")
        send = _sinks.Upload.append

        def send_late(upload, content):
            send(upload, content)
            monkeypatch.setattr(_sinks.Upload, "append", send)
            put(url, [b"somebody else's"])

        monkeypatch.setattr(_sinks.Upload, "append", send_late)
        with pytest.raises(errors.SourceChangedError):
            writer.close()
        assert octavo.open(url).read_all() == [b"somebody else's"]

    def test_flushed_records_are_in_the_store_and_an_aborted_rest_is_not(self, folder):
        url = put(f"{folder}/a.tfrecord", [b"a"])
        writer = octavo.append(url)
        writer.write(b"b")
        writer.flush()
        assert octavo.open(url).read_all() == [b"a", b"b"]
        writer.write(b"c")
        writer.abort()
        assert octavo.open(url).read_all() == [b"a", b"b"]

    def test_an_index_beside_it_is_written_anew(self, folder):
        url = f"{folder}/a.recordio"
        with octavo.create(url, sidecar=True) as writer:
            writer.write(b"a")
        with octavo.append(url) as writer:
            writer.write(b"b")
        reader = octavo.open(url)
        assert reader.info.sidecar
        assert reader.read_all() == [b"a", b"b"]

    def test_nothing_is_left_on_this_machine(self, folder, tmp_path, monkeypatch):
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        monkeypatch.setattr("tempfile.tempdir", None)
        url = put(f"{folder}/a.tfrecord", [b"a"])
        with octavo.append(url) as writer:
            writer.write(b"b")
        octavo.append(url).abort()
        assert os.listdir(tmp_path) == []

    def test_a_writer_that_fails_or_is_forgotten_leaves_nothing_here(self, folder, tmp_path, monkeypatch):
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        monkeypatch.setattr("tempfile.tempdir", None)
        url = put(f"{folder}/a.tfrecord", [b"a"])
        with contextlib.suppress(ZeroDivisionError), octavo.append(url) as writer:
            writer.write(b"b")
            writer.flush()
            writer.write(b"c")
            raise ZeroDivisionError
        assert writer.closed
        assert os.listdir(tmp_path) == []
        forgotten = octavo.append(url)
        forgotten.write(b"d")
        with pytest.warns(errors.UnclosedWriterWarning):
            del forgotten
        assert os.listdir(tmp_path) == []
        assert octavo.open(url).read_all() == [b"a", b"b"]

    def test_web_servers_are_refused_before_anything_is_written(self):
        with pytest.raises(errors.UnsupportedError, match="only read from"):
            octavo.create("http://127.0.0.1:9/x.ffr")


class TestNames:
    def test_a_password_is_not_shown(self):
        with pytest.raises(errors.UnsupportedError) as caught:
            octavo.create("http://user:secret@127.0.0.1:9/x.ffr")
        assert "secret" not in str(caught.value)
        assert caught.value.path == "http://127.0.0.1:9/x.ffr"

    @pytest.mark.parametrize("key", ["a//x.tfrecord", "./x.tfrecord", "a/../x.tfrecord"])
    @pytest.mark.parametrize("use", [octavo.open, octavo.create], ids=["open", "create"])
    def test_a_key_that_cannot_be_is_an_error_with_its_name(self, key, use):
        with pytest.raises(errors.StorageError, match="Could not parse") as caught:
            use(f"memory://{key}")
        assert caught.value.path == f"memory://{key}"

    @pytest.mark.parametrize("url", ["memory://", "memory://folder/", "s3://bucket", "s3://bucket/"])
    def test_a_folder_is_no_file_to_write(self, url):
        with pytest.raises(errors.RecordTypeError, match="folder"):
            octavo.create(url, format="ffrecord")

    def test_shards_of_another_number_are_named(self, folder):
        put(f"{folder}/a-00000-of-00001.array_record", [b"a"])
        with pytest.raises(errors.NotFoundError, match=f"; there are shards of {folder}/a@1.array_record$"):
            octavo.open(f"{folder}/a@2.array_record")

    def test_a_store_is_shown_by_its_kind(self):
        assert repr(InStore(obstore.store.MemoryStore(), "a/b")) == "InStore('memory://a/b')"

    def test_a_key_is_text(self):
        with pytest.raises(errors.RecordTypeError, match="a key is text"):
            InStore(obstore.store.MemoryStore(), Path("x"))  # type: ignore[arg-type]

    def test_a_universal_path_is_its_url(self, folder):
        upath = pytest.importorskip("upath")
        put(f"{folder}/a.ffr", [b"a"])
        assert octavo.open(upath.UPath(f"{folder}/a.ffr")).read_all() == [b"a"]


class TestStoresOfOthers:
    @pytest.mark.parametrize("suffix", ["ffr", "array_record", "riegeli", "recordio", "tfrecord", "tfrecord.gz"])
    def test_any_store_with_a_key_is_a_location(self, suffix, tmp_path):
        for store in (obstore.store.MemoryStore(), obstore.store.LocalStore(tmp_path)):
            place = InStore(store, f"train.{suffix}")
            with octavo.create(place) as writer:
                writer.write_many([b"a", b"b", b"c"])
            assert octavo.open(place).read([2, 0]) == [b"c", b"a"]
            assert octavo.open(InStore(store, "*")).read_all() == [b"a", b"b", b"c"]
        assert octavo.open(tmp_path / f"train.{suffix}").read_all() == [b"a", b"b", b"c"]

    def test_a_store_in_memory_cannot_be_pickled(self):
        place = InStore(obstore.store.MemoryStore(), "x.ffr")
        with octavo.create(place) as writer:
            writer.write(b"a")
        with pytest.raises(errors.UnsupportedError, match="memory"):
            pickle.dumps(octavo.open(place))

    def test_partitions_and_readers_travel_with_their_store(self, tmp_path):
        place = InStore(obstore.store.LocalStore(tmp_path), "x.recordio")
        with octavo.create(place, group_size=10) as writer:
            writer.write_many(b"%d" % i for i in range(100))
        reader = octavo.open(place)
        assert pickle.loads(pickle.dumps(reader))[50] == b"50"
        tasks = pickle.loads(pickle.dumps(reader.partitions(4)))
        assert [record for task in tasks for record in task.open()] == reader.read_all()


class TestPartitionsOfLocalFiles:
    @pytest.mark.parametrize("suffix", ["ffr", "array_record", "riegeli", "recordio", "tfrecord"])
    @pytest.mark.parametrize("records", [[b"new %d" % i for i in range(200)], [b"newer"] * 99], ids=["more", "fewer"])
    def test_another_file_of_the_same_name_is_noticed(self, tmp_path, suffix, records):
        path = str(tmp_path / f"a.{suffix}")
        put(path, [b"old %d" % i for i in range(100)])
        tasks = octavo.open(path).partitions(2)
        os.replace(put(str(tmp_path / f"b.{suffix}"), records), path)
        with pytest.raises((errors.SourceChangedError, errors.FormatError)):
            [record for task in tasks for record in task.open()]

    @pytest.mark.parametrize("suffix", ["array_record", "riegeli", "recordio", "tfrecord"])
    def test_a_file_that_has_grown_and_a_copy_are_the_same_file(self, tmp_path, suffix):
        path = put(str(tmp_path / f"a.{suffix}"), [b"old %d" % i for i in range(100)])
        tasks = octavo.open(path).partitions(3)
        with octavo.append(path) as writer:
            writer.write(b"more")
        assert [record for task in tasks for record in task.open()] == [b"old %d" % i for i in range(100)]
        tasks = octavo.open(path).partitions(3)
        copied = Path(path).read_bytes()
        os.remove(path)
        Path(path).write_bytes(copied)
        assert len([record for task in tasks for record in task.open()]) == 101


class TestManifests:
    @pytest.fixture
    def files(self, tmp_path):
        for number in range(4):
            put(str(tmp_path / f"t-{number:05d}-of-00004.array_record"), [b"%d" % i for i in range(250)])
        return tmp_path

    def test_local_files_are_opened_when_they_are_needed(self, files):
        octavo.write_manifest(files / "t@4.array_record", files / "t.octm")
        os.remove(files / "t-00003-of-00004.array_record")
        reader = octavo.open(files / "t.octm")
        assert (len(reader), reader[700]) == (1000, b"200")
        with pytest.raises(errors.NotFoundError):
            reader[999]

    def test_a_local_file_that_is_not_what_was_listed_is_refused(self, files):
        octavo.write_manifest(files / "t@4.array_record", files / "t.octm")
        put(str(files / "t-00003-of-00004.array_record"), [b"%d" % i for i in range(251)])
        reader = octavo.open(files / "t.octm")
        with pytest.raises(errors.SourceChangedError, match=r"another number of records.*write the manifest again"):
            reader[999]

    def test_all_of_it_can_be_moved(self, files, tmp_path):
        octavo.write_manifest(files / "t@4.array_record", files / "t.octm")
        moved = tmp_path / "moved"
        moved.mkdir()
        for file in [*files.glob("t*")]:
            file.rename(moved / file.name)
        assert len(octavo.open(moved / "t.octm").read_all()) == 1000

    @pytest.mark.parametrize(
        "change",
        [
            {"octavo": "x"},
            {"version": 2},
            {"format": 7},
            {"paths": []},
            {"sizes": [1]},
            {"records": [-1, 0, 0, 0]},
            {"records": [True, 0, 0, 0]},
            {"records": [1 << 63, 0, 0, 0]},
            {"tags": [1, 1, 1, 1]},
            {"storing": None},
        ],
        ids=str,
    )
    def test_what_cannot_be_is_refused(self, files, change):
        path = Path(octavo.write_manifest(files / "t@4.array_record", files / "t.octm"))
        path.write_text(json.dumps(json.loads(path.read_text()) | change))
        with pytest.raises(errors.DamagedFileError, match="no manifest"):
            octavo.open(path)

    @pytest.mark.parametrize("format", ["ffrecord", "riegeli", "tfrecord"])
    def test_a_format_that_is_not_the_files_is_noticed(self, files, format):
        path = Path(octavo.write_manifest(files / "t@4.array_record", files / "t.octm"))
        path.write_text(json.dumps(json.loads(path.read_text()) | {"format": format}))
        with pytest.raises((errors.SourceChangedError, errors.FormatError)):
            octavo.open(path)[0]

    @pytest.mark.parametrize("path", ["../x.array_record", "/x.array_record", "", "a/./b", "a//b"])
    def test_objects_are_below_the_manifest(self, folder, path):
        put(f"{folder}/a.array_record", [b"a"])
        url = octavo.write_manifest(f"{folder}/a.array_record", f"{folder}/a.octm")
        store = octavo.storage._stored.stored(url).place
        text = json.loads(bytes(obstore.get(store.store, store.key).bytes()))
        obstore.put(store.store, store.key, json.dumps(text | {"paths": [path]}).encode())
        with pytest.raises(errors.DamagedFileError, match="neither a URL nor below"):
            octavo.open(url)

    def test_a_manifest_that_would_lead_nowhere_is_not_written(self, files, folder):
        with pytest.raises(errors.UnsupportedError, match="cannot be found from there"):
            octavo.write_manifest(files / "t@4.array_record", f"{folder}/t.octm")
        place = InStore(obstore.store.MemoryStore(), "x.ffr")
        with octavo.create(place) as writer:
            writer.write(b"a")
        with pytest.raises(errors.UnsupportedError, match="cannot be found from there"):
            octavo.write_manifest(place, files / "x.octm")

    def test_the_name_ends_in_octm(self, files):
        with pytest.raises(errors.OptionError, match=r"ends in \.octm"):
            octavo.write_manifest(files / "t@4.array_record", files / "t.json")


def test_a_file_object_may_look_at_its_writer():
    class Curious(io.BytesIO):
        writer: octavo.Writer | None = None
        seen: tuple[int, bool, str] | None = None

        def write(self, data) -> int:
            if self.writer is not None:
                self.seen = (self.writer.record_count, self.writer.closed, repr(self.writer))
            return super().write(data)

    file = Curious()
    file.writer = octavo.create(file, format="tfrecord")
    file.writer.write_many(bytes(3000) for _ in range(2000))
    file.writer.close()
    assert file.seen is not None
    assert 0 < file.seen[0] <= 2000
    assert not file.seen[1]

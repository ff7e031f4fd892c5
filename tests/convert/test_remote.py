"""Conversions from and to object stores: as they are on this machine, as far as stores allow."""

from __future__ import annotations

import gzip
import json
import os
import uuid

import pytest

obstore = pytest.importorskip("obstore", reason="object stores need obstore: 'make test EXTRAS=all' installs it")

import octavo  # noqa: E402 - what is above skips the tests where they cannot be
from octavo.errors import (  # noqa: E402
    AlreadyExistsError,
    FormatError,
    NotFoundError,
    OctavoError,
    OptionError,
    RecordTypeError,
    SourceChangedError,
    StorageError,
    UnsupportedError,
)
from octavo.storage import InStore, _urls  # noqa: E402
from octavo.storage._folders import join  # noqa: E402
from octavo.storage._reader_file import open_stored  # noqa: E402
from octavo.storage._stored import stored  # noqa: E402
from tests.convert.adversary import OTHERS, RECORDS, Ended, read, write  # noqa: E402

FORMATS = ["ffr", "array_record", "riegeli", "recordio", "tfrecord", "tfrecord.gz"]
CONTAINERS = ["jsonl", "jsonl.gz", "tar", "tar.gz", "parquet"]


@pytest.fixture
def folder():
    """A folder of the memory that no other test has."""
    return f"memory://{uuid.uuid4().hex}"


@pytest.fixture
def objects(folder):
    """What is in that folder."""
    prefix = folder.removeprefix("memory://") + "/"

    def names():
        pages = obstore.list(_urls._memory(), prefix)
        return sorted(one["path"].removeprefix(prefix) for page in pages for one in page)

    return names


@pytest.fixture
def remote(folder):
    """A file of a thousand records in a store."""
    return write(f"{folder}/source.array_record")


@pytest.fixture
def shelf(folder):
    """Puts and gets whole objects."""

    class Shelf:
        @staticmethod
        def put(name, content):
            obstore.put(_urls._memory(), stored(f"{folder}/{name}").key, content)
            return f"{folder}/{name}"

        @staticmethod
        def get(name):
            return bytes(obstore.get(_urls._memory(), stored(f"{folder}/{name}").key).bytes())

        @staticmethod
        def remove(name):
            obstore.delete(_urls._memory(), stored(f"{folder}/{name}").key)

    return Shelf


class TestBothWays:
    @pytest.mark.parametrize("suffix", [*FORMATS, *CONTAINERS])
    def test_every_format_and_container_comes_back(self, remote, folder, objects, suffix):
        if suffix == "parquet":
            pytest.importorskip("pyarrow")
        target = f"{folder}/out.{suffix}"
        report = octavo.convert(remote, target)
        assert (report.paths, report.record_count, report.verified) == ((target,), 1000, True)
        assert objects() == [f"out.{suffix}", "source.array_record"]
        assert octavo.digest(target) == octavo.digest(remote) == report.digest
        assert octavo.diff(target, remote).same
        octavo.convert(target, f"{folder}/back.ffr")
        assert read(f"{folder}/back.ffr") == RECORDS

    @pytest.mark.parametrize("suffix", ["ffr", "jsonl", "tar"])
    def test_what_a_store_gets_is_what_a_file_would_get(self, source, folder, shelf, suffix):
        octavo.convert(source, f"out.{suffix}")
        octavo.convert(source, f"{folder}/out.{suffix}")
        with open(f"out.{suffix}", "rb") as file:
            assert file.read() == shelf.get(f"out.{suffix}")

    def test_between_here_and_there(self, source, folder):
        octavo.convert(source, f"{folder}/out.recordio")
        octavo.convert(f"{folder}/out.recordio", "back.ffr")
        assert read("back.ffr") == RECORDS

    def test_several_sources_here_and_there(self, source, remote, folder):
        octavo.convert([source, remote], f"{folder}/both.ffr")
        assert read(f"{folder}/both.ffr") == RECORDS * 2

    def test_sources_of_different_kinds(self, remote, folder, shelf):
        lines = shelf.put("more.jsonl", b"1\n2\n")
        octavo.convert([remote, lines], f"{folder}/both.ffr")
        assert read(f"{folder}/both.ffr") == [*RECORDS, b"1", b"2"]

    def test_a_store_of_ones_own(self, source):
        store = obstore.store.MemoryStore()
        report = octavo.convert(source, InStore(store, "deep/out@3.ffr"))
        assert [path.rpartition("/")[2] for path in report.paths] == [f"out-0000{n}-of-00003.ffr" for n in range(3)]
        keys = sorted(one["path"] for page in obstore.list(store) for one in page)
        assert keys == [f"deep/out-0000{n}-of-00003.ffr" for n in range(3)]
        octavo.convert(InStore(store, "deep/out@3.ffr"), InStore(store, "x.jsonl"))
        assert octavo.digest(InStore(store, "x.jsonl")) == octavo.digest(source)
        with pytest.raises(NotFoundError):
            octavo.digest("memory://deep/out@3.ffr")  # it is another store

    def test_a_path_of_another_library(self, source, folder):
        upath = pytest.importorskip("upath")
        target = upath.UPath(f"{folder}/out.ffr")
        octavo.convert(source, target)
        assert octavo.digest(target) == octavo.digest(source)


class TestSources:
    def test_a_glob_a_sharded_name_and_a_folder(self, remote, folder, shelf):
        octavo.convert(remote, f"{folder}/parts/x@4.tfrecord")
        shelf.put("parts/_SUCCESS", b"")
        for location in ("parts/*.tfrecord", "parts/x@4.tfrecord", "parts", "parts/"):
            assert octavo.digest(f"{folder}/{location}") == octavo.digest(remote)

    def test_a_folder_of_other_containers(self, folder, shelf):
        shelf.put("lines/a.jsonl", b"1\n")
        shelf.put("lines/b.jsonl.gz", gzip.compress(b"2\n3\n"))
        shelf.put("lines/README", b"read me")
        octavo.convert(f"{folder}/lines/", f"{folder}/out.ffr")
        assert read(f"{folder}/out.ffr") == [b"1", b"2", b"3"]

    def test_a_folder_of_several_kinds_is_refused(self, folder, shelf):
        shelf.put("mixed/a.jsonl", b"1\n")
        shelf.put("mixed/b.tar", b"")
        with pytest.raises(OptionError, match="several kinds"):
            octavo.digest(f"{folder}/mixed/")
        assert octavo.digest(f"{folder}/mixed/", format="jsonl").record_count == 1
        assert octavo.digest([f"{folder}/mixed/", f"{folder}/mixed/a.jsonl"], format="jsonl").record_count == 2
        with pytest.raises(NotFoundError, match="no parquet files"):
            octavo.digest(f"{folder}/mixed/", format="parquet")

    def test_a_kind_that_the_name_does_not_tell(self, shelf):
        lines = shelf.put("lines.txt", b"1\n2\n")
        assert octavo.digest(lines, format="jsonl").record_count == 2

    def test_a_manifest(self, remote, folder):
        from octavo._manifest import write_manifest

        octavo.convert(remote, f"{folder}/x@3.tfrecord")
        write_manifest(f"{folder}/x@3.tfrecord", f"{folder}/all.octm")
        octavo.convert(f"{folder}/all.octm", f"{folder}/out.ffr")
        assert read(f"{folder}/out.ffr") == RECORDS

    @pytest.mark.parametrize("name", ["none.ffr", "none.jsonl", "none", "none/", "none*.jsonl", "none@2.tar"])
    def test_what_is_not_there(self, folder, name):
        with pytest.raises(NotFoundError, match="none"):
            octavo.convert(f"{folder}/{name}", f"{folder}/out.ffr")

    def test_folders_of_files_are_local(self, folder, shelf):
        shelf.put("files/a.txt", b"a")
        with pytest.raises(UnsupportedError, match="tar"):
            octavo.convert(f"{folder}/files/", f"{folder}/out.ffr", source_format="folder")

    @pytest.mark.parametrize("suffix", ["ffr", "jsonl"])
    def test_a_damaged_record_leaves_nothing(self, folder, shelf, objects, suffix):
        write(f"{folder}/source.ffr")
        content = bytearray(shelf.get("source.ffr"))
        content[-7] ^= 1
        damaged = shelf.put("source.ffr", bytes(content))
        with pytest.raises(FormatError, match=r"source\.ffr: record 999"):
            octavo.convert(damaged, f"{folder}/out.{suffix}")
        assert objects() == ["source.ffr"]

    @pytest.mark.parametrize("suffix", ["jsonl", "tar", "parquet"])
    def test_one_that_is_replaced_meanwhile_is_noticed(self, remote, folder, objects, suffix):
        if suffix == "parquet":
            pytest.importorskip("pyarrow")
        octavo.convert(remote, f"{folder}/in.{suffix}")
        replaced: list[str] = []

        def replace(*_):
            if not replaced:
                replaced.append(write(f"{folder}/other.tfrecord", OTHERS))
                octavo.convert(replaced[0], f"{folder}/in.{suffix}", overwrite=True)

        with pytest.raises(SourceChangedError):
            octavo.convert(f"{folder}/in.{suffix}", f"{folder}/out@2.ffr", verify=False, progress=replace)
        assert not [name for name in objects() if name.endswith("00001-of-00002.ffr")]


class TestTargets:
    def test_shards(self, remote, folder, objects):
        report = octavo.convert(remote, f"{folder}/out@12.ffr")
        assert len(report.paths) == 12
        assert len(objects()) == 13
        assert read(f"{folder}/out@12.ffr") == RECORDS
        assert octavo.convert(remote, f"{folder}/out@12.ffr").kept_count == 12

    def test_a_lost_shard_is_restored_and_the_others_are_kept(self, remote, folder, objects):
        octavo.convert(remote, f"{folder}/all@3.ffr")
        octavo.convert(f"{folder}/all-00000-of-00003.ffr", f"{folder}/out-00000-of-00003.ffr")
        octavo.convert(f"{folder}/all-00002-of-00003.ffr", f"{folder}/out-00002-of-00003.ffr")
        assert octavo.convert(remote, f"{folder}/out@3.ffr").kept_count == 2
        assert read(f"{folder}/out@3.ffr") == RECORDS
        assert not [name for name in objects() if name.endswith(".converting")]

    def test_a_folder_gets_a_file_for_each_of_the_source(self, remote, folder, objects):
        octavo.convert(remote, f"{folder}/in@3.tfrecord")
        report = octavo.convert(f"{folder}/in@3.tfrecord", f"{folder}/out/", format="array_record")
        assert [name for name in objects() if name.startswith("out/")] == [
            f"out/in-0000{number}-of-00003.array_record" for number in range(3)
        ]
        assert read(list(report.paths)) == RECORDS

    def test_containers_become_records_file_by_file(self, folder, shelf):
        shelf.put("in/a.jsonl", b"1\n2\n")
        shelf.put("in/b.jsonl", b"3\n")
        octavo.convert(f"{folder}/in/", f"{folder}/out/", format="ffrecord")
        assert (read(f"{folder}/out/a.ffr"), read(f"{folder}/out/b.ffr")) == ([b"1", b"2"], [b"3"])

    def test_the_top_of_a_store(self, remote):
        store = obstore.store.MemoryStore()
        octavo.convert(remote, InStore(store, ""), format="ffrecord")
        assert [one["path"] for page in obstore.list(store) for one in page] == ["source.ffr"]

    def test_an_index_beside_each(self, remote, folder, objects):
        octavo.convert(remote, f"{folder}/out@2.recordio", sidecar=True)
        assert len([name for name in objects() if name.endswith(".octx")]) == 2
        assert octavo.convert(remote, f"{folder}/out@2.recordio", sidecar=True).kept_count == 2
        with octavo.open(f"{folder}/out@2.recordio") as reader:
            assert reader.info.sidecar

    def test_a_folder_of_files_is_refused(self, remote, folder):
        with pytest.raises(UnsupportedError, match="tar file"):
            octavo.convert(remote, f"{folder}/out", format="folder")

    def test_web_servers_are_only_read_from(self, remote):
        with pytest.raises(UnsupportedError, match="only read from"):
            octavo.convert(remote, "http://127.0.0.1:9/out.ffr")

    def test_what_is_there_already(self, remote, folder, shelf):
        target = f"{folder}/out.ffr"
        octavo.convert(remote, target)
        assert octavo.convert(remote, target).kept_count == 1
        other = write(f"{folder}/other.tfrecord", OTHERS)
        with pytest.raises(AlreadyExistsError, match=r"out\.ffr"):
            octavo.convert(other, target)
        assert read(target) == RECORDS
        octavo.convert(other, target, overwrite=True)
        assert read(target) == OTHERS
        shelf.put("notes.jsonl", b"no lines of ours")
        with pytest.raises(AlreadyExistsError):
            octavo.convert(other, f"{folder}/notes.jsonl")
        assert shelf.get("notes.jsonl") == b"no lines of ours"

    def test_one_that_came_meanwhile_is_left_alone(self, remote, folder, objects):
        target = f"{folder}/out.ffr"

        def come(*_):
            if "out.ffr" not in objects():
                write(target, [b"precious"])

        with pytest.raises(AlreadyExistsError):
            octavo.convert(remote, target, progress=come)
        assert read(target) == [b"precious"]

    @pytest.mark.parametrize("target", ["source.array_record", "source.array_record.converting"])
    def test_a_source_is_no_target(self, remote, folder, shelf, target):
        shelf.put("source.array_record.converting", shelf.get("source.array_record"))
        with pytest.raises(OptionError, match="one of the sources"):
            octavo.convert([remote, f"{folder}/{target}"], remote, source_format="array_record", overwrite=True)
        assert read(remote) == RECORDS

    def test_the_same_name_in_another_store_is_another_file(self):
        one, other = obstore.store.MemoryStore(), obstore.store.MemoryStore()
        write(InStore(one, "x.ffr"))
        octavo.convert(InStore(one, "x.ffr"), InStore(other, "x.ffr"))
        assert read(InStore(other, "x.ffr")) == RECORDS

    def test_what_reads_back_wrongly_is_removed(self, remote, folder, objects, monkeypatch):
        from octavo import _core

        monkeypatch.setattr("octavo._convert._any_input.RecordInput.digest", lambda *_: _core.Digest())
        with pytest.raises(OctavoError, match="read back"):
            octavo.convert(remote, f"{folder}/out.ffr")
        assert objects() == ["source.array_record"]

    @pytest.mark.parametrize("target", [7, None, object()])
    def test_what_is_no_target(self, remote, target):
        with pytest.raises(RecordTypeError):
            octavo.convert(remote, target, format="ffrecord")

    @pytest.mark.parametrize("suffix", ["tfrecord", "array_record", "jsonl"])
    def test_a_shuffle_leaves_its_parts_here_and_removes_them(self, remote, objects, suffix, tmp_path, monkeypatch):
        folder = remote.rpartition("/")[0]
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        monkeypatch.setattr("octavo._convert._shuffled._PART_BYTES", 4096)
        octavo.convert(remote, f"{folder}/in.{suffix}", group_size=10 if suffix == "array_record" else None)
        octavo.convert(f"{folder}/in.{suffix}", f"{folder}/out@2.ffr", shuffle=5)
        order = octavo.shuffle.Permutation(1000, seed=5)
        assert read(f"{folder}/out@2.ffr") == [RECORDS[number] for number in order[:].tolist()]
        assert os.listdir(tmp_path) == []
        assert not [name for name in objects() if "shuffling" in name]


class TestInterrupted:
    @pytest.fixture(autouse=True)
    def _one_after_the_other(self, monkeypatch):
        monkeypatch.setattr("os.cpu_count", lambda: 1)

    def test_it_goes_on(self, remote, folder, objects, interrupted, shelf):
        target = f"{folder}/out@5.ffr"
        interrupted(remote, target)
        assert len([name for name in objects() if name.startswith("out-")]) == 2
        lines = shelf.get("out@5.ffr.converting").splitlines()
        entries = [json.loads(line) for line in lines]
        assert [sorted(entry) for entry in entries[1:]] == [["digest", "path", "stamp", "verified"]] * 2
        assert octavo.convert(remote, target).kept_count == 2
        assert read(target) == RECORDS
        assert not [name for name in objects() if name.endswith(".converting")]

    def test_other_options_are_another_conversion(self, remote, folder, interrupted):
        target = f"{folder}/out@5.array_record"
        interrupted(remote, target)
        with pytest.raises(AlreadyExistsError, match="interrupted conversion"):
            octavo.convert(remote, target, codec="none")
        assert octavo.convert(remote, target, codec="none", overwrite=True).kept_count == 0
        assert read(target) == RECORDS

    def test_a_source_that_changed_is_another_source(self, remote, folder, interrupted):
        target = f"{folder}/out@5.ffr"
        interrupted(remote, target)
        write(remote, RECORDS[::-1])  # as large as before
        with pytest.raises(AlreadyExistsError, match="interrupted conversion"):
            octavo.convert(remote, target)
        octavo.convert(remote, target, overwrite=True)
        assert read(target) == RECORDS[::-1]

    def test_a_finished_file_that_changed_is_written_again(self, remote, folder, interrupted, objects):
        target = f"{folder}/out@5.ffr"
        interrupted(remote, target)
        done = [name for name in objects() if name.startswith("out-")]
        write(f"{folder}/{done[0]}", [b"another"])
        assert octavo.convert(remote, target).kept_count == 1
        assert read(target) == RECORDS

    def test_a_finished_file_that_is_gone_is_written_again(self, remote, folder, interrupted, objects, shelf):
        target = f"{folder}/out@5.ffr"
        interrupted(remote, target)
        shelf.remove(next(name for name in objects() if name.startswith("out-")))
        assert octavo.convert(remote, target).kept_count == 1
        assert read(target) == RECORDS

    def test_what_somebody_else_calls_by_the_journals_name_stays(self, remote, folder, shelf):
        shelf.put("out.ffr.converting", b"my notes")
        with pytest.raises(AlreadyExistsError, match="not ours"):
            octavo.convert(remote, f"{folder}/out.ffr")
        assert shelf.get("out.ffr.converting") == b"my notes"

    def test_nothing_is_left_where_nothing_was_finished(self, remote, folder, objects, interrupted):
        interrupted(remote, f"{folder}/out@5.ffr", after=0)
        assert objects() == ["source.array_record"]

    @pytest.mark.parametrize("suffix", ["ffr", "jsonl", "tar", "parquet"])
    def test_half_a_file_is_not_to_be_seen(self, remote, folder, objects, suffix):
        if suffix == "parquet":
            pytest.importorskip("pyarrow")

        def end(*_):
            raise Ended

        with pytest.raises(Ended):
            octavo.convert(remote, f"{folder}/out.{suffix}", progress=end)
        assert objects() == ["source.array_record"]


class TestStoredFile:
    def test_it_is_read_and_wound_back_as_files_are(self, shelf):
        content = os.urandom(3_000_000)
        with open_stored(stored(shelf.put("x.bin", content))) as file:
            assert (file.readable(), file.seekable(), file.writable()) == (True, True, False)
            assert file.read(10) == content[:10]
            assert file.seek(-5, os.SEEK_END) == len(content) - 5
            assert file.read() == content[-5:]
            assert file.read(1) == b""
            file.seek(1_000_000)
            assert file.read(1_500_000) == content[1_000_000:2_500_000]
            assert file.tell() == 2_500_000
            assert file.seek(5, os.SEEK_CUR) == 2_500_005
            assert file.read() == content[2_500_005:]
            file.seek(0)
            assert file.read() == content

    def test_a_jump_costs_little_and_a_scan_few_requests(self, shelf, monkeypatch):
        asked: list[tuple[int, int]] = []
        one = stored(shelf.put("x.bin", bytes(40_000_000)))
        read_spans = one.read_spans

        def noted(spans):
            asked.extend(spans)
            return read_spans(spans)

        monkeypatch.setattr(one, "read_spans", noted)
        with open_stored(one) as file:
            for offset in range(0, 40_000_000, 10_000_000):
                file.seek(offset)
                file.read(512)
            assert sum(size for _, size in asked) <= 4 * 300_000
            asked.clear()
            file.seek(0)
            assert len(file.read()) == 40_000_000
        assert len(asked) < 12

    def test_a_replaced_object_is_noticed(self, shelf):
        with open_stored(stored(shelf.put("x.bin", bytes(10_000_000)))) as file:
            file.read(10)
            shelf.put("x.bin", os.urandom(10_000_000))
            with pytest.raises(SourceChangedError):
                file.read()


@pytest.mark.parametrize(
    ("folder", "joined"),
    [("memory://", "memory://x"), ("s3://b", "s3://b/x"), ("s3://b/a/", "s3://b/a/x"), ("a", os.path.join("a", "x"))],
)
def test_names_in_folders(folder, joined):
    assert join(folder, "x") == joined


def test_an_unreachable_target_is_an_error_of_ours(remote, monkeypatch):
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    store = obstore.store.S3Store(
        "bucket",
        endpoint="http://127.0.0.1:9",
        access_key_id="x",
        secret_access_key="y",
        region="us-east-1",
        client_options={"allow_http": True},
        retry_config={"max_retries": 0},
    )
    with pytest.raises(StorageError, match="s3://bucket/out"):
        octavo.convert(remote, InStore(store, "out.ffr"))

"""`octavo.create` and its writer: nothing under the final name before everything is there."""

from __future__ import annotations

import array
import collections
import errno
import gc
import io
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import octavo
from octavo import errors
from tests.unit.layouts import FFRECORD
from tests.unit.places import PathOnly, without_privileges

RECORDS = [b"abc", b"", b"edf"]


@pytest.fixture(params=[".ffr", ".array_record", ".riegeli", ".recordio", ".tfrecord"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Where a file of each format will be."""
    return tmp_path / f"records{request.param}"


def read_back(path: Path) -> list[bytes]:
    return octavo.open(path).read_all()


def names_in(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def written(path: Path, *records: Any) -> list[bytes]:
    """The records of a file that was written with these buffers."""
    with octavo.create(path) as writer:
        for record in records:
            writer.write(record)
    return read_back(path)


def write_and_raise(path: Path, kind: type[BaseException]) -> None:
    with octavo.create(path) as writer:
        writer.write_many(RECORDS)
        raise kind


class TestNaming:
    @pytest.mark.parametrize("kind", [str, Path, PathOnly])
    def test_a_path_of_every_kind_names_the_file(self, path, kind):
        with octavo.create(kind(path)) as writer:
            writer.write_many(RECORDS)
        assert read_back(path) == RECORDS

    def test_a_relative_path_is_relative_to_the_working_directory(self, path, working_folder):
        with octavo.create(path.name) as writer:
            writer.write_many(RECORDS)
        assert names_in(working_folder) == [path.name]

    @pytest.mark.parametrize(
        ("suffix", "name"),
        [
            (".ffr", "ffrecord"),
            (".array_record", "array_record"),
            (".arrayrecord", "array_record"),
            (".riegeli", "riegeli"),
            (".recordio", "recordio"),
            (".tfrecord", "tfrecord"),
            (".tfrecords", "tfrecord"),
            (".tfrec", "tfrecord"),
            (".tfrecord-00000-of-00004", "tfrecord"),
        ],
    )
    def test_the_suffix_names_the_format(self, tmp_path, suffix, name):
        with octavo.create(tmp_path / f"records{suffix}") as writer:
            assert writer.format == name
        assert octavo.open(tmp_path / f"records{suffix}").info.format == name

    @pytest.mark.parametrize(
        "name", ["records.bin", "records", "records.ffr.bak", "records.FFR", "ffr", "records.", "array_record"]
    )
    def test_a_suffix_that_names_no_format_is_an_option_error(self, tmp_path, name):
        known = r"\.ffr \(ffrecord\), \.array_record \(array_record\), .*\.tfrec \(tfrecord\)"
        with pytest.raises(errors.OptionError, match=f"use one of {known}, or pass format=") as caught:
            octavo.create(tmp_path / name)
        assert caught.value.path == str(tmp_path / name)
        assert names_in(tmp_path) == []

    @pytest.mark.parametrize("name", ["records.bin", "records"])
    @pytest.mark.parametrize("format", ["ffrecord", "array_record", "riegeli", "recordio", "tfrecord"])
    def test_the_format_can_be_named_instead(self, tmp_path, name, format):
        with octavo.create(tmp_path / name, format=format) as writer:
            writer.write_many(RECORDS)
        assert octavo.open(tmp_path / name, format=format).read_all() == RECORDS

    def test_a_format_that_was_named_is_believed_more_than_the_suffix(self, tmp_path):
        with octavo.create(tmp_path / "records.ffr", format="array_record") as writer:
            writer.write_many(RECORDS)
        assert octavo.open(tmp_path / "records.ffr").info.format == "array_record"

    @pytest.mark.parametrize("name", ["nonsense", "FFRECORD", "tfrecords"])
    def test_an_unknown_format_is_an_option_error(self, path, name):
        with pytest.raises(errors.OptionError):
            octavo.create(path, format=name)

    @pytest.mark.parametrize("location", [None, 3, b"records.ffr", ["records.ffr"], object()])
    def test_what_is_no_path_is_a_type_error(self, location):
        with pytest.raises(errors.RecordTypeError):
            octavo.create(location)

    def test_options_are_given_by_name(self, path):
        with pytest.raises(TypeError):
            octavo.create(path, "ffrecord")  # type: ignore[call-arg]

    def test_a_folder_that_is_not_there_is_not_found(self, tmp_path):
        with pytest.raises(errors.NotFoundError, match=r"missing does not exist$") as caught:
            octavo.create(tmp_path / "missing" / "records.ffr")
        assert (caught.value.path, caught.value.errno) == (str(tmp_path / "missing" / "records.ffr"), errno.ENOENT)

    def test_a_folder_of_that_name_is_a_storage_error(self, path):
        path.mkdir()
        with pytest.raises(errors.StorageError):
            octavo.create(path)

    def test_a_folder_that_may_not_be_written_to_is_denied(self, path):
        path.parent.chmod(0o500)
        try:
            with without_privileges(), pytest.raises(errors.PermissionDeniedError):
                octavo.create(path)
        finally:
            path.parent.chmod(0o700)


class TestPublishing:
    def test_nothing_is_under_the_final_name_before_the_end(self, path):
        with octavo.create(path) as writer:
            writer.write_many(RECORDS)
            assert names_in(path.parent) == [f"{path.name}.partial"]
            writer.flush()
            assert names_in(path.parent) == [f"{path.name}.partial"]
        assert names_in(path.parent) == [path.name]

    def test_no_records_are_a_file_of_no_records(self, path):
        with octavo.create(path):
            pass
        assert read_back(path) == []

    def test_close_publishes(self, path):
        writer = octavo.create(path)
        writer.write_many(RECORDS)
        writer.close()
        assert read_back(path) == RECORDS

    def test_closing_twice_does_no_harm(self, path):
        writer = octavo.create(path)
        writer.close()
        path.unlink()
        writer.close()
        assert names_in(path.parent) == []

    def test_an_older_file_stays_until_the_end_and_is_replaced_then(self, path):
        path.write_bytes(b"older")
        with octavo.create(path) as writer:
            writer.write_many(RECORDS)
            writer.flush()
            assert path.read_bytes() == b"older"
        assert read_back(path) == RECORDS

    def test_a_reader_of_the_older_file_keeps_its_records(self, path):
        written(path, b"older")
        reader = octavo.open(path)
        written(path, b"newer", b"newest")
        assert reader.read_all() == [b"older"]
        assert read_back(path) == [b"newer", b"newest"]

    def test_a_file_can_be_written_from_itself(self, path):
        written(path, *RECORDS)
        with octavo.create(path) as writer:
            writer.write_many(octavo.open(path)[::-1])
        assert read_back(path) == RECORDS[::-1]

    def test_what_a_crash_left_behind_is_no_obstacle(self, path):
        Path(f"{path}.partial").write_bytes(b"left behind" * 1000)
        assert written(path, *RECORDS) == RECORDS
        assert names_in(path.parent) == [path.name]

    def test_the_file_is_not_executable(self, path):
        written(path, *RECORDS)
        assert path.stat().st_mode & 0o111 == 0

    def test_a_link_is_replaced_by_the_file(self, path, tmp_path):
        (tmp_path / "target").write_bytes(b"target")
        path.symlink_to(tmp_path / "target")
        written(path, *RECORDS)
        assert not path.is_symlink()
        assert (tmp_path / "target").read_bytes() == b"target"


class TestFlushing:
    @pytest.mark.parametrize("when", [(0,), (1,), (5,), (7,), (19,), (20,), (3, 3, 8), tuple(range(21))], ids=str)
    def test_flushing_at_any_time_does_not_change_records_or_groups(self, chunked, tmp_path, when):
        path = tmp_path / f"flushed{chunked.suffix}"
        records = [bytes([number]) * number for number in range(20)]
        options = dict(chunked.options)
        with octavo.create(path, **options) as writer:
            for number in range(21):
                for _ in range(when.count(number)):
                    writer.flush()
                    assert names_in(tmp_path) == [f"{path.name}.partial"]
                if number < 20:
                    writer.write(records[number])
        assert read_back(path) == records
        assert octavo.verify(path).ok
        assert names_in(tmp_path) == [path.name]
        if chunked.format == "array_record":
            group_size = options.get("group_size", 1)
            assert octavo.open(path).info.chunk_count == -(-20 // group_size)

    def test_flushed_records_are_on_disk(self, path):
        options = {} if path.suffix == ".ffr" else {"codec": "none"}
        with octavo.create(path, **options) as writer:  # type: ignore[arg-type]
            writer.write(b"find me " * 100)
            writer.flush()
            assert b"find me " * 100 in Path(f"{path}.partial").read_bytes()

    def test_half_a_group_that_was_flushed_is_on_disk(self, tmp_path):
        with octavo.create(tmp_path / "records.array_record", group_size=1000, codec="none") as writer:
            writer.write(b"find me " * 100)
            writer.flush()
            assert b"find me " * 100 in (tmp_path / "records.array_record.partial").read_bytes()
        assert octavo.open(tmp_path / "records.array_record").info.chunk_count == 1


class TestOverwriting:
    def test_an_existing_file_is_kept_if_it_is_not_to_be_overwritten(self, path):
        path.write_bytes(b"older")
        with pytest.raises(errors.AlreadyExistsError) as caught:
            octavo.create(path, overwrite=False)
        assert caught.value.path == str(path)
        assert path.read_bytes() == b"older"
        assert names_in(path.parent) == [path.name]

    def test_a_new_file_is_created_all_the_same(self, path):
        with octavo.create(path, overwrite=False) as writer:
            writer.write_many(RECORDS)
        assert read_back(path) == RECORDS
        assert names_in(path.parent) == [path.name]

    def test_a_file_that_appeared_meanwhile_is_kept(self, path):
        writer = octavo.create(path, overwrite=False)
        writer.write_many(RECORDS)
        path.write_bytes(b"meanwhile")
        with pytest.raises(errors.AlreadyExistsError):
            writer.close()
        assert path.read_bytes() == b"meanwhile"
        assert names_in(path.parent) == [path.name]
        assert writer.closed

    def test_a_link_to_nothing_counts_as_existing(self, path):
        path.symlink_to(path.parent / "missing")
        with pytest.raises(errors.AlreadyExistsError):
            octavo.create(path, overwrite=False)


class TestAborting:
    def test_abort_leaves_nothing(self, path):
        writer = octavo.create(path)
        writer.write_many(RECORDS)
        writer.flush()
        writer.abort()
        assert names_in(path.parent) == []
        assert writer.closed

    def test_aborting_twice_does_no_harm(self, path):
        writer = octavo.create(path)
        writer.abort()
        writer.abort()
        writer.close()
        assert names_in(path.parent) == []

    def test_abort_after_close_keeps_the_file(self, path):
        writer = octavo.create(path)
        writer.close()
        writer.abort()
        assert names_in(path.parent) == [path.name]

    @pytest.mark.parametrize("kind", [LookupError, KeyboardInterrupt, SystemExit, GeneratorExit])
    def test_an_exception_inside_with_leaves_nothing_and_comes_through(self, path, kind):
        with pytest.raises(kind):
            write_and_raise(path, kind)
        assert names_in(path.parent) == []

    def test_an_exception_inside_with_keeps_the_older_file(self, path):
        path.write_bytes(b"older")
        with pytest.raises(LookupError):
            write_and_raise(path, LookupError)
        assert path.read_bytes() == b"older"
        assert names_in(path.parent) == [path.name]

    def test_an_abort_inside_with_leaves_nothing(self, path):
        with octavo.create(path) as writer:
            writer.write(b"x")
            writer.abort()
        assert names_in(path.parent) == []

    def test_a_close_inside_with_is_enough(self, path):
        with octavo.create(path) as writer:
            writer.write_many(RECORDS)
            writer.close()
        assert read_back(path) == RECORDS

    def test_a_forgotten_writer_warns_and_leaves_nothing(self, path):
        writer = octavo.create(path)
        writer.write_many(RECORDS)
        wanted = f"{path}: the writer was never closed: no file was written, and {len(RECORDS)} records are lost; "
        with pytest.warns(errors.UnclosedWriterWarning) as caught:
            del writer
        assert [str(one.message) for one in caught] == [f"{wanted}use it in a 'with' block, or call close()"]
        assert names_in(path.parent) == []

    @pytest.mark.parametrize("name", ["q@4.ffr", "q.ffr@4"])
    def test_a_name_of_several_files_is_refused(self, tmp_path, name):
        shard = name.replace("@4", "-00000-of-00004")
        with pytest.raises(errors.OptionError, match=f"octavo.create for each of them: {tmp_path / shard}"):
            octavo.create(tmp_path / name)
        assert names_in(tmp_path) == []

    def test_a_file_that_has_such_a_name_is_replaced(self, tmp_path):
        (tmp_path / "q@4.ffr").touch()
        with octavo.create(tmp_path / "q@4.ffr") as writer:
            writer.write_many(RECORDS)
        assert read_back(tmp_path / "q@4.ffr") == RECORDS

    def test_a_forgotten_writer_of_a_file_object_warns_of_what_is_there(self):
        writer = octavo.create(io.BytesIO(), format="tfrecord")
        writer.write(b"x")
        with pytest.warns(errors.UnclosedWriterWarning, match="what has reached the file object is not whole"):
            del writer

    def test_nobody_has_to_ask_for_that_warning(self, path):
        program = f"import octavo; writer = octavo.create({str(path)!r}); writer.write(b'x')"
        options = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=options, check=True)
        assert "no file was written, and 1 records are lost" in ended.stderr

    @pytest.mark.parametrize("finish", ["close", "abort"])
    def test_a_finished_writer_does_not_warn(self, path, finish, recwarn):
        writer = octavo.create(path)
        getattr(writer, finish)()
        del writer
        gc.collect()
        assert not recwarn.list


class TestWriting:
    @pytest.mark.parametrize(
        "record",
        [
            b"abc",
            b"",
            bytearray(b"abc"),
            memoryview(b"abc"),
            memoryview(b"xabcx")[1:-1],
            array.array("d", [1.5, 2.5]),
            np.float32(1.5),
            np.bytes_(b"abc"),
            np.arange(6, dtype=np.uint8),
            np.arange(6, dtype=np.float32),
            np.arange(6, dtype=np.float32).reshape(2, 3),
            np.arange(6, dtype=">i8"),
            np.arange(12, dtype=np.int16)[4:8],
            np.zeros((0, 5)),
            np.array(7, dtype=np.int64),
            np.array(["2020-01-01"], dtype="M8[D]"),
            np.zeros(2, dtype=[("a", np.int32), ("b", np.float64)]),
        ],
        ids=repr,
    )
    def test_a_buffer_of_any_kind_is_stored_byte_for_byte(self, path, record):
        expected = record.tobytes() if hasattr(record, "tobytes") else bytes(record)
        assert written(path, record) == [expected]

    def test_an_element_is_stored_with_all_its_bytes(self, path):
        assert [len(record) for record in written(path, np.zeros(3, dtype=np.float32))] == [12]

    @pytest.mark.parametrize(
        "record",
        [
            np.arange(6)[::2],
            np.arange(6)[::-1],
            np.arange(6).reshape(2, 3).T,
            np.arange(6).reshape(2, 3)[:, 1],
            memoryview(b"abcdef")[::2],
        ],
        ids=repr,
    )
    def test_a_buffer_whose_bytes_are_scattered_is_a_type_error(self, path, record):
        with octavo.create(path) as writer, pytest.raises(errors.RecordTypeError, match="contiguous"):
            writer.write(record)

    @pytest.mark.parametrize("record", ["abc", None, 3, 3.5, [b"abc"], (1, 2), {}, object(), open, Path("a")], ids=repr)
    def test_what_has_no_bytes_is_a_type_error(self, path, record):
        with octavo.create(path) as writer, pytest.raises(errors.RecordTypeError):
            writer.write(record)

    def test_a_string_is_told_to_be_encoded(self, path):
        with octavo.create(path) as writer, pytest.raises(errors.RecordTypeError, match="encode it first"):
            writer.write("text")  # type: ignore[arg-type]

    def test_a_refused_record_leaves_no_trace(self, path):
        with octavo.create(path) as writer:
            writer.write(b"before")
            with pytest.raises(errors.RecordTypeError):
                writer.write("text")  # type: ignore[arg-type]
            writer.write(b"after")
        assert read_back(path) == [b"before", b"after"]

    def test_write_returns_nothing(self, path):
        with octavo.create(path) as writer:
            assert writer.write(b"abc") is None  # type: ignore[func-returns-value]

    def test_a_buffer_may_be_used_again_at_once(self, path):
        scratch = bytearray(4)
        with octavo.create(path) as writer:
            for number in range(100):
                scratch[:] = number.to_bytes(4, "little")
                writer.write(scratch)
            scratch.extend(b"free again")
        assert read_back(path) == [number.to_bytes(4, "little") for number in range(100)]

    def test_record_count_counts(self, path):
        with octavo.create(path) as writer:
            assert writer.record_count == 0
            writer.write(b"abc")
            assert writer.record_count == 1
            writer.write_many(RECORDS)
            assert writer.record_count == 4
            writer.flush()
            assert writer.record_count == 4
        assert writer.record_count == 4

    def test_path_is_where_the_file_will_be(self, path):
        with octavo.create(path) as writer:
            assert writer.path == str(path)

    def test_closed_says_whether_it_is(self, path):
        with octavo.create(path) as writer:
            assert not writer.closed
        assert writer.closed

    def test_repr_names_the_file_and_counts(self, path):
        with octavo.create(path) as writer:
            writer.write(b"abc")
            assert repr(writer) == f"<octavo.Writer of {path}, 1 records, open>"
        assert repr(writer) == f"<octavo.Writer of {path}, 1 records, closed>"

    @pytest.mark.parametrize(
        "use",
        [lambda w: w.write(b"x"), lambda w: w.write_many([b"x"]), lambda w: w.flush()],
        ids=["write", "many", "flush"],
    )
    @pytest.mark.parametrize("finish", ["close", "abort"])
    def test_every_use_of_a_finished_writer_is_an_error(self, path, finish, use):
        writer = octavo.create(path)
        getattr(writer, finish)()
        with pytest.raises(errors.ClosedError, match="the writer is closed"):
            use(writer)

    def test_a_writer_cannot_be_pickled(self, path):
        import pickle

        with octavo.create(path) as writer, pytest.raises(TypeError):
            pickle.dumps(writer)

    def test_threads_may_share_a_writer(self, path):
        with octavo.create(path) as writer:
            threads = [threading.Thread(target=writer.write_many, args=([bytes([n])] * 5000,)) for n in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert collections.Counter(octavo.open(path)) == {bytes([number]): 5000 for number in range(4)}


class TestWriteMany:
    @pytest.mark.parametrize(
        "kind", [list, tuple, iter, lambda records: (record for record in records), collections.deque]
    )
    def test_an_iterable_of_any_kind_is_written_in_order(self, path, kind):
        with octavo.create(path) as writer:
            assert writer.write_many(kind(RECORDS)) == 3
        assert read_back(path) == RECORDS

    def test_nothing_is_written_of_nothing(self, path):
        with octavo.create(path) as writer:
            assert writer.write_many([]) == 0

    def test_a_reader_is_an_iterable_of_records(self, path, write_file):
        with octavo.create(path) as writer:
            assert writer.write_many(octavo.open(write_file(RECORDS, "other.ffr"))) == 3
        assert read_back(path) == RECORDS

    def test_a_batch_is_an_iterable_of_records(self, path):
        with octavo.create(path) as writer:
            writer.write_many(FFRECORD.open(RECORDS).read_batch([2, 0]))
        assert read_back(path) == [b"edf", b"abc"]

    def test_the_rows_of_an_array_are_records(self, path):
        rows = np.arange(12, dtype=np.int32).reshape(3, 4)
        with octavo.create(path) as writer:
            writer.write_many(rows)
        assert read_back(path) == [row.tobytes() for row in rows]

    def test_a_generator_that_raises_leaves_what_came_before(self, path):
        def records():
            yield b"one"
            yield b"two"
            raise LookupError("raised by the caller's own code")

        with octavo.create(path) as writer:
            with pytest.raises(LookupError, match="own code"):
                writer.write_many(records())
            assert writer.record_count == 2
        assert read_back(path) == [b"one", b"two"]

    def test_a_generator_that_raises_inside_with_leaves_no_file(self, path):
        with pytest.raises(ZeroDivisionError), octavo.create(path) as writer:
            writer.write_many(bytes([10 // (5 - number)]) for number in range(10))
        assert names_in(path.parent) == []

    def test_a_generator_may_write_itself(self, path):
        with octavo.create(path) as writer:

            def records():
                yield b"1"
                writer.write(b"2")
                yield b"3"

            writer.write_many(records())
        assert read_back(path) == [b"1", b"2", b"3"]

    def test_a_generator_that_closes_the_writer_ends_in_an_error(self, path):
        writer = octavo.create(path)

        def records():
            yield b"1"
            writer.close()
            yield b"2"

        with pytest.raises(errors.ClosedError):
            writer.write_many(records())
        assert read_back(path) == [b"1"]

    @pytest.mark.parametrize("records", [None, 3, object()])
    def test_what_is_no_iterable_is_a_type_error(self, path, records):
        with octavo.create(path) as writer, pytest.raises(errors.RecordTypeError, match="iterable"):
            writer.write_many(records)

    @pytest.mark.parametrize("records", ["text", b"bytes", [1, 2], [b"abc", None]])
    def test_an_iterable_of_something_else_is_a_type_error(self, path, records):
        with octavo.create(path) as writer, pytest.raises(errors.RecordTypeError):
            writer.write_many(records)


class TestTwoWriters:
    def test_a_second_writer_of_the_same_name_is_refused(self, path):
        with octavo.create(path) as writer:
            writer.write(b"first")
            with pytest.raises(errors.StorageError, match="another writer"):
                octavo.create(path)
            writer.write(b"second")
        assert read_back(path) == [b"first", b"second"]

    def test_a_second_writer_comes_after_the_first_is_done(self, path):
        written(path, b"first")
        assert written(path, b"second") == [b"second"]

    def test_writers_of_different_names_do_not_disturb_each_other(self, path):
        paths = [path.with_stem(str(number)) for number in range(20)]
        writers = [octavo.create(path) for path in paths]
        for round_number in range(10):
            for number, writer in enumerate(writers):
                writer.write(bytes([number, round_number]))
        for writer in writers:
            writer.close()
        for number, each in enumerate(paths):
            assert read_back(each) == [bytes([number, round_number]) for round_number in range(10)]


def test_a_pipe_is_not_replaced(path):
    os.mkfifo(path)
    with pytest.raises(errors.StorageError, match="not a regular file"):
        octavo.create(path)
    assert path.is_fifo()
    assert os.listdir(path.parent) == [path.name]


def test_a_side_file_that_is_the_finished_file_is_not_emptied(path):
    # What a writer leaves that dies between the two steps of publishing without overwriting.
    with octavo.create(path, overwrite=False) as writer:
        writer.write(b"precious")
    os.link(path, f"{path}.partial")
    octavo.create(path).abort()
    assert read_back(path) == [b"precious"]
    with octavo.create(path) as writer:
        writer.write(b"new")
    assert read_back(path) == [b"new"]
    assert os.listdir(path.parent) == [path.name]

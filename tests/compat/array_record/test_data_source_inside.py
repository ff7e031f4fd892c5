"""What suites that look inside `array_record_data_source` find there: its readers, its flags, its functions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from octavo.compat.array_record.python import _absl, _parallel, array_record_data_source, array_record_module
from octavo.compat.array_record.python.array_record_data_source import ArrayRecordDataSource
from tests.compat.array_record.samples import DEFAULT_OPTIONS, numbered, run_program, write, write_shards

module: Any = array_record_data_source


def test_each_file_has_a_reader_of_its_own(tmp_path: Path):
    with ArrayRecordDataSource(write_shards(tmp_path, 3, 10)) as source:
        assert source._readers == [None] * 3
        source[0]
        readers = source._readers
        assert [(reader.num_records(), reader.ok()) for reader in readers] == [(10, True)] * 3
        assert source._ensure_reader_exists(1).read([0]) == [b"file 1 0 "]
        assert [reader.read() for reader in readers] == [b"file 0 0 ", b"file 1 0 ", b"file 2 0 "]
        readers[0].close()
        assert source[0] == b"file 0 0 ", "closing one leaves the others"
    assert [reader.is_open() for reader in readers] == [False] * 3


def test_the_group_size_is_what_the_reader_says(tmp_path: Path):
    path = str(write(tmp_path / "file", numbered(3)))
    Reader = array_record_module.ArrayRecordReader  # noqa: N806 - a class
    wrong = pytest.raises(
        ValueError, match=r"^Couldn't detect group_size for .*file\. Extracted writer options: foo\.$"
    )
    with mock.patch.object(Reader, "writer_options_string", return_value="foo"), wrong:
        ArrayRecordDataSource(path)[0]
    with mock.patch.object(module, "_check_group_size") as check:
        ArrayRecordDataSource(path)[0]
    (called_with,) = check.call_args_list
    assert (called_with.args[0], type(called_with.args[1])) == (path, Reader)
    with mock.patch.object(array_record_module, "ArrayRecordReader", side_effect=Reader) as made:
        assert ArrayRecordDataSource(path)[0] == numbered(3)[0]
    assert made.called


def test_flags_are_held_as_in_the_original():
    flagsaver = pytest.importorskip("absl.testing.flagsaver")
    held = (
        module._GRAIN_NUM_THREADS_COMPUTING_NUM_RECORDS,
        module._GRAIN_NUM_THREADS_FETCHING_RECORDS,
        module._ARRAY_RECORD_READER_POOL_SIZE,
    )
    assert [module._get_flag_value(flag) for flag in held] == [64, 64, None]
    with flagsaver.flagsaver((held[1], 3)):
        assert module._get_flag_value(held[1]) == 3


def test_instructions_are_shown_as_in_the_original(tmp_path: Path):
    path = str(write(tmp_path / "file", numbered(3)))
    found = module._get_read_instructions([path, f"{path}[1:2]"])
    assert found == [module._ReadInstruction(path, 0, 3), module._ReadInstruction(path, 1, 2)]
    assert repr(module._ReadInstruction("a", 0, 3)) == "_ReadInstruction(filename='a', start=0, end=3, num_records=3)"
    assert module.FileInstruction.__module__ == module.__name__


@pytest.mark.parametrize("before", [os.remove, os.path.exists], ids=["removed", "in place"])
def test_a_file_that_is_written_anew_after_it_was_counted_is_read_as_it_is(tmp_path: Path, before: Any):
    paths = [str(write(tmp_path / name, numbered(4))) for name in "ab"]
    os.utime(paths[0], (1, 1))  # clocks of file systems are slow
    source = ArrayRecordDataSource(paths)
    before(paths[0])
    write(tmp_path / "a", numbered(4, "a new record"))
    assert list(source) == [*numbered(4, "a new record"), *numbered(4)]


@pytest.mark.parametrize("use", [lambda source: source[5], lambda source: source.__getitems__([0, -3])])
def test_a_key_out_of_range_is_told_before_a_file_is_opened(tmp_path: Path, use: Any):
    source = ArrayRecordDataSource(f"{tmp_path}/missing[0:2]")
    with pytest.raises(ValueError, match=r"^Record key should be in"):
        use(source)


class _Told:
    def __init__(self, text: str | None) -> None:
        self.text = text

    def writer_options_string(self) -> str | None:
        return self.text


@pytest.mark.parametrize("text", [None, "", DEFAULT_OPTIONS])
def test_a_group_size_of_one_or_nothing_said_is_right(text: str | None, caplog: pytest.LogCaptureFixture):
    module._check_group_size("file", _Told(text))
    assert caplog.records == []


@pytest.mark.parametrize("text", ["group_size:1", "other"])
def test_options_without_a_group_size_are_an_error(text: str):
    with pytest.raises(ValueError, match=r".") as caught:
        module._check_group_size("file", _Told(text))
    assert str(caught.value) == f"Couldn't detect group_size for file. Extracted writer options: {text}."


def test_another_group_size_is_logged_when_records_are_first_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    logged: list[str] = []
    monkeypatch.setattr(_absl.logging, "error", lambda text, *values: logged.append(text % values))
    paths = [str(write(tmp_path / str(size), numbered(10), f"group_size:{size}")) for size in (4, 1, 8)]
    source = ArrayRecordDataSource(paths)
    assert logged == []
    assert source[3] == numbered(10)[3]
    assert source[13] == numbered(10)[3]
    wanted = (
        "File {} was created with group size {}. Grain requires group size 1 for good performance. "
        "Please re-generate your ArrayRecord files with 'group_size:1'."
    )
    assert logged == [wanted.format(paths[0], 4), wanted.format(paths[2], 8)]


def test_the_log_is_read_without_absl_too():
    run_program("without_absl", timeout_s=60)


def test_calls_run_in_parallel_and_in_order():
    run = _parallel.run_in_parallel
    assert run(lambda number: -number, [{"number": number} for number in range(5)], 3) == [0, -1, -2, -3, -4]
    with pytest.raises(ZeroDivisionError):
        run(lambda number: 1 / number, [{"number": 1}, {"number": 0}], 2)
    with pytest.raises(ValueError, match=r"^num_workers must be >=1 for parallelism\.$"):
        run(lambda: None, [{}], 0)


def test_flags_have_the_originals_names_and_defaults():
    flags = pytest.importorskip("absl.flags")
    found = {
        name: flags.FLAGS[name].default
        for name in (
            "grain_num_threads_computing_num_records",
            "grain_num_threads_fetching_records",
            "array_record_reader_pool_size",
        )
    }
    assert list(found.values()) == [64, 64, None]


def test_logging_is_absls_where_it_is_installed():
    absl_logging = pytest.importorskip("absl.logging")
    assert _absl.logging is absl_logging

"""`octavo convert` and its kin, used in ways that were not meant."""

from __future__ import annotations

import os

import pytest

import octavo as library

LINES = b"".join(b'{"a": %d}\n' % number for number in range(100))


@pytest.fixture
def source(working_folder):
    with library.create("source.tfrecord") as writer:
        writer.write_many(f"record {number}".encode() for number in range(1000))
    return working_folder / "source.tfrecord"


def names():
    return sorted(name for name in os.listdir() if not name.startswith("source"))


@pytest.mark.usefixtures("working_folder")
def test_a_stream_is_not_converted_file_by_file(octavo):
    for target in ("out/", "."):
        for kind in ([], ["--from", "jsonl"]):
            result = octavo("convert", "-", target, *kind, "--to", "ffrecord", stdin=LINES, check=2)
            assert "name a file" in result.stderr
    assert names() == []


@pytest.mark.parametrize("how", [["--shards", 2], ["--max-records", 5], ["--max-bytes", "1kB"]])
def test_standard_output_is_one_file(octavo, source, how):
    result = octavo("convert", source, "-", "--to", "tfrecord", *how, check=2)
    assert result.stderr == "octavo: standard output cannot be several files\n"
    assert result.stdout == b""


def test_standard_output_has_records_or_json_and_not_both(octavo, source):
    result = octavo("convert", source, "-", "--to", "jsonl", "--json", check=2)
    assert "--json" in result.stderr
    assert result.stdout == b""


def test_force_is_not_advised_where_it_does_not_help(octavo, source):
    os.mkdir("out")
    (source.parent / "out" / "precious").write_text("mine")
    for force in ([], ["--force"]):
        result = octavo("convert", source, "out", "--to", "folder", *force, check=1)
        assert "something of this name already" in result.stderr
        assert "--force" not in result.stderr


def test_a_count_of_thousands_of_digits_is_wrong_usage(octavo, source):
    for command in ("convert", "split", "merge"):
        result = octavo(command, source, "out@" + "9" * 5000 + ".ffr", check=2)
        assert "can be named" in result.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
def test_what_is_no_file_is_not_replaced_by_one(octavo, source):
    os.mkfifo("pipe")
    os.mkdir("folder")
    assert octavo("convert", source, "pipe", "--to", "tfrecord", "--force", check=2).stdout == b""
    os.rename("pipe", "pipe.ffr")
    assert octavo("pack", "folder", "pipe.ffr", "--force", check=1).stdout == b""
    assert not os.path.isfile("pipe.ffr")


def test_a_file_is_not_appended_to_itself_as_part_of_its_folder(octavo, source):
    before = source.read_bytes()
    assert "to itself" in octavo("append", source, ".", "--from", "folder", check=2).stderr
    assert source.read_bytes() == before


@pytest.mark.usefixtures("source")
def test_a_path_that_cannot_be_told_from_here_is_told_as_it_is(monkeypatch):
    from octavo.cli import _render

    def removed():
        raise FileNotFoundError

    whole = os.path.abspath("out.ffr")
    assert (_render.shown(whole), _render.shown("D:/out.ffr")) == ("out.ffr", "D:/out.ffr")
    monkeypatch.setattr("os.getcwd", removed)
    assert _render.shown(whole) == whole

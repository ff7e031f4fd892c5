"""`octavo count`."""

from __future__ import annotations

import pytest

from octavo import append, convert, create
from tests.unit.layouts import LAYOUTS


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=list(LAYOUTS))
def test_a_number_is_all_it_prints(octavo, layout, tmp_path):
    path = layout.write(tmp_path / "some", [b"x"] * 321)
    done = octavo("count", path.name)
    assert (done.stdout, done.stderr) == (b"321\n", "")


def test_files_are_counted_together(octavo, tmp_path):
    for at in range(3):
        with create(tmp_path / f"part-{at:05}-of-00003.ffr") as writer:
            writer.write_many([b"x"] * (at + 1))
    for paths in (["part-*.ffr"], ["part@3.ffr"], ["."], [f"part-{at:05}-of-00003.ffr" for at in range(3)]):
        assert octavo("count", *paths).stdout == b"6\n"
    assert octavo("count", "--json", ".").json == {"records": 6, "files": 3}


@pytest.mark.parametrize("name", ["none.ffr", "none.tfrecord", "none.array_record", "none.recordio", "none.riegeli"])
def test_a_file_without_records_has_none(octavo, tmp_path, name):
    with create(tmp_path / name):
        pass
    assert octavo("count", name).stdout == b"0\n"


def test_standard_input_is_counted(octavo, tmp_path):
    path = LAYOUTS["array_record"].write(tmp_path / "some", [b"x"] * 7)
    assert octavo("count", "-", stdin=path.read_bytes()).stdout == b"7\n"
    assert "standard input" in octavo("count", "-", path.name, stdin=b"", check=2).stderr


def test_a_format_can_be_said(octavo, tmp_path):
    path = LAYOUTS["tfrecord"].write(tmp_path / "some", [b"x"] * 7)
    assert octavo("count", path.name, "--format", "tfrecord").stdout == b"7\n"
    assert octavo("count", path.name, "--format", "ffrecord", check=1).stdout == b""
    assert octavo("count", path.name, "--format", "nonsense", check=2).stdout == b""


def test_an_interrupted_append_is_told_beside_the_number(octavo, tmp_path):
    path = LAYOUTS["tfrecord"].write(tmp_path / "some", [b"x"] * 7)
    with append(path) as writer:
        writer.write(b"y" * 100)
    path.write_bytes(path.read_bytes()[:-50])
    done = octavo("count", path.name)
    assert done.stdout == b"7\n"
    assert done.stderr.startswith("octavo: warning: ")
    assert "interrupted append" in done.stderr


@pytest.mark.parametrize("name", ["some.tfrecord.gz", "some.tfrecord", "some.recordio"])
def test_a_number_that_stands_on_damage_comes_with_a_warning(octavo, tmp_path, name):
    with create(tmp_path / name, group_size=None if "tfrecord" in name else 10) as writer:
        writer.write_many(b"record %d" % number for number in range(50))
    assert octavo("count", name).stderr == ""
    content = (tmp_path / name).read_bytes()
    half = len(content) // 2
    (tmp_path / name).write_bytes(content[:half] + bytes(byte ^ 0xFF for byte in content[half:]))
    done = octavo("count", name)
    assert done.stdout.strip().isdigit()
    assert done.stderr.startswith("octavo: warning: there may be more records, or one fewer: ")
    assert name in done.stderr


def test_other_containers_are_counted_as_they_would_be_converted(octavo, tmp_path):
    path = LAYOUTS["tfrecord"].write(tmp_path / "some", [b"x"] * 7)
    for name in ("a.jsonl", "b.tar"):
        convert(path, tmp_path / name)
        assert octavo("count", name).stdout == b"7\n"
    assert octavo("count", "a.jsonl", "b.tar", "--json").json == {"records": 14, "files": 2}
    assert "no record files" in octavo("count", "/", check=1).stderr

"""`octavo cat`: all records, one after the other."""

from __future__ import annotations

import base64
import json
import subprocess
import sys

import pytest

from octavo import create
from tests.cli.conftest import TIMEOUT_S, clean_environment
from tests.unit.layouts import LAYOUTS

RECORDS = [b"%d" % number for number in range(10_000)]
ODD = [b"", b"a\tb", b"a\nb\r", "é".encode(), b"\xff\0\x1b[1m", b"\\"]


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=list(LAYOUTS))
def test_every_record_is_a_line(octavo, layout, tmp_path):
    path = layout.write(tmp_path / "some", RECORDS)
    assert octavo("cat", path.name).stdout == b"".join(record + b"\n" for record in RECORDS)
    assert octavo("cat", path.name, "--as", "raw").stdout == b"".join(RECORDS)


@pytest.fixture
def odd(tmp_path):
    return LAYOUTS["ffrecord"].write(tmp_path / "odd", ODD).name


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("text", "\na\tb\na\\nb\\r\né\n\\xff\\x00\\x1b[1m\n\\\n".encode()),
        ("raw", b"".join(ODD)),
        ("base64", b"".join(base64.b64encode(record) + b"\n" for record in ODD)),
    ],
)
def test_forms_of_a_line_a_record(octavo, odd, form, expected):
    assert octavo("cat", odd, "--as", form).stdout == expected


def test_json_is_a_line_a_record_or_one_array(octavo, odd):
    lines = [json.loads(line) for line in octavo("cat", odd, "--as", "json").lines]
    assert [line["record"] for line in lines] == [*range(6)]
    assert lines[4] == {"record": 4, "bytes": 6, "base64": "/wAbWzFt"}
    assert octavo("cat", odd, "--json").json == lines


def test_dumps_have_headings_and_are_whole(octavo, tmp_path):
    LAYOUTS["ffrecord"].write(tmp_path / "some", [bytes(5000), b""])
    lines = octavo("cat", "some.ffr", "--as", "hex").lines
    assert lines[0] == "record 0: hex, 5,000 bytes"
    assert len(lines) == 1 + 313 + 1
    assert lines[-1] == "record 1: empty"


@pytest.mark.parametrize(
    ("delimiter", "between"),
    [
        ("\\n", b"\n"),
        ("\\0", b"\0"),
        ("\\x1e\\t", b"\x1e\t"),
        ("\\\\", b"\\"),
        (", ", b", "),
        ("é", "é".encode()),
        ("", b""),
    ],
)
def test_raw_records_may_be_delimited(octavo, odd, delimiter, between):
    expected = b"".join(record + between for record in ODD)
    assert octavo("cat", odd, "--as", "raw", "--delimiter", delimiter).stdout == expected


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        (["--start", 9_998], [9998, 9999]),
        (["--start", -2], [9998, 9999]),
        (["--stop", 2], [0, 1]),
        (["--start", 5, "--stop", 7], [5, 6]),
        (["--step", 4000], [0, 4000, 8000]),
        (["--step", -4000], [9999, 5999, 1999]),
        (["--start", 20_000], []),
    ],
)
def test_a_range_can_be_chosen(octavo, tmp_path, options, numbers):
    LAYOUTS["ffrecord"].write(tmp_path / "some", RECORDS)
    told = octavo("cat", "some.ffr", "--json", *options).json
    assert [one["record"] for one in told] == numbers


def test_there_is_no_step_of_nothing(octavo, odd):
    assert octavo("cat", odd, "--step", 0, check=2).stdout == b""


@pytest.mark.parametrize("name", ["ffrecord", "array_record", "tfrecord"])
@pytest.mark.parametrize("form", ["text", "raw"])
def test_what_stands_before_a_damaged_record_is_shown(octavo, tmp_path, name, form):
    path = tmp_path / f"some{LAYOUTS[name].suffix}"
    with create(path, codec="none" if name == "array_record" else None) as writer:
        writer.write_many(b"record %04d" % number for number in range(3000))
    content = bytearray(path.read_bytes())
    content[content.index(b"record 2345") + 2] ^= 1
    path.write_bytes(content)
    done = octavo("cat", path.name, "--as", form, check=1)
    assert done.stdout.endswith(b"record 2344" + (b"\n" if form == "text" else b""))
    assert done.stdout.count(b"record") == 2345
    assert "2345" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_reader_that_goes_away_ends_it_quietly(tmp_path):
    LAYOUTS["ffrecord"].write(tmp_path / "some", RECORDS * 20)
    for form in ("text", "raw", "json"):
        with subprocess.Popen(
            [sys.executable, "-m", "octavo", "cat", "some.ffr", "--as", form],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env=clean_environment(),
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.read(1) in (b"0", b"{")
            process.stdout.close()
            told = process.stderr.read()
            assert process.wait(TIMEOUT_S) == 141
            assert told == b""


def test_memory_does_not_follow_the_size_of_the_file(octavo, tmp_path):
    resource = pytest.importorskip("resource")
    with create(tmp_path / "large.array_record") as writer:
        writer.write_many(bytes(1 << 20) for _ in range(600))
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_DATA, ({400 << 20}, {resource.RLIM_INFINITY}))"
    program = f"{limit}; import sys; sys.argv = ['octavo', 'cat', 'large.array_record', '--as', 'raw']; "
    ended = subprocess.run(
        [sys.executable, "-c", program + "from octavo.cli import main; main()"],
        cwd=tmp_path,
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert ended.stderr == b""
    assert ended.returncode == 0
    assert octavo("count", "large.array_record").stdout == b"600\n"


def test_standard_input_will_do(octavo, tmp_path):
    path = LAYOUTS["recordio"].write(tmp_path / "some", RECORDS[:5])
    assert octavo("cat", "-", stdin=path.read_bytes()).lines == list("01234")

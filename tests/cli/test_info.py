"""`octavo info`: what files are, and how large their records."""

from __future__ import annotations

import shutil

import pytest

from octavo import append, create, write_index
from octavo import open as open_records
from tests.unit.layouts import LAYOUTS

RECORDS = [b"x" * (number % 10) for number in range(100)]
KEYS = [
    "files", "records", "bytes", "format", "dialect", "dialect_confirmed", "codec", "level", "group_size", "transposed",
    "writer_options", "mixed", "chunks", "encoded_bytes", "decoded_bytes", "torn_bytes", "sidecar", "record_sizes",
    "paths", "failed",
]  # fmt: skip


def write(path, records=RECORDS, **options):
    with create(path, **options) as writer:
        writer.write_many(records)
    return path


def facts_of(done):
    lines = [line for line in done.lines if line and not line.startswith(" ")]
    return {line[:16].split("  ")[0]: line.split("  ", 1)[1].strip() for line in lines}


def test_a_file_is_told_in_words_and_bars(octavo, tmp_path):
    write(tmp_path / "some.array_record", [b"x" * 10] * 50 + [b"x" * 12] * 25, group_size=25)
    path = tmp_path / "some.array_record"
    info = open_records(path).info
    encoded = info.encoded_bytes
    assert octavo("info", path.name).lines == [
        "format          array_record",
        "records         75",
        "files           1",
        "size            131 kB (131,072 bytes)",
        f"codec           zstd, level 3; {800 / encoded:.3g} : 1, from 800 B",
        f"chunks          3; on average 25 records, {encoded / 3:.3g} B",
        "group size      25",
        f"writer options  {info.writer_options}",
        "record sizes    10 B to 12 B, mean 10.7 B, of all 75 records",
        "",
        "  10 B  50  " + "█" * 40,
        "  11 B   0",
        "  12 B  25  " + "█" * 20,
    ]


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=list(LAYOUTS))
def test_json_has_these_keys_in_every_format(octavo, layout, tmp_path):
    path = layout.write(tmp_path / "some", RECORDS)
    told = octavo("info", "--json", path.name).json
    info = open_records(path).info
    assert list(told) == KEYS
    assert (told["files"], told["records"], told["bytes"]) == (1, 100, path.stat().st_size)
    assert (told["format"], told["codec"], told["dialect"]) == (info.format, info.codec, info.dialect)
    assert (told["chunks"], told["encoded_bytes"]) == (info.chunk_count, info.encoded_bytes)
    assert (told["mixed"], told["failed"], told["paths"]) == ([], [], [path.name])
    assert told["record_sizes"] == {
        "records": 100,
        "sampled": False,
        "smallest": 0,
        "largest": 9,
        "mean": 4.5,
        "error": None,
        "histogram": [{"from": size, "to": size + 1, "records": 10} for size in range(10)],
    }


@pytest.mark.parametrize("name", ["none.ffr", "none.tfrecord", "none.array_record", "none.recordio", "none.riegeli"])
def test_a_file_without_records_has_no_sizes(octavo, tmp_path, name):
    write(tmp_path / name, [])
    facts = facts_of(octavo("info", name))
    assert facts["records"] == "0"
    assert "record sizes" not in facts
    sizes = octavo("info", "--json", name).json["record_sizes"]
    assert (sizes["records"], sizes["mean"], sizes["smallest"], sizes["histogram"]) == (0, None, None, [])


def test_records_of_one_size_need_no_bars(octavo, tmp_path):
    write(tmp_path / "same.ffr", [b"1234"] * 9)
    assert octavo("info", "same.ffr").lines[-1] == "record sizes  4 B, of all 9 records"
    write(tmp_path / "one.ffr", [b"1234"])
    assert octavo("info", "one.ffr").lines[-1] == "record sizes  4 B, of the only record"


def test_many_records_are_sampled_unless_all_are_asked_for(octavo, tmp_path):
    write(tmp_path / "many.tfrecord", [b"x" * (number % 7) for number in range(5000)])
    assert facts_of(octavo("info", "many.tfrecord"))["record sizes"].endswith(", of 1,000 sampled records")
    done = octavo("info", "many.tfrecord", "--full")
    assert facts_of(done)["record sizes"] == "0 B to 6 B, mean 3 B, of all 5,000 records"
    assert done.stderr == ""
    told = octavo("info", "many.tfrecord", "--full", "--json").json["record_sizes"]
    assert (told["records"], told["sampled"]) == (5000, False)


def test_files_that_agree_are_told_as_one(octavo, tmp_path):
    for at in range(30):
        write(tmp_path / f"part-{at:05}-of-00030.array_record", group_size=10)
    told = octavo("info", "part@30.array_record", "--json").json
    assert (told["files"], told["records"], told["group_size"], told["mixed"]) == (30, 3000, 10, [])
    assert told["bytes"] == sum(path.stat().st_size for path in tmp_path.iterdir())


def test_files_that_differ_are_told_to_be_mixed(octavo, tmp_path):
    write(tmp_path / "a.array_record", codec="zstd:3", group_size=10)
    write(tmp_path / "b.array_record", codec="brotli:5", group_size=20)
    write(tmp_path / "c.ffr")
    facts = facts_of(octavo("info", "."))
    assert facts["format"] == "mixed: array_record, ffrecord"
    assert facts["codec"] == "mixed: zstd, brotli, none, level mixed: 3, 5"
    assert facts["group size"] == "mixed: 10, 20"
    assert facts["chunks"].startswith("15; on average 13.3 records, ")
    told = octavo("info", ".", "--json").json
    assert told["mixed"] == ["format", "codec", "level", "group_size", "writer_options"]
    assert (told["format"], told["codec"], told["group_size"], told["decoded_bytes"]) == (None, None, None, None)


def test_a_file_of_one_chunk_does_not_say_how_many_records_others_have(octavo, tmp_path):
    write(tmp_path / "a.array_record", group_size=40)
    write(tmp_path / "b.array_record", RECORDS[:7], group_size=40)
    write(tmp_path / "c.array_record", [], group_size=40)
    told = octavo("info", ".", "--json").json
    assert (told["group_size"], told["mixed"]) == (40, [])


def test_files_that_cannot_be_opened_are_named_and_the_others_told(octavo, tmp_path):
    write(tmp_path / "good.ffr")
    (tmp_path / "bad.ffr").write_bytes(b"nonsense" * 10)
    done = octavo("info", "bad.ffr", "good.ffr", "gone.ffr", check=1)
    assert facts_of(done)["records"] == "100"
    assert [name in line for name, line in zip(["bad.ffr", "gone.ffr"], done.stderr.splitlines(), strict=True)] == [
        True
    ] * 2
    told = octavo("info", "bad.ffr", "good.ffr", "--json", check=1).json
    assert (told["files"], told["paths"]) == (1, ["good.ffr"])
    assert [failed["path"] for failed in told["failed"]] == ["bad.ffr"]


def test_where_no_file_can_be_opened_nothing_is_told(octavo, tmp_path):
    (tmp_path / "bad.ffr").write_bytes(b"nonsense" * 10)
    done = octavo("info", "bad.ffr", "gone.ffr", check=1)
    assert done.stdout == b""
    assert len(done.stderr.splitlines()) == 2


def test_damage_among_the_sampled_records_is_told(octavo, tmp_path):
    path = write(tmp_path / "some.ffr", [b"record %d" % number for number in range(100, 200)])
    content = bytearray(path.read_bytes())
    content[content.index(b"record 150")] ^= 1
    path.write_bytes(content)
    for options, count in (([], 99), (["--full"], None)):
        done = octavo("info", path.name, *options, check=1)
        assert facts_of(done)["records"] == "100"
        assert "record 50 " in done.stderr
        assert len(done.stderr.splitlines()) == 1
        if count is not None:
            assert facts_of(done)["record sizes"] == f"10 B, of {count} sampled records"


def test_an_unfinished_file_is_not_told_but_how_to_save_it(octavo, tmp_path):
    writer = create(tmp_path / "some.array_record")
    writer.write_many(RECORDS)
    writer.flush()
    shutil.copy(tmp_path / "some.array_record.partial", tmp_path / "crashed.array_record.partial")
    writer.abort()
    done = octavo("info", "crashed.array_record.partial", check=1)
    assert done.stdout == b""
    assert "octavo recover" in done.stderr


def test_an_interrupted_append_and_a_sidecar_are_told(octavo, tmp_path):
    path = write(tmp_path / "some.tfrecord")
    whole = path.stat().st_size
    with append(path) as writer:
        writer.write(b"y" * 100)
    path.write_bytes(path.read_bytes()[: whole + 50])
    done = octavo("info", path.name)
    assert facts_of(done)["torn"] == "50 bytes of interrupted appends, which are left out"
    assert done.stderr == ""
    indexed = write(tmp_path / "indexed.tfrecord")
    write_index(indexed)
    assert facts_of(octavo("info", "indexed.tfrecord"))["sidecar"] == "yes"
    assert facts_of(octavo("info", "indexed.tfrecord", "some.tfrecord"))["sidecar"] == "beside 1 of the files"


def test_a_dialect_is_told(octavo, tmp_path):
    write(tmp_path / "some.recordio", dialect="go")
    assert facts_of(octavo("info", "some.recordio"))["dialect"] == "go"


def test_standard_input_will_do(octavo, tmp_path):
    path = write(tmp_path / "some.array_record")
    told = octavo("info", "-", "--json", stdin=path.read_bytes()).json
    assert (told["records"], told["paths"]) == (100, ["-"])
    assert octavo("info", "-", stdin=b"nonsense", check=1).stderr.startswith("octavo: standard input: ")


def test_more_files_than_stay_open_are_all_told(octavo, tmp_path):
    for at in range(100):
        write(tmp_path / f"{at:03}.tfrecord", [b"x" * at] * 20)
    told = octavo("info", ".", "--json").json
    assert (told["files"], told["records"]) == (100, 2000)
    assert told["record_sizes"]["records"] == 1000
    assert 45 < told["record_sizes"]["mean"] < 54
    told = octavo("info", ".", "--json", "--full").json["record_sizes"]
    assert (told["records"], told["mean"], told["largest"]) == (2000, 49.5, 99)


def test_bars_are_ascii_where_the_output_is(octavo, tmp_path):
    write(tmp_path / "some.ffr")
    done = octavo("info", "some.ffr", environment={"PYTHONIOENCODING": "ascii"})
    assert done.lines[-1] == "  9 B  10  " + "#" * 40

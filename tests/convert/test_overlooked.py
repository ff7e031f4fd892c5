"""Folders whose names do not say that there are record files in them."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import octavo
from octavo import errors

RECORDS = [b"%d" % number for number in range(10)]


def write(path: Path, records: list[bytes] = RECORDS, format: str = "tfrecord", **options: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with octavo.create(path, format=format, **options) as writer:  # type: ignore[call-overload,arg-type,unused-ignore]
        writer.write_many(records)
    return path


@pytest.fixture
def shards(tmp_path):
    """What TensorFlow's own data sets look like."""
    for number in range(2):
        write(tmp_path / f"tf/train-0000{number}-of-00002", RECORDS[5 * number : 5 * number + 5])
    (tmp_path / "tf/labels.txt").write_text("cat\ndog\n")
    return tmp_path / "tf"


def test_a_folder_of_shards_without_a_suffix_is_refused(shards, tmp_path):
    with pytest.raises(errors.OptionError, match="is itself a file of records, TFRecord by its content") as caught:
        octavo.convert(shards, tmp_path / "x.ffr")
    message = str(caught.value)
    assert message.startswith(f"{shards}: ")
    assert message.endswith(
        f"but train-00000-of-00002 is itself a file of records, TFRecord by its content; for the records inside, name "
        f"the files: '{shards}/train-*'; for one record a file, pass source_format='folder'"
    )
    assert not (tmp_path / "x.ffr").exists()


@pytest.mark.parametrize("name", ["train-*", "train@2"])
def test_the_remedy_works(shards, tmp_path, name):
    octavo.convert(f"{shards}/{name}", tmp_path / "x.ffr")
    assert octavo.open(tmp_path / "x.ffr").read_all() == RECORDS


def test_shards_without_a_suffix_get_one_that_a_sharded_name_finds(shards, tmp_path):
    octavo.convert(f"{shards}/train@2", f"{tmp_path}/out/", format="array_record")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "train-00000-of-00002.array_record",
        "train-00001-of-00002.array_record",
    ]
    assert octavo.open(tmp_path / "out/train@2.array_record").read_all() == RECORDS


def test_shards_with_a_suffix_keep_their_number_where_it_was(tmp_path):
    for number in range(2):
        write(tmp_path / f"tf/train.tfrecord-0000{number}-of-00002", RECORDS[5 * number : 5 * number + 5])
    octavo.convert(tmp_path / "tf", f"{tmp_path}/out/", format="array_record")
    assert octavo.open(tmp_path / "out/train.array_record@2").read_all() == RECORDS


def test_files_are_records_if_that_is_said(shards, tmp_path):
    assert octavo.convert(shards, tmp_path / "x.ffr", source_format="folder").record_count == 3


def test_digests_refuse_it_in_their_own_words(shards):
    with pytest.raises(errors.OptionError, match="pass format='folder'"):
        octavo.digest(shards)
    assert octavo.digest(shards, format="folder").record_count == 3


def test_folders_are_compared_file_by_file(shards, tmp_path):
    octavo.convert(shards, tmp_path / "x.ffr", source_format="folder")
    assert octavo.diff(shards, tmp_path / "x.ffr").same


@pytest.mark.parametrize("format", ["ffrecord", "array_record", "riegeli", "recordio"])
def test_every_format_is_noticed(tmp_path, format):
    path = write(tmp_path / "data/part", format=format)
    with pytest.raises(errors.OptionError, match=f"name the files: {path};"):
        octavo.convert(path.parent, tmp_path / "x.jsonl")


def test_record_files_further_down_are_noticed(tmp_path):
    for part in ("train", "val"):
        write(tmp_path / "data" / part / "shard-0.tfrecord")
        write(tmp_path / "data" / part / "shard-1.tfrecord")
    with pytest.raises(errors.OptionError, match=r"name the files: '.*/data/\*\*/shard-\*'"):
        octavo.convert(tmp_path / "data", tmp_path / "x.ffr")


def test_one_of_several_folders_is_noticed(shards, tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/a.txt").write_text("a")
    with pytest.raises(errors.OptionError, match="train-00000-of-00002"):
        octavo.convert([tmp_path / "texts", shards], tmp_path / "x.ffr")


def test_only_some_files_are_looked_at(tmp_path):
    (tmp_path / "many").mkdir()
    for number in range(300):
        (tmp_path / f"many/{number:03}.txt").write_text(f"{number}")
    write(tmp_path / "many/last")
    assert octavo.convert(tmp_path / "many", tmp_path / "x.ffr").record_count == 301


def test_record_files_that_are_left_out_are_told(tmp_path):
    folder = write(tmp_path / "data/a.tfrecord").parent
    for name in ("b.tfrecord.gzip", "c.tfr", "d", "e"):
        write(folder / name, codec="gzip")
    write(folder / "f.partial")
    (folder / "README").write_text("read me")
    with pytest.warns(errors.SkippedFilesWarning) as caught:
        octavo.convert(folder, tmp_path / "x.ffr")
    (message,) = [str(one.message) for one in caught]
    assert message == (
        f"{folder}: left out, because their suffix says no record format: b.tfrecord.gzip, c.tfr, d and 1 more; by "
        "their content they are record files: name them as well, or rename them"
    )
    with pytest.warns(errors.SkippedFilesWarning):
        octavo.convert([folder], tmp_path / "y.ffr", source_format="tfrecord")


def test_a_folder_of_nothing_but_records_is_read_without_a_word(tmp_path):
    folder = write(tmp_path / "data/a.tfrecord").parent
    octavo.write_index(folder / "a.tfrecord")
    (folder / "README").write_text("read me")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        octavo.convert(folder, tmp_path / "x.ffr")

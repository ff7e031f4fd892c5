"""Files of different kinds as one reader: chunks of any sizes side by side, formats not."""

from __future__ import annotations

import io
import itertools
import random
from pathlib import Path

import numpy as np
import pytest

import octavo
from octavo import errors
from tests.naive import recordio, tfrecord
from tests.property.access_paths import ACCESS_PATHS
from tests.unit.layouts import (
    CHUNKED,
    DEFLATED,
    FFRECORD,
    GO,
    GROUPED,
    LAYOUTS,
    LONE,
    RECORDIO,
    RIEGELI,
    TFRECORD,
    Layout,
)

RECORDS = [f"record {number}".encode() * (number % 3) for number in range(120)]
EVEN_RECORDS = [number.to_bytes(4, "little") for number in range(120)]
KINDS = [
    {"group_size": 1, "codec": "none"},
    {"group_size": 7},
    {"group_size": 1, "codec": "brotli"},
    {"group_size": 200, "codec": "snappy", "transpose": True},
    {"group_size": 3, "pad_to_block_boundary": True},
]
EDGES = [0, 30, 30, 31, 90, 120]


def write(folder: Path, records: list[bytes], order: list[int]) -> list[Path]:
    """The records in five files of different kinds; the second one has none."""
    paths: list[Path] = []
    for number, (start, stop) in zip(order, itertools.pairwise(EDGES), strict=True):
        path = folder / f"part-{len(paths)}.array_record"
        with octavo.create(path, **KINDS[number]) as writer:  # type: ignore[arg-type]
            writer.write_many(records[start:stop])
        paths.append(path)
    return paths


@pytest.fixture(params=[[0, 1, 2, 3, 4], [1, 0, 0, 3, 2], [2, 2, 2, 0, 0], [4, 3, 1, 1, 0]], ids=str)
def order(request: pytest.FixtureRequest) -> list[int]:
    numbers: list[int] = request.param
    return numbers


@pytest.fixture
def reader(tmp_path: Path, order: list[int]) -> octavo.Reader:
    return octavo.open(write(tmp_path, RECORDS, order))


@pytest.mark.parametrize("way", ACCESS_PATHS)
def test_every_way_to_read_gives_the_records_of_all_files(reader, way):
    assert ACCESS_PATHS[way](reader) == RECORDS


def test_a_batch_may_hop_between_files(reader):
    numbers = random.Random(3).choices(range(-120, 120), k=500)
    assert reader.read(numbers) == [RECORDS[number] for number in numbers]
    assert reader.read_batch(numbers).to_list() == [RECORDS[number] for number in numbers]


@pytest.mark.parametrize("key", [slice(25, 95), slice(None, None, -1), slice(100, 5, -7), slice(29, 32)], ids=str)
def test_a_slice_may_cross_files(reader, key):
    assert reader[key].read_all() == list(reader[key]) == RECORDS[key]


def test_partitions_may_cross_files(reader):
    for count in (1, 2, 5, 120):
        parts = reader.partitions(count)
        assert [record for part in parts for record in part.open()] == RECORDS


def test_records_of_one_size_fill_an_array(tmp_path, order):
    reader = octavo.open(write(tmp_path, EVEN_RECORDS, order))
    numbers = random.Random(3).choices(range(120), k=300)
    out = np.zeros(300, dtype="<u4")
    reader.read_into(numbers, out)
    assert out.tolist() == numbers


def test_a_size_error_names_the_record_across_files(reader):
    with pytest.raises(errors.RecordSizeError) as caught:
        reader.read_into([91, 92], bytearray(18))  # 9 bytes and 18
    assert (caught.value.record, caught.value.expected, caught.value.actual) == (92, 9, 18)


def test_one_file_may_be_there_more_than_once(tmp_path):
    path = GROUPED.write(tmp_path / "records", RECORDS)
    assert octavo.open([path, path, path]).read_all() == RECORDS * 3


def test_places_of_every_kind_may_stand_side_by_side(tmp_path):
    content = GROUPED.encode(RECORDS)
    places = [GROUPED.write(tmp_path / "a", RECORDS), content, io.BytesIO(content), LONE.write(tmp_path / "b", RECORDS)]
    assert octavo.open(places).read_all() == RECORDS * 4


class TestFormats:
    EACH_FORMAT = (FFRECORD, GROUPED, RIEGELI, RECORDIO, TFRECORD)

    @pytest.mark.parametrize(("first", "second"), [*itertools.permutations(EACH_FORMAT, 2)])
    def test_two_formats_are_no_data_set(self, tmp_path, first, second):
        paths = [first.write(tmp_path / "a", RECORDS), second.write(tmp_path / "b", RECORDS)]
        message = f"is {second.format}, but the files before it are {first.format}: files of one reader have one format"
        with pytest.raises(errors.FormatError, match=message) as caught:
            octavo.open(paths)
        assert str(paths[1]) in str(caught.value)

    def test_a_folder_of_two_formats_is_refused(self, tmp_path):
        FFRECORD.write(tmp_path / "a", RECORDS)
        GROUPED.write(tmp_path / "b", RECORDS)
        with pytest.raises(errors.FormatError, match="files of one reader have one format"):
            octavo.open(tmp_path)

    @pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
    def test_a_folder_is_its_files_of_every_suffix(self, layout: Layout, tmp_path: Path):
        layout.write(tmp_path / "b", RECORDS[60:])
        layout.write(tmp_path / "a", RECORDS[:60])
        assert octavo.open(tmp_path).read_all() == RECORDS

    def test_both_suffixes_of_array_record_may_stand_side_by_side(self, tmp_path):
        GROUPED.write(tmp_path / "a", RECORDS[:60])
        (tmp_path / "b.arrayrecord").write_bytes(LONE.encode(RECORDS[60:]))
        assert octavo.open(tmp_path).read_all() == RECORDS

    def test_codecs_of_tfrecord_may_stand_side_by_side(self, tmp_path):
        for number, codec in enumerate(tfrecord.CODECS):
            (tmp_path / f"{number}.tfrecord").write_bytes(
                tfrecord.encode(RECORDS[40 * number : 40 * number + 40], codec)
            )
        reader = octavo.open(tmp_path)
        assert reader.read_all() == RECORDS
        numbers = random.Random(3).choices(range(-120, 120), k=500)
        assert reader.read(numbers) == [RECORDS[number] for number in numbers]

    def test_dialects_and_codecs_of_recordio_may_stand_side_by_side(self, tmp_path):
        for number, (dialect, codec) in enumerate(recordio.WAYS):
            content = recordio.encode(RECORDS[10 * number : 10 * number + 10], dialect, codec, max_chunk_bytes=50)
            (tmp_path / f"{number:02}.recordio").write_bytes(content)
        reader = octavo.open(tmp_path)
        assert reader.read_all() == RECORDS[: 10 * len(recordio.WAYS)]
        assert octavo.verify(tmp_path).ok

    @pytest.mark.parametrize("layout", CHUNKED.values(), ids=CHUNKED)
    def test_shards_have_any_suffix(self, layout: Layout, tmp_path: Path):
        for number in range(2):
            layout.write(tmp_path / f"train-0000{number}-of-00002", RECORDS[60 * number : 60 * number + 60])
        assert octavo.open(tmp_path / f"train@2{layout.suffix}").read_all() == RECORDS


class TestDetection:
    @pytest.mark.parametrize("name", ["records", "records.bin", "records.ffr", "records.array_record"])
    def test_an_array_record_file_is_known_by_its_content(self, tmp_path, name):
        (tmp_path / name).write_bytes(GROUPED.encode(RECORDS))
        reader = octavo.open(tmp_path / name)
        assert (reader.info.format, reader.read_all()) == ("array_record", RECORDS)

    @pytest.mark.parametrize("name", ["records", "records.bin", "records.array_record"])
    def test_a_riegeli_file_under_another_name_is_told_apart_by_its_missing_footer(self, tmp_path, name):
        (tmp_path / name).write_bytes(RIEGELI.encode(RECORDS))
        with pytest.raises(errors.UnfinishedFileError, match=r"opened with format='riegeli'"):
            octavo.open(tmp_path / name)
        assert octavo.open(tmp_path / name, format="riegeli").read_all() == RECORDS

    @pytest.mark.parametrize(
        "layout", [RECORDIO, GO, TFRECORD, DEFLATED], ids=["recordio", "recordio-go", "tfrecord", "tfrecord-gzip"]
    )
    @pytest.mark.parametrize("name", ["records", "records.bin"])
    def test_a_recordio_or_tfrecord_file_is_known_by_its_content(self, layout, tmp_path, name):
        (tmp_path / name).write_bytes(layout.encode(RECORDS))
        reader = octavo.open(tmp_path / name)
        assert (reader.info.format, reader.read_all()) == (layout.format, RECORDS)
        assert octavo.open(layout.encode(RECORDS)).read_all() == RECORDS

    @pytest.mark.parametrize("format", ["recordio", "tfrecord"])
    def test_a_file_without_a_byte_must_be_told_what_it_is(self, tmp_path, format):
        (tmp_path / "records").touch()
        with pytest.raises(errors.UnknownFormatError, match="empty"):
            octavo.open(tmp_path / "records")
        reader = octavo.open(tmp_path / "records", format=format)
        assert (len(reader), reader.read_all(), reader.info.format) == (0, [], format)

    def test_an_array_record_file_is_a_riegeli_file_too(self, tmp_path):
        path = LONE.write(tmp_path / "records", RECORDS)
        reader = octavo.open(path, format="riegeli")
        assert reader.read_range(0, 120) == RECORDS
        assert len(reader) > 120  # the footer and the postscript are chunks of records there
